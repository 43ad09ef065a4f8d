"""Appends to the log: several workers, one chain, one lock; a failure is counted and never changes a decision."""

import contextlib
import fcntl
import json
import os
import time
from collections.abc import Iterator
from typing import Any

from checkrail.audit import keys
from checkrail.audit.chain import Link, last_link, read_head, sealed, write_head

LOCK_SECONDS = 0.25
FILES = 10
"""Into how many files ``max_bytes`` is divided, so that the oldest tenth goes at a time."""

_FAILURES = "failures"


def files(directory: str) -> list[str]:
    """The log files, the oldest first."""
    try:
        names = os.listdir(directory)
    except OSError:
        return []
    return [os.path.join(directory, n) for n in sorted(names) if n.startswith("audit-") and n.endswith(".jsonl")]


def entries(path: str) -> Iterator[dict[str, Any]]:
    """The entries of one file that can be read, in order, whether or not their marks are right."""
    with open(path, "rb") as handle:
        for line in handle:
            with contextlib.suppress(ValueError):
                entry = json.loads(line)
                if isinstance(entry, dict):
                    yield entry


def failures(directory: str) -> int:
    """How often the log could not be written."""
    try:
        with open(os.path.join(directory, _FAILURES)) as handle:
            return int(handle.read(20) or 0)
    except (OSError, ValueError):
        return 0


class Log:
    """The log in one directory (mode 0700). ``max_bytes`` and ``keep_days`` bound what is kept."""

    def __init__(self, directory: str, *, max_bytes: int = 50_000_000, keep_days: int = 90) -> None:
        self.directory = directory
        self._file_bytes = max(max_bytes // FILES, 10_000)
        self._keep_seconds = keep_days * 86400
        self._key: bytes | None = None
        self._lock = self._head = -1
        self._process = 0

    def append(self, entry: dict[str, Any], *, now: float | None = None) -> str:
        """Writes one line; returns an empty string, or why it could not be written."""
        try:
            with self._locked():
                self._append(entry, time.time() if now is None else now)
        except (OSError, ValueError) as error:
            self._count_failure()
            return f"the audit log could not be written: {getattr(error, 'strerror', None) or error}"
        return ""

    def close(self) -> None:
        """Gives back what is open. The log can be used again, and opens anew."""
        if self._process == os.getpid():
            os.close(self._lock)
            os.close(self._head)
        self._process = 0

    def signature(self, body: bytes) -> str:
        """A keyed mark of an operation: equal operations have equal marks, and nothing can be read from one."""
        return keys.mac(keys.derived(self._root(), "signature"), body)

    def _root(self) -> bytes:
        if self._key is None:
            os.makedirs(self.directory, 0o700, exist_ok=True)
            self._key = keys.load(os.path.join(self.directory, "audit.key"))
        return self._key

    def _chain(self) -> bytes:
        return keys.derived(self._root(), "chain")

    def _open(self) -> None:
        if self._process == os.getpid():
            return
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        # Each process opens its own: a lock on a descriptor that was inherited is the parent's lock too.
        self._lock = os.open(os.path.join(self.directory, "lock"), flags, 0o600)
        self._head = os.open(os.path.join(self.directory, "head"), flags, 0o600)
        self._process = os.getpid()

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        self._root()
        self._open()
        deadline = time.monotonic() + LOCK_SECONDS
        while True:
            try:
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise OSError("another process holds its lock") from None
                time.sleep(0.002)
        try:
            yield
        finally:
            fcntl.flock(self._lock, fcntl.LOCK_UN)

    def _append(self, entry: dict[str, Any], now: float) -> None:
        path, fresh = self._current(now)
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            link = self._write(handle, entry)
            gone = self._expired(path, now) if fresh else []
            if gone:
                self._write(handle, {"kind": "expired", "files": gone, "through": link.number})
        finally:
            os.close(handle)
        for name in gone:
            os.unlink(os.path.join(self.directory, name))

    def _write(self, handle: int, entry: dict[str, Any]) -> Link:
        key, size = self._chain(), os.fstat(handle).st_size
        head = read_head(key, self._head)
        after = self._last(key, handle, head, size)
        line, link = sealed(key, entry, Link(after.number, after.mark, size))
        try:
            written = os.write(handle, line)
        except OSError:
            written = 0
        if written != len(line):  # a full disk: leave no half a line behind
            os.ftruncate(handle, size)
            raise OSError("the disk is full")
        write_head(key, self._head, link)
        return link

    @staticmethod
    def _last(key: bytes, handle: int, head: Link | None, size: int) -> Link:
        """The line to follow: the head where it fits the file, else what the file itself shows."""
        if head is not None and (head.size == size or size == 0):
            return head
        found = last_link(key, handle, size)
        return max((link for link in (found, head) if link), key=lambda link: link.number, default=Link())

    def _current(self, now: float) -> tuple[str, bool]:
        """The file to write to, and whether it is a new one: one a month, more where they grow large."""
        month = time.strftime("%Y-%m", time.gmtime(now))
        last = (files(self.directory) or [""])[-1]
        name = os.path.basename(last)
        if name[6:13] != month:
            return os.path.join(self.directory, f"audit-{month}-0001.jsonl"), True
        if os.stat(last).st_size < self._file_bytes:
            return last, False
        return os.path.join(self.directory, f"audit-{month}-{int(name[14:18]) + 1:04d}.jsonl"), True

    def _expired(self, current: str, now: float) -> list[str]:
        """The oldest files that age or size put out, never the current one."""
        older = [path for path in files(self.directory) if path != current]
        surplus = older[: max(0, len(older) - FILES + 1)]
        aged = [path for path in older if os.stat(path).st_mtime < now - self._keep_seconds]
        return sorted({os.path.basename(path) for path in (*surplus, *aged)})

    def _count_failure(self) -> None:
        """Best effort: with a full disk an existing file can still be overwritten."""
        with contextlib.suppress(OSError):
            count = failures(self.directory) + 1
            flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW
            handle = os.open(os.path.join(self.directory, _FAILURES), flags, 0o600)
            os.pwrite(handle, str(count).ljust(19).encode(), 0)
            os.close(handle)
