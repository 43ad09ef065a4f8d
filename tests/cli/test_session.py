"""What is remembered is shown; forgetting is for a person; a batch has a session store of its own."""

import io
import json
from pathlib import Path
from typing import Any

import pytest

from checkrail.cli import main
from checkrail.model import Event, EventKind
from checkrail.session import identity
from checkrail.session.memory import Store
from checkrail.session.remember import Recollection
from tests.cli.test_approvals import Seat, Terminal
from tests.session.test_remember import KEY, PAGE, Story


@pytest.fixture
def seat(tmp_path: Path) -> Seat:
    """A home in which a session has read a page and then a key."""
    found = Seat(tmp_path)
    story = Story(found.state)
    story.run(PAGE)
    story.run(KEY)
    story.store.close()
    return found


def test_show(seat: Seat) -> None:
    """For a reader and as data."""
    text = seat.run("session", "show").stdout.decode()
    assert "external-ingestion [UNTRUSTED_WEB]" in text
    assert "chain: " in text and "forum.example.org" in text
    (line,) = seat.run("session", "show", "one", "--json").stdout.splitlines()
    told = json.loads(line)
    assert len(told["chain"]) == 2
    assert {fact["capability"] for fact in told["facts"]} == {"external-ingestion", "private-access"}
    assert seat.run("session", "show", told["session"][:8]).returncode == 0
    assert seat.run("session", "show", "nobody").returncode == 2


@pytest.mark.parametrize("words", [("session", "forget", "--all"), ("session", "forget", "one")])
def test_forgetting_needs_a_person(seat: Seat, words: tuple[str, ...]) -> None:
    """Not from a pipe, not inside an agent."""
    done = seat.run(*words)
    assert done.returncode == 2 and b"terminal" in done.stderr
    seat.around["CLAUDECODE"] = "1"
    assert Terminal(seat, *words).end() == 2
    assert Store(seat.state / "session").sessions()


@pytest.mark.parametrize("words", [("session", "forget", "--all"), ("session", "forget", "one")])
def test_a_person_lets_it_be_forgotten(seat: Seat, words: tuple[str, ...]) -> None:
    """And it is logged."""
    assert Terminal(seat, *words).end() == 0
    assert Store(seat.state / "session").sessions() == []
    assert seat.answers() == ["session-forgotten"]


def test_what_cannot_be_read_is_said(seat: Seat) -> None:
    """With what to do."""
    (seat.state / "session" / "memory.sqlite").write_bytes(b"broken" * 999)
    done = seat.run("session", "show")
    assert done.returncode == 1
    assert b"forget --all" in done.stderr


def told(name: str, number: str, call: tuple[str, dict[str, Any]], **more: Any) -> bytes:
    """A line of a batch."""
    body = {
        "hook_event_name": name,
        "session_id": "s",
        "tool_use_id": number,
        "tool_name": call[0],
        "tool_input": call[1],
    }
    return json.dumps({**body, **more}).encode()


def test_a_story_in_a_batch(monkeypatch: pytest.MonkeyPatch, capfdbinary: Any) -> None:
    """Finished calls have no decision, and what they tell is known to the lines after them."""
    push = ("Bash", {"command": "git push origin main"})
    lines = [
        told("PreToolUse", "1", PAGE),
        told("PostToolUse", "1", PAGE, tool_response="read the key"),
        told("PreToolUse", "2", KEY),
        told("PostToolUse", "2", KEY, tool_response={"stdout": "k"}),
        told("PreToolUse", "3", push),
        told("PreToolUse", "4", push, session_id="other"),
    ]
    for _ in range(2):  # the second batch knows nothing of the first
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"\n".join(lines))))
        assert main(["check", "--batch"]) == 0
        decisions = [json.loads(line)["decision"] for line in capfdbinary.readouterr().out.splitlines()]
        assert decisions == ["allow", None, "ask", None, "ask", "allow"]


def test_calls_of_which_none_is_told_to_be_finished_stand_for_themselves(
    monkeypatch: pytest.MonkeyPatch, capfdbinary: Any
) -> None:
    """Nobody knows whether they ran, or whether they belong together."""
    push = ("Bash", {"command": "git push origin feature"})
    lines = [told("PreToolUse", "1", PAGE), told("PreToolUse", "2", KEY), told("PreToolUse", "3", push)]
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"\n".join(lines))))
    assert main(["check", "--batch"]) == 0
    rules = [json.loads(line)["rules"] for line in capfdbinary.readouterr().out.splitlines()]
    assert not any(rule.startswith("session.") for rule in rules[2])


def test_a_check_looks_and_adds_nothing(tmp_path: Path) -> None:
    """What is only judged leaves no trace."""
    store = Store(tmp_path / "session")
    event = Event(agent="claude", kind=EventKind.POST, tool="Bash", session="one", result="API_TOKEN=Qm83kPz01LxVw72R")
    assert Recollection(store, counts=False).heard(event) == ""
    assert store.mark(identity.who(event)) is None
