"""Axes to band to decision, and how several findings become one answer.

Strictest wins, in every function: adding a finding never loosens.
"""

from collections.abc import Iterable

from checkrail.model import Axes, Band, Decision, Finding, Reversibility, Scope, Trust

DECISIONS = {Band.AUTO: Decision.ALLOW, Band.SOFT_ACK: Decision.ALLOW, Band.ESCALATE: Decision.ASK}
"""A soft-ack is allowed with a note in the audit and to the agent."""


def band(axes: Axes) -> Band:
    """The band of an effect. ``hard-to-reverse`` fails safe to escalate."""
    if axes.reversibility is not Reversibility.REVERSIBLE or axes.scope is Scope.EXTERNAL:
        return Band.ESCALATE
    if axes.scope is Scope.SHARED or axes.trust is Trust.UNTRUSTED:
        return Band.SOFT_ACK
    return Band.AUTO


def band_of(finding: Finding) -> Band:
    """The band of a finding: of its axes, raised by what its rule decides."""
    found = Band.AUTO if finding.axes is None else band(finding.axes)
    if finding.decision is not None and finding.decision is not Decision.ALLOW:
        return Band.ESCALATE
    return found


def base_decision(finding: Finding) -> Decision:
    """What a finding says before any policy: its own decision, else that of its band."""
    if finding.decision is not None:
        return strictest(
            (finding.decision, DECISIONS[band_of(finding)] if finding.decision is Decision.ALLOW else Decision.ALLOW)
        )
    return DECISIONS[band_of(finding)]


def rule_of_two(*, untrusted: bool, sensitive: bool, changes: bool) -> Band:
    """Two of three: untrusted parameters, private data or sensitive systems, a change or a message out."""
    return Band.ESCALATE if untrusted + sensitive + changes >= 2 else Band.AUTO


def strictest(decisions: Iterable[Decision]) -> Decision:
    """The strictest of several decisions; allow where there is none."""
    return max(decisions, key=lambda decision: decision.rank, default=Decision.ALLOW)


def highest(bands: Iterable[Band]) -> Band:
    """The highest of several bands; auto where there is none."""
    return max(bands, key=lambda held: held.rank, default=Band.AUTO)
