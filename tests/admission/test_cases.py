"""Definitions of our own: poisoned ones are refused, honest ones never are."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from checkrail.admission.outcomes import judge
from checkrail.admission.records import Definition, Outcome
from tests.admission.definitions import judged, rows, rules_of, tool

REFUSED = (Outcome.QUARANTINE, Outcome.ALERT)
POISONED = rows("poisoned")


@pytest.mark.parametrize("row", POISONED, ids=lambda row: row[2])
def test_poisoned(row: list[Any]) -> None:
    """Each gets the outcome that it deserves."""
    kind, outcome, name, description, parameters = row
    found = judged(tool(name, description, parameters))
    assert found.outcome.value == outcome, (kind, found.findings)


def test_honest() -> None:
    """None of one honest server's tools is refused, and nothing in them is taken for concealment."""
    definitions = [Definition("honest", tool(name, about, parameters)) for name, about, parameters in rows("honest")]
    answers = judge(definitions)
    assert [found.tool for found in answers if found.outcome in REFUSED] == []
    assert [found.tool for found in answers if "concealment" in rules_of(found)] == []


def test_most_honest_ones_are_simply_accepted() -> None:
    """Demotion is for prose that does direct."""
    definitions = [Definition("honest", tool(name, about, parameters)) for name, about, parameters in rows("honest")]
    assert sum(found.outcome is Outcome.ACCEPT for found in judge(definitions)) > len(definitions) * 0.6


VARIED = tomllib.loads((Path(__file__).parent / "varied_cases.toml").read_text())
"""Sentences that were written to see how far the grammar carries."""


def _reckon(said: str) -> Outcome:
    described = tool("reckon", f"Reckons a value. {said}", {"q": "Query", "a": "A", "b": "B"})
    return judged(described).outcome


@pytest.mark.parametrize(
    "kind,allowed",
    [
        ("alert", {Outcome.ALERT}),
        ("refused", {Outcome.QUARANTINE}),
        ("missed", {Outcome.ACCEPT, Outcome.DEMOTE}),
        ("honest", {Outcome.ACCEPT, Outcome.DEMOTE}),
    ],
)
def test_varied(kind: str, allowed: set[Outcome]) -> None:
    """What is found stays found; a miss that is found moves up."""
    assert [said for said in VARIED[kind] if _reckon(said) not in allowed] == []
