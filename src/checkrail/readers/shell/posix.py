"""What shells without ``((`` and ``[[`` read otherwise than bash: ``sh`` is dash or busybox on many machines.

Judged besides bash's reading, never instead.
"""

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from checkrail.model import HOLE, SOME
from checkrail.readers.shell import invoke, nested
from checkrail.readers.shell.grammar import parser, tree
from checkrail.readers.shell.grammar.walk import walk

if TYPE_CHECKING:
    from checkrail.readers.shell.evaluate import Evaluator

_SUM = re.compile(r"[\w+*%^?:,=\[\]@#/~!-]*")
_OPERAND = re.compile(r"\w|--\w|[/~.].")
_PATH = re.compile(r"[/~.]\w|[/~]\Z")
_LONGEST = 10_000
"""Characters of a sum or test that is read the other way too; a longer one is hardly one."""


def subshells(node: tree.ArithCommand, run: "Evaluator") -> None:
    """``((rm -rf x))`` is a sum to bash and a subshell in a subshell to dash: followed where a sum would not look so."""
    _follow(f"( {run.text[node.word.span.start : node.word.span.end]}\n)", node, run, _no_sum)


def test(node: tree.Test, run: "Evaluator") -> None:
    """``[[ a || rm -rf x ]]`` is a test to bash and two programs to dash, ``[[ a > x ]]`` a program that writes."""
    inner = run.text[node.span.start + 2 : node.span.end].rpartition("]]")[0]
    if "|" in inner or ">" in inner or "\n" in inner or "&" in inner:
        _follow(f"[ {inner} ]", node, run, _no_test)


def _follow(text: str, node: tree.Node, run: "Evaluator", differs: Callable[[tree.Simple, "Evaluator"], bool]) -> None:
    if len(text) > _LONGEST:
        run.unread("a sum or test longer than is read", node.span)
    elif any(differs(command, run) for command in _commands(parser.parse(text).script)):
        nested.here(text, run, node.span, "sh")


def _commands(root: tree.Node) -> Iterator[tree.Simple]:
    """The commands that stand in the text itself; what is substituted into it has been followed already."""
    end = 0
    for node in walk(root):
        if isinstance(node, tree.CommandSub | tree.ProcessSub):
            end = max(end, node.span.end)
        elif isinstance(node, tree.Simple) and node.span.start >= end:
            yield node


def _no_sum(node: tree.Simple, run: "Evaluator") -> bool:
    """Whether a command is more than the operands and signs of a sum."""
    first, *rest = [_told(word, run) for word in node.words] or [""]
    if _writes(node, run) or any(_PATH.match(text) for text in rest[-1:]):
        return True
    if any(text[:2] in ("--", "./", "..") for text in rest):
        return True
    if not first or HOLE in first or SOME in first:
        return False
    if not _SUM.fullmatch(first) or _PATH.match(first) or invoke.known(first) is not None:
        return True
    return bool(rest) and _OPERAND.match(rest[0]) is not None


def _no_test(node: tree.Simple, run: "Evaluator") -> bool:
    """Whether a command is more than a part of a test."""
    first = _told(node.words[0], run) if node.words else ""
    return _writes(node, run) or bool(_PATH.match(first)) or (first != "[" and invoke.known(first) is not None)


def _writes(node: tree.Simple, run: "Evaluator") -> bool:
    return any(redirect.target and _PATH.match(_told(redirect.target, run)) for redirect in node.redirects)


def _told(word: tree.Word, run: "Evaluator") -> str:
    """What a word says without running anything for it."""
    return "".join(_part(part, run) for part in word.parts)


def _part(part: tree.Part, run: "Evaluator") -> str:
    if isinstance(part, tree.Text):
        return part.value
    if isinstance(part, tree.Parameter) and not part.op:
        values = run.state.variables.get(part.name, ())
        return values[0].text if len(values) == 1 else HOLE
    return HOLE
