"""Cuts PowerShell into statements, pipelines and words. Linear time; groups hold their inner text, to be read in turn."""

from typing import Literal

import msgspec

from checkrail.model import HOLE

Kind = Literal["word", "group", "block", "text", "variable", "separator", "pipe", "redirect", "comma", "assign"]

_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
_ENDS = frozenset(" \t\r\n;|&,(){}<>'\"`")
_CLOSING = {"(": ")", "{": "}"}


class Token(msgspec.Struct, frozen=True):
    """A piece of PowerShell. ``text`` of a ``group`` or ``block`` is what it encloses; ``glued``: no space before it."""

    kind: Kind
    text: str
    glued: bool = False
    inner: tuple[str, ...] = ()  # subexpressions inside a text in double quotes


class Unclosed(Exception):
    """A quote or bracket that is never closed."""


def tokens(source: str) -> list[Token]:
    """The tokens of a text. Raises :class:`Unclosed`."""
    found: list[Token] = []
    at, size = 0, len(source)
    glued = False
    while at < size:
        character = source[at]
        if character in " \t\r" or source.startswith("`\n", at) or source.startswith("`\r\n", at):
            at += 1 if character != "`" else source.index("\n", at) - at + 1
            glued = False
            continue
        if character == "#" and not glued:
            at = _line_end(source, at)
            continue
        if source.startswith("<#", at):
            at = _after(source, "#>", at + 2)
            continue
        token, at = _token(source, at, glued)
        found.append(token)
        glued = token.kind not in ("separator", "pipe", "comma", "assign", "redirect")
    return found


def _token(source: str, at: int, glued: bool) -> tuple[Token, int]:
    character = source[at]
    if source.startswith(("@'", '@"'), at):
        return _here_string(source, at, glued)
    if character == "'":
        text, end = _single(source, at + 1)
        return Token("text", text, glued), end
    if character == '"':
        return _double(source, at + 1, glued)
    if character in "({" or source.startswith(("$(", "@(", "@{"), at):
        start = at if character in "({" else at + 1
        end = _matching(source, start)
        kind: Kind = "block" if source[start] == "{" else "group"
        return Token(kind, source[start + 1 : end], glued), end + 1
    if character in "\n;" or source.startswith(("&&", "||"), at):
        return Token("separator", ";"), at + (2 if source.startswith(("&&", "||"), at) else 1)
    if character == "|":
        return Token("pipe", "|"), at + 1
    if character == ",":
        return Token("comma", ",", glued), at + 1
    if character == "&":
        return Token("word", "&", glued), at + 1
    if character in ")}":
        return Token("separator", ";"), at + 1
    if character == ">" or (character in "123456*" and source[at + 1 : at + 2] == ">"):
        return _redirect(source, at)
    if character == "<":
        return Token("word", "<", glued), at + 1
    return _word(source, at, glued)


def _redirect(source: str, at: int) -> tuple[Token, int]:
    start = at
    at = source.index(">", at) + 1
    if source[at : at + 1] == ">":
        at += 1
    if source[at : at + 1] == "&":
        return Token("word", source[start : at + 2]), at + 2
    return Token("redirect", source[start:at]), at


def _word(source: str, at: int, glued: bool) -> tuple[Token, int]:
    start, out, size = at, [], len(source)
    while at < size and source[at] not in _ENDS - {"`"}:
        if source[at] == "`":
            out.append(source[at + 1 : at + 2])
            at += 2
            continue
        if (source[at] == "$" and source[at + 1 : at + 2] == "(") or (
            source[at] == "@" and at > start and source[at + 1 : at + 2] == "("
        ):
            break
        if source[at] == "=" and start != at and source[start] == "$":
            break
        out.append(source[at])
        at += 1
        if out[-1] == "=" and at - start == 1:
            return Token("assign", "="), at
    if at == start:
        return Token("word", source[at], glued), at + 1
    text = "".join(out)
    if text in ("+=", "-=", "=") or (text == "+" and source[at : at + 1] == "="):
        return Token("assign", text), at
    kind: Kind = "variable" if text.startswith("$") and len(text) > 1 else "word"
    return Token(kind, text, glued), at


def _single(source: str, at: int) -> tuple[str, int]:
    out = []
    while True:
        end = source.find("'", at)
        if end < 0:
            raise Unclosed
        out.append(source[at:end])
        if source[end + 1 : end + 2] != "'":
            return "".join(out), end + 1
        out.append("'")
        at = end + 2


def _double(source: str, at: int, glued: bool) -> tuple[Token, int]:
    out: list[str] = []
    inner: list[str] = []
    size = len(source)
    while at < size:
        character = source[at]
        if character == '"':
            if source[at + 1 : at + 2] != '"':
                return Token("text", "".join(out), glued, tuple(inner)), at + 1
            out.append('"')
            at += 2
        elif character == "`":
            following = source[at + 1 : at + 2]
            out.append(_ESCAPES.get(following, following if following != "$" else "\x01"))
            at += 2
        elif source.startswith("$(", at):
            end = _matching(source, at + 1)
            inner.append(source[at + 2 : end])
            out.append(HOLE)
            at = end + 1
        else:
            out.append(character)
            at += 1
    raise Unclosed


def _here_string(source: str, at: int, glued: bool) -> tuple[Token, int]:
    quote = source[at + 1]
    start = _line_end(source, at) + 1
    end = source.find("\n" + quote + "@", start - 1)
    if end < 0:
        raise Unclosed
    return Token("text", source[start:end], glued), end + 3


def _matching(source: str, at: int) -> int:
    """Where the bracket at a position closes, quotes and nested brackets skipped."""
    stack = []
    size = len(source)
    while at < size:
        character = source[at]
        if character in "({":
            stack.append(_CLOSING[character])
        elif character in ")}":
            if not stack or stack.pop() != character:
                raise Unclosed
            if not stack:
                return at
        elif character == "'":
            at = _single(source, at + 1)[1] - 1
        elif character == '"':
            at = _skip_double(source, at + 1)
        elif character == "`":
            at += 1
        at += 1
    raise Unclosed


def _skip_double(source: str, at: int) -> int:
    while at < len(source):
        if source[at] == "`":
            at += 1
        elif source[at] == '"':
            if source[at + 1 : at + 2] != '"':
                return at
            at += 1
        at += 1
    raise Unclosed


def _line_end(source: str, at: int) -> int:
    end = source.find("\n", at)
    return len(source) if end < 0 else end


def _after(source: str, mark: str, at: int) -> int:
    end = source.find(mark, at)
    if end < 0:
        raise Unclosed
    return end + len(mark)
