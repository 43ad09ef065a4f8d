"""What the agent is told where it has to judge for itself: the written rule of the class, never anything from the call.

Only notes get it. A call that is simply harmless passes without a word, and a question speaks to a person.
"""

from collections import OrderedDict
from collections.abc import Iterator
from fnmatch import fnmatchcase

from checkrail.bands import band_of
from checkrail.knowledge.guidance import Guidance, guidance
from checkrail.model import Band, Decision, Event, EventKind, Finding, Verdict
from checkrail.policy import Policy

MOST = 2
"""Rules that are told with one answer."""
LONGEST = 500
"""Characters of one of them."""
SESSIONS = 256
"""Sessions that are remembered."""


def advice(verdict: Verdict, policy: Policy) -> tuple[tuple[str, str], ...]:
    """(class, text) for what a verdict leaves to the agent's judgement; empty for anything but notes."""
    if verdict.decision is not Decision.ALLOW:
        return ()
    found = {entry.id: policy.guidance.get(entry.id, entry.text) for entry in _classes(verdict)}
    return tuple((identifier, text[:LONGEST]) for identifier, text in found.items() if text.strip())


def _classes(verdict: Verdict) -> Iterator[Guidance]:
    for finding in verdict.findings:
        if band_of(finding) is Band.SOFT_ACK or finding.rule.startswith("written."):
            entry = next((entry for entry in guidance() if _fits(entry, finding)), None)
            if entry is not None:
                yield entry


def _fits(entry: Guidance, finding: Finding) -> bool:
    if any(fnmatchcase(finding.rule, glob) for glob in entry.rules):
        return True
    axes = finding.axes
    if axes is None or finding.gate == "file":
        return False
    return (entry.scope is not None and axes.scope is entry.scope) or (
        entry.trust is not None and axes.trust is entry.trust
    )


class Memory:
    """What was told in which session, by this process: each rule about once, not with every call."""

    def __init__(self) -> None:
        self._told: OrderedDict[tuple[str, str, str], set[str]] = OrderedDict()

    def news(self, event: Event, verdict: Verdict, policy: Policy) -> tuple[str, ...]:
        """The rules to tell with this answer; those that the session has heard are left out."""
        if event.kind is not EventKind.PRE:
            return ()
        found = advice(verdict, policy)
        if not found or not event.session:
            return tuple(text for _, text in found[:MOST])
        heard = self._heard((event.agent, event.session, event.subagent))
        new = [(identifier, text) for identifier, text in found if identifier not in heard][:MOST]
        heard.update(identifier for identifier, _ in new)
        return tuple(text for _, text in new)

    def _heard(self, key: tuple[str, str, str]) -> set[str]:
        heard = self._told.setdefault(key, set())
        self._told.move_to_end(key)
        while len(self._told) > SESSIONS:
            self._told.popitem(last=False)
        return heard
