"""The unit files agree with the program that they start and the places that it uses."""

import configparser
import plistlib
from pathlib import Path

import pytest

from checkrail import places
from checkrail.daemon import __main__ as program
from checkrail.daemon import lifecycle

CONTRIB = Path(__file__).parents[2] / "contrib"


def unit(name: str) -> configparser.ConfigParser:
    """A unit file, read as systemd would for what matters here."""
    parser = configparser.ConfigParser(interpolation=None, strict=True)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read_string((CONTRIB / "systemd" / name).read_text())
    return parser


def test_the_socket_unit_listens_where_the_hook_calls() -> None:
    """At the usual path, closed to others."""
    socket = unit("checkrail.socket")["Socket"]
    assert socket["ListenStream"] == "%h" + str(places.socket_path(Path("/.local/state/checkrail"), {}))
    assert (socket["DirectoryMode"], socket["SocketMode"]) == ("0700", "0600")


def test_both_run_the_program_with_arguments_that_it_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Isolated, as the hook would start it; the service insists on its socket."""
    ran: list[dict[str, object]] = []

    def run(**options: object) -> int:
        ran.append(options)
        return 0

    monkeypatch.setattr(lifecycle, "run", run)
    service = unit("checkrail.service")["Service"]["ExecStart"].split()
    agent = plistlib.loads((CONTRIB / "launchd" / "checkrail.plist").read_bytes())["ProgramArguments"]
    for _python, isolated, module, name, *arguments in (service, agent):
        assert (isolated, module, name) == ("-I", "-m", "checkrail.daemon")
        assert program.main(arguments) == 0
    assert [(options["systemd"], options["foreground"]) for options in ran] == [(True, True), (False, False)]
