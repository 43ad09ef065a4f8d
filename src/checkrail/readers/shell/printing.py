"""What ``echo`` and ``printf`` print: their options, formats and escapes."""

from checkrail.model import HOLE, SOME
from checkrail.readers.shell.call import Call
from checkrail.readers.shell.state import NO_TAGS, NOTHING, Field, Value


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


def _formatted(fields: list[Field]) -> Value:
    if not fields:
        return NOTHING
    tags = NO_TAGS.union(*(field.tags for field in fields))
    shape, arguments = _escaped(fields[0].text), [field.text for field in fields[1:]]
    out: list[str] = []
    for _ in range(64):
        position, used = 0, False
        while position < len(shape):
            character = shape[position]
            if character != "%" or position + 1 >= len(shape):
                out.append(character)
                position += 1
                continue
            position += 1
            while position < len(shape) - 1 and shape[position] in "-+ #0123456789.*'":
                position += 1
            kind = shape[position]
            position += 1
            if kind == "%":
                out.append("%")
                continue
            used = True
            argument = arguments.pop(0) if arguments else ""
            out.append(_escaped(argument) if kind == "b" else argument if kind in "scdiuq" else SOME)
        if not arguments or not used:
            break
    text = "".join(out)
    return Value(text if len(text) < 100_000 else HOLE, tags)


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
