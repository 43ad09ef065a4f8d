"""Assignments that change what runs next: every example of the data is executed."""

import pytest

from checkrail.model import Decision
from checkrail.readers.shell import environment
from tests.judging import decision
from tests.readers.shell.evaluation import effects, rules

EXACT, GLOBS = environment.table()
VARIABLES = {variable.names: variable for variable in (*EXACT.values(), *(held for _, held in GLOBS))}
ELSEWHERE = ("address", "runs", "git")
"""Kinds whose value is judged as what it is, an address or a command line."""
HITS = [text for variable in VARIABLES.values() if variable.kind not in ELSEWHERE for text in variable.hits]
RUNS = [text for variable in VARIABLES.values() if variable.kind == "runs" for text in variable.hits]
MISSES = [text for variable in VARIABLES.values() for text in variable.misses]


def environment_rules(program: str) -> set[str]:
    """Rules about the environment that a program meets."""
    return {rule for rule in rules(program) if rule.startswith("environment.")}


@pytest.mark.parametrize("program", HITS)
def test_a_harmful_assignment_is_seen(program: str) -> None:
    """The hits of environment.toml."""
    assert environment_rules(program)


@pytest.mark.parametrize("program", RUNS)
def test_a_tool_in_a_variable_is_a_command(program: str) -> None:
    """What it would do is judged."""
    assert "delete /home/dev" in effects(program) or environment_rules(program)


@pytest.mark.parametrize(
    "program", [text for variable in VARIABLES.values() if variable.kind == "git" for text in variable.hits]
)
def test_a_setting_of_git_is_judged_by_its_name(program: str) -> None:
    """As ``git -c`` is; one whose value is not known asks by itself."""
    assert decision(program) is not Decision.ALLOW


def test_an_agent_with_another_home_has_other_settings() -> None:
    """Only agents: builds are often given a home of their own."""
    assert environment_rules("HOME=/tmp/x claude -p hi")
    assert not environment_rules("HOME=/tmp/x npm ci")


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
