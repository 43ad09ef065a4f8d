"""Passages found again without keeping them: salted prints of what a source returned, looked up by what a call says.

A text is made plain (letter case, white space, quotes, escapes and marks of Markdown gone). Of the plain text each seventh
place gives the print of the eighteen bytes that stand there. A later text is looked at from every place, so a passage
of twenty-four bytes or more holds one printed stretch whole, wherever it begins. An operator can set another length; prints of
different lengths never meet.
"""

from array import array
from collections.abc import Container

USUAL = 24
"""Plain bytes of which a repetition is surely found."""
MOST_BYTES = 256 * 1024
"""Of a source; of a longer one the beginning and the end are kept."""
MOST_ASKED = 64 * 1024
"""Of a parameter, likewise."""
_DISTINCT = 6
"""A stretch of fewer different bytes is a rule of dashes or a run of zeros, and says nothing."""

_PRIME = (1 << 61) - 1
_LOWER = bytes(range(65)) + bytes(range(97, 123)) + bytes(range(91, 256))
_DROPPED = b" \t\r\n\v\f\0\"'\\`*_#>|"
_ESCAPES = (b"\\n", b"\\r", b"\\t", b"\\u0020")


def plain(text: str, most: int = MOST_BYTES) -> bytes:
    """The text as it is compared: UTF-8 without what quoting, wrapping and escaping change."""
    if len(text) > most:
        text = text[: most // 2] + text[-(most // 2) :]
    raw = text.encode("utf-8", "replace")
    if b"\\" in raw:
        for escape in _ESCAPES:
            raw = raw.replace(escape, b"")
    return raw.translate(_LOWER, _DROPPED)[:most]


def factor(salt: bytes) -> int:
    """What the prints of one machine are made with."""
    return int.from_bytes(salt[:16], "big") | 1


def stretch(passage: int) -> tuple[int, int]:
    """How many bytes a print covers, and how far apart prints are: of 24 bytes 18, each seventh place."""
    length = passage * 3 // 4
    return length, passage - length + 1


def _print(stretch: bytes, by: int) -> int:
    return int.from_bytes(stretch, "big") * by % _PRIME


def of_source(text: str, by: int, passage: int = USUAL) -> "array[int]":
    """The prints of what a source returned, each once."""
    raw, (length, step) = plain(text), stretch(passage)
    found = {int.from_bytes(raw[at : at + length], "big") * by % _PRIME for at in range(0, len(raw) - length + 1, step)}
    return array("Q", found)


def repeated(raw: bytes, known: Container[int], by: int, passage: int = USUAL) -> set[int]:
    """The known prints of which the stretch stands in a plain text; empty for a text shorter than a passage."""
    length, _ = stretch(passage)
    if len(raw) < passage:
        return set()
    window, mask = int.from_bytes(raw[: length - 1], "big"), (1 << 8 * length) - 1
    found: set[int] = set()
    for at in range(length - 1, len(raw)):
        window = (window << 8 | raw[at]) & mask
        seen = window * by % _PRIME
        if seen in known and len(set(raw[at - length + 1 : at + 1])) >= _DISTINCT:
            found.add(seen)
    return found
