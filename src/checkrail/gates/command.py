"""The command gate: effects for which knowledge states the axes or the decision itself."""

from collections.abc import Sequence

from checkrail.bands import band
from checkrail.context import Surroundings
from checkrail.model import Action, Band, Decision, Effect, Finding, TargetKind
from checkrail.policy import Policy

ELSEWHERE = frozenset((TargetKind.PATH, TargetKind.URL, TargetKind.TOOL))
"""Targets that other gates judge."""


def judge(effects: Sequence[Effect], around: Surroundings, policy: Policy) -> tuple[Finding, ...]:  # noqa: ARG001
    """One finding for each effect that is more than auto."""
    return tuple(finding for effect in effects if (finding := _finding(effect)) is not None)


def _finding(effect: Effect) -> Finding | None:
    if effect.target.kind in ELSEWHERE or (effect.target.kind is TargetKind.HOST and effect.axes is None):
        return None
    if effect.decision is None and (effect.axes is None or band(effect.axes) is Band.AUTO):
        return None
    return Finding(
        rule=effect.rule,
        reason=effect.reason or _plain(effect),
        gate="command",
        axes=effect.axes,
        decision=effect.decision,
        safer=effect.safer,
        span=effect.span,
        target=effect.target.value,
        hard=effect.decision is Decision.DENY,
        via=effect.via,
    )


_VERBS = {
    Action.DELETE: "destroys",
    Action.CHANGE: "changes",
    Action.STOP: "stops",
    Action.SEND: "sends",
    Action.EXECUTE: "runs",
    Action.CONFIGURE: "configures",
    Action.PRIVILEGE: "gains rights through",
}


def _plain(effect: Effect) -> str:
    return f"{_VERBS.get(effect.action, effect.action.value)} {effect.target.value or effect.target.kind.value}"
