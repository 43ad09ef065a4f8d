"""What runs with another user's rights (``sudo``, ``su -c`` …): looking is judged as if it stood alone, anything more is a question.

A reader that meets such a command marks the texts that run inside it with the option :data:`OPTION`, whose value is the rule;
the payload queue carries the mark down to any depth.
"""

from collections.abc import Iterable

import msgspec

from checkrail.context import Surroundings
from checkrail.facts.paths import Place, describe
from checkrail.model import Action, Axes, Effect, Payload, Reading, Reversibility, Scope, Target, TargetKind

OPTION = "rights"

LOOKS = frozenset((Action.READ, Action.RECEIVE))
"""What leaves everything as it is; which paths and hosts may be looked at, the gates say."""

SAFER = "do it without other rights, or let a person run it"


def only_looks(effects: Iterable[Effect], around: Surroundings | None = None) -> bool:
    """Whether effects need no question for the rights they are done with. Packages from the system's own sources are root's
    most ordinary work, and what is installed can be removed again: their own effect has said it. Where ``around`` is given,
    so have those on paths of the project and temporary ones."""
    return all(
        (effect.action in LOOKS and effect.target.kind is not TargetKind.SECRET)
        or (effect.action is Action.CHANGE and effect.target.kind is TargetKind.PACKAGE)
        or _taken_back(effect)
        or (around is not None and _at_home(effect, around))
        for effect in effects
    )


def _taken_back(effect: Effect) -> bool:
    """Whether a change of a service or database can be taken back, by the same way: starting a service, making a database."""
    shared = effect.target.kind in (TargetKind.CLOUD, TargetKind.DATABASE, TargetKind.SERVICE)
    return (
        shared
        and effect.action in (Action.CHANGE, Action.CONFIGURE, Action.STOP)
        and effect.axes is not None
        and effect.axes.reversibility is Reversibility.REVERSIBLE
        and effect.axes.scope is not Scope.EXTERNAL
    )


def _at_home(effect: Effect, around: Surroundings) -> bool:
    """Whether other rights reach no further: deleting, making or owning what lies in the project or in a temporary place."""
    if effect.target.kind is not TargetKind.PATH or effect.action not in _KEEPING or effect.target.host:
        return False
    return describe(effect.target.value, around).place in (Place.WORKSPACE, Place.SCRATCH)


_KEEPING = frozenset((Action.DELETE, Action.MODE, Action.CREATE))
"""What gives a file no content of somebody else's; set-user bits are judged by themselves."""


def marked(payload: Payload, rule: str) -> Payload:
    """A text that runs with other rights. Text that is only written down does not run."""
    options = dict(payload.options)
    if OPTION in options or "written" in options:
        return payload
    return msgspec.structs.replace(payload, options=(*payload.options, (OPTION, rule)))


def weighed(found: Reading, payload: Payload) -> Reading:
    """A reading of a text that runs with other rights: one effect more where it does more than look."""
    rule = dict(payload.options).get(OPTION)
    if rule is None:
        return found
    if found.opaque or found.unread or not only_looks(found.effects):
        return msgspec.structs.replace(found, effects=(*found.effects, _privilege(rule, payload)))
    return msgspec.structs.replace(found, payloads=tuple(marked(inner, rule) for inner in found.payloads))


def _privilege(rule: str, payload: Payload) -> Effect:
    return Effect(
        action=Action.PRIVILEGE,
        target=Target(TargetKind.SYSTEM, rule, payload.host),
        rule=rule,
        axes=Axes(Reversibility.HARD, Scope.LOCAL),
        reason=f"changes something, or cannot be read whole, with another user's rights ({rule})",
        safer=SAFER,
        command=rule,
        span=payload.span,
        via=payload.via,
    )
