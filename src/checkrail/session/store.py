"""What was spent, in one SQLite file of the user's: reserved when a call is let through, counted when it has run.

A row is one currency of one call. It is ``held`` from the answer until the call is told to be finished, then ``ran`` or
``released``. It is ``asked`` where a person was asked, and weighs nothing until the call is told to have run. A held row that
nobody has spoken of for an hour is released if its session does tell of finished calls; if it does not, as that of an agent
without such events, the row is ``assumed`` to have run.

INVARIANT: to look and to reserve is one transaction, so of many calls at once no two take the last of a ceiling.
"""

import contextlib
import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec

from checkrail.model import Event
from checkrail.places import PlacesError
from checkrail.session import database
from checkrail.session.identity import arguments, digest, who
from checkrail.session.spend import DAY_S, Charge, Spent

VERSION = 1
BUSY_S = 0.5
"""Seconds to wait for another process's write; below the time for an answer."""
HOLD_S = 3600
KEEP_S = 7 * DAY_S
"""How long a row that weighs nothing is kept, so that a late word about its call still finds it."""
FOLD_S = 30 * DAY_S
"""When what ran becomes part of one total by currency."""
MOST_ROWS = 20_000

_SCHEMA = f"""
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS charge(
  id INTEGER PRIMARY KEY, who TEXT NOT NULL, call TEXT NOT NULL, digest TEXT NOT NULL, turn TEXT NOT NULL,
  currency TEXT NOT NULL, micros INTEGER NOT NULL CHECK(micros >= 0), state TEXT NOT NULL, sure INTEGER NOT NULL, at INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS charge_by_call ON charge(who, call, digest);
CREATE INDEX IF NOT EXISTS charge_by_currency ON charge(currency, state, at);
CREATE TABLE IF NOT EXISTS folded(currency TEXT PRIMARY KEY, micros INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS telling(who TEXT PRIMARY KEY, at INTEGER NOT NULL);
PRAGMA user_version={VERSION};
COMMIT;
"""

_KIND = database.Kind(version=VERSION, schema=_SCHEMA, synchronous="FULL", busy_s=BUSY_S)

_COUNTS = "state IN ('ran','assumed','held')"
_OPEN = "state IN ('held','asked','assumed','released')"
_LIKELY = "CASE state WHEN 'held' THEN 0 WHEN 'assumed' THEN 1 WHEN 'asked' THEN 2 ELSE 3 END"
"""Of calls that cannot be told apart, which one a word about a finished call means."""


class StoreError(OSError):
    """The counters cannot be used as they are; the text says why and what to do."""


class _Call(msgspec.Struct, frozen=True):
    """A call by digests: its session, its own number (empty where the agent gives none), its tool and arguments."""

    who: str
    call: str
    digest: str


def _call(event: Event) -> _Call:
    return _Call(who(event), digest(event.call) if event.call else "", digest(event.tool, arguments(event)))


