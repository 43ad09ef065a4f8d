"""What an expression of a script may be worth: constants, joined texts, variables, lists and a few pure functions."""

import binascii
import re
from collections.abc import Callable, Sequence
from typing import Any

from checkrail.model import HOLE
from checkrail.readers.script.functions import FUNCTIONS, TEXT_METHODS, text_of
from checkrail.readers.script.lexer import Token, lex
from checkrail.readers.script.state import WAYS, State, known
from checkrail.readers.script.texts import Unclosed
from checkrail.readers.script.tokens import CLOSE, OPEN, canonical, chain, closing, split

REMOTE = "\uffffremote"
"""Stands for a value that came over the network."""


def alternatives(state: State, tokens: Sequence[Token]) -> list[Any]:
    """Every text or list that an expression may be; a HOLE where it is not known."""
    state.tick(1 + len(tokens) // 8)
    if len(tokens) > 400:
        return [HOLE]
    state.depth += 1
    try:
        return _alternatives(state, tokens)[:WAYS] or [HOLE]
    finally:
        state.depth -= 1


def texts(state: State, tokens: Sequence[Token]) -> list[str]:
    """Every text that an expression may be; lists joined by blanks."""
    return [text_of(value) for value in alternatives(state, tokens)]


def _alternatives(state: State, tokens: Sequence[Token]) -> list[Any]:
    tokens = _stripped(tokens)
    if not tokens:
        return [HOLE]
    choices = _conditional(tokens)
    if choices is not None:
        return [value for part in choices for value in alternatives(state, part)]
    if len(tokens) == 2 and tokens[0].text == "-" and tokens[1].kind == "number":
        return [f"-{tokens[1].text}"]
    pieces = _joined(tokens, state.language)
    if len(pieces) > 1:
        ways = [""]
        for piece in pieces:
            found = texts(state, piece)
            ways = [way + text for way in ways for text in found][:WAYS]
        return list(ways)
    return _single(state, tokens)


def _stripped(tokens: Sequence[Token]) -> Sequence[Token]:
    while tokens and (
        (tokens[0].text in ("await", "return", "new", "@", "\\", "...", "*") and tokens[0].kind in ("name", "sign"))
        or tokens[0].kind == "end"
    ):
        tokens = tokens[1:]
    while tokens and tokens[-1].kind == "end":
        tokens = tokens[:-1]
    while (
        len(tokens) > 2 and tokens[0].text == "(" and tokens[0].kind == "sign" and closing(tokens, 0) == len(tokens) - 1
    ):
        if len(split(tokens[1:-1])) > 1:
            break
        tokens = tokens[1:-1]
    return tokens


def _conditional(tokens: Sequence[Token]) -> list[Sequence[Token]] | None:
    depth = 0
    for index, token in enumerate(tokens):
        if token.kind != "sign":
            continue
        depth += (token.text in OPEN) - (token.text in CLOSE)
        if depth == 0 and token.text in ("||", "&&"):
            return [tokens[:index], tokens[index + 1 :]]
        if depth == 0 and token.text == "?" and index + 1 < len(tokens):
            colon = _at_level(tokens, index + 1, ":")
            if colon:
                return [tokens[index + 1 : colon], tokens[colon + 1 :]]
    return None


def _at_level(tokens: Sequence[Token], start: int, text: str) -> int:
    depth = 0
    for index in range(start, len(tokens)):
        token = tokens[index]
        if token.kind == "sign":
            depth += (token.text in OPEN) - (token.text in CLOSE)
            if depth == 0 and token.text == text:
                return index
    return 0


def _joined(tokens: Sequence[Token], language: str) -> list[Sequence[Token]]:
    plus = {"+", "<<"} if language in ("node", "ruby") else {"."}
    parts: list[Sequence[Token]] = []
    depth, start = 0, 0
    for index, token in enumerate(tokens):
        if token.kind != "sign":
            continue
        depth += (token.text in OPEN) - (token.text in CLOSE)
        if depth == 0 and token.text in plus and index:
            parts.append(tokens[start:index])
            start = index + 1
    return [*parts, tokens[start:]]


def _single(state: State, tokens: Sequence[Token]) -> list[Any]:
    first = tokens[0]
    if len(tokens) == 1:
        return _atom(state, first)
    if first.text in ("[", "(") and first.kind == "sign" and closing(tokens, 0) == len(tokens) - 1:
        return _list(state, tokens[1:-1])
    if first.kind in ("string", "words", "command") or first.text == "[":
        return _methods(state, tokens)
    return _call(state, tokens)


def _list(state: State, tokens: Sequence[Token]) -> list[Any]:
    ways: list[tuple[Any, ...]] = [()]
    for part in split(tokens):
        found = alternatives(state, part)
        if part[0].text in ("...", "*", "@") and len(found) == 1 and isinstance(found[0], tuple):
            ways = [(*way, *found[0]) for way in ways]
        else:
            ways = [(*way, value) for way in ways for value in found][:WAYS]
    return list(ways)


def _atom(state: State, token: Token) -> list[Any]:
    if token.kind == "string":
        return list(filled(state, token))
    if token.kind == "words":
        return [tuple(text for _, text in token.parts)]
    if token.kind == "number":
        return [token.text]
    if token.kind in ("variable", "name"):
        return variable(state, token.text)
    return [HOLE]


def filled(state: State, token: Token) -> list[str]:
    """Every text that a quoted text may be, with what is put into it."""
    ways = [""]
    for code, text in token.parts:
        found = [text]
        if code:
            try:
                found = texts(state, lex(text, state.language))
            except Unclosed:
                found = [HOLE]
        ways = [way + piece for way in ways for piece in found][:WAYS]
    return ways


def variable(state: State, name: str) -> list[Any]:
    """Everything that a variable is given anywhere in the script."""
    constant = CONSTANTS.get((state.language, name))
    if constant is not None:
        return [constant(state)]
    if name in state.known:
        return state.known[name]
    if name in state.looking or (name not in state.assigned and name not in state.elements):
        return [HOLE]
    state.looking.add(name)
    found: list[Any] = []
    for tokens in state.assigned.get(name, []):
        found.extend(alternatives(state, tokens))
    for tokens in state.elements.get(name, []):
        for value in alternatives(state, tokens):
            single = value if state.language == "perl" else HOLE
            found.extend(value if isinstance(value, tuple) else [single])
    state.looking.discard(name)
    distinct = list(dict.fromkeys(found))
    state.known[name] = distinct if len(distinct) <= WAYS else [HOLE]
    return state.known[name]


CONSTANTS: dict[tuple[str, str], Callable[[State], str]] = {
    ("node", "__dirname"): lambda state: dict(state.payload.options).get("folder", state.payload.cwd or HOLE),
    ("php", "__DIR__"): lambda state: dict(state.payload.options).get("folder", state.payload.cwd or HOLE),
    ("ruby", "__dir__"): lambda state: dict(state.payload.options).get("folder", state.payload.cwd or HOLE),
}


def _methods(state: State, tokens: Sequence[Token]) -> list[Any]:
    """A text or list with methods called on it."""
    end = closing(tokens, 0) if tokens[0].text == "[" and tokens[0].kind == "sign" else 0
    values = _single(state, tokens[: end + 1]) if end + 1 < len(tokens) else [HOLE]
    at = end + 1
    while at < len(tokens):
        if tokens[at].text not in (".", "->", "?.") or at + 1 >= len(tokens):
            return [HOLE]
        name, arguments, at = _member(tokens, at + 1)
        function = TEXT_METHODS.get(name)
        given = [texts(state, part)[0] for part in split(arguments)]
        values = [_safely(function, value, given) for value in values]
    return values


def _member(tokens: Sequence[Token], at: int) -> tuple[str, Sequence[Token], int]:
    name = tokens[at].text
    if at + 1 < len(tokens) and tokens[at + 1].text == "(":
        end = closing(tokens, at + 1)
        return name, tokens[at + 2 : end], end + 1
    return name, (), at + 1


def _safely(function: Callable[..., Any] | None, value: Any, given: list[str]) -> Any:
    if function is None or not all(known(text) for text in given):
        return HOLE
    try:
        result = function(value, *given)
    except (TypeError, ValueError, IndexError, binascii.Error, UnicodeError):
        return HOLE
    return result if len(result) < 100_000 else HOLE


def _call(state: State, tokens: Sequence[Token]) -> list[Any]:
    """A call of a pure function, or of one that names files."""
    dotted, at = chain(tokens)
    name = canonical(state, dotted)
    if at < len(tokens) and tokens[at].text in ("(", "[", "{"):
        end = closing(tokens, at)
        inner = tokens[at + 1 : end]
        rest = tokens[end + 1 :]
    else:
        inner, rest = tokens[at:], ()
    if tokens[at - 1 : at] and at < len(tokens) and tokens[at].text in ("[", "{") and name not in GLOBS:
        return _item(state, dotted, inner) if not rest else [HOLE]
    function = FUNCTIONS.get((state.language, name))
    if function is None:
        entry = state.knowledge.calls.get(name)
        if entry is not None and entry.returns == "remote":
            return [REMOTE]
        return [REMOTE] if REMOTE in _receivers(state, tokens) else [HOLE]
    given = [alternatives(state, part)[0] for part in split(inner)]
    value = function(state, given)
    return [_after(value, rest)]


def _receivers(state: State, tokens: Sequence[Token]) -> list[Any]:
    first = tokens[0]
    if first.kind in ("variable", "name") and (first.text in state.assigned or first.text in state.known):
        return variable(state, first.text)
    if first.text == "(" and first.kind == "sign" and closing(tokens, 0) < len(tokens) - 1:
        return alternatives(state, tokens[1 : closing(tokens, 0)])
    dotted, at = chain(tokens)
    entry = state.knowledge.calls.get(canonical(state, dotted))
    return [REMOTE] if entry is not None and entry.returns == "remote" and at < len(tokens) else []


GLOBS = frozenset({"Dir"})


def _after(value: Any, rest: Sequence[Token]) -> Any:
    if not rest or (len(rest) >= 2 and rest[1].text in ("toString", "to_s", "strip", "trim")):
        return value
    return HOLE


def _item(state: State, dotted: str, inner: Sequence[Token]) -> list[Any]:
    key = inner[0].text if len(inner) == 1 and inner[0].kind == "name" else texts(state, inner)[0]
    if dotted in ("ENV", "process.env", "_ENV", "_SERVER"):
        return [state.variable(key) or HOLE]
    found = variable(state, dotted)
    if re.fullmatch(r"\d+", key):
        return [value[int(key)] if isinstance(value, tuple) and int(key) < len(value) else HOLE for value in found]
    return [HOLE]
