"""Lines of a stream, bounded: one message of the stdio transport each."""

import os
from collections.abc import Iterator

LIMIT = 32 << 20
"""Bytes of one message. A server that sends more is stopped: nobody could say what it sent."""
_PART = 1 << 18


class TooLong(Exception):
    """A line is longer than :data:`LIMIT`."""


class Cut:
    """Cuts what comes in parts into lines, and keeps what no line feed has ended yet. ``what`` names a line in the error."""

    def __init__(self, limit: int, what: str) -> None:
        self._limit, self._what = limit, what
        self._kept: list[bytes] = []
        self._size = 0

    def fed(self, part: bytes) -> Iterator[bytes]:
        """The lines that end in this part. Raises :class:`TooLong`."""
        first, *rest = part.split(b"\n")
        self._kept.append(first)
        self._size += len(first)
        if self._size > self._limit:
            raise TooLong(f"a {self._what} is longer than {self._limit} bytes")
        for following in rest:
            yield b"".join(self._kept)
            self._kept, self._size = [following], len(following)


def lines(descriptor: int, limit: int = LIMIT) -> Iterator[bytes]:
    """Each line without its end; an unfinished last one is left out. Raises :class:`TooLong`."""
    cut = Cut(limit, "message")
    while part := os.read(descriptor, _PART):
        yield from cut.fed(part)


def write(descriptor: int, line: bytes) -> None:
    """Writes a line whole. Raises OSError where nobody reads any more."""
    left = memoryview(line + b"\n")
    while left:
        left = left[os.write(descriptor, left) :]
