"""One way to open the files of sessions: private, of a known version, every change whole or not at all."""

import contextlib
import os
import sqlite3
import stat
import threading
from collections.abc import Iterator
from pathlib import Path

import msgspec

from checkrail.places import secure_directory


class OtherVersion(OSError):
    """The file was written by another version of Checkrail."""


class Kind(msgspec.Struct, frozen=True, kw_only=True):
    """What a file holds: the version of its tables, how they are made, and what is waited for when it is written."""

    version: int
    schema: str
    synchronous: str
    busy_s: float


class Kept:
    """A connection that stays open between transactions, as long as its file is the one that lies there.

    The last connection that closes makes SQLite write the whole log back and wait for the disk, which is most of what a
    short transaction costs. A process or thread that did not open it, and a transaction within another, get one of their own.
    """

    def __init__(self) -> None:
        self._db: sqlite3.Connection | None = None
        self._of: tuple[object, ...] = ()

    def take(self, path: Path) -> sqlite3.Connection | None:
        """The connection where it may be used now; whoever takes it gives it back by :meth:`keep`."""
        if self._db is None or self._of != _identity(path):
            return None
        found, self._db = self._db, None
        return found

    def keep(self, db: sqlite3.Connection, path: Path) -> None:
        """Leaves a connection open for the next transaction, unless its file is gone; one that was kept makes room."""
        self.close()
        try:
            self._db, self._of = db, _identity(path)
        except OSError:
            db.close()

    def close(self) -> None:
        """Closes what is open, where that is this thread's to do."""
        db, self._db = self._db, None
        if db is not None and self._of[:2] == _who():
            db.close()


def _who() -> tuple[int, int]:
    return os.getpid(), threading.get_ident()


def _identity(path: Path) -> tuple[object, ...]:
    """Of a file, and of who has opened it."""
    found = os.lstat(path)
    return (*_who(), path, found.st_dev, found.st_ino)


@contextlib.contextmanager
def transaction(path: Path, kind: Kind, begin: str, kept: Kept | None = None) -> Iterator[sqlite3.Connection]:
    """One transaction, on the kept connection or on one of its own.

    Raises PlacesError, :class:`OtherVersion`, OSError and sqlite3.Error. After an error no connection is kept.
    """
    db = _usable(path, kept) or _opened(path, kind)
    try:
        db.execute(f"BEGIN {begin}")
        yield db
        db.execute("COMMIT")
    except BaseException:
        db.close()  # rolls back what was not committed
        raise
    if kept is None:
        db.close()
    else:
        kept.keep(db, path)


def _usable(path: Path, kept: Kept | None) -> sqlite3.Connection | None:
    if kept is None:
        return None
    try:
        secure_directory(path.parent)
        return kept.take(path)
    except FileNotFoundError:
        return None


def _opened(path: Path, kind: Kind) -> sqlite3.Connection:
    secure_directory(path.parent)
    _made(path)
    db = sqlite3.connect(path, timeout=kind.busy_s, isolation_level=None)
    try:
        (version,) = db.execute("PRAGMA user_version").fetchone()
        if version not in (0, kind.version):
            raise OtherVersion(f"{path} was written by another version of Checkrail (schema {version})")
        db.execute(f"PRAGMA synchronous={kind.synchronous}")
        if not version:
            db.execute("PRAGMA journal_mode=WAL")
            db.executescript(kind.schema)
    except BaseException:
        db.close()
        raise
    return db


def _made(path: Path) -> None:
    """Makes a file that is missing. One that is there is not opened: to close it would drop SQLite's locks of this process."""
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
    except FileExistsError:
        if not stat.S_ISREG(os.lstat(path).st_mode):
            raise
