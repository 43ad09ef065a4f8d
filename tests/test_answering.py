"""One call: whatever happens in between, an answer comes out."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checkrail import answering
from checkrail.answering import Server
from checkrail.audit import Log, files, verify
from checkrail.daemon.protocol import Answer
from checkrail.model import Band, Decision, Event, Finding, Verdict
from checkrail.policy.cache import PolicyCache, usual_layers

HOME = {"HOME": "/home/dev"}


def decide(event: Event, **_known: Any) -> Verdict:
    """A stand-in for the pipeline: asks about faults and pushes, stops wipes, fails over bombs."""
    command = str(event.input.get("command", ""))
    if "bomb" in command:
        raise RuntimeError("the pipeline broke; password=hunter22")
    finding = Finding(rule="t.x", reason=event.fault or "would do it", gate="command")
    if "wipe" in command:
        return Verdict(decision=Decision.DENY, band=Band.ESCALATE, findings=(finding,))
    if event.fault or "push" in command:
        return Verdict(decision=Decision.ASK, band=Band.ESCALATE, findings=(finding,))
    return Verdict(decision=Decision.ALLOW, band=Band.AUTO, understood=True, reads_only=True)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A directory of our own."""
    where = tmp_path / "c"
    where.mkdir(mode=0o700)
    return where


@pytest.fixture
def server(place: Path) -> Server:
    """A server with its policy and log there."""
    return Server(PolicyCache(usual_layers(place, place)[:1]), Log(str(place / "audit")), decide=decide)


def ask(server: Server, command: str, *, event: str = "PreToolUse", **fields: Any) -> Answer:
    """The answer to a shell call."""
    told = {
        "tool_name": "Bash",
        "tool_input": {"command": command},
        "tool_use_id": "c1",
        "hook_event_name": event,
        **fields,
    }
    return server.answer("claude", event, "/w", json.dumps(told).encode(), environment=HOME)


def entries(place: Path) -> list[dict[str, Any]]:
    """The log."""
    return [json.loads(line) for path in files(str(place / "audit")) for line in Path(path).read_text().splitlines()]


def decision(answer: Answer) -> str:
    """The permission decision, empty for silence."""
    return str(json.loads(answer.stdout)["hookSpecificOutput"]["permissionDecision"]) if answer.stdout else ""


def test_verdicts_are_answered_and_logged(server: Server, place: Path) -> None:
    """One line each, allows too, with latency and policy."""
    assert decision(ask(server, "ls")) == "allow"
    assert decision(ask(server, "push")) == "ask"
    assert ask(server, "wipe").exit_code == 2
    found = entries(place)
    assert [entry["decision"] for entry in found] == ["allow", "ask", "deny"]
    assert all(entry["latency_ms"] > 0 and entry["policy"] and entry["signature"] for entry in found)
    assert verify(str(place / "audit")).problems == ()


def test_an_error_of_ours_asks_and_is_told(server: Server, place: Path) -> None:
    """Without the secrets that an error message may carry."""
    answer = ask(server, "bomb")
    assert decision(answer) == "ask"
    assert b"internal.error" in answer.stdout
    assert b"hunter22" not in answer.stdout
    assert entries(place)[0]["rules"] == ["internal.error"]
    assert "RuntimeError" in entries(place)[0]["errors"][0]
    assert "hunter22" not in json.dumps(entries(place))


@pytest.mark.parametrize("raw", [b"", b"null", b'{"tool_name":"Bash","tool_input":{}}', b"\xff", b"{}{}"])
def test_what_is_not_understood_asks_and_is_logged(server: Server, place: Path, raw: bytes) -> None:
    """It never passes unseen."""
    answer = server.answer("claude", "PreToolUse", "/w", raw, environment=HOME)
    assert decision(answer) == "ask"
    assert entries(place)[0]["errors"]


