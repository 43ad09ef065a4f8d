"""Reads a log from a place on, over all files, while others write, rotate and expire it."""

import os
from collections.abc import Iterator

import msgspec

from checkrail.audit.names import files, place


class Position(msgspec.Struct, frozen=True):
    """Up to where a log was read: a file (empty: from the start) and an offset in it."""

    path: str = ""
    offset: int = 0


def after(directory: str, position: Position = Position()) -> Iterator[tuple[bytes, Position]]:  # noqa: B008  # frozen
    """Every whole line after a position, each with the position behind it.

    A line that is not finished is left for the next time. A file that is gone expired; what follows it is read.
    """
    known = [path for path in files(directory) if place(path) >= place(position.path)]
    for path in known:
        yield from _of_file(path, position.offset if path == position.path else 0)


def _of_file(path: str, offset: int) -> Iterator[tuple[bytes, Position]]:
    try:
        handle = open(path, "rb")  # noqa: SIM115  # closed below; it may be gone already
    except FileNotFoundError:
        return
    with handle:
        offset = offset if offset <= os.fstat(handle.fileno()).st_size else 0  # shorter than it was: read again
        handle.seek(offset)
        for line in handle:
            if not line.endswith(b"\n"):
                return
            offset += len(line)
            yield line, Position(path, offset)
