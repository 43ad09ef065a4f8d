"""What a finding on text that is only written into a file is worth: it does nothing yet, and running it is judged then."""

import msgspec

from checkrail import bands
from checkrail.model import HOLE, SOME, Axes, Decision, Finding, Reversibility, Scope
from checkrail.operations.scripts import ITSELF

MARK = "written to "
_LATER = Axes(Reversibility.HARD, Scope.LOCAL)
_UNSEEN = ("flow.", "fetch.secret", "fetch.sink", "fetch.upload", "fetch.encoded")
"""Rules whose question stands where the text runs by itself: nothing will ask again when it does."""


def softened(finding: Finding) -> Finding:
    """What would be denied asks, and what would ask is a note, unless it runs by itself and hides what it runs or sends.

    A place that only running tells is somebody's test folder far more often than what the floor guards.
    """
    if not any(step.startswith(MARK) for step in finding.via):
        return finding
    strict = (finding.floor or finding.decision is Decision.DENY) and finding.target[:1] not in (HOLE, SOME)
    unseen = ITSELF in finding.via and finding.rule.startswith(_UNSEEN)
    asks = strict or (unseen and bands.base_decision(finding) is not Decision.ALLOW)
    return msgspec.structs.replace(
        finding,
        rule=f"written.{finding.rule}",
        floor=False,
        hard=False,
        axes=_LATER if asks else None,
        decision=Decision.ASK if asks else Decision.ALLOW,
    )
