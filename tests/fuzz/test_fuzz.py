"""A moment of each fuzz target, and of the fuzzer itself; ``make fuzz`` runs them for long."""

import random

import pytest

from tests.fuzz.mutations import LONGEST, mutated
from tests.fuzz.run import Found, fuzzed, smaller, tried
from tests.fuzz.target import Target
from tests.fuzz.targets import TARGETS


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_nothing_breaks_in_a_moment(target: Target) -> None:
    """The same inputs each time."""
    chance, seeds = random.Random(0), list(target.seeds())
    for text in [*seeds[:20], *(mutated(chance, seeds, target.words) for _ in range(60))]:
        assert tried(target, text) == "", repr(text)


def _check(text: str) -> None:
    if "x" in text:
        raise ValueError("an x")


BROKEN = Target("broken", _check, lambda: ("aaaa",), ("x", "b"))


def test_what_breaks_is_found_once_and_made_small() -> None:
    """Down to the one character that does it."""
    *found, count = fuzzed(BROKEN, seconds=0.3, seed=1)
    assert isinstance(count, int) and count > 10
    assert len(found) == 1 and isinstance(found[0], Found)
    assert smaller(BROKEN, "a" * 500 + "x" + "b" * 500, "ValueError: an x").count("x") == 1
    assert len(smaller(BROKEN, "a" * 500 + "x" + "b" * 500, "ValueError: an x")) < 20


def test_inputs_stay_in_bounds() -> None:
    """However often a part is repeated."""
    chance = random.Random(2)
    assert all(len(mutated(chance, ["a" * 5000], ["b" * 900])) <= LONGEST for _ in range(200))
