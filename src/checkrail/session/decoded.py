"""The readings of a text that may carry something in another spelling: base64 at any alignment, base32, hex, URL, JSON and
Unicode escapes, character codes, reversed, turned by thirteen, packed by gzip or zlib before base64 or hex, spread over labels of
a host name or over two arguments.

Bounded: so many runs, so many bytes, and two layers deep.
"""

import base64
import binascii
import re
import zlib
from collections.abc import Iterator
from itertools import islice
from urllib.parse import unquote_to_bytes

MOST = 256 * 1024
"""Bytes of all readings of one call together."""
_DEPTH = 3
_RUNS = 64
_UNPACKED = 64 * 1024
_PRINTABLE = bytes((9, 10, 13, *range(32, 127)))

_B64 = re.compile(rb"[A-Za-z0-9+/_-]{12,}")
_B32 = re.compile(rb"[A-Za-z2-7]{16,}")
_HEX = re.compile(rb"(?:[0-9A-Fa-f]{2}[ :]?){8,}|(?:(?:\\x|0x|%)[0-9A-Fa-f]{2}[,; ]{0,2}){4,}")
_NOT_HEX = re.compile(rb"\\x|0x|[^0-9A-Fa-f]")
_ESCAPED = re.compile(rb"\\u\{?([0-9A-Fa-f]{1,6})\}?|\\x([0-9A-Fa-f]{2})|&#x([0-9A-Fa-f]{1,6});|&#([0-9]{1,7});")
_JOINTS = re.compile(rb"[\s\"'`,;+\\.\[\]{}()&]+")
_NUMBERS = re.compile(rb"\d+")
_MARKS = re.compile(rb"[^A-Za-z0-9]+")
_CODES = re.compile(rb"(?:\d{2,3}[,;: |-]{1,2}){7,}\d{2,3}")
_TURNED = bytes.maketrans(
    bytes((*range(65, 91), *range(97, 123))), bytes((*range(78, 91), *range(65, 78), *range(110, 123), *range(97, 110)))
)
_SHORT = 2048
"""A text no longer than this is looked at backwards also where it came out of another spelling."""


def readings(raw: bytes) -> Iterator[bytes]:
    """The text itself first, then what else it may say, each once."""
    seen: set[bytes] = set()
    left, pending = MOST, [(raw[:MOST], 0)]
    while pending:
        text, depth = pending.pop(0)
        if text in seen or len(text) < 8:
            continue
        left -= len(text)
        if left < 0 and seen:
            return
        seen.add(text)
        yield text
        if depth < _DEPTH:
            pending += [(found, depth + 1) for found in _once(text, depth)]


def _once(text: bytes, depth: int) -> Iterator[bytes]:
    if b"%" in text:
        yield unquote_to_bytes(text)
    if b"\\" in text or b"&#" in text:
        yield _ESCAPED.sub(_character, text)
        yield text.replace(b"\\", b"")
    yield from _of_runs(text)
    if depth == 0 or len(text) <= _SHORT:
        yield text[::-1]
    if depth == 0:
        yield _JOINTS.sub(b"", text)
        yield text.replace(b".", b"")
        yield _MARKS.sub(b"", text)
        yield text.translate(_TURNED)


def _character(match: re.Match[bytes]) -> bytes:
    digits = next(filter(None, match.groups()))
    try:
        return chr(int(digits, 10 if match[4] else 16)).encode("utf-8", "replace")
    except (ValueError, OverflowError):
        return b""


def _of_runs(text: bytes) -> Iterator[bytes]:
    for match in islice(_HEX.finditer(text), _RUNS):
        digits = _NOT_HEX.sub(b"", match[0])
        for part in (digits, digits[1:]):
            found = binascii.unhexlify(part[: len(part) // 2 * 2])
            yield _unpacked(found) if _packed(found) else found
    for match in islice(_B64.finditer(text), _RUNS):
        yield from _base64(match[0])
    for match in islice(_B32.finditer(text), _RUNS):
        yield from _base32(match[0])
    for match in islice(_CODES.finditer(text), _RUNS):
        yield bytes(int(code) for code in _NUMBERS.findall(match[0]) if int(code) < 256)


def _says_something(data: bytes) -> bool:
    """Whether most of it can be printed; what was decoded at the wrong place is noise."""
    return len(data.translate(None, _PRINTABLE)) * 5 <= len(data) * 2


def _base64(run: bytes) -> Iterator[bytes]:
    run = run.replace(b"-", b"+").replace(b"_", b"/")
    for start in range(4):
        part = run[start:]
        part = part[: len(part) // 4 * 4] if len(part) % 4 == 1 else part + b"=" * (-len(part) % 4)
        try:
            found = base64.b64decode(part)
        except (binascii.Error, ValueError):
            continue
        if start == 0 and _packed(found):
            yield _unpacked(found)
        if _says_something(found):
            yield found


def _base32(run: bytes) -> Iterator[bytes]:
    run = run.upper()
    for start in range(8):
        part = run[start:]
        part = part[: len(part) - len(part) % 8] or part
        whole = run if start == 0 and len(run) % 8 in (2, 4, 5, 7) else part
        try:
            found = base64.b32decode(whole + b"=" * (-len(whole) % 8))
        except (binascii.Error, ValueError):
            continue
        if _says_something(found):
            yield found


def _packed(data: bytes) -> bool:
    return data[:2] == b"\x1f\x8b" or data[:1] == b"\x78"


def _unpacked(data: bytes) -> bytes:
    """What was packed, as far as it goes and no further than the bound."""
    try:
        return zlib.decompressobj(wbits=47).decompress(data, _UNPACKED)
    except zlib.error:
        return b""
