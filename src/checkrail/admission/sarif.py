"""Outcomes as SARIF 2.1.0, for code scanning."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from checkrail import sarif
from checkrail.admission import pins
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
            "level": _LEVELS[kinds[finding.rule].outcome] if entry.outcome in pins.REFUSED else "note",
            "message": {"text": f"{entry.server}/{entry.label}: {finding.reason}: {finding.text!r}"},
            "locations": [_location(source, line, entry, finding.field)],
        }
        for line, entry in enumerate(judged, 1)
        for finding in entry.findings
    ]
    return sarif.document(described, results)


def _location(source: str, line: int, entry: Judged, field: str) -> dict[str, Any]:
    """The line of a captured list; a skill or a package's text is a file of its own."""
    kind, _, path = entry.server.partition(":")
    uri, line = (path, 1) if kind in ("skill", "package") and path.startswith("/") else (source, line)
    return {
        "physicalLocation": {"artifactLocation": {"uri": quote(uri, errors="replace")}, "region": {"startLine": line}},
        "logicalLocations": [{"fullyQualifiedName": f"{entry.server}/{entry.label}/{field}"}],
    }
