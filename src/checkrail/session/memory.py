"""Where sessions are remembered: one SQLite file of the user's, and beside it one small mark for each session that has a fact.

A call of a session without a mark opens nothing. The mark holds the version of what is stored, so that a process that has read it
before need not read it again. INVARIANT: the mark is written before the change is committed, so a reader can take
an older state for the newest only as long as the change is not finished; it does not keep such a state.

What cannot be read is not taken for empty: :class:`Unreadable` makes the session count as tainted.
"""

import contextlib
import os
import sqlite3
import time
from array import array
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path
from typing import TypeVar

import msgspec

from checkrail.places import PlacesError, secure_directory
from checkrail.policy import Keep
from checkrail.session import database, secrets
from checkrail.session.facts import State

_T = TypeVar("_T")

VERSION = 1
BUSY_S = 0.5
DAY_S, KILO, MEGA = 86_400, 1024, 1024 * 1024
_FRESH_S = 2.0
_CACHED = 64
MOST_INDEXED = 8

LOST = 0
"""The version in the mark of a session of which something could not be stored."""
_LOST = "some of what it did could not be stored; a person may run: checkrail session forget"

_SCHEMA = f"""
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS session(who TEXT PRIMARY KEY, version INTEGER NOT NULL, at INTEGER NOT NULL, state BLOB NOT NULL);
CREATE INDEX IF NOT EXISTS session_by_age ON session(at);
CREATE TABLE IF NOT EXISTS source(
  id INTEGER PRIMARY KEY, who TEXT NOT NULL, at INTEGER NOT NULL, head BLOB NOT NULL, prints BLOB NOT NULL, size INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS source_by_session ON source(who, size);
CREATE TABLE IF NOT EXISTS salt(id INTEGER PRIMARY KEY CHECK(id=0), bytes BLOB NOT NULL);
INSERT OR IGNORE INTO salt VALUES(0, randomblob(32));
PRAGMA user_version={VERSION};
COMMIT;
"""

_KIND = database.Kind(version=VERSION, schema=_SCHEMA, synchronous="NORMAL", busy_s=BUSY_S)


class Unreadable(OSError):
    """What a session did before cannot be told; the text says why and what to do."""


class Head(msgspec.Struct, frozen=True, array_like=True):
    """Where a text came from, and the short exact values that were first seen in it, as keyed digests."""

    service: str
    tool: str
    target: str
    at: int
    labels: tuple[str, ...]
    exact: tuple[int, ...] = ()


class Sources:
    """The texts that came back in a session: their heads by number, and in which of them a print stands."""

    def __init__(self) -> None:
        self.heads: dict[int, Head] = {}
        self.index: dict[int, tuple[int, ...]] = {}
        self._prints: dict[int, Collection[int]] = {}

    def add(self, number: int, head: Head, prints: Collection[int]) -> None:
        """Takes in one."""
        self.heads[number], self._prints[number] = head, prints
        for each in prints:
            self.index[each] = (*self.index.get(each, ()), number)

    def drop(self, number: int) -> None:
        """Forgets one."""
        del self.heads[number]
        for each in set(self._prints.pop(number)):
            if left := tuple(other for other in self.index[each] if other != number):
                self.index[each] = left
            else:
                del self.index[each]

    def of(self, prints: Iterable[int]) -> list[Head]:
        """Where some of these prints stand."""
        return [self.heads[number] for number in sorted({number for each in prints for number in self.index[each]})]


NONE = Sources()


class Held(msgspec.Struct, frozen=True):
    """A session as it is stored."""

    version: int
    state: State
    keys: secrets.Keys


