"""``read``, ``mapfile`` and ``readarray``: variables take what the standard input holds."""

import re
import shlex
from typing import TYPE_CHECKING

from checkrail.model import HOLE
from checkrail.readers.shell import nested, redirects, words
from checkrail.readers.shell.state import NOTHING, WAYS_CAP, WORKED, Value

if TYPE_CHECKING:
    from checkrail.readers.shell.call import Call

ELEMENTS_CAP = 256
"""Elements of an array that are kept; a longer input stays unknown."""

_TAKES = {"read": "adinNptu", "mapfile": "dnOsuCc", "readarray": "dnOsuCc"}
"""Letters of the options that have a value."""


def read(call: "Call") -> Value:
    """``read [options] name …``: a line, split; in a loop each line in its turn."""
    options, names = _arguments(call)
    source = redirects.descriptor(options["u"], call.run) if "u" in options else call.run.stdin
    for name in (*names, options.get("a", "")):
        call.run.prompt(name, call.span)
    lines = _lines(source, options)
    if "r" not in options:
        lines = [re.sub(r"\\(.)", r"\1", line) for line in lines]
    if not lines or len(lines) > WAYS_CAP or options.keys() & {"n", "N"}:
        lines = []
    if "a" in options:
        _array(options["a"], [_split(lines[0], 0, call)] if len(lines) == 1 else [], source, call)
        return NOTHING
    rows = [_split(line, len(names), call) for line in lines]
    for index, name in enumerate(names or ["REPLY"]):
        values = [Value(row[index] if index < len(row) else "", source.tags) for row in rows]
        _set(name, tuple(dict.fromkeys(values)) or (Value(HOLE, source.tags | {WORKED}),), call)
    return NOTHING


def mapfile(call: "Call") -> Value:
    """``mapfile [options] array``: a line to each element; ``-C`` names what runs on the way."""
    options, names = _arguments(call)
    name = names[0] if names else "MAPFILE"
    call.run.prompt(name, call.span)
    source = redirects.descriptor(options["u"], call.run) if "u" in options else call.run.stdin
    found = []
    if source.known and not options.keys() & {"n", "O", "s"}:
        end = (options.get("d", "\n") or "\0")[:1]
        found = [source.text.removesuffix(end).split(end)]
    if "C" in options:
        for index, line in enumerate((found[0] if found else [])[:WAYS_CAP] or [HOLE]):
            nested.here(f"{options['C']} {index} {shlex.quote(line)}", call.run, call.span, call.name)
    _array(name, found, source, call)
    return NOTHING


def _lines(source: Value, options: dict[str, str]) -> list[str]:
    """The parts that a known input falls into, without what ends them."""
    end = (options.get("d", "\n") or "\0")[:1]
    return source.text.rstrip(end + "\n").split(end) if source.known else []


def _arguments(call: "Call") -> tuple[dict[str, str], list[str]]:
    """Letters of the options with their values, and the names."""
    takes = _TAKES[call.name]
    options: dict[str, str] = {}
    texts = [field.text for field in call.arguments]
    while texts and texts[0].startswith("-") and len(texts[0]) > 1:
        text = texts.pop(0)
        if text == "--":
            break
        for at, letter in enumerate(text[1:], 2):
            options[letter] = ""
            if letter in takes:
                options[letter] = text[at:] or (texts.pop(0) if texts else "")
                break
    return options, texts


def _split(line: str, count: int, call: "Call") -> list[str]:
    """The words of a line; the last of ``count`` takes the rest."""
    given = call.environment.get("IFS")
    separators = given.text if given is not None and given.known else words.separators(call.run.state)
    blanks = "".join(mark for mark in separators if mark.isspace())
    line = line.strip(blanks) if blanks else line
    if count == 1 or not separators:
        return [line]
    cut = (
        f"[{re.escape(blanks)}]*[{re.escape(separators)}][{re.escape(blanks)}]*"
        if blanks
        else f"[{re.escape(separators)}]"
    )
    return re.split(cut, line, maxsplit=max(count - 1, 0))


def _array(name: str, found: list[list[str]], source: Value, call: "Call") -> None:
    if found and len(found[0]) <= ELEMENTS_CAP:
        call.run.state.arrays[name] = tuple(Value(text, source.tags) for text in found[0])
        call.run.state.variables.pop(name, None)
    else:
        _set(name, (Value(HOLE, source.tags | {WORKED}),), call)


def _set(name: str, values: tuple[Value, ...], call: "Call") -> None:
    state, plain = call.run.state, name.partition("[")[0]
    state.set(plain, values[0])
    if len(values) > 1:
        state.variables[state.named(plain)] = values
    state.arrays.pop(plain, None)
