"""Redirections and what may stand before their operator."""

import re

from checkrail.model import Span
from checkrail.readers.shell.grammar import heredocs
from checkrail.readers.shell.grammar.lexer import NAME, Source
from checkrail.readers.shell.grammar.tree import Redirect, Text, Word
from checkrail.readers.shell.grammar.words_parser import word

_OPERATORS = ("<<<", "<<-", "&>>", "<<", "<&", "<>", ">>", ">&", ">|", "&>", "<", ">")
_MAX_DESCRIPTOR = 2**31 - 1
_ELEMENT = re.compile(r"\{[A-Za-z_][A-Za-z0-9_]*\[.*\]\}", re.DOTALL).fullmatch


def is_redirection(source: Source, char: str) -> bool:
    """Whether an operator starts at the cursor, where ``char`` stands."""
    if char == "&":
        return source.peek(source.pos + 1) == ">"
    return char in "<>" and char != "" and source.peek(source.pos + 1) != "("


def descriptor(source: Source, start: int) -> int | str | None:
    """What the word from ``start`` to the cursor says about the operator behind it, None for nothing."""
    char = source.peek(source.pos)
    if not char or char not in "<>" or source.peek(source.pos + 1) == "(":
        return None
    raw = source.text[start : source.pos]
    if raw.isascii() and raw.isdigit():
        return int(raw) if int(raw[:12]) <= _MAX_DESCRIPTOR and len(raw) <= 20 else None
    if raw[0] != "{" or raw[-1] != "}":
        return None
    found = NAME(raw, 1)
    if found is not None and found.end() == len(raw) - 1:
        return raw[1:-1]
    if _ELEMENT(raw):
        source.note("array element as descriptor", start, source.pos)
    return None


def redirection(source: Source, start: int, fd: int | str | None) -> Redirect:
    """The redirection whose operator is at the cursor; ``start`` is where its descriptor stands."""
    op = _operator(source)
    if not source.skip():
        raise source.unexpected()
    begin = source.pos
    if op in ("<&", ">&") and source.text[begin] == "-":
        source.pos += 1
        dash = Text(span=Span(begin, begin + 1), value="-")
        return Redirect(span=Span(start, begin + 1), op=op, fd=fd, target=Word(span=dash.span, parts=(dash,)))
    target = word(source)
    if source.pos == begin:
        raise source.unexpected()
    redirect = Redirect(span=Span(start, source.pos), op=op, fd=fd, target=target)
    if op in ("<<", "<<-"):
        heredocs.announce(source, redirect, target, tabs=op == "<<-")
    return redirect


def _operator(source: Source) -> str:
    source.peek(source.pos + 1)
    source.peek(source.pos + 2)
    for op in _OPERATORS:
        if source.text.startswith(op, source.pos, source.end):
            source.pos += len(op)
            return op
    raise source.unexpected()
