"""Corpus and log go through the path of a live call."""

import json
from pathlib import Path
from typing import Any

import pytest

from checkrail import replay
from checkrail.corpus import Case, CorpusError, Located
from checkrail.facts.host import Host
from checkrail.model import Band, Decision, Event, Finding, Verdict
from checkrail.policy import Policy
from checkrail.policy.files import File


def decide(event: Event, *, host: Host, policy: Policy) -> Verdict:
    """Asks about pushes, about faults, and about everything where the policy is strict."""
    asks = bool(event.fault) or "push" in str(event.input) or policy.profile == "strict"
    finding = Finding(rule="t.push" if asks else "t.note", reason=f"from {host.home}", gate="command")
    return Verdict(decision=Decision.ASK if asks else Decision.ALLOW, band=Band.AUTO, findings=(finding,))


def located(**fields: Any) -> Located:
    """A case."""
    return Located("t.toml", 0, Case(**{"name": "a", "command": "ls", "expect": "allow", **fields}))


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({}, ""),
        ({"command": "push"}, "expected allow, got ask"),
        ({"command": "push", "expect": "ask"}, ""),
        ({"command": "push", "expect": "ask_or_deny"}, ""),
        ({"expect": "ask_or_deny"}, "expected ask_or_deny, got allow"),
        ({"command": "push", "expect": "ask", "rules": ("t.push",)}, ""),
        ({"command": "push", "expect": "ask", "rules": ("t.other",)}, "the rule t.other is not among the findings"),
        ({"absent": ("t.push",)}, ""),
        ({"absent": ("t.note",)}, "the rule t.note is among the findings"),
        ({"command": None, "raw": "{}{}", "expect": "ask"}, ""),
    ],
)
def test_a_case_is_compared_with_its_verdict(fields: dict[str, Any], problem: str) -> None:
    """Decision and rules."""
    assert replay.run((located(**fields),), decide)[0].problem.startswith(problem)
    assert bool(replay.run((located(**fields),), decide)[0].problem) == bool(problem)


def test_a_case_has_its_own_policy() -> None:
    """Laid over the built-in one."""
    strict = {"policy": File(profile="strict"), "expect": "ask"}
    assert replay.run((located(**strict),), decide)[0].problem == ""


def test_a_pipeline_that_raises_is_a_case_that_fails() -> None:
    """And the others still run."""

    def broken(event: Event, **known: Any) -> Verdict:
        if "push" in str(event.input):
            raise RuntimeError("x")
        return decide(event, **known)

    results = replay.run((located(command="push", expect="ask"), located()), broken)
    assert "raised RuntimeError" in results[0].problem
    assert results[1].problem == ""


def test_an_unknown_agent_is_an_error_of_the_corpus() -> None:
    """Not of the pipeline."""
    with pytest.raises(CorpusError, match="unknown agent"):
        replay.run((located(agent="nobody"),), decide)


def test_expectations_are_updated_in_their_files(tmp_path: Path) -> None:
    """Only those about the decision, and only in the files concerned."""
    path = tmp_path / "a.toml"
    text = '[[case]]\nname = "a"\ncommand = "push"\nexpect = "allow" # why\n'
    path.write_text(text)
    results = replay.run((Located(str(path), 0, Case(name="a", command="push", expect="allow")), located()), decide)
    assert replay.update(results) == [str(path)]
    assert path.read_text() == text.replace('"allow"', '"ask"')


def line(**fields: Any) -> dict[str, Any]:
    """A line of the log."""
    usual = {
        "kind": "verdict",
        "agent": "claude",
        "tool": "Bash",
        "input": {"command": "ls"},
        "cwd": "/w",
        "decision": "allow",
    }
    return {**usual, "time": "t", "summary": "s", "cut": False, **fields}


def compared(*lines: dict[str, Any]) -> replay.Comparison:
    """Lines judged again."""
    return replay.compare(lines, lambda event: decide(event, host=located().case.host(), policy=Policy()))


def test_a_log_is_judged_again() -> None:
    """What would be decided otherwise is told; a note counts as allowed."""
    found = compared(line(), line(input={"command": "push"}), line(decision="note"), line(decision="deny"))
    assert found.judged == 4
    assert [(one.before, one.after) for one in found.differences] == [("allow", "ask"), ("deny", "allow")]


def test_what_a_person_answered_is_no_difference() -> None:
    """Rules and policy still say what they said."""
    assert compared(line(input={"command": "push"}, decision="deny", judged="ask")).differences == []
    assert compared(line(input={"command": "push"}, decision="allow", judged="ask")).differences == []


@pytest.mark.parametrize(
    ("fields", "counted"),
    [
        ({"kind": "outcome"}, (0, 0, 0)),
        ({"kind": "expired"}, (0, 0, 0)),
        ({"cut": True}, (1, 0, 0)),
        ({"cut": True, "input": None}, (1, 0, 0)),
        ({"input": {"command": "x [redacted]"}}, (0, 1, 0)),
        ({"cwd": "/[redacted]"}, (0, 1, 0)),
        ({"input": None}, (0, 0, 1)),
        ({"rules": ["event.unreadable"]}, (0, 0, 1)),
    ],
)
def test_lines_that_keep_too_little_are_counted(fields: dict[str, Any], counted: tuple[int, ...]) -> None:
    """Inputs that were cut, redacted or never understood."""
    found = compared(json.loads(json.dumps(line(**fields))))
    assert (found.judged, found.cut, found.redacted, found.unreadable) == (0, *counted)


def test_a_logged_call_keeps_its_actor() -> None:
    """So rows about sub-agents and projects hold again."""
    event = replay.logged_event(line(subagent="reviewer/a1", session="s", project="/p", mode="plan"))
    assert (event.subagent.split("/")[0], event.session, event.project, event.mode) == ("reviewer", "s", "/p", "plan")
    assert replay.logged_event(line()).project == "/w"
