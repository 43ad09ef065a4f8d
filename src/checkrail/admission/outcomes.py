"""From findings to one of the four outcomes, by the authority with which the text would enter and by the pin."""

import gc
from collections.abc import Iterable, Sequence

from checkrail.admission import channel, divergence, names, pins
from checkrail.admission.records import Authority, Definition, Finding, Judged, Outcome, Sort
from checkrail.knowledge.speech import rules

_ORDER = (Outcome.ACCEPT, Outcome.DEMOTE, Outcome.QUARANTINE, Outcome.ALERT)
_ASIDE = frozenset({"admission.concealment", pins.RULE})
_CLAIMS = frozenset({"admission.override"})
"""Rules about authority alone: a text framed as untrusted data holds none, so there it is demoted."""


def outcome(
    findings: Iterable[Finding], authority: Authority = Authority.SYSTEM, *, pinned: bool = False, kind: Sort = "tool"
) -> Outcome:
    """The strictest outcome that a finding calls for. What a person reviewed and pinned is accepted as it stands."""
    if pinned:
        return Outcome.ACCEPT
    return max((_of(finding, authority, kind) for finding in findings), key=_ORDER.index, default=Outcome.ACCEPT)


def _of(finding: Finding, authority: Authority, kind: Sort) -> Outcome:
    if finding.rule in _CLAIMS and authority is Authority.USER:
        return Outcome.DEMOTE
    if kind == "document" and not _speaks_to_models(finding):
        return Outcome.DEMOTE
    return Outcome(rules()[finding.rule].outcome)


def _speaks_to_models(finding: Finding) -> bool:
    """Whether a text that is written for people, and tells them what to do, says something that only a model would follow."""
    unseen = not all(letter.isprintable() or letter.isspace() for letter in finding.text)
    return finding.rule in _ASIDE or (finding.rule == "admission.hidden-text" and unseen)


def judge(
    definitions: Sequence[Definition],
    authority: Authority = Authority.SYSTEM,
    *,
    lock: pins.Lock | None = None,
    project: pins.Lock | None = None,
    known: names.Register | None = None,
) -> list[Judged]:
    """Judges definitions together, since whose tool a name is shows only from all lists at once.

    ``known``: the tools of all lists, where these definitions are only a part of them.
    ``lock`` is the user's own: an unchanged pin in it accepts. ``project`` is one that came with a project: it can only hold back.
    """
    known = known or names.register(definitions)
    collects = gc.isenabled()
    gc.disable()  # a long list makes millions of small values and no cycles; looking for some takes a tenth of the time
    try:
        return _each(definitions, known, authority, lock, project)
    finally:
        if collects:
            gc.enable()


def _each(
    definitions: Sequence[Definition],
    known: names.Register,
    authority: Authority,
    lock: pins.Lock | None,
    project: pins.Lock | None,
) -> list[Judged]:
    return [_judged(entry, known, authority, lock, project) for entry in definitions]


def _judged(
    entry: Definition, known: names.Register, authority: Authority, lock: pins.Lock | None, project: pins.Lock | None
) -> Judged:
    changed = [change for held in (lock, project) if held and (change := pins.change_finding(entry, held))]
    pinned = not changed and lock is not None and pins.changes(entry, lock) == ()
    found = sorted(
        (*changed, *divergence.findings(entry), *channel.findings(entry, known)),
        key=lambda finding: -_ORDER.index(_of(finding, authority, entry.kind)),
    )
    return Judged(
        entry.server, entry.name, outcome(found, authority, pinned=pinned, kind=entry.kind), tuple(found), entry.kind
    )
