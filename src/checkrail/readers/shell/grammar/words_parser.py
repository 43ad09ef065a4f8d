"""Words: runs of text, quotes and expansions up to a blank or an operator."""

import re

from checkrail.model import Span
from checkrail.readers.shell.grammar import ansi, matching
from checkrail.readers.shell.grammar.expansions import (
    SOFT_ESCAPES,
    Mode,
    backquote,
    dollar,
    process_substitution,
    unescape_others,
    unescape_quotes,
)
from checkrail.readers.shell.grammar.lexer import DOUBLE_RUN, MAX_COPIES, MAX_NODES, RUN, Source, Stop
from checkrail.readers.shell.grammar.tree import Part, Text, Word

_REGION_RUNS = {
    Mode.OPERAND: re.compile(r"[^'\"`\\$<>]*").match,
    Mode.QUOTED_OPERAND: DOUBLE_RUN,
    Mode.ARITHMETIC: DOUBLE_RUN,
    Mode.HEREDOC: re.compile(r"[^`\\$]*").match,
}
_EMPTY = re.compile(r"\([ \t]*\)").match
_ESCAPED = {
    Mode.QUOTED_OPERAND: SOFT_ESCAPES + "}",
    Mode.ARITHMETIC: SOFT_ESCAPES,
    Mode.HEREDOC: "$`\\\n",
}


def word(source: Source, *, regex: bool = False, group: int | None = None) -> Word:
    """The word at the cursor, which it leaves behind it; empty where none starts there.

    ``regex`` reads the right side of ``=~``. ``group`` is the end of a bracketed part at the start
    (a subscript) in which blanks do not end the word.
    """
    start = source.pos
    parts: list[Part] = []
    if group is not None:
        parts += _region_parts(source, start, group, Mode.OPERAND)
        source.pos = group
    while _piece(source, parts, start, regex=regex):
        if len(parts) > MAX_NODES:
            raise Stop("too many words", start)
    source.count(len(parts))
    return Word(span=Span(start, source.pos), parts=tuple(parts))


def _piece(source: Source, parts: list[Part], start: int, *, regex: bool) -> bool:
    """Reads one part of an unquoted word; False at its end."""
    text, end, at = source.text, source.end, source.pos
    stop: int = RUN(text, at, end).end()  # type: ignore[union-attr]
    if stop > at:
        parts.append(Text(span=Span(at, stop), value=text[at:stop]))
        source.pos = at = stop
    if at >= end:
        return False
    char = text[at]
    if char in " \t\n;&":
        return False
    if char in "'\"\\$`":
        _quoting(source, parts, char, at)
        return True
    if char in "<>":
        if source.peek(at + 1) != "(":
            return False
        parts.append(process_substitution(source, at))
        return True
    if char == "(" and (regex or _opens_pattern(source, parts, start, at)):
        close = matching.matched(source, at + 1, "(", matching.QUOTES) + 1
        parts += _region_parts(source, at, close, Mode.OPERAND)
        source.pos = close
        return True
    if char == "|" and regex:
        parts.append(Text(span=Span(at, at + 1), value=char))
        source.pos = at + 1
        return True
    return False


def _opens_pattern(source: Source, parts: list[Part], start: int, at: int) -> bool:
    """Whether the parenthesis belongs to ``?( *( +( @( !(`` (with extglob; without it bash rejects the text)."""
    last = parts[-1] if parts else None
    if at == start or source.text[at - 1] not in "?*+@!" or not isinstance(last, Text) or last.quoted:
        return False
    return not _EMPTY(source.text, at, source.end)  # f@() defines a function


def _quoting(source: Source, parts: list[Part], char: str, at: int) -> None:
    """Reads a quote, escape or expansion in an unquoted word or operand."""
    if char == '"':
        double_quoted(source, at, at + 1, parts)
    elif char == "'":
        close = matching.single_quoted(source, at + 1)
        parts.append(Text(span=Span(at, close), value=source.text[at + 1 : close - 1], quoted=True))
        source.pos = close
    elif char == "\\":
        _escape(source, parts, at)
    elif char == "`":
        parts.append(backquote(source, at, quoted=False))
    else:
        follower = source.peek(at + 1)
        if follower == "'" and not source.raw:
            parts.append(_ansi(source, at))
        elif follower == '"':
            double_quoted(source, at, at + 2, parts)
        else:
            part = dollar(source, at, region, quoted=False)
            parts.append(part or Text(span=Span(at, at + 1), value="$"))


