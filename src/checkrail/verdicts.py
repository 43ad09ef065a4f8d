"""The verdict as plain data, the same for ``check --json``, ``--batch``, the log and the corpus."""

from typing import Any

from checkrail.agents.reasons import reason
from checkrail.model import Band, Decision, Finding, Verdict
from checkrail.redaction import redact


def rules(verdict: Verdict) -> list[str]:
    """The rule ids behind the verdict, each once, in order."""
    return list(dict.fromkeys(finding.rule for finding in verdict.findings))


def outcome(verdict: Verdict) -> str:
    """allow, note, ask or deny: an allowed call of the band soft-ack is noted."""
    noted = verdict.decision is Decision.ALLOW and verdict.band is not Band.AUTO and verdict.approval is None
    return "note" if noted else str(verdict.decision)


def _finding(finding: Finding) -> dict[str, Any]:
    axes = finding.axes
    return {
        "rule": finding.rule,
        "gate": finding.gate,
        "decision": finding.decision,
        "axes": [axes.reversibility, axes.scope, axes.trust] if axes else None,
        "target": redact(finding.target),
        "span": [finding.span.start, finding.span.end],
        "reason": redact(finding.reason),
        "safer": finding.safer,
        "floor": finding.floor,
        "hard": finding.hard,
        "via": list(finding.via),
    }


def as_data(verdict: Verdict) -> dict[str, Any]:
    """Everything a reader of the verdict may want, ready for JSON."""
    return {
        "decision": verdict.decision,
        "band": verdict.band,
        "rules": rules(verdict),
        "reason": reason(verdict),
        "understood": verdict.understood,
        "reads_only": verdict.reads_only,
        "findings": [_finding(finding) for finding in verdict.findings],
        "stakes": list(verdict.stakes),
        "unread": [unread.what for unread in verdict.reading.unread],
        "opaque": list(verdict.reading.opaque),
        "errors": list(verdict.errors),
    }