class Store:
    """Sessions below ``directory``, which is made (mode 0700) when first needed. One connection stays open between calls."""

    def __init__(self, directory: Path, *, clock: Callable[[], float] = time.time, keep: Keep = Keep()) -> None:  # noqa: B008  # frozen
        self.directory = directory
        self.path = directory / "memory.sqlite"
        self.clock = clock
        self.keep = keep
        self._kept = database.Kept()
        self._held: dict[str, Held] = {}
        self._sources: dict[str, tuple[int, Sources]] = {}

    def mark(self, who: str) -> int | None:
        """The version of what is stored of a session; None where there is nothing. Raises :class:`Unreadable`."""
        try:
            with open(self._mark(who), "rb") as handle:
                return int(handle.read(32) or b"0")
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise Unreadable(f"{self._mark(who)}: {error}") from error

    def load(self, who: str) -> Held | None:
        """What is stored of a session. Raises :class:`Unreadable`, also where a mark is all that is left."""
        version = self.mark(who)
        if version is None:
            return None
        if version == LOST:
            raise Unreadable(_LOST)
        held = self._held.get(who)
        if held is not None and held.version == version:
            return held
        with self._transaction("DEFERRED") as db:
            found = self._row(db, who)
        if found is None:
            if self._is_fresh(who):
                return None
            raise Unreadable(f"{self.path} no longer holds this session; run: checkrail session forget --all")
        if found.state.lost:
            raise Unreadable(_LOST)
        if found.version == version:
            if len(self._held) >= _CACHED:
                self._held.clear()
            self._held[who] = found
        return found

    def sources(self, who: str, version: int) -> Sources:
        """The sources of a session, which has this version. Raises :class:`Unreadable`."""
        of, known = self._sources.get(who, (-1, NONE))
        if of == version:
            return known
        with self._transaction("DEFERRED") as db:
            numbers = {number for (number,) in db.execute("SELECT id FROM source WHERE who=?", (who,))}
            kept = Sources() if known is NONE or of > version else known  # an older version: the session began anew
            for number in kept.heads.keys() - numbers:
                kept.drop(number)
            for number in sorted(numbers - kept.heads.keys()):
                head, prints = db.execute("SELECT head, prints FROM source WHERE id=?", (number,)).fetchone()
                kept.add(number, _decoded(head, Head), _array(prints))
        if len(self._sources) >= MOST_INDEXED:
            self._sources.clear()
        self._sources[who] = (version, kept)
        return kept

    @contextlib.contextmanager
    def change(self, who: str) -> Iterator["Change"]:
        """What is stored, to be changed in place: all of it or nothing. Raises :class:`Unreadable`."""
        now = int(self.clock())
        with self._transaction() as db:
            found = self._row(db, who)
            if found is None:
                self._sweep(db, now)
            held = found or Held(0, State(), self._keys(db))
            held.state.lost = held.state.lost or self.mark(who) == LOST
            yield Change(db, who, held, now, self.keep)
            self._set_mark(who, held.version + 1)
            db.execute(
                "INSERT OR REPLACE INTO session VALUES(?, ?, ?, ?)",
                (who, held.version + 1, now, msgspec.msgpack.encode(held.state)),
            )

    def starts(self, place: str, who: str) -> None:
        """Remembers that a session starts a sub-agent at a place. Raises OSError."""
        secure_directory(self.directory)
        self._write(self.directory / f"start-{place}", who.encode())

    def starter(self, place: str) -> str:
        """The session that last started a sub-agent at a place; empty where there is none. Raises :class:`Unreadable`."""
        try:
            with open(self.directory / f"start-{place}", "rb") as handle:
                return handle.read(64).decode("ascii", "replace")
        except FileNotFoundError:
            return ""
        except OSError as error:
            raise Unreadable(f"{self.directory}: {error}") from error

    def lose(self, who: str) -> None:
        """Something about a session could not be stored; from now on what it did cannot be told. Raises OSError."""
        secure_directory(self.directory)
        self._set_mark(who, LOST)

    def sessions(self) -> list[tuple[str, int, State, int]]:
        """Every session: its digest, when it was last heard of, its state, and the bytes of its prints."""
        if not self.path.exists():
            return []
        with self._transaction("DEFERRED") as db:
            rows = db.execute(
                "SELECT who, at, state, (SELECT coalesce(sum(size), 0) FROM source WHERE source.who=session.who)"
                " FROM session ORDER BY at DESC"
            ).fetchall()
        return [(who, at, _decoded(state, State), size) for who, at, state, size in rows]

    def forget(self, whos: list[str]) -> None:
        """Forgets sessions."""
        with self._transaction() as db:
            for who in whos:
                db.execute("DELETE FROM source WHERE who=?", (who,))
                db.execute("DELETE FROM session WHERE who=?", (who,))
        for who in whos:
            self._mark(who).unlink(missing_ok=True)

    def forget_all(self) -> None:
        """Removes everything, also what cannot be read."""
        for place in (
            *self.directory.glob("seen-*"),
            *self.directory.glob("start-*"),
            *self.directory.glob("memory.sqlite*"),
        ):
            place.unlink(missing_ok=True)

    def close(self) -> None:
        """Closes the connection that stays open."""
        self._kept.close()

    # Inside --------------------------------------------------------------------------------------------------------

    def _row(self, db: sqlite3.Connection, who: str) -> Held | None:
        row = db.execute("SELECT version, state FROM session WHERE who=?", (who,)).fetchone()
        return Held(row[0], _decoded(row[1], State), self._keys(db)) if row else None

    @staticmethod
    def _keys(db: sqlite3.Connection) -> secrets.Keys:
        (salt,) = db.execute("SELECT bytes FROM salt").fetchone()
        return secrets.keys(bytes(salt))

    def _sweep(self, db: sqlite3.Connection, now: int) -> None:
        """Makes room for a new session: what is too old goes, then the oldest."""
        gone = [who for (who,) in db.execute("SELECT who FROM session WHERE at<?", (now - self.keep.days * DAY_S,))]
        (count,) = db.execute("SELECT count(*) FROM session").fetchone()
        over = count - len(gone) - self.keep.sessions + 1
        if over > 0:
            gone += [who for (who,) in db.execute("SELECT who FROM session ORDER BY at LIMIT ?", (over + len(gone),))]
        for who in dict.fromkeys(gone):
            db.execute("DELETE FROM source WHERE who=?", (who,))
            db.execute("DELETE FROM session WHERE who=?", (who,))
            self._mark(who).unlink(missing_ok=True)
        for place in self.directory.glob("start-*"):
            with contextlib.suppress(OSError):
                if place.stat().st_mtime < now - self.keep.days * DAY_S:
                    place.unlink()
        (size,) = db.execute("SELECT coalesce(sum(size), 0) FROM source").fetchone()
        while size > self.keep.megabytes * MEGA:
            row = db.execute("SELECT id, size FROM source ORDER BY id LIMIT 1").fetchone()
            db.execute("DELETE FROM source WHERE id=?", (row[0],))
            size -= row[1]

    def _mark(self, who: str) -> Path:
        return self.directory / f"seen-{who}"

    def _set_mark(self, who: str, version: int) -> None:
        self._write(self._mark(who), b"%019d" % version)

    @staticmethod
    def _write(place: Path, text: bytes) -> None:
        """Texts of one file are all of one length, so that a reader sees one or the other."""
        handle = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            os.pwrite(handle, text, 0)
        finally:
            os.close(handle)

    def _is_fresh(self, who: str) -> bool:
        with contextlib.suppress(OSError):
            return time.time() - self._mark(who).stat().st_mtime < _FRESH_S
        return True

    @contextlib.contextmanager
    def _transaction(self, kind: str = "IMMEDIATE") -> Iterator[sqlite3.Connection]:
        try:
            with database.transaction(self.path, _KIND, kind, self._kept) as db:
                yield db
        except database.OtherVersion as error:
            raise Unreadable(str(error)) from error
        except (PlacesError, sqlite3.Error, OverflowError, msgspec.DecodeError, TypeError) as error:
            advice = "if it stays so, run: checkrail session forget --all"
            raise Unreadable(f"{self.path}: {error}; {advice}") from error


