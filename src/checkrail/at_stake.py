"""What a person should know before saying yes: how much would go, and whether it looks like production."""

from collections.abc import Iterator

from checkrail.context import Surroundings
from checkrail.facts import production
from checkrail.facts.stakes import phrase, stakes
from checkrail.model import HOLE, SOME, Action, Effect, TargetKind, Verdict

LOSING = frozenset((Action.DELETE, Action.WRITE))
PATHS_CAP = 20
"""Paths that are looked at for one question."""

SHARED = frozenset(
    (TargetKind.CLOUD, TargetKind.DATABASE, TargetKind.CONTAINER, TargetKind.SERVICE, TargetKind.REPOSITORY)
)


def at_stake(verdict: Verdict, around: Surroundings) -> tuple[str, ...]:
    """Short phrases for a verdict that asks. Looks at the machine within the budget of :mod:`checkrail.facts.stakes`."""
    asked = {finding.target for finding in verdict.findings if finding.gate == "file"}
    effects = verdict.reading.effects
    paths = [effect.target.value for effect in effects if _loses(effect) and _plain(effect.target.value) in asked]
    found = phrase(stakes(dict.fromkeys(paths[:PATHS_CAP]), around.host)) if paths else ""
    return (*(_quantity(found)), *_context(effects, around))


def _quantity(found: str) -> Iterator[str]:
    if found:
        yield f"at stake: {found}"


def _context(effects: tuple[Effect, ...], around: Surroundings) -> Iterator[str]:
    if any(effect.target.kind in SHARED for effect in effects):
        yield from (f"looks like production: {text}" for text in production.production(around))


def _loses(effect: Effect) -> bool:
    value = effect.target.value
    known = HOLE not in value and SOME not in value and value.startswith("/")
    return effect.action in LOSING and effect.target.kind is TargetKind.PATH and known and not effect.target.host


def _plain(path: str) -> str:
    return path.rstrip("/") or "/"
