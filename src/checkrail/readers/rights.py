"""What runs with another user's rights (``sudo``, ``su -c`` …): looking is judged as if it stood alone, anything more is a question.

A reader that meets such a command marks the texts that run inside it with the option :data:`OPTION`, whose value is the rule;
the payload queue carries the mark down to any depth.
"""

from collections.abc import Iterable

import msgspec

from checkrail.model import Action, Axes, Effect, Payload, Reading, Reversibility, Scope, Target, TargetKind

OPTION = "rights"

LOOKS = frozenset((Action.READ, Action.RECEIVE))
"""What leaves everything as it is; which paths and hosts may be looked at, the gates say."""

SAFER = "do it without other rights, or let a person run it"


def only_looks(effects: Iterable[Effect]) -> bool:
    """Whether effects need no question for the rights they are done with. Packages from the system's own sources are root's
    most ordinary work, and what is installed can be removed again: their own effect has said it."""
    return all(
        (effect.action in LOOKS and effect.target.kind is not TargetKind.SECRET)
        or (effect.action is Action.CHANGE and effect.target.kind is TargetKind.PACKAGE)
        for effect in effects
    )


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