class Change:
    """A session inside one transaction."""

    def __init__(self, db: sqlite3.Connection, who: str, held: Held, now: int, keep: Keep) -> None:
        self._db = db
        self._who = who
        self.state = held.state
        self.keys = held.keys
        self.now = now
        self.keep = keep
        self.new = held.version == 0

    def add(self, head: Head, prints: "array[int]") -> None:
        """Keeps the prints of a text; the oldest of the session make room for them."""
        body, size = prints.tobytes(), 8 * len(prints) + 64
        rows = self._db.execute("SELECT id, size FROM source WHERE who=? ORDER BY id", (self._who,)).fetchall()
        total = sum(row[1] for row in rows)
        while rows and (total + size > self.keep.source_kilobytes * KILO or len(rows) >= self.keep.sources):
            oldest, freed = rows.pop(0)
            total -= freed
            self._db.execute("DELETE FROM source WHERE id=?", (oldest,))
        self._db.execute(
            "INSERT INTO source(who, at, head, prints, size) VALUES(?, ?, ?, ?, ?)",
            (self._who, self.now, msgspec.msgpack.encode(head), body, size),
        )


def _array(raw: bytes) -> "array[int]":
    found = array("Q")
    found.frombytes(raw)
    return found


def _decoded(raw: bytes, kind: type[_T]) -> _T:
    return msgspec.msgpack.decode(raw, type=kind)
