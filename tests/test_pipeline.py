"""The whole road from an event to a verdict, floor and policy included."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checkrail import pipeline
from checkrail.facts.host import FrozenHost
from checkrail.gates import gate
from checkrail.model import Band, Decision, Effect, Event, EventKind, Finding, Verdict
from checkrail.policy import Policy, Rule
from checkrail.readers.shell.evaluate import HANDED_CAP

CATASTROPHES = (
    "rm -rf /",
    "rm -rf ~",
    "rm -rf /home/dev",
    "dd if=/dev/zero of=/dev/sda",
    "mkfs.ext4 /dev/sda1",
    ":(){ :|:& };:",
)


def judged(tool: str = "Bash", policy: Policy | None = None, fault: str = "", **given: Any) -> Verdict:
    """The verdict on a call."""
    event = Event(agent="claude", kind=EventKind.PRE, tool=tool, input=given, cwd="/work/app", fault=fault)
    return pipeline.decide(event, host=FrozenHost(), policy=policy or Policy())


@pytest.mark.parametrize("command", CATASTROPHES)
@pytest.mark.parametrize("profile", ["permissive", "balanced", "strict"])
def test_no_policy_loosens_the_floor(command: str, profile: str) -> None:
    """Not a profile, not a row that allows everything."""
    rows = (Rule(id="*", decision=Decision.ALLOW),)
    policy = Policy(profile=profile, rule=rows, scratch=("/", "/home", "/home/dev"))  # type: ignore[arg-type]
    assert judged(command=command, policy=policy).decision is Decision.DENY


@given(
    st.sampled_from(CATASTROPHES),
    st.builds(
        Policy,
        profile=st.sampled_from(("permissive", "balanced", "strict")),
        explicit_allow=st.sampled_from(("off", "reads", "auto")),
        scratch=st.lists(st.sampled_from(("/", "/home", "/home/dev", "/work", "/dev")), max_size=3).map(tuple),
        rule=st.lists(
            st.builds(
                Rule, id=st.sampled_from(("*", "floor.*", "file.*", "shell.*")), decision=st.sampled_from(Decision)
            ),
            max_size=3,
        ).map(tuple),
    ),
)
@settings(max_examples=60, deadline=None)
def test_the_floor_holds_under_any_policy(command: str, policy: Policy) -> None:
    """INVARIANT: the floor takes no policy."""
    assert judged(command=command, policy=policy).decision is Decision.DENY


def test_harmless_reads_are_understood() -> None:
    """An explicit allow is possible only for these."""
    verdict = judged(command="git status --short && ls -la src | head -5")
    assert (verdict.decision, verdict.band) == (Decision.ALLOW, Band.AUTO)
    assert verdict.understood
    assert verdict.reads_only


@pytest.mark.parametrize("command", ["npm test", "./build.sh", "frobnicate --all", "make", "python3 app.py"])
def test_the_projects_own_code_gets_no_opinion(command: str) -> None:
    """Allowed as far as Checkrail goes, and never with an explicit allow."""
    verdict = judged(command=command)
    assert verdict.decision is Decision.ALLOW
    assert not verdict.understood
    assert not verdict.reads_only


def test_a_local_change_is_no_read() -> None:
    """What writes is not explicitly allowed by default."""
    assert not judged(command="mkdir -p src/a && touch src/a/b").reads_only


def test_a_fault_asks() -> None:
    """An event that could not be understood."""
    verdict = judged(fault="two documents")
    assert verdict.decision is Decision.ASK
    assert verdict.findings[0].reason == "two documents"


def test_a_gate_that_raises_asks_and_the_others_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """A broken gate loosens nothing."""
    kept = gate

    def broken(_effects: Sequence[Effect], _around: object, _policy: object) -> tuple[Finding, ...]:
        raise RuntimeError("boom")

    monkeypatch.setattr(pipeline, "gate", lambda name: broken if name == "file" else kept(name))
    verdict = judged(command="ls")
    assert verdict.decision is Decision.ASK
    assert "internal.gate-error" in {finding.rule for finding in verdict.findings}
    assert judged(command="rm -rf /").decision is Decision.DENY


def test_text_that_is_only_written_is_one_step_softer() -> None:
    """A script that would wipe home asks when it is written, and is denied when it runs."""
    assert judged("Write", file_path="/work/app/clean.sh", content="#!/bin/sh\nrm -rf ~\n").decision is Decision.ASK
    assert judged("Write", file_path="/work/app/build.sh", content="#!/bin/sh\nnpm ci\n").decision is Decision.ALLOW


@given(st.text(max_size=200))
@settings(max_examples=150, deadline=None)
def test_any_text_gets_a_verdict(text: str) -> None:
    """Arbitrary commands never crash the pipeline."""
    verdict = judged(command=text)
    assert verdict.decision in Decision
    assert not verdict.errors


@given(st.sampled_from(("rm -rf /", "rm -rf ~")), st.text(alphabet="abc \n;&|'\"$(){}<>#\\", max_size=30))
@settings(max_examples=150, deadline=None)
def test_noise_after_a_wipe_never_allows_it(wipe: str, noise: str) -> None:
    """bash runs the first line whatever follows on the next one."""
    assert judged(command=f"{wipe}\n{noise}").decision is not Decision.ALLOW


def paths(count: int) -> str:
    """So many files of a build."""
    return " ".join(f"build/o{number}.o" for number in range(count))


def test_more_effects_than_are_judged_ask() -> None:
    """A list as long as nobody types is not judged to its end; one that just fits is free."""
    within = judged(command=f"rm -f {paths(pipeline.EFFECTS_CAP)}")
    assert within.decision is Decision.ALLOW
    beyond = judged(command=f"rm -f {paths(pipeline.EFFECTS_CAP + 1)}")
    assert beyond.decision is Decision.ASK and not beyond.understood
    assert [finding.rule for finding in beyond.findings] == ["reading.unread"]


@pytest.mark.parametrize("where", ["before", "between", "after"])
def test_a_long_list_does_not_hide_the_floor(where: str) -> None:
    """What is never allowed is short, and stays among what is judged wherever it stands."""
    long = paths(pipeline.EFFECTS_CAP)
    words = {"before": f"~ {long} x", "between": f"{long} ~ {long}", "after": f"{long} x ~"}[where]
    assert judged(command=f"rm -rf {words}").decision is Decision.DENY


def test_more_nested_texts_than_are_handed_on_ask() -> None:
    """Each address is a text of its own; the same one over and over counts, too."""
    few, many = ("curl " + "http://localhost:1/x " * count for count in (HANDED_CAP, HANDED_CAP + 1))
    assert judged(command=few).decision is Decision.ALLOW
    assert judged(command=many).decision is Decision.ASK
