"""A server that was never reviewed is asked about once in a session, where the user keeps a lock."""

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from checkrail.admission import pins
from checkrail.admission.records import Definition
from checkrail.answering import Server
from checkrail.approvals.rows import Who
from checkrail.approvals.store import Store
from checkrail.policy.cache import PolicyCache
from checkrail.session import acquaintance

RULE = acquaintance.RULE
LOCK = pins.with_pins(pins.Lock(), [Definition("known", {"name": "get_row", "description": "Returns a row."})])
WHO = Who(uid=0, user="person", tty="/dev/null")


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """The user's configuration, with a lock."""
    where = tmp_path / "config"
    where.mkdir(mode=0o700)
    pins.save(where / pins.NAME, LOCK)
    return where


@pytest.fixture
def server(tmp_path: Path, config: Path) -> Server:
    """With places for sessions and requests."""
    (tmp_path / "state").mkdir(mode=0o700)
    remembered, asked = str(tmp_path / "state/session"), str(tmp_path / "state/approvals")
    return Server(PolicyCache(()), None, own=(str(config),), remembered=remembered, approvals=asked)


def call(server: Server, tool: str, session: str = "s", agent: str = "claude", **more: Any) -> str:
    """What the agent hears of a pending call."""
    told = {"tool_name": tool, "tool_input": {"id": "1"}, "session_id": session, "tool_use_id": "1", **more}
    answer = server.answer(agent, "PreToolUse" if agent == "claude" else "pre", "/tmp", json.dumps(told).encode(), environment={"HOME": "/h"})  # fmt: skip
    return (answer.stdout + answer.stderr).decode()


def test_once_in_a_session(server: Server) -> None:
    """For each server and session; what is reviewed is never asked about."""
    assert RULE in call(server, "mcp__new__get_row")
    assert RULE not in call(server, "mcp__new__get_row")
    assert RULE not in call(server, "mcp__new__list_rows")
    assert RULE in call(server, "mcp__other__get_row")
    assert RULE in call(server, "mcp__new__get_row", session="t")
    assert RULE not in call(server, "mcp__known__get_row")
    assert RULE not in call(server, "mcp__known__list_rows")
    assert RULE not in call(server, "Read")


def test_after_a_restart(server: Server, config: Path, tmp_path: Path) -> None:
    """It stands on the disk."""
    call(server, "mcp__new__get_row")
    again = Server(PolicyCache(()), None, own=(str(config),), remembered=str(tmp_path / "state/session"))
    assert RULE not in call(again, "mcp__new__get_row")


def test_a_question_that_is_not_shown_counts_when_it_is_approved(server: Server, tmp_path: Path) -> None:
    """Else the next try would pass without anybody having been asked."""
    for _ in range(3):
        assert RULE in call(server, "mcp__new__get_row", agent="generic")
    store = Store(str(tmp_path / "state/approvals"))
    (request,) = store.waiting(now=time.time())
    store.approve(request.number, WHO, now=time.time(), lifetime=600)
    assert '"allow"' in call(server, "mcp__new__get_row", agent="generic")
    assert RULE not in call(server, "mcp__new__list_rows", agent="generic")


def test_without_a_lock_nothing_asks(server: Server, config: Path) -> None:
    """Admission is not in use; a lock in the project changes nothing."""
    (config / pins.NAME).unlink()
    assert RULE not in call(server, "mcp__new__get_row")


def test_a_project_s_lock_admits_nobody(server: Server, tmp_path: Path) -> None:
    """Whoever writes the project could write it."""
    pins.save(tmp_path / pins.NAME, pins.with_pins(pins.Lock(), [Definition("new", {"name": "get_row"})]))
    assert RULE in call(server, "mcp__new__get_row", cwd=str(tmp_path))


def test_what_cannot_be_remembered_asks_again(server: Server) -> None:
    """It fails closed."""
    assert server._remembered
    Path(server._remembered).mkdir(mode=0o700)
    (Path(server._remembered) / "met").write_text("")
    for _ in range(2):
        assert '"ask"' in call(server, "mcp__new__get_row")


def test_the_oldest_are_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that the folder stays small."""
    monkeypatch.setattr(acquaintance, "MOST", 10)
    for number in range(10):
        (tmp_path / str(number)).touch()
        os.utime(tmp_path / str(number), (number, number))
    acquaintance.Met(str(tmp_path))._sweep()
    assert sorted(os.listdir(tmp_path)) == ["5", "6", "7", "8", "9"]
