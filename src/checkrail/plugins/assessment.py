"""All that is known about a package at once: what the standard loads, what else lies there, what its prose says, what it declares."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import msgspec

from checkrail.admission.records import Judged, Outcome
from checkrail.knowledge.speech import rules
from checkrail.plugins import concerns, declarations, inventory, package, prose
from checkrail.plugins.concerns import Concern, Level
from checkrail.plugins.declarations import Declaration
from checkrail.plugins.records import Fatality, Package, Problem
from checkrail.sarif import document

_OF_FATALITY = {
    Fatality.FATAL: Level.REFUSE, Fatality.TYPE: Level.REVIEW, Fatality.ENTRY: Level.REVIEW, Fatality.DENY: Level.REVIEW,
    Fatality.NOTE: Level.NOTE,
}  # fmt: skip
_OF_OUTCOME = {
    Outcome.ACCEPT: Level.NOTE, Outcome.DEMOTE: Level.NOTE, Outcome.QUARANTINE: Level.REVIEW, Outcome.ALERT: Level.REFUSE,
}  # fmt: skip
_CREDENTIALS = frozenset({54, 74})


class Assessment(msgspec.Struct, frozen=True, kw_only=True):
    """A package, judged."""

    package: Package
    concerns: tuple[Concern, ...] = ()
    prose: tuple[Judged, ...] = ()
    declared: tuple[Declaration, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def level(self) -> Level:
        """The gravest of all that was found."""
        found = [
            *(level_of(problem) for problem in self.problems),
            *(concern.level for concern in self.concerns),
            *(_OF_OUTCOME[judged.outcome] for judged in self.prose),
        ]
        return max(found, key=lambda level: level.rank, default=Level.NOTE)


def level_of(problem: Problem) -> Level:
    """What a fault of the package calls for."""
    return Level.REVIEW if problem.requirement in _CREDENTIALS else _OF_FATALITY[problem.fatality]


def outcome_level(judged: Judged) -> Level:
    """What the outcome of a text calls for."""
    return _OF_OUTCOME[judged.outcome]


def assess(path: str, *, drafts: bool = True, overlay: tuple[Declaration, ...] = ()) -> Assessment:
    """Reads and judges a directory; nothing in it is run. ``overlay`` is what the operator declares."""
    found = package.read(path, drafts=drafts)
    entries = list(inventory.entries(found.root))
    said, faults = declarations.of_manifest(found.manifest) if found.manifest else ((), ())
    judged = dict.fromkeys((*concerns.of_entries(found, entries), *concerns.unread_texts(found, entries)))
    return Assessment(
        package=found,
        concerns=tuple(sorted(judged, key=lambda one: (-one.level.rank, one.path, one.rule))),
        prose=prose.judged(found, entries),
        declared=tuple(declarations.merged(said, overlay).values()),
        problems=(*found.problems, *faults),
    )


def as_data(found: Assessment) -> dict[str, Any]:
    """An assessment for JSON; texts of the package are quoted in excerpts only."""
    manifest = found.package.manifest
    return {
        "path": found.package.root,
        "outcome": found.level.value,
        "loads": found.package.loads,
        "release": manifest.release if manifest else None,
        "name": manifest.name if manifest else None,
        "version": manifest.version if manifest else None,
        "skills": [
            {"name": skill.name, "path": skill.path, "allowed_tools": skill.allowed_tools}
            for skill in found.package.skills
        ],
        "servers": [
            {
                "name": server.name, "transport": server.transport, "command": server.command, "args": server.args,
                "env": sorted(server.env), "cwd": server.cwd, "url": server.url, "headers": sorted(server.headers),
            }
            for server in found.package.servers
        ],
        "declared": declared(found.declared),
        "problems": [msgspec.to_builtins(problem) for problem in found.problems],
        "concerns": [msgspec.to_builtins(concern) for concern in found.concerns],
        "prose": [msgspec.to_builtins(one) for one in found.prose if one.outcome is not Outcome.ACCEPT],
    }  # fmt: skip


def declared(listed: tuple[Declaration, ...]) -> dict[str, Any]:
    """Declarations with their counts, so that a policy can be put as a question about numbers."""
    counts = Counter(one.band.value for one in listed)
    scopes = Counter(one.axes.scope.value for one in listed if one.axes is not None and one.band.value == "escalate")
    return {
        "state": "declared" if listed else "undeclared",
        "bands": {band: counts.get(band, 0) for band in ("auto", "soft-ack", "escalate")},
        "escalate_scopes": dict(sorted(scopes.items())),
        "operations": [msgspec.to_builtins(one) for one in sorted(listed, key=lambda one: one.id)],
    }


_SARIF = {Level.NOTE: "note", Level.REVIEW: "warning", Level.REFUSE: "error"}


def sarif(found: Assessment) -> dict[str, Any]:
    """An assessment as SARIF 2.1.0; paths are relative to the package."""
    results = list(_results(found))
    rules_used = [{"id": rule} for rule in sorted({result["ruleId"] for result in results})]
    base = {"PACKAGE": {"description": {"text": "the root of the package"}}}
    return document(rules_used, results, originalUriBaseIds=base)


def _results(found: Assessment) -> Iterator[dict[str, Any]]:
    for problem in found.problems:
        text = f"{problem.subject}: {problem.reason} (requirement {problem.requirement})"
        yield _result(problem.code, _SARIF[level_of(problem)], text, _file(problem))
    for concern in found.concerns:
        yield _result(concern.rule, _SARIF[concern.level], concern.reason, concern.path.partition("#")[0])
    kinds = rules()
    for judged in found.prose:
        for finding in judged.findings:
            level = _SARIF[_OF_OUTCOME[Outcome(kinds[finding.rule].outcome)]]
            yield _result(finding.rule, level, f"{finding.reason}: {finding.text!r}", judged.tool)


def _file(problem: Problem) -> str:
    kind = problem.code.partition(".")[0]
    return {"mcp": "mcp.json", "skills": f"skills/{problem.subject}"}.get(kind, "plugin.json")


def _result(rule: str, level: str, text: str, path: str) -> dict[str, Any]:
    where = {"physicalLocation": {"artifactLocation": {"uri": path, "uriBaseId": "PACKAGE"}}}
    return {"ruleId": rule, "level": level, "message": {"text": text}, "locations": [where]}
