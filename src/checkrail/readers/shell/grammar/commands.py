"""One command of any kind, functions and coprocesses among them."""

import re
from collections.abc import Callable

from checkrail.model import Span
from checkrail.readers.shell.grammar import compound, heredocs, lists
from checkrail.readers.shell.grammar.compound import BODIES, raw_word
from checkrail.readers.shell.grammar.lexer import Source
from checkrail.readers.shell.grammar.simple import simple
from checkrail.readers.shell.grammar.tree import AnyCommand, Coproc, Function, Simple
from checkrail.readers.shell.grammar.words_parser import word

_ASSIGNED = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\[|\+?=)").match
_EMPTY = re.compile(r"\([ \t]*\)").match


def command(source: Source) -> AnyCommand:
    """The command at the cursor, of any kind, its redirections included."""
    reserved = lists.reserved(source)
    parse = _PARSERS.get(reserved)
    if parse is not None:
        return parse(source)
    if reserved and reserved != "time":
        raise source.unexpected()
    if source.pos < source.end and source.text[source.pos] == "(":
        return compound.parentheses(source)
    start = source.pos
    plain = simple(source)
    if source.pos < source.end and source.text[source.pos] == "(":
        return _function_behind(source, start, plain)
    return plain


def _function_behind(source: Source, start: int, plain: Simple) -> AnyCommand:
    """``name()``: the name has been read as a simple command."""
    if len(plain.words) != 1 or plain.assignments or plain.redirects:
        raise source.unexpected()
    name = source.text[start : plain.span.end]
    source.pos += 1
    if source.skip() != ")":
        raise source.unexpected()
    source.pos += 1
    heredocs.newlines(source)
    return _function_body(source, start, name)


def _function_body(source: Source, start: int, name: str) -> AnyCommand:
    if lists.reserved(source) not in BODIES and not source.text.startswith("(", source.pos, source.end):
        raise source.unexpected()
    source.enter()
    body = source.grammar.command(source)
    source.depth -= 1
    return Function(name=name, body=body, span=Span(start, max(body.span.end, start)))


def _function(source: Source) -> AnyCommand:
    start = source.pos
    source.pos += len("function")
    source.skip()
    name = raw_word(source)
    if source.skip() == "(":
        opened = source.pos
        source.pos += 1
        if source.skip() == ")":
            source.pos += 1
        else:
            source.pos = opened
    heredocs.newlines(source)
    return _function_body(source, start, name)


def _coproc(source: Source) -> AnyCommand:
    start = source.pos
    source.pos += len("coproc")
    source.skip()
    source.enter()
    name = "COPROC"
    if lists.reserved(source) not in BODIES and not source.text.startswith("(", source.pos, source.end):
        name = _coprocess_name(source) or name
    body = (_word_before_reserved(source) if name == "COPROC" else None) or source.grammar.command(source)
    source.depth -= 1
    return Coproc(name=name, body=body, span=Span(start, body.span.end))


def _coprocess_name(source: Source) -> str:
    """A word in front of a compound command; the cursor stays where none is."""
    before = source.pos
    source.settle()
    if _ASSIGNED(source.text, before, source.end):
        return ""
    word(source)
    name = source.text[before : source.pos]
    char = source.skip()
    if name and (char == "(" or lists.reserved(source) in BODIES) and not _empty_parentheses(source):
        return name
    source.pos = before
    return ""


def _word_before_reserved(source: Source) -> Simple | None:
    """``coproc name done``: behind the first word bash still knows reserved words."""
    start = source.pos
    name = word(source)
    end = source.pos
    source.skip()
    if end > start and lists.reserved(source) not in ("", "time"):
        return Simple(span=Span(start, end), words=(name,))
    source.pos = start
    return None


def _empty_parentheses(source: Source) -> bool:
    return _EMPTY(source.text, source.pos, source.end) is not None


_PARSERS: dict[str, Callable[[Source], AnyCommand]] = {**BODIES, "function": _function, "coproc": _coproc}
