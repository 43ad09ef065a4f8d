"""Follows the chain through all files of a log and says where it does not hold, the first place first."""

import contextlib
import fcntl
import os
from collections.abc import Iterator
from typing import Any, BinaryIO

import msgspec

from checkrail.audit import keys
from checkrail.audit.chain import Link, link_of, opened, read_head
from checkrail.audit.names import files

MAX_PROBLEMS = 50


class Report(msgspec.Struct, frozen=True):
    """How many lines were followed, and what is wrong: ``file:line: what``, in the order of the log."""

    lines: int
    problems: tuple[str, ...]


class _Snapshot(msgspec.Struct):
    """The log as it stood at one moment, while others go on writing: open files with their sizes, and the head."""

    files: list[tuple[str, BinaryIO, int]]
    head: Link | None

    def lines(self) -> Iterator[tuple[str, bytes]]:
        """Where a line stands, and the line."""
        for name, handle, size in self.files:
            for number, line in enumerate(iter(handle.readline, b""), 1):
                size -= len(line)
                if size < 0:
                    break
                yield f"{name}:{number}", line


@contextlib.contextmanager
def _shared(directory: str) -> Iterator[None]:
    """Keeps writers out for a moment; a copy of a log may have no lock."""
    try:
        handle = os.open(os.path.join(directory, "lock"), os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        yield
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_SH)
        yield
    finally:
        os.close(handle)


def _head(directory: str, key: bytes) -> Link | None:
    try:
        handle = os.open(os.path.join(directory, "head"), os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        return read_head(key, handle)
    finally:
        os.close(handle)


def _snapshot(directory: str, key: bytes, stack: contextlib.ExitStack) -> _Snapshot:
    with _shared(directory):
        held: list[tuple[str, BinaryIO, int]] = []
        for path in files(directory):
            handle = stack.enter_context(open(path, "rb"))  # noqa: SIM115  # the stack closes it
            held.append((os.path.basename(path), handle, os.fstat(handle.fileno()).st_size))
        return _Snapshot(held, _head(directory, key))


class _Follower:
    """Goes from line to line. ``through`` is the last line that the log itself says expired."""

    def __init__(self, key: bytes) -> None:
        self.key = key
        self.last: Link | None = None
        self.count = self.first = self.through = 0
        self.start = ""

    def step(self, where: str, line: bytes) -> str:
        """What is wrong with the next line, or an empty string."""
        self.count += 1
        found = opened(self.key, line)
        if found is None:
            return "not a whole line of the log"
        entry, right = found
        if not right:
            return "the line was changed"
        problem = self._order(entry)
        self.last = link_of(entry)
        if not self.first:
            self.first, self.start = self.last.number, where
        if entry.get("kind") == "expired":
            self.through = max(self.through, int(entry.get("through") or 0))
        if entry.get("kind") == "resumed":
            problem = problem or f"{entry.get('why')}: lines before this one may have been cut off"
        return problem

    def _order(self, entry: dict[str, Any]) -> str:
        if self.last is None:
            return ""
        number, expected = int(entry["number"]), self.last.number + 1
        if number > expected:
            return f"{number - expected} lines are missing before it"
        if number < expected:
            return f"line {number} stands after line {self.last.number}: repeated or out of order"
        return "" if entry.get("previous") == self.last.mark else "it does not follow the line before it"

    def beginning(self) -> list[str]:
        """A log that does not start at 1 must say itself that older lines expired."""
        if self.first <= self.through + 1:
            return []
        return [f"{self.start}: the {self.first - self.through - 1} lines before it are missing"]

    def end(self, head: Link | None) -> list[str]:
        """The head must name the last line; who was killed between the two leaves it one line behind."""
        if head is None:
            return ["the head is missing or was changed: lines may have been cut off the end"] if self.count else []
        last = self.last or Link()
        if head.number > last.number:
            return [f"the last {head.number - last.number} lines are missing"]
        if head.number < last.number - 1:
            return [f"the head is {last.number - head.number} lines older than the log"]
        same = head.number < last.number or head.mark == last.mark
        return [] if same else ["the last line is not the one that the head names"]


def verify(directory: str) -> Report:
    """Checks every line. Raises OSError where there is no log or its key cannot be used."""
    path = os.path.join(directory, "audit.key")
    if not files(directory) and not os.path.lexists(path):
        return Report(0, ())
    key = keys.derived(keys.read(path), "chain")
    problems: list[str] = []
    with contextlib.ExitStack() as stack:
        snapshot, follower = _snapshot(directory, key, stack), _Follower(key)
        for where, line in snapshot.lines():
            problem = follower.step(where, line)
            if problem and len(problems) < MAX_PROBLEMS:
                problems.append(f"{where}: {problem}")
    problems = [*follower.beginning(), *problems, *follower.end(snapshot.head)]
    return Report(follower.count, tuple(problems[: MAX_PROBLEMS + 2]))
