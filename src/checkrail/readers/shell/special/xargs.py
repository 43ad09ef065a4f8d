"""``xargs`` and ``parallel``: commands whose operands come from standard input."""

import itertools
import re
from typing import TYPE_CHECKING

import msgspec

from checkrail.model import HOLE
from checkrail.readers.shell import effects, flow, redirects
from checkrail.readers.shell.state import INPUT, NO_TAGS, UNKNOWN, Field, Value

if TYPE_CHECKING:
    from checkrail.knowledge.schema import Entry
    from checkrail.readers.shell.call import Call

ITEM_CAP = 64
"""Items that one command is judged with; what comes after them is unknown."""

ROUND_CAP = 8
"""Commands that are judged one by one where each item makes its own; what comes after them is unknown."""

PATHS = "paths"
"""Tag of a text whose lines are patterns of paths (what ``find`` prints), not literal text."""


def xargs(entry: "Entry", call: "Call", path: str) -> None:  # noqa: ARG001
    """``xargs [options] command``: the items are added, or put in the place of ``-I``'s word."""
    parsed = call.parsed
    source = _source(call, path)
    rest = parsed.operands
    if not rest:
        found = items(source, _separator(call, False), call) if source.known else ()
        call.output = Value("".join(f"{item.text}\n" for item in found), source.tags) if found else source
        return
    lines = parsed.has(("-I", "-i", "--replace", "-L", "-l", "--max-lines", "-J"))
    found = items(source, _separator(call, lines), call)
    mark = parsed.value("-I", "--replace", "-i", "-J")
    marker = mark.text if mark is not None else "{}" if parsed.has(("-i", "--replace")) else None
    terminal = Value(HOLE, frozenset((INPUT,))) if parsed.has(("-o", "--open-tty")) else Value("")
    if parsed.has(("-a", "--arg-file")) and not parsed.has(("-o", "--open-tty")):
        terminal = call.run.stdin  # xargs itself does not read it
    if marker is None:
        call.invoke((*rest, *found), stdin=terminal)
        if parsed.has(("-n", "--max-args")) and 1 < len(found) <= ROUND_CAP:
            for item in found:
                call.invoke((*rest, item), stdin=Value(""))
    else:
        for item in found[:ROUND_CAP] + (_unknown(source),) * (len(found) > ROUND_CAP):
            call.invoke(tuple(replaced(field, marker, item) for field in rest), stdin=Value(""))


def _source(call: "Call", path: str) -> Value:
    given = call.parsed.value("-a", "--arg-file")
    if given is None or redirects.is_standard_input(given.text, call.run):
        return call.run.stdin
    effects.path("read", given, call, path)
    where = call.path(given)
    return Value("") if where in redirects.INERT else call.run.state.files.get(where, UNKNOWN)


def _separator(call: "Call", lines: bool) -> str | None:
    if call.parsed.has(("-0", "--null")):
        return "\0"
    given = call.parsed.value("-d", "--delimiter")
    if given is not None:
        return {"\\n": "\n", "\\0": "\0", "\\t": "\t"}.get(given.text, given.text[:1]) or None
    return "\n" if lines else None


def items(source: Value, separator: str | None, call: "Call") -> tuple[Field, ...]:
    """What a text gives as operands; one unknown operand where the text is unknown."""
    pattern = PATHS in source.tags
    if source.text == HOLE or (HOLE in source.text and not source.text.strip(HOLE + "\n ")):
        return (_unknown(source),)
    text = source.text
    if separator == "\0" and "\0" not in text:
        separator = "\n"  # whoever printed it is modelled with lines
    words = _words(text) if separator is None and not pattern else text.split(separator or "\n")
    fields = [Field(word, call.span, source.tags, pattern) for word in dict.fromkeys(words) if word.strip()]
    return tuple(fields[:ITEM_CAP]) + ((_unknown(source),) if len(fields) > ITEM_CAP else ())