@given(st.binary(max_size=100))
def test_no_bytes_pass_as_an_allow(raw: bytes) -> None:
    """Random bytes are no event."""
    server = Server(PolicyCache(()), None, decide=decide)
    answer = server.answer("claude", "PreToolUse", "/w", raw, environment={})
    assert decision(answer) == "ask" or answer.exit_code == 2


def test_an_unknown_agent_is_answered_strictly(server: Server) -> None:
    """Ask stops there, since nobody knows whether it can ask."""
    raw = b'{"tool":"Bash","input":{"command":"push"}}'
    answer = server.answer("agent-of-next-year", "", "/w", raw, environment=HOME)
    assert answer.exit_code == 2


def test_a_finished_call_leaves_its_outcome(server: Server, place: Path) -> None:
    """Under the id of its verdict."""
    assert ask(server, "ls", event="PostToolUse", tool_response={"stdout": "x"}) == Answer(0)
    assert ask(server, "ls", event="PostToolUseFailure", error="x") == Answer(0)
    assert [(e["kind"], e["id"], e["outcome"]) for e in entries(place)] == [
        ("outcome", "c1", "done"),
        ("outcome", "c1", "failed"),
    ]


def test_a_session_start_is_passed_over(server: Server, place: Path) -> None:
    """Without a line."""
    assert server.answer(
        "claude", "SessionStart", "/w", b'{"hook_event_name":"SessionStart"}', environment=HOME
    ) == Answer(0)
    assert entries(place) == []


def test_a_late_call_asks_and_is_logged(server: Server, place: Path) -> None:
    """Whatever it was; a late notice of a finished one passes."""
    raw = b'{"tool_name":"Bash","tool_input":{"command":"ls"}}'
    assert decision(server.late("claude", "PreToolUse", raw)) == "ask"
    assert server.late("claude", "PostToolUse", raw) == Answer(0)
    assert entries(place)[0]["rules"] == ["internal.late"]


def test_the_policy_setting_of_explicit_allow_counts(server: Server, place: Path) -> None:
    """At once, without a restart."""
    assert decision(ask(server, "ls")) == "allow"
    (place / "policy.toml").write_text("explicit-allow = 'off'")
    (place / "policy.toml").chmod(0o600)
    assert ask(server, "ls") == Answer(0)


def test_a_policy_fault_shows_in_the_next_ask_and_stops_nothing_harmless(server: Server, place: Path) -> None:
    """With file and line."""
    (place / "policy.toml").write_text("profil = 'strict'")
    (place / "policy.toml").chmod(0o600)
    assert decision(ask(server, "ls")) == "allow"
    assert b"policy.toml:1" in ask(server, "push").stdout


def test_a_log_that_cannot_be_written_changes_no_decision(place: Path) -> None:
    """The fault is told with the next ask."""
    (place / "audit").write_text("in the way")
    server = Server(PolicyCache(()), Log(str(place / "audit")), decide=decide)
    assert decision(ask(server, "ls")) == "allow"
    assert ask(server, "wipe").exit_code == 2
    assert b"could not be written" in ask(server, "push").stdout


def test_a_relative_home_is_not_believed() -> None:
    """Paths are judged from the root instead."""
    assert answering.real_host({"HOME": "x"}).home == "/"
    assert answering.real_host({"HOME": "/home/dev/"}).home == "/home/dev"


def test_a_config_change_that_unhooks_is_blocked(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By exit code 2 and in words; any other change passes."""
    for name in ("CONFIG", "STATE", "DATA"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name))
    settings = tmp_path / "settings.json"
    told = {"hook_event_name": "ConfigChange", "source": "project_settings", "file_path": str(settings)}
    raw = json.dumps(told).encode()
    settings.write_text('{"model": "x"}')
    assert server.answer("claude", "ConfigChange", "/w", raw, environment=HOME) == Answer(0)
    settings.write_text('{"disableAllHooks": true}')
    answer = server.answer("claude", "ConfigChange", "/w", raw, environment=HOME)
    assert answer.exit_code == 2
    assert b"disableAllHooks" in answer.stderr
