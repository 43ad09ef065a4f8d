"""Definitions for the tests, from the rows of the case files."""

import tomllib
from pathlib import Path
from typing import Any

from checkrail.admission.outcomes import judge
from checkrail.admission.records import Definition, Judged

_HERE = Path(__file__).parent


def rows(name: str) -> list[list[Any]]:
    """The rows of a case file."""
    found: list[list[Any]] = tomllib.loads((_HERE / f"{name}_cases.toml").read_text())["cases"]
    return found


def tool(name: str, description: str, parameters: dict[str, str] | None = None, **more: Any) -> dict[str, Any]:
    """A tool whose parameters are strings."""
    properties = {key: {"type": "string", "description": about} for key, about in (parameters or {}).items()}
    return {
        "name": name,
        "description": description,
        "inputSchema": {"type": "object", "properties": properties},
        **more,
    }


def judged(described: dict[str, Any], *others: Definition, server: str = "mine", instructions: str = "") -> Judged:
    """One tool, judged beside others."""
    return judge([Definition(server, described, instructions), *others])[0]


def rules_of(found: Judged) -> set[str]:
    """The rules of its findings, without their common beginning."""
    return {finding.rule.removeprefix("admission.") for finding in found.findings}
