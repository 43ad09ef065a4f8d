"""A command whose name takes a winding way is seen, or asked about (a bounded number; the module runs more by hand)."""

import pytest

from tests.differential.test_shell_programs import version
from tests.differential.value_programs import compare, program, shown
from tests.judging import judged


@pytest.mark.skipif(version() < (5, 2), reason="needs bash 5.2 to compare with")
def test_what_bash_runs_is_seen() -> None:
    """Where bash ran the marker, the reading shows it or the call is asked about."""
    found, missed = compare(150, 20261201)
    assert found["ran"] > 100
    assert missed == []


def test_the_comparison_can_fail() -> None:
    """A program that does not run the marker does not show it."""
    assert not shown(judged("v0=pwned; echo $v0"))


def test_programs_are_made_of_steps_and_a_sink() -> None:
    """The same seed gives the same program."""
    import random

    assert program(random.Random(7), "pwned") == program(random.Random(7), "pwned")
    assert "pwned" in program(random.Random(7), "pwned")
