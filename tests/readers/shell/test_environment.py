"""Assignments that change what runs next: every example of the data is executed."""

import pytest

from checkrail.readers.shell import environment
from tests.readers.shell.evaluation import rules

EXACT, GLOBS = environment.table()
VARIABLES = {variable.names: variable for variable in (*EXACT.values(), *(held for _, held in GLOBS))}
HITS = [text for variable in VARIABLES.values() if variable.kind != "address" for text in variable.hits]
MISSES = [text for variable in VARIABLES.values() for text in variable.misses]


def environment_rules(program: str) -> set[str]:
    """Rules about the environment that a program meets."""
    return {rule for rule in rules(program) if rule.startswith("environment.")}


@pytest.mark.parametrize("program", HITS)
def test_a_harmful_assignment_is_seen(program: str) -> None:
    """The hits of environment.toml."""
    assert environment_rules(program)


@pytest.mark.parametrize("program", MISSES)
def test_an_ordinary_assignment_passes(program: str) -> None:
    """The near misses of environment.toml."""
    assert not environment_rules(program)


@pytest.mark.parametrize(
    "program",
    [
        "export LD_PRELOAD=./x.so",
        "declare -x LD_PRELOAD=./x.so",
        "typeset -x LD_PRELOAD=./x.so; ls",
        "env LD_PRELOAD=./x.so ls",
        "LD_PRELOAD=./x.so",
        "x=./x.so; LD_PRELOAD=$x ls",
        "sudo LD_PRELOAD=./x.so ls",
        "env -i LD_PRELOAD=./x.so ls",
        "bash -c 'LD_PRELOAD=./x.so ls'",
    ],
)
def test_every_way_to_assign_counts(program: str) -> None:
    """Prefixes, export, declare, env, sudo: one effect. (bash -c hands its text on.)"""
    assert environment_rules(program) or "bash -c" in program


def test_each_entry_has_examples_on_both_sides() -> None:
    """No variable stands without a hit and a near miss."""
    assert [names for names, variable in VARIABLES.items() if not (variable.hits and variable.misses)] == []
