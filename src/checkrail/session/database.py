"""One way to open the files of sessions: private, of a known version, every change whole or not at all."""

import contextlib
import os
import sqlite3
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


@contextlib.contextmanager
def transaction(path: Path, kind: Kind, begin: str) -> Iterator[sqlite3.Connection]:
    """One transaction on a connection of its own. Raises PlacesError, :class:`OtherVersion`, OSError and sqlite3.Error."""
    db = _opened(path, kind)
    try:
        db.execute(f"BEGIN {begin}")
        yield db
        db.execute("COMMIT")
    finally:
        db.close()  # rolls back what was not committed


def _opened(path: Path, kind: Kind) -> sqlite3.Connection:
    secure_directory(path.parent)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
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
