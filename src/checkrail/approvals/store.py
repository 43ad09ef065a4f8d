"""The requests in one SQLite file of the user's: made and used up atomically by many workers, answered by the command line."""

import contextlib
import os
import sqlite3
import stat
import time
from collections.abc import Iterator

import msgspec

from checkrail.approvals.rows import Asked, Request, Who, genuine, marked, sealed
from checkrail.approvals.schema import BUSY_S, COLUMNS, DONE, PAGES, SCHEMA, VERSION, request_of
from checkrail.audit import keys

WHOLE_BYTES = 262_144
"""An operation that is longer cannot be shown whole, so nobody can say yes to it here."""
MOST_WAITING = 100
MOST_WAITING_IN_SESSION = 25
KEEP_S = 7 * 86400.0
KEEP_ROWS = 2000
"""How long, and at most how many, rows stay that are done with; their operations are blanked at once."""


OPENINGS = 10
"""How often a store that others are making is tried to be opened."""


CLOCK_STEP_S = 60.0
"""So far may the clock be set back while a yes waits; by more, nobody knows how old it is, and it does not count."""


class StoreProblem(OSError):
    """The store cannot be used as it is; the text says why and what to do."""


class Full(StoreProblem):
    """Nothing more may wait."""


class Edited(StoreProblem):
    """A row is not as Checkrail wrote it, so it counts for nothing."""


