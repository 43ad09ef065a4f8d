"""The table of subcommands, and what they share."""

import importlib
from pathlib import Path

import pytest

from checkrail import __version__, cli
from checkrail.cli import COMMANDS, main


def test_every_command_has_its_module() -> None:
    """And every module its command; version is printed by the table itself."""
    shared = {"__init__", "connect", "terminal", "judging", "person", "plugin_changes", "plugin_shown", "wrapping"}
    modules = {path.stem for path in Path(cli.__file__).parent.glob("*.py")} - shared
    assert modules == set(COMMANDS) - {"version"}
    for name in modules:
        module = importlib.import_module(f"checkrail.cli.{name}")
        assert callable(module.configure)
        assert callable(module.run)
        assert module.__doc__


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    """Also where nothing is asked."""
    for words in (["--help"], []):
        assert main(words) == 0
        told = capsys.readouterr().out
        assert all(name in told for name in COMMANDS)


def test_version_and_unknown_commands(capsys: pytest.CaptureFixture[str]) -> None:
    """0 and 2."""
    assert main(["version"]) == 0
    assert capsys.readouterr().out == f"checkrail {__version__}\n"
    assert main(["chekc"]) == 2
    assert "no command 'chekc'" in capsys.readouterr().err


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "version"])
def test_every_command_explains_itself(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """With --help."""
    with pytest.raises(SystemExit) as caught:
        main([name, "--help"])
    assert caught.value.code == 0
    assert f"checkrail {name}" in capsys.readouterr().out
