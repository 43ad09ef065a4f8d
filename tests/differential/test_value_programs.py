"""A command whose name or argument takes a winding way is seen, or asked about (a bounded number; the module runs more by hand)."""

import random
from pathlib import Path

import pytest

from tests.differential.test_shell_programs import version
from tests.differential.value_programs import DANGEROUS, MARKER, Bench, Made, compare, misses, program


@pytest.mark.skipif(version() < (5, 2), reason="needs bash 5.2 to compare with")
def test_what_bash_runs_is_seen(tmp_path: Path) -> None:
    """Where bash ran the marker, the dangerous twin is not allowed; where it got an argument, the reading shows it."""
    found, missed = compare(200, 20261201, tmp_path)
    assert found["ran"] > 130
    assert missed == []


def test_the_comparison_can_fail(tmp_path: Path) -> None:
    """A program that would run in truth and is read as harmless is told, and so is an argument that is not there."""
    made = Made("zebras a", True, ())
    assert misses(made, "echo reboot", [["a"]]) == "allowed"
    assert misses(made, "reboot a", [["b"]]) == "argument ['b']"
    assert misses(made, "reboot a", [["a"]]) == ""
    assert Bench(tmp_path).runs("zebras 'a b' c") == [["a b", "c"]]


def test_programs_are_the_same_for_each_word() -> None:
    """The seed decides all but the word, so that the twins differ in nothing else."""
    for seed in range(50):
        text = program(random.Random(seed), MARKER).text
        assert program(random.Random(seed), MARKER).text == text
        assert len(program(random.Random(seed), DANGEROUS).text) - len(text) in range(-40, 41)