class Store:
    """The counters below ``directory``, which is made (mode 0700) when first needed. Nothing stays open between calls."""

    def __init__(self, directory: Path, *, clock: Callable[[], float] = time.time, most_rows: int = MOST_ROWS) -> None:
        self.directory = directory
        self.path = directory / "spend.sqlite"
        self._clock = clock
        self._most = most_rows

    def concerns(self, event: Event) -> bool:
        """Whether any call of the event's session moved money; one look at the disk."""
        return os.path.exists(self._mark(who(event)))

    def weigh(self, event: Event, charges: Sequence[Charge], *, hold: bool, sure: bool, look: bool = False) -> Spent:
        """See :class:`~checkrail.session.spend.Ledger`; with ``look`` nothing is written down."""
        call, now = _call(event), int(self._clock())
        if look and not self.path.exists():
            return _spent(charges, {}, {})
        with self._transaction() as db:
            self._expire(db, now)
            again = self._again(db, call)
            spent = _spent(charges, *self._sums(db, charges, now, without=again))
            if not look and not (again and not call.call):
                self._sweep(db, now)
                db.executemany("DELETE FROM charge WHERE id=?", [(row,) for row in again])
                self._insert(db, call, charges, "held" if hold and not spent.over else "asked", now, sure=sure)
                self._set_mark(call.who)
        return spent

    def approved(self, event: Event) -> None:
        """A person said yes to a call that was asked about, and it goes on without further word."""
        call = _call(event)
        if not self.concerns(event):
            return
        with self._transaction() as db:
            where, values = self._one_call(db, call, "state='asked'")
            db.execute(f"UPDATE charge SET state='held', at=:now WHERE {where}", {**values, "now": int(self._clock())})

    def finished(self, event: Event, *, failed: bool) -> None:
        """Counts a call that has run; one that surely failed before anything was moved is released."""
        call, now = _call(event), int(self._clock())
        with self._transaction("DEFERRED") as db:  # most finished calls are none of these, and cost no write
            told = db.execute("SELECT 1 FROM telling WHERE who=?", (call.who,)).fetchone()
            where, values = self._one_call(db, call, _OPEN)
            if told and not db.execute(f"SELECT 1 FROM charge WHERE {where}", values).fetchone():
                return
        with self._transaction() as db:
            db.execute("INSERT OR REPLACE INTO telling VALUES(?, ?)", (call.who, now))
            where, values = self._one_call(db, call, _OPEN)
            db.execute(
                "UPDATE charge SET state=CASE WHEN sure AND :failed THEN 'released' ELSE 'ran' END, at=:now"
                f" WHERE {where}",
                {**values, "failed": failed, "now": now},
            )

    def totals(self) -> dict[str, tuple[int, int]]:
        """By currency, in millionths: what counts in the last 24 hours, and in all."""
        if not self.path.exists():
            return {}
        now = int(self._clock())
        with self._transaction() as db:
            self._expire(db, now)
            named = db.execute("SELECT currency FROM charge UNION SELECT currency FROM folded").fetchall()
            charges = [Charge(currency=name, micros=0, day=0, lifetime=0) for (name,) in named]
            day, lifetime = self._sums(db, charges, now, without=[])
        return {name: (day[name], lifetime[name]) for (name,) in named}

    # Rows ----------------------------------------------------------------------------------------------------------

    @staticmethod
    def _expire(db: sqlite3.Connection, now: int) -> None:
        """Decides on what was held for long without a word."""
        db.execute(
            "UPDATE charge SET state=CASE WHEN who IN (SELECT who FROM telling) THEN 'released' ELSE 'assumed' END"
            " WHERE state='held' AND at<=?",
            (now - HOLD_S,),
        )

    @staticmethod
    def _one_call(db: sqlite3.Connection, call: _Call, state: str) -> tuple[str, dict[str, str]]:
        """The rows of a call: by its number; where it has none the oldest of its arguments among those without one."""
        values = dict(msgspec.structs.asdict(call))
        if call.call:
            return f"who=:who AND call=:call AND {state}", values
        where = f"who=:who AND call='' AND digest=:digest AND {state}"
        first = db.execute(f"SELECT turn FROM charge WHERE {where} ORDER BY {_LIKELY}, id LIMIT 1", values).fetchone()
        return f"{where} AND turn=:turn", {**values, "turn": first[0] if first else ""}

    @staticmethod
    def _again(db: sqlite3.Connection, call: _Call) -> list[int]:
        """The rows of this very call where it was judged before: the same number, or none and an open one with a number."""
        number = "call=:call" if call.call else "call<>''"
        found = db.execute(
            f"SELECT id FROM charge WHERE who=:who AND digest=:digest AND {number} AND {_OPEN}",
            msgspec.structs.asdict(call),
        )
        return [row for (row,) in found]

    @staticmethod
    def _sums(
        db: sqlite3.Connection, charges: Sequence[Charge], now: int, *, without: Sequence[int]
    ) -> tuple[dict[str, int], dict[str, int]]:
        day: dict[str, int] = {}
        lifetime: dict[str, int] = {}
        left_out = ",".join(str(int(row)) for row in without) or "-1"
        for currency in dict.fromkeys(charge.currency for charge in charges):
            values = {"currency": currency, "day": now - DAY_S}
            rows = f"FROM charge WHERE currency=:currency AND {_COUNTS} AND id NOT IN ({left_out})"
            (folded,) = db.execute(
                "SELECT coalesce(sum(micros), 0) FROM folded WHERE currency=:currency", {"currency": currency}
            ).fetchone()
            (ever,) = db.execute(f"SELECT coalesce(sum(micros), 0) {rows}", values).fetchone()
            (day[currency],) = db.execute(f"SELECT coalesce(sum(micros), 0) {rows} AND at>:day", values).fetchone()
            lifetime[currency] = folded + ever
        return day, lifetime

    @staticmethod
    def _insert(
        db: sqlite3.Connection, call: _Call, charges: Sequence[Charge], state: str, now: int, *, sure: bool
    ) -> None:
        turn = os.urandom(8).hex()
        db.executemany(
            "INSERT INTO charge(who, call, digest, turn, currency, micros, state, sure, at) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                (call.who, call.call, call.digest, turn, each.currency, each.micros, state, sure, now)
                for each in charges
            ],
        )

    def _sweep(self, db: sqlite3.Connection, now: int) -> None:
        """Keeps the table small: old rows that weigh nothing go, old ones that ran become a total."""
        db.execute(f"DELETE FROM charge WHERE at<? AND NOT {_COUNTS}", (now - KEEP_S,))
        db.execute("DELETE FROM telling WHERE at<? AND who NOT IN (SELECT who FROM charge)", (now - KEEP_S,))
        (rows,) = db.execute("SELECT count(*) FROM charge").fetchone()
        self._fold(db, now - (FOLD_S if rows < self._most else DAY_S))
        if rows >= self._most:
            db.execute("DELETE FROM charge WHERE at<? AND state='released'", (now - DAY_S,))
            if db.execute("SELECT count(*) FROM charge").fetchone()[0] >= self._most:
                raise StoreError(f"more than {self._most} calls in a day are not counted")
        self._forget_marks(now)

    @staticmethod
    def _fold(db: sqlite3.Connection, before: int) -> None:
        """Makes what ran before that time part of the totals."""
        db.execute(
            "INSERT INTO folded SELECT currency, sum(micros) FROM charge"
            " WHERE at<? AND state IN ('ran','assumed') GROUP BY currency"
            " ON CONFLICT(currency) DO UPDATE SET micros=micros+excluded.micros",
            (before,),
        )
        db.execute("DELETE FROM charge WHERE at<? AND state IN ('ran','assumed')", (before,))

    # The file ------------------------------------------------------------------------------------------------------

    def _mark(self, who: str) -> Path:
        return self.directory / f"moved-{who}"

    def _set_mark(self, who: str) -> None:
        os.close(os.open(self._mark(who), os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
        os.utime(self._mark(who))

    def _forget_marks(self, now: int) -> None:
        for place in self.directory.glob("moved-*"):
            with contextlib.suppress(OSError):
                if place.stat().st_mtime < now - KEEP_S:
                    place.unlink()

    @contextlib.contextmanager
    def _transaction(self, kind: str = "IMMEDIATE") -> Iterator[sqlite3.Connection]:
        """One transaction on a connection of its own; whatever happens inside, it is whole or nothing."""
        try:
            with database.transaction(self.path, _KIND, kind) as db:
                yield db
        except (PlacesError, database.OtherVersion) as error:
            raise StoreError(str(error)) from error
        except (sqlite3.Error, OverflowError) as error:
            raise StoreError(
                f"{self.path}: {error}; if it stays so, move the file away, which forgets what was spent"
            ) from error


def _spent(charges: Sequence[Charge], day: dict[str, int], lifetime: dict[str, int]) -> Spent:
    for charge in charges:
        if day.get(charge.currency, 0) + charge.micros > charge.day:
            return Spent(day, lifetime, (charge.currency, "day"))
        if lifetime.get(charge.currency, 0) + charge.micros > charge.lifetime:
            return Spent(day, lifetime, (charge.currency, "lifetime"))
    return Spent(day, lifetime)