class Store:
    """The requests in ``directory`` (mode 0700). Opens on first use, and anew in each process."""

    def __init__(self, directory: str, *, pages: int = PAGES) -> None:
        self.directory = directory
        self.path = os.path.join(directory, "requests.sqlite")
        self._pages = pages
        self._key = b""
        self._connection: sqlite3.Connection | None = None
        self._process = 0

    @property
    def key(self) -> bytes:
        """The root of all marks, made with the store."""
        if not self._key:
            os.makedirs(self.directory, 0o700, exist_ok=True)
            self._key = keys.load(os.path.join(self.directory, "approvals.key"))
        return self._key

    def exists(self) -> bool:
        """Whether anything was ever asked; cheap."""
        return os.path.exists(self.path)

    def close(self) -> None:
        """Gives back what is open; used again, it opens anew."""
        if self._connection is not None and self._process == os.getpid():
            self._connection.close()
        self._connection = None

    def take(self, authorization: str, *, now: float) -> Request | None:
        """Uses up the approval of an operation; None where there is none. Of many callers one gets it.

        Raises :class:`Edited` for a row that was not written by ``approve``.
        """
        with self._errors() as db:
            found = self._one(db, "authorization=? AND state='approved'", authorization)
            if found is None:
                return None
            if not genuine(self.key, found):
                db.execute("UPDATE requests SET state='void', whole='' WHERE number=?", (found.number,))
                raise Edited(f"request {found.number} was changed outside of Checkrail, so it does not count")
            done = db.execute(
                "UPDATE requests SET state='used', used=?, whole='', findings='[]'"
                " WHERE number=? AND state='approved' AND seal=? AND expires=? AND expires>? AND decided<?",
                (now, found.number, found.seal, found.expires, now, now + CLOCK_STEP_S),
            )
            return found if done.rowcount == 1 else None

    def ask(self, asked: Asked, *, now: float, lifetime: float) -> tuple[Request, bool]:
        """The request that waits for this operation, or was refused lately, and whether it is new. Raises :class:`Full`."""
        if len(asked.whole.encode()) > WHOLE_BYTES:
            raise Full("it is too long to be shown whole, so it cannot be approved from outside")
        with self._transaction() as db:
            self._sweep(db, now)
            found = self._one(
                db,
                "authorization=? AND state IN ('waiting','approved','refused') AND expires>?",
                asked.authorization,
                now,
            )
            if found is not None and (found.state == "refused" or genuine(self.key, found)):
                db.execute("UPDATE requests SET times=times+1 WHERE number=?", (found.number,))
                return found, False
            if found is not None:
                db.execute("UPDATE requests SET state='void', whole='' WHERE number=?", (found.number,))
            self._check_room(db, asked.session)
            return self._insert(db, asked, now, now + lifetime), True

    def last_used(self, authorization: str) -> int:
        """The number of the last request for this operation whose approval was used up; 0 for none."""
        with self._errors() as db:
            found = db.execute(
                "SELECT max(number) FROM requests WHERE authorization=? AND state='used'", (authorization,)
            ).fetchone()
            return int(found[0] or 0)

    def get(self, number: int) -> Request | None:
        """One request, whatever its state."""
        with self._errors() as db:
            return self._one(db, "number=?", number)

    def waiting(self, *, now: float) -> list[Request]:
        """What waits for an answer, the oldest first; a row that was edited is left out."""
        with self._errors() as db:
            rows = db.execute(
                f"SELECT {COLUMNS} FROM requests WHERE state='waiting' AND expires>? ORDER BY number", (now,)
            ).fetchall()
            return [found for found in map(request_of, rows) if genuine(self.key, found)]

    def waits(self, number: int, *, now: float | None = None) -> bool:
        """Whether one of them does."""
        with self._errors() as db:
            return bool(
                db.execute(
                    "SELECT 1 FROM requests WHERE number=? AND state='waiting' AND expires>?",
                    (number, clock() if now is None else now),
                ).fetchone()
            )

    def approve(self, number: int, who: Who, *, now: float, lifetime: float) -> bool:
        """Lets the operation through once; False where the request does not wait any more. Raises :class:`Edited`."""
        found = self._answerable(number, now)
        if found is None:
            return False
        expires = now + lifetime
        seal = sealed(self.key, found, decided=now, expires=expires, who=who)
        with self._errors() as db:
            done = db.execute(
                "UPDATE requests SET state='approved', decided=?, expires=?, uid=?, user=?, tty=?, seal=?"
                " WHERE number=? AND state='waiting' AND mark=? AND expires>?",
                (now, expires, who.uid, who.user, who.tty, seal, number, found.mark, now),
            )
            return done.rowcount == 1

    def refuse(self, number: int, who: Who, *, now: float, lifetime: float) -> bool:
        """Keeps the operation stopped, without asking again for a while; False where the request does not wait any more."""
        with self._errors() as db:
            done = db.execute(
                "UPDATE requests SET state='refused', decided=?, expires=?, uid=?, user=?, tty=?, whole='', findings='[]'"
                " WHERE number=? AND state='waiting' AND expires>?",
                (now, now + lifetime, who.uid, who.user, who.tty, number, now),
            )
            return done.rowcount == 1

    def shown(self, session: str, call: str, *, now: float) -> None:
        """Notes that the agent's own prompt shows the question about a call. Only a remark for the log: it need not outlive a crash."""
        with self._errors() as db:
            db.execute("PRAGMA synchronous=NORMAL")
        try:
            with self._transaction() as db:
                db.execute("DELETE FROM prompts WHERE created<?", (now - KEEP_S,))
                db.execute("DELETE FROM prompts WHERE rowid <= (SELECT max(rowid) FROM prompts) - ?", (KEEP_ROWS,))
                db.execute(
                    "INSERT OR REPLACE INTO prompts(session, call, created) VALUES (?,?,?)", (session, call[:200], now)
                )
        finally:
            with self._errors() as db:
                db.execute("PRAGMA synchronous=FULL")

    def was_shown(self, session: str, call: str) -> bool:
        """Whether the agent's own prompt showed the question about a call; told once."""
        with self._errors() as db:
            done = db.execute("DELETE FROM prompts WHERE session=? AND call=?", (session, call[:200]))
            return done.rowcount > 0

    def _answerable(self, number: int, now: float) -> Request | None:
        found = self.get(number)
        if found is None or found.state != "waiting" or found.expires <= now:
            return None
        if not genuine(self.key, found):
            raise Edited(f"request {number} was changed outside of Checkrail, so it does not count")
        return found

    def _insert(self, db: sqlite3.Connection, asked: Asked, now: float, expires: float) -> Request:
        told = (asked.agent, asked.subagent, asked.session, asked.cwd, asked.tool, asked.summary, asked.whole)
        number = db.execute(
            "INSERT INTO requests(authorization, classification, agent, subagent, session, cwd, tool, summary, whole,"
            " findings, created, expires, state) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,'waiting')",
            (
                asked.authorization, asked.classification, *told,
                msgspec.json.encode(asked.findings).decode(), now, expires,
            ),
        ).lastrowid  # fmt: skip
        assert number is not None
        mark = marked(self.key, number, asked, now)
        db.execute("UPDATE requests SET mark=? WHERE number=?", (mark, number))
        return Request(number=number, asked=asked, state="waiting", created=now, expires=expires, mark=mark)

    @staticmethod
    def _check_room(db: sqlite3.Connection, session: str) -> None:
        total, mine = db.execute(
            "SELECT count(*), count(CASE WHEN session=? THEN 1 END) FROM requests WHERE state='waiting'", (session,)
        ).fetchone()
        if total >= MOST_WAITING or mine >= MOST_WAITING_IN_SESSION:
            raise Full("too many requests wait for an answer already; see: checkrail approvals")

    @staticmethod
    def _sweep(db: sqlite3.Connection, now: float) -> None:
        """Ends what expired, and drops what is old or too much."""
        db.execute(
            "UPDATE requests SET state='expired', whole='', findings='[]'"
            " WHERE state IN ('waiting','approved') AND expires<=?",
            (now,),
        )
        db.execute(f"DELETE FROM requests WHERE state IN {DONE} AND created<?", (now - KEEP_S,))
        db.execute(
            f"DELETE FROM requests WHERE state IN {DONE} AND number <="
            " (SELECT coalesce(max(number), 0) FROM requests) - ?",
            (KEEP_ROWS,),
        )

    @staticmethod
    def _one(db: sqlite3.Connection, where: str, *values: object) -> Request | None:
        row = db.execute(
            f"SELECT {COLUMNS} FROM requests WHERE {where} ORDER BY number DESC LIMIT 1", values
        ).fetchone()
        return request_of(row) if row else None

    @contextlib.contextmanager
    def _errors(self) -> Iterator[sqlite3.Connection]:
        """The connection; what SQLite cannot do is a :class:`StoreProblem`."""
        try:
            yield self._open()
        except (sqlite3.Error, msgspec.MsgspecError, ValueError) as error:
            raise StoreProblem(f"the approvals at {self.path} cannot be used: {error}") from error

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._errors() as db:
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
                db.execute("COMMIT")
            finally:
                if db.in_transaction:
                    db.execute("ROLLBACK")

    def _open(self) -> sqlite3.Connection:
        if self._connection is not None and self._process == os.getpid():
            return self._connection
        _ = self.key
        self._check_file()
        # A connection that was inherited by a fork is never touched: it belongs to the parent.
        self._connection = _opened(self.path, self._pages)
        self._process = os.getpid()
        return self._connection

    def _check_file(self) -> None:
        with contextlib.suppress(FileExistsError):
            os.close(os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600))
        found = os.lstat(self.path)
        if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o077:
            raise StoreProblem(f"{self.path} is open to others or no file; move it away")


def _opened(path: str, pages: int) -> sqlite3.Connection:
    """A new store is made once: whoever comes at the same moment waits, which SQLite's own timeout does not cover."""
    for _ in range(OPENINGS):
        with contextlib.suppress(sqlite3.OperationalError):
            return _connected(path, pages)
        time.sleep(0.03)
    return _connected(path, pages)


def _connected(path: str, pages: int) -> sqlite3.Connection:
    db = sqlite3.connect(path, timeout=BUSY_S, isolation_level=None)
    db.execute("PRAGMA journal_mode=WAL")
    db.execute("PRAGMA synchronous=FULL")  # an approval that was used must stay so, even where the power fails
    db.execute(f"PRAGMA max_page_count={int(pages)}")
    version = db.execute("PRAGMA user_version").fetchone()[0]
    if version not in (0, VERSION):
        raise sqlite3.DatabaseError(f"version {version} of its tables is not known here; move it away")
    if version == 0:
        db.executescript(SCHEMA)
    return db


def clock() -> float:
    """The time that requests carry."""
    return time.time()
