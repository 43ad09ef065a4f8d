"""Free prose that was written without sight of the grammar: what it refuses stays refused, and nothing honest is."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from checkrail.admission import pins
from checkrail.admission.outcomes import judge
from checkrail.admission.records import Definition

Cases = dict[str, list[tuple[str, str, dict[str, str]]]]


def _cases(name: str) -> Cases:
    return tomllib.loads(Path(__file__).with_name(f"{name}_cases.toml").read_text(encoding="utf-8"))


CASES = _cases("free")
BLIND = _cases("blind")


def _refused(name: str, description: str, parameters: dict[str, str]) -> bool:
    properties: dict[str, Any] = {key: {"type": "string", "description": text} for key, text in parameters.items()}
    tool = {"name": name, "description": description, "inputSchema": {"type": "object", "properties": properties}}
    return judge([Definition("s", tool)])[0].outcome in pins.REFUSED


@pytest.mark.parametrize("cases", [CASES, BLIND], ids=["free", "blind"])
@pytest.mark.parametrize(("kind", "refused"), [("refused", True), ("missed", False), ("honest", False)])
def test_free_prose(cases: Cases, kind: str, refused: bool) -> None:
    """A miss that is found some day moves up."""
    assert [case[0] for case in cases[kind] if _refused(*case) is not refused] == []
