"""Outcomes as SARIF 2.1.0, for code scanning."""

from collections.abc import Sequence
from typing import Any

from checkrail import sarif
from checkrail.admission.records import Judged
from checkrail.knowledge.speech import rules

_LEVELS = {"demote": "note", "quarantine": "error", "refuse-and-alert": "error"}


def document(judged: Sequence[Judged], source: str) -> dict[str, Any]:
    """One run with a result per finding; ``source`` is the file that was scanned."""
    kinds = rules()
    described = [
        {"id": rule.id, "shortDescription": {"text": rule.reason}, "help": {"text": rule.fix}}
        for rule in kinds.values()
    ]
    results = [
        {
            "ruleId": finding.rule,
            "level": _LEVELS[kinds[finding.rule].outcome],
            "message": {"text": f"{entry.server}/{entry.tool}: {finding.reason}: {finding.text!r}"},
            "locations": [_location(source, line, entry, finding.field)],
        }
        for line, entry in enumerate(judged, 1)
        for finding in entry.findings
    ]
    return sarif.document(described, results)


def _location(source: str, line: int, entry: Judged, field: str) -> dict[str, Any]:
    return {
        "physicalLocation": {"artifactLocation": {"uri": source}, "region": {"startLine": line}},
        "logicalLocations": [{"fullyQualifiedName": f"{entry.server}/{entry.tool}/{field}"}],
    }
