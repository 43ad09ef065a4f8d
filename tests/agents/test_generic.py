"""The dialect for callers without one of their own."""

import json

from checkrail.agents import AGENTS, generic
from checkrail.model import Band, Decision, EventKind, Finding, Verdict

FINDING = Finding(rule="r.x", reason="would do it", gate="command")


def test_every_agent_is_listed_under_its_name() -> None:
    """The table and the modules agree."""
    assert {agent.NAME for agent in AGENTS.values()} == set(AGENTS)


def test_both_spellings_are_understood() -> None:
    """Our own and Claude Code's names of the fields."""
    ours = generic.decode(b'{"tool":"Bash","input":{"command":"ls"},"cwd":"/w"}', cwd="/", event="", environment={})
    theirs = generic.decode(
        b'{"tool_name":"Bash","tool_input":{"command":"ls"},"cwd":"/w"}', cwd="/", event="pre", environment={}
    )
    assert (ours.tool, ours.input, ours.cwd, ours.kind) == ("Bash", {"command": "ls"}, "/w", EventKind.PRE)
    assert ours == theirs or (ours.name, theirs.name) == ("pre", "pre")


def test_a_fault_is_told() -> None:
    """And the event counts as pending."""
    event = generic.decode(b"{}", cwd="/", event="", environment={})
    assert event.fault == "the event names no tool"
    assert event.kind is EventKind.PRE


def test_ask_and_deny_stop_and_allow_passes() -> None:
    """The decision stands in the JSON, and the exit code is right for a caller that cannot ask."""
    event = generic.decode(b'{"tool":"Bash","input":{"command":"ls"}}', cwd="/w", event="", environment={})
    for decision, code in ((Decision.ALLOW, 0), (Decision.ASK, 2), (Decision.DENY, 2)):
        verdict = Verdict(decision=decision, band=Band.AUTO, findings=(FINDING,))
        answer = generic.encode(event, verdict, explicit_allow="reads")
        assert json.loads(answer.stdout)["decision"] == decision
        assert (answer.exit_code, bool(answer.stderr)) == (code, code == 2)


def test_a_finished_call_is_passed_over() -> None:
    """There is nothing to stop."""
    event = generic.decode(b'{"tool":"Bash","input":{"command":"ls"}}', cwd="/w", event="post", environment={})
    answer = generic.encode(event, Verdict(decision=Decision.DENY, band=Band.ESCALATE), explicit_allow="reads")
    assert answer.exit_code == 0
