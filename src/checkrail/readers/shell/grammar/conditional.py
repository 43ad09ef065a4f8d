"""``[[ … ]]``."""

import re

from checkrail.model import Span
from checkrail.readers.shell.grammar import heredocs
from checkrail.readers.shell.grammar.lexer import BREAKS, Source
from checkrail.readers.shell.grammar.tree import Command, Test, Text, Word
from checkrail.readers.shell.grammar.words_parser import word

_UNARY = re.compile(r"-[abcdefghknoprstuvwxzGLNORS](?=[ \t\n;&|<>()]|\Z)").match
_BINARY = frozenset(
    ("=", "==", "!=", "=~", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef"),
)


def conditional(source: Source, start: int) -> Command:
    """The expression whose ``[[`` is at the cursor."""
    source.pos += 2
    words: list[Word] = []
    _alternatives(source, words)
    if not _closes(source):
        raise source.unexpected()
    source.pos += 2
    return Test(span=Span(start, source.pos), words=tuple(words))


def _closes(source: Source) -> bool:
    return source.settle() == "]]" and source.peek(source.pos + 2) in ("", *BREAKS)


def _alternatives(source: Source, words: list[Word]) -> None:
    while True:
        _term(source, words)
        char = source.skip() if source.pos < source.end else ""
        if char and char in "&|" and source.peek(source.pos + 1) == char:
            words.append(_operator(source, 2))
        else:
            return


def _operator(source: Source, length: int) -> Word:
    span = Span(source.pos, source.pos + length)
    source.pos += length
    text = Text(span=span, value=source.text[span.start : span.end])
    return Word(span=span, parts=(text,))


def _operand(source: Source, *, regex: bool = False) -> Word:
    source.skip()
    begin = source.pos
    if _closes(source):
        raise source.unexpected()
    operand = word(source, regex=regex)
    if source.pos == begin:
        raise source.unexpected()
    return operand


def _term(source: Source, words: list[Word]) -> None:
    char = heredocs.newlines(source)
    if char == "(":
        source.enter()
        words.append(_operator(source, 1))
        _alternatives(source, words)
        if heredocs.newlines(source) != ")":
            raise source.unexpected()
        words.append(_operator(source, 1))
        source.depth -= 1
        heredocs.newlines(source)
        return
    source.settle()
    if source.text.startswith("!", source.pos, source.end) and source.peek(source.pos + 1) in ("", *BREAKS):
        words.append(_operator(source, 1))
        source.enter()
        _term(source, words)
        source.depth -= 1
        return
    if _UNARY(source.text, source.pos, source.end):
        words += (_operator(source, 2), _operand(source))
        heredocs.newlines(source)
        return
    words.append(_operand(source))
    _comparison(source, words)


def _comparison(source: Source, words: list[Word]) -> None:
    char = source.skip()
    if char in ("<", ">") and source.peek(source.pos + 1) != "(":
        words += (_operator(source, 1), _operand(source))
    elif (run := source.settle()) in _BINARY:
        words.append(_operator(source, len(run)))
        words.append(_operand(source, regex=run == "=~"))
    elif char == ")" or (char and char in "&|") or _closes(source):
        return
    else:
        raise source.unexpected()
    heredocs.newlines(source)
