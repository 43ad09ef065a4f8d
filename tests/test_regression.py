"""Every case of the regression corpus, through decode and pipeline, on a frozen machine."""

from pathlib import Path

import pytest

from checkrail.corpus import Located, load
from checkrail.replay import problem_of, verdict_of

ROOT = Path(__file__).parent.parent / "regression_cases"
CASES = load([str(ROOT)])


def _name(located: Located) -> str:
    return f"{Path(located.path).stem}-{located.index}-{located.case.name}"[:100]


@pytest.mark.parametrize("located", CASES, ids=_name)
def test_case(located: Located) -> None:
    """The call is decided as the case says, by the rules it names."""
    verdict = verdict_of(located.case)
    problem = problem_of(located.case, verdict)
    assert not problem, f"{located.path}: {located.case.name}: {problem} ({located.case.why})"


def test_the_corpus_is_large_and_has_near_misses() -> None:
    """At least 250 cases, and at least a quarter of them pass."""
    passing = [located for located in CASES if located.case.expect == "allow"]
    assert len(CASES) >= 250
    assert len(passing) * 4 >= len(CASES)
