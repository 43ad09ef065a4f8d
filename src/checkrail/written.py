"""What a finding on text that is only written into a file is worth: it does nothing yet, and running it is judged then."""

import msgspec

from checkrail import bands
from checkrail.model import HOLE, SOME, Axes, Decision, Effect, Finding, Payload, Reversibility, Scope
from checkrail.operations.scripts import ITSELF

MARK = "written to "
_LATER = Axes(Reversibility.HARD, Scope.LOCAL)
WRITTEN = "written."
_UNSEEN = ("flow.", "fetch.secret", "fetch.sink", "fetch.upload", "fetch.encoded")
"""Rules whose question stands where the text runs by itself: nothing will ask again when it does."""


def graver(finding: Finding) -> bool:
    """Whether a softened finding would ask where its text runs, about something that can be known before."""
    return finding.rule.startswith(WRITTEN) and finding.decision is not None and HOLE not in finding.target


def hardened(finding: Finding) -> Finding:
    """A softened finding by the rule that it will have where its text runs; any other one as it is."""
    return msgspec.structs.replace(finding, rule=finding.rule.removeprefix(WRITTEN))


def later(part: Effect | Payload) -> bool:
    """Whether an effect or text is only written down: it comes about when somebody runs it."""
    if isinstance(part, Payload):
        marked = bool(dict(part.options).get("written"))
    else:
        marked = any(step.startswith(MARK) for step in part.via)
    return marked and ITSELF not in part.via


def softened(finding: Finding) -> Finding:
    """What would be denied asks, and what would ask is a note, unless it runs by itself and hides what it runs or sends.

    A place that only running tells is somebody's test folder far more often than what the floor guards. What is a note of something
    that would ask says that it is allowed; a note that was one says nothing.
    """
    if not any(step.startswith(MARK) for step in finding.via):
        return finding
    strict = (finding.floor or finding.decision is Decision.DENY) and finding.target[:1] not in (HOLE, SOME)
    unseen = ITSELF in finding.via and finding.rule.startswith(_UNSEEN)
    worse = bands.base_decision(finding) is not Decision.ALLOW
    asks = strict or (unseen and worse)
    return msgspec.structs.replace(
        finding,
        rule=f"{WRITTEN}{finding.rule}",
        floor=False,
        hard=False,
        axes=_LATER if asks else None,
        decision=Decision.ASK if asks else Decision.ALLOW if worse else None,
    )