def _words(text: str) -> list[str]:
    """Blanks split; quotes and backslashes protect."""
    found = re.findall(r"""(?:"[^"\n]*"|'[^'\n]*'|\\.|[^\s"'\\]|["'\\])+""", text, re.DOTALL)
    return [_PIECE.sub(lambda piece: "".join(filter(None, piece.groups())), word) for word in found]


_PIECE = re.compile(r""""([^"\n]*)"|'([^'\n]*)'|\\(.)|["'\\]""", re.DOTALL)
"""A quoted part, in which a backslash is itself, or a character behind a backslash."""


def _unknown(source: Value) -> Field:
    return Field(HOLE, tags=source.tags)


def replaced(field: Field, marker: str, item: Field) -> Field:
    """A field with every ``marker`` in it replaced."""
    if not marker or marker not in field.text:
        return field
    text = field.text.replace(marker, item.text)
    if len(text) > 100_000:
        text = HOLE
    return msgspec.structs.replace(field, text=text, tags=field.tags | item.tags, pattern=field.pattern or item.pattern)


_PLACE = re.compile(r"\{(?:|[./#%]|//|/\.|-?\d+(?:|\.|/|//|/\.)|\+)\}")


def parallel(entry: "Entry", call: "Call", path: str) -> None:  # noqa: ARG001
    """``parallel [options] [template] [::: items]``: the template is a shell line; without one the items are."""
    if call.parsed.has(("--dry-run", "--dryrun", "--citation")):
        return
    for given in call.parsed.options:
        if given.value is not None and given.name in ("-S", "--sshlogin") and given.value.text not in (":", ""):
            call.run.opaque(f"runs on {given.value.text[:60]}")
    template, sources = _sections(call)
    pipe = call.parsed.has(("--pipe",))
    if not template:
        _lines(sources, call)
        return
    rows = [()] if pipe else list(itertools.islice(itertools.product(*sources), ROUND_CAP + 1))
    for row in rows[:ROUND_CAP]:
        call.run.shell(_filled(template, row), template[0].span, call.name)
    if len(rows) > ROUND_CAP:
        call.run.shell(_filled(template, tuple(Field(HOLE) for _ in sources)), template[0].span, call.name)


def _sections(call: "Call") -> tuple[tuple[Field, ...], list[tuple[Field, ...]]]:
    """The template, and each source of items."""
    template: list[Field] = []
    sources: list[list[Field]] = []
    kind = ""
    for field in call.parsed.operands:
        if field.text in (":::", ":::+", "::::", "::::+"):
            kind = field.text
            sources.append([])
        elif kind.startswith("::::"):
            effects.path("read", field, call, "parallel")
            sources[-1].extend(items(call.run.state.files.get(call.path(field), UNKNOWN), "\n", call))
        elif kind:
            sources[-1].append(field)
        else:
            template.append(field)
    given = call.parsed.value("-a", "--arg-file")
    if given is not None:
        effects.path("read", given, call, "parallel")
        sources.append(list(items(call.run.state.files.get(call.path(given), UNKNOWN), "\n", call)))
    if not sources:
        sources.append(list(items(call.run.stdin, "\n", call)))
    return tuple(template), [tuple(source[:ITEM_CAP]) for source in sources]


def _filled(template: tuple[Field, ...], row: tuple[Field, ...]) -> str:
    text = " ".join(field.text for field in template)
    joined = " ".join(item.text for item in row)
    if not _PLACE.search(text):
        return f"{text} {joined}" if row else text

    def place(match: re.Match[str]) -> str:
        number = re.match(r"-?\d+", match.group()[1:-1])
        if number is None:
            return joined
        index = int(number.group()[:4])
        return row[index - 1].text if 0 < index <= len(row) else HOLE

    return _PLACE.sub(place, text)


def _lines(sources: list[tuple[Field, ...]], call: "Call") -> None:
    """The items are command lines themselves."""
    for source in sources:
        for item in source:
            value = Value(item.text, item.tags or NO_TAGS)
            flow.run_code("shell", call.run.stdin if item.text == HOLE else value, call, call.name)
