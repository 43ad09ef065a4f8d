"""Lists and pipelines."""

import re

from msgspec.structs import force_setattr

from checkrail.model import Span
from checkrail.readers.shell.grammar import heredocs
from checkrail.readers.shell.grammar.lexer import RUN, Source
from checkrail.readers.shell.grammar.tree import AnyCommand, Item, Pipeline, Script, Simple

_RESERVED = frozenset(
    [
        "if",
        "then",
        "else",
        "elif",
        "fi",
        "case",
        "esac",
        "for",
        "select",
        "while",
        "until",
        "do",
        "done",
        "function",
        "coproc",
        "time",
        "{",
        "}",
        "!",
        "[[",
        "]]",
    ]
)
_TOKEN = re.compile(r"([!{}\[\]a-z]{1,8})(?=[ \t\n;&|<>()]|\Z)").match
_OPTION = re.compile(r"(-p|--)(?=[ \t\n;&|<>()]|\Z)").match
_ONE = (False,)


def reserved(source: Source) -> str:
    """The reserved word at the cursor, empty for none."""
    found = _TOKEN(source.text, source.pos, source.end)
    if found is None:
        plain: re.Match[str] = RUN(source.text, source.pos, source.end)  # type: ignore[assignment]
        if not source.text.startswith("\\\n", plain.end(), source.end):
            return ""
        source.settle()
        found = _TOKEN(source.text, source.pos, source.end)
    run = found.group() if found is not None else ""
    if run not in _RESERVED or run == "]]":
        return ""
    behind = source.pos + len(run)
    if behind < source.end and source.text[behind] in "<>" and source.peek(behind + 1) == "(":
        return ""  # a process substitution goes on with the word
    return run


def script(source: Source, stops: frozenset[str]) -> Script:
    """The list from the cursor to a token in ``stops``, which stays unread."""
    items: list[Item] = []
    start = source.pos
    read_items(source, stops, items)
    return Script(span=Span(start, source.pos), items=tuple(items))


def read_items(source: Source, stops: frozenset[str], items: list[Item]) -> None:
    """Reads a list into ``items``, which holds what was read whole when this raises."""
    op, chain = "", 0
    while True:
        char = heredocs.newlines(source)
        if op not in ("&&", "||") and _stops(source, char, stops):
            return
        begin = len(items)
        items.append(_item(source, op))
        if op not in ("&&", "||"):
            chain = begin
        op = _separator(source, stops)
        if op == "&":
            _run_in_background(items, chain)


def _stops(source: Source, char: str, stops: frozenset[str]) -> bool:
    if not char:
        if stops:
            raise source.unexpected()
        return True
    if char == ")":
        return ")" in stops
    if char == ";":
        return ";;" in stops and source.peek(source.pos + 1) in (";", "&")
    return len(stops) > 0 and reserved(source) in stops


def _item(source: Source, op: str) -> Item:
    start = source.pos
    line = pipeline(source)
    return Item(span=Span(start, line.span.end), pipeline=line, op=op)


def _run_in_background(items: list[Item], chain: int) -> None:
    for item in items[chain:]:
        force_setattr(item, "background", True)


def _separator(source: Source, stops: frozenset[str]) -> str:
    """The operator behind a pipeline, which is read; the cursor is before what follows."""
    char = source.skip()
    if not char or char in "\n)":
        return ";"
    if char == ";":
        if source.peek(source.pos + 1) not in (";", "&"):
            source.pos += 1
            if source.documents and source.substituted:
                # bash runs its own rewriting of $( ), and 5.2 may forget this semicolon there:
                # then the next command becomes arguments of the last one.
                source.note("here-document and ; in a substitution", source.pos - 1, source.pos)
                source.documents = 0
        elif ";;" not in stops:
            raise source.unexpected()
        return ";"
    if char in "&|":
        double = source.peek(source.pos + 1) == char
        if char == "&" or double:
            source.pos += 1 + double
            return char * (1 + double)
    if reserved(source) in stops and source.text[source.pos - 1] not in "'\"":
        return ";"  # behind a compound command a reserved word needs no separator
    raise source.unexpected()


def pipeline(source: Source) -> Pipeline:
    """The pipeline at the cursor with its ``!`` and ``time``."""
    start = source.pos
    negated = timed = False
    while (word := reserved(source)) in ("!", "time"):
        source.pos += len(word)
        negated ^= word == "!"
        if word == "time":
            timed = True
            _time_options(source)
        source.skip()
    if (negated or timed or source.pos > start) and _nothing_follows(source):
        empty = Simple(span=Span(source.pos, source.pos))
        return Pipeline(span=Span(start, source.pos), commands=(empty,), negated=negated, timed=timed, stderr=_ONE)
    first = source.grammar.command(source)
    if source.skip() != "|" or source.peek(source.pos + 1) == "|":
        return Pipeline(span=Span(start, first.span.end), commands=(first,), negated=negated, timed=timed, stderr=_ONE)
    return _piped(source, start, first, negated=negated, timed=timed)


def _time_options(source: Source) -> None:
    for option in ("-p", "--"):
        if source.skip():
            source.settle()
        found = _OPTION(source.text, source.pos, source.end)
        if found is not None and found.group() == option:
            source.pos = found.end()


def _nothing_follows(source: Source) -> bool:
    return source.pos >= source.end or source.text[source.pos] in "\n;)"


def _piped(source: Source, start: int, first: AnyCommand, *, negated: bool, timed: bool) -> Pipeline:
    commands, stderr = [first], [False]
    while source.skip() == "|":
        follower = source.peek(source.pos + 1)
        if follower == "|":
            break
        source.pos += 1 + (follower == "&")
        stderr[-1] = follower == "&"
        heredocs.newlines(source)
        commands.append(source.grammar.command(source))
        stderr.append(False)
    return Pipeline(
        span=Span(start, commands[-1].span.end),
        commands=tuple(commands),
        negated=negated,
        timed=timed,
        stderr=tuple(stderr),
    )