def _ansi(source: Source, at: int) -> Text:
    close = matching.ansi_quoted(source, at + 2)
    source.pos = close
    return Text(span=Span(at, close), value=ansi.decode(source.text[at + 2 : close - 1]), quoted=True)


def _escape(source: Source, parts: list[Part], at: int) -> None:
    if at + 1 >= source.end:
        parts.append(Text(span=Span(at, at + 1), value="\\", quoted=True))
        source.pos = at + 1
    elif source.text[at + 1] != "\n":
        parts.append(Text(span=Span(at, at + 2), value=source.text[at + 1], quoted=True))
        source.pos = at + 2
    elif source.joining:
        source.cut(at)
    else:
        source.pos = at + 2


def double_quoted(source: Source, begin: int, at: int, parts: list[Part]) -> None:
    """Reads the inside of double quotes from ``at``; ``begin`` is where the quotes themselves start."""
    text, end = source.text, source.end
    stop: int = DOUBLE_RUN(text, at, end).end()  # type: ignore[union-attr]
    if stop < end and text[stop] == '"':
        parts.append(Text(span=Span(begin, stop + 1), value=text[at:stop], quoted=True))
        source.pos = stop + 1
        return
    source.enter()
    literal, pieces, before = at, [], len(parts)
    while True:
        stop = DOUBLE_RUN(source.text, at, source.end).end()  # type: ignore[union-attr]
        pieces.append(source.text[at:stop])
        if stop >= source.end:
            raise source.fail('unclosed "', begin)
        char = source.text[stop]
        if char == '"':
            break
        if char == "\\":
            at = _soft_escape(source, stop, pieces, SOFT_ESCAPES)
            continue
        part = (
            backquote(source, stop, quoted=True, first=unescape_quotes)
            if char == "`"
            else dollar(source, stop, region, quoted=True)
        )
        at = source.pos
        if part is None:
            pieces.append("$")
        else:
            _flush(parts, pieces, literal, stop)
            parts.append(part)
            literal = at
    source.depth -= 1
    _flush(parts, pieces, literal, stop)
    if len(parts) == before:
        parts.append(Text(span=Span(begin, stop + 1), value="", quoted=True))
    source.pos = stop + 1


def _soft_escape(source: Source, at: int, pieces: list[str], escaped: str) -> int:
    """A backslash where only some characters can be escaped; returns the position behind it."""
    char = source.text[at + 1] if at + 1 < source.end else ""
    if not char or char not in escaped:
        pieces.append("\\")
        return at + 1
    if char != "\n":
        pieces.append(char)
    elif source.joining:
        source.cut(at)
        return at
    return at + 2


def _flush(parts: list[Part], pieces: list[str], start: int, end: int) -> None:
    value = "".join(pieces)
    if value:
        parts.append(Text(span=Span(start, end), value=value, quoted=True))
    pieces.clear()


# Regions: text whose end is known -----------------------------------------------------


def region(source: Source, start: int, limit: int, mode: Mode) -> Word:
    """The word between two positions, expanded in a mode; the cursor stays where it is."""
    before = source.pos
    parts = _region_parts(source, start, limit, mode)
    source.pos = before
    return Word(span=Span(start, limit), parts=tuple(parts))


def _region_parts(source: Source, start: int, limit: int, mode: Mode) -> list[Part]:
    """The parts of a region. What is wrong in them bash finds only when it comes to expand it, so it is contained."""
    if start >= limit:
        return []
    before = source.state()
    try:
        return _expanded_parts(source, start, limit, mode)
    except Stop as stop:
        if not stop.is_syntax:
            raise
        source.restore(before)
        source.note(stop.what, start, limit)
        return [Text(span=Span(start, limit), value=source.text[start:limit])]


