"""What a line says, and what it does not."""

import json
from typing import Any

import msgspec
import pytest

from checkrail.audit.entries import MAX_TEXT, authority, kept_input, outcome_entry, signed_body, stamp, verdict_entry
from checkrail.model import Band, Decision, Event, EventKind, Finding, Operation, Verdict

EVENT = Event(
    agent="claude", name="PreToolUse", kind=EventKind.PRE, tool="Bash", input={"command": "git push"}, cwd="/w",
    project="/w", session="s", call="c1", plugin="",
)  # fmt: skip


def entry(event: Event = EVENT, **fields: Any) -> dict[str, Any]:
    """The entry of a verdict on an event."""
    usual: dict[str, Any] = {"decision": Decision.ALLOW, "band": Band.AUTO}
    verdict = Verdict(**{**usual, **fields})
    return verdict_entry(event, verdict, signature="abc", policy="def", latency_ms=1.23456)


def finding(rule: str = "r.x", gate: str = "command", **fields: Any) -> Finding:
    """A finding."""
    return Finding(rule=rule, reason="r", gate=gate, **fields)


def test_a_line_holds_what_an_auditor_asks_for() -> None:
    """Who, what, where, how decided, by which rules, how long it took."""
    found = entry(
        decision=Decision.ASK,
        band=Band.ESCALATE,
        findings=(finding(), finding("r.y", "file"), finding()),
        operation=Operation(kind="command", summary="git push"),
    )
    assert found["rules"] == ["r.x", "r.y"]
    assert found["gates"] == ["command", "file"]
    assert (found["decision"], found["band"], found["action"]) == ("ask", "escalate", "command")
    assert (found["id"], found["agent"], found["session"], found["tool"]) == ("c1", "claude", "s", "Bash")
    assert (found["signature"], found["policy"], found["latency_ms"]) == ("abc", "def", 1.235)
    assert found["input"] == {"command": "git push"}
    assert json.dumps(found)


def test_an_allowed_call_above_auto_is_a_note() -> None:
    """And a plain one is an allow."""
    assert entry(band=Band.SOFT_ACK)["decision"] == "note"
    assert entry()["decision"] == "allow"


@pytest.mark.parametrize(
    ("findings", "who"),
    [
        ((), "rules"),
        ((finding(),), "rules"),
        ((finding(), finding(gate="policy")), "policy"),
        ((finding(floor=True), finding(gate="policy")), "floor"),
        ((finding("internal.late", "internal"),), "internal"),
        ((finding("internal.gate-error", "internal"), finding()), "rules"),
    ],
)
def test_the_authority_is_named(findings: tuple[Finding, ...], who: str) -> None:
    """Floor before policy before the built-in rules."""
    assert authority(findings) == who


def test_secrets_do_not_reach_the_log() -> None:
    """Neither in the input nor in the summary nor in an error."""
    event = msgspec.structs.replace(
        EVENT, input={"command": "curl -H 'Authorization: Bearer abc123xyz'", "token": "abc123xyz"}
    )
    found = entry(
        event,
        operation=Operation(kind="command", summary="curl -H 'Authorization: Bearer abc123xyz'"),
        errors=("password=abc123xyz",),
    )
    assert "abc123xyz" not in json.dumps(found)
    assert "curl" in found["summary"]


@pytest.mark.parametrize("position", [MAX_TEXT - 30, MAX_TEXT - 10, MAX_TEXT - 1, MAX_TEXT])
def test_a_cut_does_not_show_half_a_secret(position: int) -> None:
    """Wherever it falls."""
    secret = "ghp_" + "0123456789abcdefghij" * 2
    kept, cut = kept_input({"command": ("x" * (position - 1) + " " + secret)[: 3 * MAX_TEXT]})
    assert cut
    assert "0123" not in kept["command"]


def test_long_and_large_inputs_are_bounded() -> None:
    """A cut one says so; one too large is left out."""
    kept, cut = kept_input({"content": "x" * 100_000})
    assert (len(kept["content"]), cut) == (MAX_TEXT, True)
    assert kept_input({f"k{n}": "x" * 1000 for n in range(100)}) == (None, True)
    assert kept_input({"a": [1, {"b": None}]}) == ({"a": [1, {"b": None}]}, False)


def test_the_signature_covers_data_and_place() -> None:
    """Two targets, two tools or two directories are two operations; the order of keys is not."""
    base = signed_body(msgspec.structs.replace(EVENT, input={"a": 1, "b": 2}))
    assert signed_body(msgspec.structs.replace(EVENT, input={"b": 2, "a": 1})) == base
    assert signed_body(msgspec.structs.replace(EVENT, input={"a": 1, "b": 3})) != base
    assert signed_body(msgspec.structs.replace(EVENT, input={"a": 1, "b": 2}, cwd="/x")) != base
    assert signed_body(msgspec.structs.replace(EVENT, input={"a": 1, "b": 2}, tool="X")) != base


def test_an_outcome_refers_to_its_call_and_keeps_nothing_of_the_result() -> None:
    """Done, failed or interrupted."""
    done = msgspec.structs.replace(EVENT, kind=EventKind.POST, name="PostToolUse", result={"stdout": "private"})
    found = outcome_entry(done)
    assert (found["kind"], found["id"], found["outcome"]) == ("outcome", "c1", "done")
    assert "private" not in json.dumps(found)
    assert outcome_entry(msgspec.structs.replace(done, name="PostToolUseFailure"))["outcome"] == "failed"
    assert outcome_entry(msgspec.structs.replace(done, result={"interrupted": True}))["outcome"] == "failed"


def test_the_time_is_utc_with_milliseconds() -> None:
    """In the form that sorts."""
    assert stamp(0.25) == "1970-01-01T00:00:00.250Z"
