"""Events as Claude Code 2.1.332 sent them, recorded from a real session: ``claude/<event>[-<tool>][-subagent].json``."""

import json
from pathlib import Path
from typing import Any

import pytest

from checkrail.agents import claude
from checkrail.agents.answers import SILENT
from checkrail.model import Band, Decision, Event, EventKind, Finding, Verdict

RECORDED = sorted((Path(__file__).parent / "claude").glob("*.json"))
DENY = Verdict(
    decision=Decision.DENY, band=Band.ESCALATE, findings=(Finding(rule="r.x", reason="would do it", gate="command"),)
)
TEXT = "Checkrail stopped this: would do it [r.x]."
PERMISSION = '"permissionDecision":"deny","permissionDecisionReason":"' + TEXT + '"'
DENIALS = {
    "PreToolUse": '{"hookSpecificOutput":{"hookEventName":"PreToolUse",' + PERMISSION + "}}",
    "PermissionRequest": '{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"'
    + TEXT
    + '"}}}',
    "ConfigChange": '{"decision":"block","reason":"' + TEXT + '"}',
}


def told(path: Path) -> dict[str, Any]:
    """The event as it stands in the file."""
    return dict(json.loads(path.read_text()))


def decoded(path: Path) -> Event:
    """The event as we understand it."""
    return claude.decode(path.read_bytes(), cwd="/", event=told(path)["hook_event_name"], environment={})


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
def test_every_recorded_event_is_understood(path: Path) -> None:
    """Whole: tool, input, place, session, call and sub-agent."""
    event, source = decoded(path), told(path)
    assert event.fault == ""
    assert (event.name, event.session, event.cwd) == (source["hook_event_name"], source["session_id"], "/work/app")
    if event.kind in (EventKind.PRE, EventKind.POST):
        assert (event.tool, event.input) == (source["tool_name"], source["tool_input"])
        assert event.call == source.get("tool_use_id", "")
    assert bool(event.subagent) is ("agent_id" in source and event.kind is not EventKind.SESSION)


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
def test_a_denial_has_exactly_these_bytes(path: Path) -> None:
    """In the form of its event; what is over or only told is passed in silence."""
    event = decoded(path)
    answer = claude.encode(event, DENY, explicit_allow="reads")
    if event.name in DENIALS:
        assert answer.stdout == DENIALS[event.name].encode()
        assert (answer.stderr, answer.exit_code) == (TEXT.encode() + b"\n", 2)
    else:
        assert answer == SILENT


def test_the_recording_covers_the_tools() -> None:
    """Each with its own event before it runs."""
    names = {path.stem for path in RECORDED}
    for tool in ("Bash", "Bash-subagent", "Read", "Write", "Edit", "NotebookEdit", "WebFetch", "WebSearch", "Agent"):
        assert f"PreToolUse-{tool}" in names
