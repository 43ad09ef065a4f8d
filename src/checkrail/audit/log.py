"""Appends to the log: several workers, one chain, one lock; a failure is counted and never changes a decision."""

import contextlib
import fcntl
import itertools
import os
import random
import time
from collections.abc import Iterator
from typing import Any

from checkrail.audit import keys
from checkrail.audit.chain import Link, first_number, last_link, read_head, sealed, write_head
from checkrail.audit.entries import stamp
from checkrail.audit.names import files, next_name

LOCK_SECONDS = 0.7
"""Enough for many writers on a busy machine, and less than what deciding a call may take."""
FILES = 10
"""Into how many files ``max_bytes`` is divided, so that the oldest tenth goes at a time."""

_FAILURES = "failures"


def failures(directory: str) -> int:
    """How often the log could not be written."""
    try:
        with open(os.path.join(directory, _FAILURES)) as handle:
            return int(handle.read(20) or 0)
    except (OSError, ValueError):
        return 0


def _write_failures(directory: str, count: int) -> None:
    handle = os.open(os.path.join(directory, _FAILURES), os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    try:
        os.pwrite(handle, str(count).ljust(19).encode(), 0)
    finally:
        os.close(handle)


def _chain(key: bytes) -> bytes:
    return keys.derived(key, "chain")


def _last_of(key: bytes, path: str) -> Link | None:
    """The last line of a file whose mark is right."""
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        return last_link(key, handle, os.fstat(handle).st_size)
    finally:
        os.close(handle)


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
            key = _chain(self._root())
            with self._locked():
                self._append(key, entry, time.time() if now is None else now)
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
            path = os.path.join(self.directory, "audit.key")
            try:
                self._key = keys.read(path)
            except FileNotFoundError:
                self._key = self._begun(path)
        return self._key

    def _begun(self, path: str) -> bytes:
        """Starts a log: head before key, so that a key without a head means that the head was taken away."""
        with self._locked():
            if not os.path.lexists(path):
                key = keys.fresh()
                write_head(_chain(key), self._head, Link())
                _write_failures(self.directory, failures(self.directory))  # a full disk can overwrite, not create
                keys.store(path, key)
            return keys.read(path)

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
        self._open()
        deadline = time.monotonic() + LOCK_SECONDS
        while True:
            try:
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise OSError("another process holds its lock") from None
                time.sleep(random.uniform(0.0002, 0.001))  # uneven, so that no writer keeps missing its turn
        try:
            yield
        finally:
            fcntl.flock(self._lock, fcntl.LOCK_UN)

    def _append(self, key: bytes, entry: dict[str, Any], now: float) -> None:
        known = files(self.directory)
        after, resumed = self._after(key, known)
        path = os.path.join(self.directory, self._name(known, now))
        fresh = path not in known
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            if resumed:
                after = self._write(key, handle, {"time": stamp(now), "kind": "resumed", "why": resumed}, after)
            after = self._write(key, handle, entry, after)
            gone = self._expired(known, now) if fresh else []
            if gone:
                self._write(key, handle, self._expiry(gone, [*known, path], now), after)
        finally:
            os.close(handle)
        for name in gone:
            os.unlink(name)

    def _write(self, key: bytes, handle: int, entry: dict[str, Any], after: Link) -> Link:
        size = os.fstat(handle).st_size
        torn = b"\n" if size and os.pread(handle, 1, size - 1) != b"\n" else b""  # half a line stays a line by itself
        line, link = sealed(key, entry, Link(after.number, after.mark, size + len(torn)))
        try:
            written = os.write(handle, torn + line)
        except OSError:
            written = 0
        if written != len(torn + line):  # a full disk: leave no half a line behind
            os.ftruncate(handle, size)
            raise OSError("the disk is full")
        write_head(key, self._head, link)
        return link

    def _after(self, key: bytes, known: list[str]) -> tuple[Link, str]:
        """The line to follow, and what is to be said about how it was found: that lines may have been cut off before."""
        head = read_head(key, self._head)
        if head is not None and head.size == (os.stat(known[-1]).st_size if known else 0):
            return head, ""
        found = next((link for path in reversed(known) if (link := _last_of(key, path))), None)
        after = max((link for link in (found, head) if link), key=lambda link: link.number, default=Link())
        return after, "" if head else "the head was missing or changed"

    def _name(self, known: list[str], now: float) -> str:
        last = known[-1] if known else ""
        full = bool(last) and os.stat(last).st_size >= self._file_bytes
        return next_name(last, time.strftime("%Y-%m", time.gmtime(now)), full=full)

    def _expired(self, older: list[str], now: float) -> list[str]:
        """The oldest files that age or size put out, always a beginning of the log and never the new one."""
        surplus = max(0, len(older) - FILES + 1)
        aged = itertools.takewhile(lambda path: os.stat(path).st_mtime < now - self._keep_seconds, older)
        return older[: max(surplus, len(list(aged)))]

    @staticmethod
    def _expiry(gone: list[str], known: list[str], now: float) -> dict[str, Any]:
        """What says that files expired: which, and up to which line."""
        kept = next(path for path in known if path not in gone)
        names = [os.path.basename(path) for path in gone]
        return {"time": stamp(now), "kind": "expired", "files": names, "through": max(0, first_number(kept) - 1)}

    def _count_failure(self) -> None:
        """Best effort: with a full disk an existing file can still be overwritten."""
        with contextlib.suppress(OSError):
            _write_failures(self.directory, failures(self.directory) + 1)
