"""What a fuzz target is, and what every one of them may ask of a verdict."""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from checkrail.facts.host import FrozenHost
from checkrail.model import Decision, Event, EventKind, Verdict
from checkrail.pipeline import decide
from checkrail.policy import BUILT_IN

ROOM = "/work/app"
HOST = FrozenHost(
    files={f"{ROOM}/.git/HEAD": "ref: refs/heads/main\n", f"{ROOM}/a.sh": "ls\n", f"{ROOM}/link": "@/etc"}
)


class Broken(AssertionError):
    """An invariant does not hold."""


class Target(msgspec.Struct, frozen=True):
    """``check`` raises for an input that breaks an invariant."""

    name: str
    check: Callable[[str], None]
    seeds: Callable[[], Sequence[str]]
    words: Sequence[str]


def judged(tool: str, given: dict[str, Any]) -> Verdict:
    """The verdict of a call; a reader that failed inside counts as broken, though the verdict asks."""
    event = Event(agent="claude", kind=EventKind.PRE, tool=tool, input=given, cwd=ROOM, project=ROOM)
    return sound(decide(event, host=HOST, policy=BUILT_IN))


def sound(verdict: Verdict) -> Verdict:
    """A verdict that no failure of ours is in."""
    for finding in verdict.findings:
        if "failed (" in finding.reason or finding.rule.startswith("internal."):
            raise Broken(f"{finding.rule}: {finding.reason}")
    return verdict


def stopped(verdict: Verdict, why: str) -> None:
    """Whatever follows, what stands first is not let through."""
    if verdict.decision is Decision.ALLOW:
        raise Broken(f"{verdict.decision.value} for {why}")


def seeds(*texts: str) -> Callable[[], Sequence[str]]:
    """Inputs to start from."""
    return lambda: texts
