"""Colours on a terminal only."""

import sys

import pytest

from checkrail.cli import terminal


@pytest.mark.parametrize(
    ("tty", "variables", "coloured"),
    [
        (True, {}, True),
        (False, {}, False),
        (True, {"NO_COLOR": "1"}, False),
        (True, {"TERM": "dumb"}, False),
    ],
)
def test_colours_are_for_terminals(
    tty: bool, variables: dict[str, str], coloured: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And for people who want them."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: tty)
    assert terminal.coloured() is coloured
    assert terminal.decision("deny") == ("\033[31mdeny\033[0m" if coloured else "deny")
