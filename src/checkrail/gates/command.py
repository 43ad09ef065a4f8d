"""The command gate: effects for which knowledge states the axes or the decision itself."""

from collections.abc import Iterator, Sequence

from checkrail.bands import band
from checkrail.context import Surroundings
from checkrail.facts.paths import CONTAINERS
from checkrail.facts.production import production
from checkrail.model import Action, Axes, Band, Decision, Effect, Finding, Reversibility, Scope, TargetKind
from checkrail.policy import Policy

SHARED = frozenset((TargetKind.CLOUD, TargetKind.DATABASE, TargetKind.CONTAINER))
CHANGES = frozenset((Action.CHANGE, Action.SEND, Action.DELETE, Action.CONFIGURE))

ELSEWHERE = frozenset((TargetKind.PATH, TargetKind.URL, TargetKind.TOOL))
"""Targets that other gates judge."""


def judge(effects: Sequence[Effect], around: Surroundings, policy: Policy) -> tuple[Finding, ...]:  # noqa: ARG001
    """One finding for each effect that is more than auto; a change of shared state in production is one more."""
    found = tuple(finding for effect in effects if (finding := _finding(effect)) is not None)
    return (*found, *_in_production(effects, around))


def _in_production(effects: Sequence[Effect], around: Surroundings) -> Iterator[Finding]:
    changed = [
        effect for effect in effects if effect.target.kind in SHARED and effect.action in CHANGES and _noted(effect)
    ]
    if not changed or not (context := production(around)):
        return
    yield Finding(
        rule="context.production",
        reason=f"changes shared state, and the context looks like production: {', '.join(context[:3])}",
        gate="command",
        axes=Axes(Reversibility.HARD, Scope.SHARED),
        span=changed[0].span,
        target=changed[0].target.value,
        via=changed[0].via,
    )


def _noted(effect: Effect) -> bool:
    return effect.axes is not None and band(effect.axes) is Band.SOFT_ACK


def _finding(effect: Effect) -> Finding | None:
    if effect.target.kind in ELSEWHERE or (effect.target.kind is TargetKind.HOST and effect.axes is None):
        return None
    decision = Decision.ASK if _whole_environment(effect) or _first_process(effect) else effect.decision
    if decision is None and (effect.axes is None or band(effect.axes) is Band.AUTO or _thrown_away(effect)):
        return None
    return Finding(
        rule=effect.rule,
        reason=effect.reason or _plain(effect),
        gate="command",
        axes=effect.axes,
        decision=decision,
        safer=effect.safer,
        span=effect.span,
        target=effect.target.value,
        hard=effect.decision is Decision.DENY,
        via=effect.via,
    )


def _whole_environment(effect: Effect) -> bool:
    """Whether every variable is shown: secrets are among them, whichever language prints them."""
    return effect.decision is None and effect.target.kind is TargetKind.SECRET and effect.target.value == "environment"


def _first_process(effect: Effect) -> bool:
    """Whether process 1, or every process at once, is ended: whichever language says the number."""
    ends = effect.action is Action.STOP and effect.target.kind is TargetKind.PROCESS
    return ends and effect.target.value in ("1", "-1") and not effect.target.host and effect.axes is None


def _thrown_away(effect: Effect) -> bool:
    """Whether only a throw-away container would be changed, as by ``apt-get install`` in ``docker run``."""
    local = effect.axes is not None and effect.axes.scope is Scope.LOCAL
    return local and effect.target.kind is TargetKind.SYSTEM and effect.target.host.startswith(CONTAINERS)


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
