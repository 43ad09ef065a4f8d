"""Lines of a stream, bounded: one message of the stdio transport each."""

import os
from collections.abc import Iterator

LIMIT = 32 << 20
"""Bytes of one message. A server that sends more is stopped: nobody could say what it sent."""
_PART = 1 << 18


class TooLong(Exception):
    """A line is longer than :data:`LIMIT`."""


def lines(descriptor: int, limit: int = LIMIT) -> Iterator[bytes]:
    """Each line without its end; an unfinished last one is left out. Raises :class:`TooLong`."""
    kept: list[bytes] = []
    size = 0
    while part := os.read(descriptor, _PART):
        first, *rest = part.split(b"\n")
        kept.append(first)
        size += len(first)
        if size > limit:
            raise TooLong(f"a message is longer than {limit} bytes")
        for following in rest:
            yield b"".join(kept)
            kept, size = [following], len(following)


def write(descriptor: int, line: bytes) -> None:
    """Writes a line whole. Raises OSError where nobody reads any more."""
    left = memoryview(line + b"\n")
    while left:
        left = left[os.write(descriptor, left) :]
