"""What ``echo`` and ``printf`` print: their options, formats and escapes."""

import re

from checkrail.model import HOLE, SOME
from checkrail.readers.shell.call import Call
from checkrail.readers.shell.state import NO_TAGS, NOTHING, WORKED, Field, Value


def echo(call: Call) -> Value:
    """``echo`` with -n, -e, -E."""
    fields = list(call.arguments)
    newline, escapes = "\n", False
    while fields and fields[0].text[:1] == "-" and fields[0].text[1:] and set(fields[0].text[1:]) <= set("neE"):
        newline = "" if "n" in fields[0].text else newline
        escapes = escapes or "e" in fields[0].text
        fields.pop(0)
    text = " ".join(field.text for field in fields)
    tags = NO_TAGS.union(*(field.tags for field in fields)) if fields else NO_TAGS
    tags |= {WORKED} if any(field.pattern for field in fields) else NO_TAGS
    if escapes and "\\c" in text:
        return Value(_escaped(text.partition("\\c")[0]), tags)  # nothing follows
    return Value((_escaped(text) if escapes else text) + newline, tags)


def printf(call: Call) -> Value:
    """``printf`` with its format, used again while arguments are left; ``-v`` sets a variable."""
    fields = list(call.arguments)
    if len(fields) > 1 and fields[0].text == "-v":
        name = fields[1].text
        call.run.prompt(name, call.span)
        value = _formatted(fields[2:])
        call.run.state.set(name.partition("[")[0], value)
        return NOTHING
    if fields and fields[0].text == "--":
        fields.pop(0)
    return _formatted(fields)


_SPEC = re.compile(r"%([-+ #0\']*)(\*|\d{0,5})(?:\.(\*|-?\d{0,5}))?(?:hh|h|ll|l|j|z|t|L)?([a-zA-Z%])|%\([^)]*\)T")
"""A directive of a format: flags, width, precision and kind."""

CUT = f"{HOLE}{HOLE}"
"""What is left of a text that is known in part, once it was cut."""

ROUNDS_CAP = 64
"""How often a format is used."""


def _formatted(fields: list[Field]) -> Value:
    if not fields:
        return NOTHING
    tags = NO_TAGS.union(*(field.tags for field in fields))
    shape, arguments = _escaped(fields[0].text), [field.text for field in fields[1:]]
    out: list[str] = []
    for _ in range(ROUNDS_CAP):
        left = len(arguments)
        position = 0
        for match in _SPEC.finditer(shape):
            out.append(shape[position : match.start()])
            position = match.end()
            text, stops = _directive(match, arguments)
            out.append(text)
            if stops:
                return _bounded("".join(out), tags)
        out.append(shape[position:])
        if not arguments or len(arguments) == left:
            break
    return _bounded("".join(out), tags)


def _bounded(text: str, tags: frozenset[str]) -> Value:
    if CUT in text:
        text, tags = text.replace(CUT, HOLE), tags | {WORKED}
    return Value(text if len(text) < 100_000 else HOLE, tags)


def _directive(match: re.Match[str], arguments: list[str]) -> tuple[str, bool]:
    """What a directive prints, and whether nothing follows it."""
    flags, width, precision, kind = match.groups()
    if kind == "%":
        return "%", False
    sizes = [arguments.pop(0) if size == "*" and arguments else size for size in (width, precision)]
    argument = arguments.pop(0) if arguments and kind is not None else ""
    stops = kind == "b" and "\\c" in argument
    text = _converted(kind, argument)
    if any(size and not size.isdecimal() for size in sizes):
        return HOLE, stops
    if sizes[1] is not None and (kind is None or kind in "sb"):
        text = text[: int(sizes[1] or 0)] if HOLE not in text and SOME not in text else HOLE if text == HOLE else CUT
    if sizes[0] and int(sizes[0]) > len(text):
        room = int(sizes[0]) - len(text)
        number = "0" in (flags or "") and (kind or "") in "diouxX"
        text = text + " " * room if "-" in (flags or "") else ("0" if number else " ") * room + text
    return text, stops


def _converted(kind: str | None, argument: str) -> str:
    """An argument as a directive shows it, before it is cut and filled up."""
    match kind:
        case "s":
            return argument
        case "b":
            return _escaped(argument.partition("\\c")[0])
        case "c":
            return argument[:1]
        case "q":
            return "".join(c if c.isalnum() or c in "_./:=@%+,-" else f"\\{c}" for c in argument) or "''"
        case "d" | "i" | "u" if re.fullmatch(r"-?(?:0|[1-9]\d{0,17})", argument):
            return argument
        case "d" | "i" | "u" if not argument:
            return "0"
    return SOME if kind != "Q" else HOLE


_SIMPLE = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "\\": "\\",
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "v": "\v",
    "e": "\x1b",
    "'": "'",
    '"': '"',
}


def _escaped(text: str) -> str:
    """The escapes of echo -e and printf."""
    if "\\" not in text:
        return text
    out, position = [], 0
    while position < len(text):
        character = text[position]
        following = text[position + 1 : position + 2]
        if character != "\\" or not following:
            out.append(character)
            position += 1
        elif following in _SIMPLE:
            out.append(_SIMPLE[following])
            position += 2
        elif following in "xuU":
            width = {"x": 2, "u": 4, "U": 8}[following]
            digits = _digits(text[position + 2 : position + 2 + width], "0123456789abcdefABCDEF")
            out.append(_character(int(digits, 16)) if digits else "\\" + following)
            position += 2 + len(digits)
        elif following.isdigit():
            skip = 1 if following == "0" else 0
            digits = _digits(text[position + 1 + skip : position + 4 + skip], "01234567")
            out.append(_character(int(digits, 8)) if digits else "\0" if skip else "\\" + following)
            position += 1 + skip + (len(digits) if digits else (0 if skip else 1))
        else:
            out.append(character + following)
            position += 2
    return "".join(out)


def _digits(text: str, allowed: str) -> str:
    count = 0
    while count < len(text) and text[count] in allowed:
        count += 1
    return text[:count]


def _character(code: int) -> str:
    return chr(code) if code < 0x110000 else HOLE
