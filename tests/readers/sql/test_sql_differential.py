"""Against the real SQLite, whose authorizer tells what a statement does: no write is called a read."""

import os
import random
import sqlite3

from checkrail.context import Surroundings
from checkrail.facts.host import FrozenHost
from checkrail.model import Action, Payload
from checkrail.readers import sql
from tests.readers.sql.sql_programs import SCHEMA, program

COUNT = int(os.environ.get("CHECKRAIL_DIFFERENTIAL", "400"))
AROUND = Surroundings(host=FrozenHost(), home="/home/dev", workspace="/w", cwd="/w")
_READING = frozenset(
    (
        sqlite3.SQLITE_SELECT,
        sqlite3.SQLITE_READ,
        sqlite3.SQLITE_FUNCTION,
        sqlite3.SQLITE_RECURSIVE,
        sqlite3.SQLITE_TRANSACTION,
        sqlite3.SQLITE_PRAGMA,
    )
)


def _writes(text: str) -> tuple[bool, bool]:
    """Whether SQLite did anything but read, and whether it took the whole text."""
    base = sqlite3.connect(":memory:")
    base.executescript(SCHEMA)
    seen: set[int] = set()

    def authorize(action: int, *_: object) -> int:
        seen.add(action)
        # Noted and refused: a mutated name would make a file.
        return sqlite3.SQLITE_DENY if action == sqlite3.SQLITE_ATTACH else sqlite3.SQLITE_OK

    base.set_authorizer(authorize)
    before = "\n".join(base.iterdump())
    seen.clear()
    whole = True
    try:
        base.executescript(text)
    except (sqlite3.Error, sqlite3.Warning, ValueError):
        whole = False
    did = bool(seen - _READING)
    base.set_authorizer(None)
    changed = "\n".join(base.iterdump()) != before
    base.close()
    if "explain" not in text.lower():
        return changed or did, whole
    # The authorizer speaks of a statement that is only explained, too: only what changed counts, and a read is sure where it stands alone.
    return changed, whole and (not did or text.strip(" ;").count(";") == 0)


def _called_read(text: str, dialect: str) -> bool:
    found = sql.read(Payload(language="sql", text=text, cwd="/w", options=(("dialect", dialect),)), AROUND)
    return not found.unread and all(
        effect.action is Action.READ and effect.decision is None for effect in found.effects
    )


def test_nothing_that_writes_is_called_a_read_and_few_reads_are_not() -> None:
    """Both with the dialect known and with it unknown; of the reads under 2 % are taken for more."""
    source = random.Random(20260403)
    reads = doubted = wrote = 0
    for _ in range(COUNT):
        text = program(source)
        writes, whole = _writes(text)
        known, unknown = _called_read(text, "sqlite"), _called_read(text, "")
        if writes:
            wrote += 1
            assert not known, text
            assert not unknown, text
        elif whole:
            reads += 1
            doubted += not known
    assert wrote > COUNT // 6
    assert reads > COUNT // 4
    print(f"{wrote} writes, {reads} reads, {doubted} of them doubted")
    assert doubted < max(1, reads * 0.02)
