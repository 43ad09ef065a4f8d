"""How lines hang together: each carries its number, the mark of the line before, and its own mark.

The head file repeats the last number and mark, so that a log whose end was cut off shows too.
"""

import json
import os
from typing import Any

import msgspec

from checkrail.audit.keys import mac

TAIL = 1024 * 1024
"""Bytes read from the end of a file to find its last whole line; no line is longer."""
HEAD_LENGTH = 128


class Link(msgspec.Struct, frozen=True):
    """The last line of a chain: its number from 1, its mark, and the size in bytes of its file after it."""

    number: int = 0
    mark: str = ""
    size: int = 0


def sealed(key: bytes, entry: dict[str, Any], after: Link) -> tuple[bytes, Link]:
    """The line for ``entry`` that follows ``after``, in ASCII with every control character escaped."""
    body = {**entry, "number": after.number + 1, "previous": after.mark}
    text = json.dumps(body, separators=(",", ":"), default=str).replace("\x7f", "\\u007f").encode()
    mark = mac(key, text)
    line = text[:-1] + b',"mark":"' + mark.encode() + b'"}\n'
    return line, Link(after.number + 1, mark, after.size + len(line))


def opened(key: bytes, line: bytes) -> tuple[dict[str, Any], bool] | None:
    """The entry of a line and whether its mark is right; None for what is no line of a log."""
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(entry, dict) or not isinstance(entry.get("mark"), str):
        return None
    ending, whole = b',"mark":"' + entry["mark"].encode("ascii", "replace") + b'"}', line.rstrip(b"\n")
    return entry, whole.endswith(ending) and mac(key, whole[: -len(ending)] + b"}") == entry["mark"]


def link_of(entry: dict[str, Any], size: int = 0) -> Link:
    """The link of an entry whose mark is right."""
    return Link(int(entry["number"]), str(entry["mark"]), size)


def write_head(key: bytes, handle: int, link: Link) -> None:
    """Stores the head in one write of a fixed length."""
    text = f"{link.number} {link.mark or '-'} {link.size}"
    os.pwrite(handle, f"{text} {mac(key, text.encode())}".ljust(HEAD_LENGTH - 1).encode() + b"\n", 0)


def read_head(key: bytes, handle: int) -> Link | None:
    """The stored head, or None where there is none or it was not written with this key."""
    text, _, mark = os.pread(handle, HEAD_LENGTH, 0).decode("ascii", "replace").strip().rpartition(" ")
    if not text or mac(key, text.encode()) != mark:
        return None
    number, last, size = text.split(" ")
    return Link(int(number), "" if last == "-" else last, int(size))


def last_link(key: bytes, handle: int, size: int) -> Link | None:
    """The last line of a log file that carries a right mark."""
    tail = os.pread(handle, TAIL, max(0, size - TAIL))
    for line in reversed(tail.split(b"\n")):
        found = opened(key, line) if line else None
        if found and found[1]:
            return link_of(found[0], size)
    return None


def first_number(path: str) -> int:
    """The number in the first line of a log file; 0 where it cannot be told."""
    try:
        with open(path, "rb") as handle:
            return int(json.loads(handle.readline(TAIL))["number"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return 0
