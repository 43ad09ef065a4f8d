"""Each requirement of the standard, by the packages that keep and break it."""

import pytest

from checkrail.plugins import conformance
from checkrail.plugins.conformance import Case, Requirement

CASES = [(entry, case) for entry in conformance.requirements() for case in entry.case]


@pytest.mark.parametrize("entry,case", CASES, ids=[f"{entry.number}-{case.name[:40]!r}" for entry, case in CASES])
def test_case(entry: Requirement, case: Case) -> None:
    """The reader says exactly what the table says."""
    assert conformance.judged(case) == (), entry.text


def test_every_requirement_has_both_or_a_reason() -> None:
    """A package that keeps it and one that breaks it, or whom it binds instead."""
    table = conformance.requirements()
    assert [entry.number for entry in table] == list(range(1, 83))
    lacking = [
        entry.number for entry in table if not entry.binds and {case.fault for case in entry.case} != {False, True}
    ]
    assert lacking == []


def test_names_are_unique_within_a_requirement() -> None:
    """So that a report tells which case is meant."""
    for entry in conformance.requirements():
        names = [case.name for case in entry.case]
        assert len(set(names)) == len(names), (entry.number, names)


def test_report_has_a_line_for_each() -> None:
    """Nothing differs, expansions included."""
    lines = list(conformance.report())
    assert len(lines) == 82
    assert [line for line in lines if line.wrong] == []
    assert all(line.passing and line.failing for line in lines if not line.requirement.binds)
