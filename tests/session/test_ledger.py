"""A server that counts: from the announced call over the finished one to the next, and over a restart."""

import json
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from checkrail.answering import Server
from checkrail.model import Event
from checkrail.policy.cache import PolicyCache
from checkrail.policy.layers import Layer
from checkrail.session.store import Store, StoreError

POLICY = '[[spend]]\ncurrency = "EUR"\nper-call = 20\nper-day = 50\nlifetime = 500\n'


class Agent:
    """An agent of Claude Code's dialect beside a server in a directory of its own."""

    def __init__(self, place: Path, policy: str = POLICY) -> None:
        place.chmod(0o700)
        self.place = place
        self.counted = place / "session"
        (place / "policy.toml").write_text(policy)
        (place / "policy.toml").chmod(0o600)
        self.restart()

    def restart(self) -> None:
        """Another server, the same files."""
        layer = Layer(str(self.place / "policy.toml"), (self.place.stat().st_uid,))
        self.server = Server(PolicyCache((layer,)), None, counted=str(self.counted))

    def tell(self, event: str, tool: str, given: dict[str, Any], number: str = "", **more: Any) -> str:
        """allow (which is silence here), ask or deny."""
        told = {
            "hook_event_name": event, "tool_name": tool, "tool_input": given, "session_id": "s", "cwd": "/work/app",
            **({"tool_use_id": number} if number else {}), **more,
        }  # fmt: skip
        answer = self.server.answer(
            "claude", event, "/work/app", json.dumps(told).encode(), environment={"HOME": "/home/dev"}
        )
        found = json.loads(answer.stdout)["hookSpecificOutput"] if answer.stdout else {}
        return str(found.get("permissionDecision", "allow"))

    def pay(self, amount: float, number: str = "", **more: Any) -> str:
        """Announces a payment."""
        return self.tell("PreToolUse", "mcp__bank__pay", {"amount": amount, "currency": "EUR"}, number, **more)

    def paid(self, amount: float, number: str = "", **more: Any) -> str:
        """Tells that one is finished."""
        more = {"tool_response": {"ok": True}, **more}
        return self.tell("PostToolUse", "mcp__bank__pay", {"amount": amount, "currency": "EUR"}, number, **more)

    def total(self) -> float:
        """What counts in all."""
        return Store(self.counted).totals().get("EUR", (0, 0))[1] / 1_000_000


@pytest.fixture
def agent(tmp_path: Path) -> Agent:
    """One with a line of 20, 50, 500 EUR."""
    return Agent(tmp_path)


@pytest.mark.parametrize("numbered", [True, False])
def test_the_day_is_counted_over_a_restart(agent: Agent, numbered: bool) -> None:
    """By the number of the call or, without one, by its arguments."""
    for turn in ("1", "2"):
        number = turn if numbered else ""
        assert agent.pay(20, number) == "allow"
        agent.paid(20, number)
        agent.restart()
    assert agent.pay(20, "3" if numbered else "") == "ask"
    assert agent.pay(10, "4" if numbered else "") == "allow"
    assert agent.total() == 50


def test_what_a_person_was_asked_about_counts_once_it_ran(agent: Agent) -> None:
    """And not before."""
    assert agent.pay(45, "1") == "ask"
    assert agent.total() == 0
    agent.paid(45, "1")
    assert agent.total() == 45
    assert agent.pay(6, "2") == "ask"
    assert agent.pay(5, "3") == "allow"


def test_a_sure_failure_gives_back_what_was_reserved(agent: Agent) -> None:
    """A doubtful one does not."""
    for number, error, left in (("1", "card declined", 0), ("2", "connection timed out", 20)):
        assert agent.pay(20, number) == "allow"
        agent.tell("PostToolUseFailure", "mcp__bank__pay", {"amount": 20, "currency": "EUR"}, number, error=error)
        assert agent.total() == left


