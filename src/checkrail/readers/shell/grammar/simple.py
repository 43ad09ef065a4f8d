"""Simple commands: assignments, words and redirections."""

import re

from checkrail.model import Span
from checkrail.readers.shell.grammar import heredocs, matching, redirections
from checkrail.readers.shell.grammar.expansions import Mode
from checkrail.readers.shell.grammar.lexer import BREAKS, Source
from checkrail.readers.shell.grammar.tree import Array, Assignment, ProcessSub, Redirect, Simple, Text, Word
from checkrail.readers.shell.grammar.words_parser import region, word

# A word of plain characters only, with what ends it: the common case in one step.
_PLAIN = re.compile(r"[ \t]*([^ \t\n;&|<>()$`\\'\"#][^ \t\n;&|<>()$`\\'\"]*)(?=[ \t\n;&|)]|\Z)").match
_HEAD = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(\[|\+?=)").match
_ARRAY_ARGUMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(?:\[[^\]\s'\"$`\\]*\])?(\+?)=\(").match
_EXPANDING = re.compile(r"[$`]|[<>]\(").search
_DECLARING = frozenset(("declare", "typeset", "local", "export", "readonly"))
_ARRAY_READING = frozenset(("alias", "eval", "let"))


class _Parts:
    """A simple command being collected."""

    __slots__ = ("assignments", "declared", "fresh", "redirects", "words")

    def __init__(self) -> None:
        self.assignments: list[Assignment] = []
        self.words: list[Word] = []
        self.declared: list[Assignment] = []
        self.redirects: list[Redirect] = []
        self.fresh = True  # an array or a subscript with blanks may be assigned here


def simple(source: Source) -> Simple:
    """The simple command at the cursor, which it leaves at the token behind; raises where none starts there."""
    start = end = source.pos
    parts = _Parts()
    words = parts.words
    while True:
        found = _PLAIN(source.text, source.pos, source.end)
        if found is not None and (words or not _HEAD(found.group(1))):
            begin, source.pos = found.span(1)
            span = Span(begin, source.pos)
            words.append(Word(span=span, parts=(Text(span=span, value=found.group(1)),)))
        elif not _general(source, parts):
            break
        end = source.pos
    if not (words or parts.assignments or parts.redirects):
        raise source.unexpected()
    source.count(len(words))
    return Simple(
        span=Span(start, end),
        words=tuple(words),
        assignments=tuple(parts.assignments),
        declared=tuple(parts.declared),
        redirects=tuple(parts.redirects),
    )


def _general(source: Source, parts: _Parts) -> bool:
    """Reads one more element of any kind; False at the end of the command."""
    char = source.skip()
    if not char or char in "\n;|()":
        return False
    if char in "&<>":
        if redirections.is_redirection(source, char):
            _redirect(source, parts, source.pos, None)
            return True
        if char == "&":
            return False
    start = source.pos
    if _assignment(source, parts) or _declared(source, parts):
        return True
    group = _subscript_end(source) if parts.fresh and not parts.words else None
    element = word(source, group=group)
    fd = redirections.descriptor(source, start)
    if fd is not None:
        _redirect(source, parts, start, fd)
    else:
        parts.words.append(element)
    return True


def _redirect(source: Source, parts: _Parts, start: int, fd: int | str | None) -> None:
    parts.redirects.append(redirections.redirection(source, start, fd))
    parts.fresh = not (parts.words or parts.assignments)


def _assignment(source: Source, parts: _Parts) -> bool:
    """Reads ``name=value`` and its like in front of the command word."""
    if parts.words:
        return False
    source.settle()
    start = source.pos
    head = _HEAD(source.text, start, source.end)
    if head is None:
        return False
    name, mark = head.groups()
    source.pos = head.end()
    if mark != "[" and not parts.fresh and source.peek(source.pos) == "(":
        raise source.unexpected()
    subscript: Word | None = None
    if mark == "[":
        close = matching.matched(source, head.end(), "[", matching.ALL)
        mark = _equals(source, close + 1)
        if not mark:
            source.pos = start
            return False
        subscript = region(source, head.end(), close, Mode.ARITHMETIC)
        source.pos = close + 1 + len(mark)
    parts.assignments.append(_assigned(source, start, name, subscript, append=mark == "+="))
    parts.fresh = True
    return True


def _equals(source: Source, at: int) -> str:
    """The ``=`` or ``+=`` at a position, empty for none."""
    if source.peek(at) == "=":
        return "="
    return "+=" if source.peek(at) == "+" and source.peek(at + 1) == "=" else ""


def _assigned(source: Source, start: int, name: str, subscript: Word | None, *, append: bool) -> Assignment:
    value: Word | Array
    if source.peek(source.pos) == "(":
        value = _array(source)
        behind = source.peek(source.pos)
        if behind and behind not in BREAKS:
            source.note("text behind an array", start, source.pos)
            word(source)
    else:
        value = word(source)
    return Assignment(span=Span(start, source.pos), name=name, value=value, subscript=subscript, append=append)


def _declared(source: Source, parts: _Parts) -> bool:
    """Reads an array assignment among the arguments of a declaration builtin."""
    if not parts.words or parts.redirects:
        return False
    first = parts.words[0]
    command = source.text[first.span.start : first.span.end]
    if command not in _DECLARING and command not in _ARRAY_READING:
        return False
    source.settle()
    start = source.pos
    head = _ARRAY_ARGUMENT(source.text, start, source.end)
    if head is None:
        return False
    if command in _ARRAY_READING:
        source.note(f"array argument of {command}", start, head.end())
    source.pos = head.end() - 1
    parts.declared.append(_assigned(source, start, head.group(1), None, append=bool(head.group(2))))
    return True


def _subscript_end(source: Source) -> int | None:
    """The end of ``name[…]`` at the cursor, in which blanks do not end the word."""
    head = _HEAD(source.text, source.pos, source.end)
    if head is None or head.group(2) != "[":
        return None
    return matching.matched(source, head.end(), "[", matching.ALL) + 1


# Arrays -------------------------------------------------------------------------------


def _array(source: Source) -> Array:
    start = source.pos
    source.pos += 1
    source.enter()
    elements: list[tuple[Word | None, Word]] = []
    while (char := heredocs.newlines(source)) != ")":
        if not char:
            raise source.fail("no closing ')' of an array", start)
        begin = source.pos
        elements.append(_element(source, char))
        if source.pos == begin:
            raise source.unexpected()
    source.pos += 1
    source.depth -= 1
    return Array(span=Span(start, source.pos), elements=tuple(elements))


def _element(source: Source, char: str) -> tuple[Word | None, Word]:
    if char != "[":
        return None, word(source)
    start = source.pos
    close = matching.matched(source, start + 1, "[", matching.ALL)
    mark = _equals(source, close + 1)
    if not mark:
        return None, word(source, group=close + 1)
    raw = source.text[start:close]
    if ("`" in raw and "\\" in raw) or _expands_again(region(source, start + 1, close, Mode.OPERAND)):
        source.note("subscript that is expanded twice", start, close + 1)
    subscript = region(source, start + 1, close, Mode.ARITHMETIC)
    source.pos = close + 1 + len(mark)
    return subscript, word(source)


def _expands_again(subscript: Word) -> bool:
    """Whether a subscript in a list still holds an expansion when its quotes are gone: bash expands it once more then."""
    literal = "".join(part.value for part in subscript.parts if isinstance(part, Text))
    return _EXPANDING(literal) is not None or any(isinstance(part, ProcessSub) for part in subscript.parts)