def _expanded_parts(source: Source, start: int, limit: int, mode: Mode) -> list[Part]:
    if source.text.find("\\\n", start, limit) < 0 or source.copies >= MAX_COPIES:
        return _bounded(source, start, limit, mode, fixed=True)
    # Continuations left behind single quotes that count for the first pass only: a substitution in them is
    # read with the continuations gone, which must not move the border of the region.
    source.copies += 1

    def read(part: Source) -> Word:
        return Word(span=Span(0, len(part.text)), parts=tuple(_bounded(part, 0, part.end, mode, fixed=False)))

    return list(source.derive(source.text[start:limit], Span(start, limit), read, literal=True).parts)


def _bounded(source: Source, start: int, limit: int, mode: Mode, *, fixed: bool) -> list[Part]:
    parts: list[Part] = []
    before = source.end, source.joining, source.fixed, source.raw
    source.end, source.joining, source.fixed = limit, False, fixed
    source.raw |= mode is Mode.HEREDOC
    source.enter()
    if mode is Mode.OPERAND:
        _operand(source, start, parts)
    else:
        _soft(source, start, parts, mode)
    source.depth -= 1
    source.end, source.joining, source.fixed, source.raw = before
    source.count(len(parts))
    return parts


def _operand(source: Source, at: int, parts: list[Part]) -> None:
    run = _REGION_RUNS[Mode.OPERAND]
    while at < source.end:
        stop: int = run(source.text, at, source.end).end()  # type: ignore[union-attr]
        if stop > at:
            parts.append(Text(span=Span(at, stop), value=source.text[at:stop]))
            at = stop
            continue
        char = source.text[at]
        if char not in "<>":
            _quoting(source, parts, char, at)
        elif source.text.startswith("(", at + 1, source.end):
            parts.append(process_substitution(source, at))
        else:
            parts.append(Text(span=Span(at, at + 1), value=char))
            source.pos = at + 1
        at = source.pos


def _soft(source: Source, at: int, parts: list[Part], mode: Mode) -> None:
    """A region where single quotes are characters. ``inner`` tells of double quotes in a quoted operand."""
    run, literal, pieces, inner = _REGION_RUNS[mode], at, list[str](), False
    while True:
        stop: int = run(source.text, at, source.end).end()  # type: ignore[union-attr]
        pieces.append(source.text[at:stop])
        if stop >= source.end:
            break
        char = source.text[stop]
        if char == "\\":
            escape = _inner_escape if inner else _soft_escape
            at = escape(source, stop, pieces, _ESCAPED[mode])
        elif char == '"' and mode is Mode.QUOTED_OPERAND:
            inner, at = not inner, stop + 1
        else:
            _flush(parts, pieces, literal, stop)
            _soft_part(source, stop, parts, pieces, inner=inner)
            at, literal = source.pos, stop if pieces else source.pos
    _flush(parts, pieces, literal, source.end)


def _inner_escape(source: Source, at: int, pieces: list[str], escaped: str) -> int:
    """Double quotes in a quoted operand drop the backslash before what they cannot escape, and bash goes on from there."""
    char = source.text[at + 1 : at + 2]
    if not char or char in SOFT_ESCAPES:
        return _soft_escape(source, at, pieces, escaped)
    if source.text[at - 1] == "$":
        source.note('backslash in "${…"…"}" that makes an expansion', at - 1, at + 2)
    pieces.append(char)
    return at + 2


def _soft_part(source: Source, at: int, parts: list[Part], pieces: list[str], *, inner: bool) -> None:
    char = source.text[at]
    if char == '"':
        double_quoted(source, at, at + 1, parts)
    elif char == "`":
        parts.append(backquote(source, at, quoted=True, first=unescape_others if inner else str))
    elif not source.raw and source.text.startswith("$'", at, source.end):
        part = _ansi(source, at)
        if any(char in part.value for char in '$`"\\}'):
            # bash decodes it first and then expands the result once more.
            source.note("$'…' that decodes to an expansion", at, source.pos)
        parts.append(part)
    else:
        expansion = dollar(source, at, region, quoted=True)
        if expansion is None:
            pieces.append("$")
        else:
            parts.append(expansion)