def test_the_agents_own_question_reserves_nothing_more(agent: Agent) -> None:
    """It is about a call that was announced."""
    assert agent.pay(20, "1") == "allow"
    agent.tell("PermissionRequest", "mcp__bank__pay", {"amount": 20, "currency": "EUR"})
    assert agent.total() == 20


def test_who_only_asks_changes_nothing(agent: Agent) -> None:
    """``check`` and ``explain`` see the counters."""
    assert agent.pay(20, "1") == "allow"
    told = {"tool_name": "mcp__bank__pay", "tool_input": {"amount": 15, "currency": "EUR"}, "session_id": "s"}
    for _ in range(5):
        _, verdict = agent.server.judge("claude", "PreToolUse", "/w", json.dumps(told).encode(), environment={})
        assert verdict.findings[0].reason.startswith("moves 15.00 EUR: 35.00 EUR of 50.00 EUR")
    assert agent.total() == 20


def test_a_command_is_counted_like_a_tool(agent: Agent) -> None:
    """A failing command line may have paid before it failed."""
    pay = "cd api && stripe charges create --amount 2000 --currency eur"
    assert agent.tell("PreToolUse", "Bash", {"command": pay}, "1") == "allow"
    agent.tell("PostToolUseFailure", "Bash", {"command": pay}, "1", error="card declined")
    assert agent.total() == 20


def test_counters_that_cannot_be_read_ask(agent: Agent) -> None:
    """Until a person has looked."""
    assert agent.pay(1, "1") == "allow"
    (agent.counted / "spend.sqlite").write_bytes(b"no database" * 1000)
    for name in ("spend.sqlite-wal", "spend.sqlite-shm"):
        (agent.counted / name).unlink(missing_ok=True)
    assert agent.pay(1, "2") == "ask"
    assert agent.paid(1, "1") == "allow"  # there is nothing to answer
    assert agent.tell("PreToolUse", "mcp__docs__list_pages", {}, "3") == "allow"


def test_a_project_may_lower_its_line(agent: Agent, tmp_path: Path) -> None:
    """For its own calls."""
    project = tmp_path / "project"
    project.mkdir()
    (project / ".checkrail.toml").write_text(POLICY.replace("per-call = 20", "per-call = 2"))
    assert agent.pay(3, "1", cwd=str(project)) == "ask"
    assert agent.pay(2, "2", cwd=str(project)) == "allow"
    assert agent.pay(3, "3") == "allow"


@pytest.mark.parametrize("policy", ["", POLICY])
def test_without_money_nothing_is_opened(tmp_path: Path, policy: str) -> None:
    """No file, and no database library in the process."""
    code = (
        "import sys\nfrom pathlib import Path\nfrom tests.session.test_ledger import *\n"
        "for name in [n for n in sys.modules if 'sqlite' in n or n.endswith('session.store')]: del sys.modules[name]\n"
        f"agent = Agent(Path({str(tmp_path)!r}), {policy!r})\n"
        "agent.tell('PreToolUse', 'Bash', {'command': 'git status'}, '1')\n"
        "agent.tell('PostToolUse', 'Bash', {'command': 'git status'}, '1', tool_response={})\n"
        "agent.tell('PreToolUse', 'mcp__docs__list_pages', {}, '2')\n"
        "assert not agent.counted.exists()\n"
        "print(sorted(n for n in sys.modules if 'sqlite' in n or n.endswith('session.store')))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "[]\n"


def test_a_word_that_meets_a_busy_store_is_taken_in_all_the_same(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is missed would be given back after a while."""
    assert agent.pay(20, "1") == "allow"
    usual, tries = Store.finished, []

    def busy(self: Store, event: Event, *, failed: bool) -> None:
        tries.append(failed)
        if len(tries) == 1:
            raise StoreError("database is locked")
        usual(self, event, failed=failed)

    monkeypatch.setattr(Store, "finished", busy)
    agent.paid(20, "1")
    assert tries == [False, False]
    with sqlite3.connect(agent.counted / "spend.sqlite") as db:
        assert db.execute("SELECT state FROM charge").fetchall() == [("ran",)]
