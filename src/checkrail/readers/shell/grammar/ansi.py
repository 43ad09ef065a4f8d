"""Decoding of ``$'…'``."""

import re

_ESCAPE = re.compile(
    r"\\(?:x\{([0-9A-Fa-f]*)\}?|x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|([0-7]{1,3})|c(\\\\|.)|(.))",
    re.DOTALL,
)
_SIMPLE = {
    "a": "\a",
    "b": "\b",
    "e": "\x1b",
    "E": "\x1b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
    "\\": "\\",
    "'": "'",
    '"': '"',
    "?": "?",
}


def _control(char: str) -> bytes:
    return b"\x7f" if char == "?" else bytes((ord(char[0].upper()) & 0x1F,))


def _character(code: int) -> bytes:
    if code > 0x10FFFF:
        return b"\xef\xbf\xbc"  # bash writes no valid character here, so the text is unknown
    return chr(code).encode("utf-8", "surrogatepass")


def _replace(found: re.Match[str]) -> bytes:
    braced, byte, short, long, octal, control, simple = found.groups()
    if braced is not None or byte is not None:
        return bytes((int((braced or byte or "0"), 16) & 0xFF,))
    if short is not None or long is not None:
        return _character(int(short or long, 16))
    if octal is not None:
        return bytes((int(octal, 8) & 0xFF,))
    if control is not None:
        return _control(control)
    return (_SIMPLE.get(simple) or "\\" + simple).encode("utf-8", "surrogateescape")


def decode(body: str) -> str:
    """The value of ``$'body'``: escapes replaced, cut at the first NUL as bash cuts it.

    Bytes that are not UTF-8 come out as surrogate escapes.
    """
    if "\\" not in body:
        return body
    pieces: list[bytes] = []
    at = 0
    for found in _ESCAPE.finditer(body):
        pieces += (body[at : found.start()].encode("utf-8", "surrogatepass"), _replace(found))
        at = found.end()
    pieces.append(body[at:].encode("utf-8", "surrogatepass"))
    return b"".join(pieces).split(b"\0", 1)[0].decode("utf-8", "surrogateescape")
