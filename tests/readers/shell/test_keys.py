"""Commands that show only the names in a file of variables, and what looks alike."""

import shlex

import pytest

from checkrail.readers.shell import keys

NAMES = (
    "cut -d= -f1 .env",
    "cut -f 1 -d = .env",
    "awk -F= '{print $1}' .env",
    "awk -F= '/^[A-Z]/ {print $1}' .env",
    "sed 's/=.*/=***/' .env",
    "sed -E '/^#/d; s/=.*//' .env",
    "grep -c . .env",
    "grep -qE '^(export )?A=' .env",
    "grep -q DATABASE_URL .env",
    "grep -oE '^[A-Z_]+=' .env",
    "grep -nE '^(PORT|HOST)=' .env",
    "rg -n BACKEND_PORT .env",
    "wc -l .env",
)
VALUES = (
    "cut -d= -f2 .env",
    "cut -d= -f1,2 .env",
    "cut -d: -f1 .env",
    "awk -F= '{print $2}' .env",
    "awk '{print $1}' .env",
    "sed 's/=.*/&/' .env",
    "sed 's/KEY=.*/KEY=/' .env",
    "sed -i 's/=.*//' .env",
    "grep -q sk_live .env",
    "grep -qE '^A=s' .env",
    "grep -cE 'A=|s' .env",
    "grep -oE '^A=.*' .env",
    "grep -vc PORT= .env",
    "grep -A1 '^PORT=' .env",
    "grep '^API_KEY=' .env",
    "grep PORT .env",
    "head -1 .env",
)


@pytest.mark.parametrize("line", NAMES)
def test_names_and_numbers_are_no_values(line: str) -> None:
    """What is printed tells nothing about a value that is a secret."""
    name, *texts = shlex.split(line)
    assert keys.shows_names(name, texts)


@pytest.mark.parametrize("line", VALUES)
def test_anything_else_may_show_a_value(line: str) -> None:
    """A form that is not one of the known ones counts as reading."""
    name, *texts = shlex.split(line)
    assert not keys.shows_names(name, texts)
