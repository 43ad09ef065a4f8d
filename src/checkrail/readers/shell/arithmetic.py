"""Arithmetic: what it would run, what it assigns, and, for plain sums of known numbers, what comes out."""

import ast
import re
import warnings
from typing import TYPE_CHECKING

from checkrail.model import SOME, Span
from checkrail.readers.shell.grammar import tree
from checkrail.readers.shell.state import State, Value

if TYPE_CHECKING:
    from checkrail.readers.shell.evaluate import Evaluator

NAMES_CAP = 100
"""Variables that one arithmetic text is followed through."""

TEXT_CAP = 200
"""Characters of a text that is worked out."""

DEPTH_CAP = 8
"""Variables that name variables."""

_NAME = re.compile(r"[A-Za-z_]\w*")
_ASSIGNED = re.compile(r"([A-Za-z_]\w*)\s*(?:\+\+|--|(?:<<|>>|[-+*/%&|^])?=(?!=))|(?:\+\+|--)\s*([A-Za-z_]\w*)")
_PLAIN = re.compile(r"[\w\s+*/%()-]*")


def expanded(word: tree.Word, run: "Evaluator", *, subscript: bool) -> Value:
    """What an arithmetic word comes to. A subscript is expanded twice, so that it may run more than other texts."""
    from checkrail.readers.shell import words

    text = words.value(word, run, tildes=False).text
    runs(text, run, word.span)
    if subscript:
        run.prompt(text, word.span)
    number = worked_out(text, run.state)
    return Value(SOME if number is None else str(number))


def runs(text: str, run: "Evaluator", span: Span) -> None:
    """Evaluate what an expanded text would run: its subscripts, and those in the values of its variables.

    Outside a subscript ``$(`` is a syntax error to bash by then. What it assigns is not followed.
    """
    _subscripts(text, run, span)
    waiting, seen = [text], set[str]()
    while waiting and len(seen) < NAMES_CAP:
        for name in set(_NAME.findall(waiting.pop())) - seen:
            seen.add(name)
            for value in run.state.variables.get(name, ()):
                _subscripts(value.text, run, span)
                waiting.append(value.text)
    if "=" in text or "++" in text or "--" in text:
        for found in _ASSIGNED.finditer(text):
            run.state.set(found[1] or found[2], Value(SOME))


def _subscripts(text: str, run: "Evaluator", span: Span) -> None:
    if "[" in text:
        run.prompt(text[text.find("[") :], span)


def worked_out(text: str, state: State, depth: int = 0) -> int | None:
    """The number that a plain sum of known numbers comes to, else None. An empty value of a variable is zero."""
    text = text.strip()
    if text.isdigit():
        return int(text) if text[:1] != "0" or len(text) == 1 else None
    if not text:
        return 0 if depth else None
    if len(text) > TEXT_CAP or not _PLAIN.fullmatch(text) or "**" in text or "//" in text:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return _number(ast.parse(text, mode="eval").body, state, depth)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _number(node: ast.expr, state: State, depth: int) -> int | None:
    match node:
        case ast.Constant(value=int(number)) if not isinstance(number, bool):
            return number
        case ast.Name(id=name) if depth < DEPTH_CAP:
            held = state.variables.get(state.named(name), ())
            return worked_out(held[0].text, state, depth + 1) if len(held) == 1 and held[0].known else None
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return _joined(0, ast.Sub(), _number(operand, state, depth))
        case ast.BinOp(left=left, op=operator, right=right):
            return _joined(_number(left, state, depth), operator, _number(right, state, depth))
    return None


def _joined(left: int | None, operator: ast.operator, right: int | None) -> int | None:
    if left is None or right is None or max(abs(left), abs(right)) > 2**31:
        return None
    match operator:
        case ast.Add():
            return left + right
        case ast.Sub():
            return left - right
        case ast.Mult():
            return left * right
        case ast.Div() if right:
            return int(left / right)
        case ast.Mod() if right:
            return left - right * int(left / right)
    return None
