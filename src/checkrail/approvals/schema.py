"""The tables of the store, and rows as requests."""

from typing import Any

import msgspec

from checkrail.approvals.rows import Asked, Request, Who

VERSION = 1
PAGES = 16_384
"""Pages of 4 KiB: 64 MiB at most."""
BUSY_S = 0.6
"""Seconds to wait for another process's write; below the time for an answer."""

SCHEMA = f"""
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS requests(
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  authorization TEXT NOT NULL,
  classification TEXT NOT NULL,
  state TEXT NOT NULL,
  agent TEXT NOT NULL, subagent TEXT NOT NULL, session TEXT NOT NULL, cwd TEXT NOT NULL, tool TEXT NOT NULL,
  summary TEXT NOT NULL, whole TEXT NOT NULL, findings TEXT NOT NULL,
  times INTEGER NOT NULL DEFAULT 1,
  created REAL NOT NULL, expires REAL NOT NULL, decided REAL NOT NULL DEFAULT 0, used REAL NOT NULL DEFAULT 0,
  uid INTEGER, user TEXT NOT NULL DEFAULT '', tty TEXT NOT NULL DEFAULT '',
  mark TEXT NOT NULL DEFAULT '', seal TEXT NOT NULL DEFAULT ''
);
CREATE INDEX IF NOT EXISTS requests_by_authorization ON requests(authorization, state);
CREATE INDEX IF NOT EXISTS requests_by_state ON requests(state, expires);
CREATE TABLE IF NOT EXISTS prompts(
  session TEXT NOT NULL, call TEXT NOT NULL, created REAL NOT NULL, PRIMARY KEY(session, call)
);
PRAGMA user_version={VERSION};
COMMIT;
"""

COLUMNS = (
    "number, authorization, classification, agent, subagent, session, cwd, tool, summary, whole, findings,"
    " state, created, expires, mark, decided, uid, user, tty, seal"
)
DONE = "('refused','used','expired','void')"


def request_of(row: tuple[Any, ...]) -> Request:
    """The request in a row of ``COLUMNS``."""
    number, *asked, findings, state, created, expires, mark, decided, uid, user, tty, seal = row
    names = ("authorization", "classification", "agent", "subagent", "session", "cwd", "tool", "summary", "whole")
    return Request(
        number=number,
        asked=Asked(
            **dict(zip(names, asked, strict=True)), findings=msgspec.json.decode(findings, type=tuple[str, ...])
        ),
        state=state,
        created=created,
        expires=expires,
        mark=mark,
        decided=decided,
        who=None if uid is None else Who(uid=uid, user=user, tty=tty),
        seal=seal,
    )
