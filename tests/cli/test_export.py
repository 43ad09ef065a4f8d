"""export on the command line."""

import sys
from pathlib import Path

import pytest

from checkrail import places
from checkrail.audit import Log, files, otlp
from checkrail.cli import main
from tests.audit.collectors import Collector
from tests.audit.lines import verdict

WORDS = ["export", "otlp", "--endpoint", "http://localhost:4318"]


@pytest.fixture
def log(home: Path) -> Log:
    """A log of two lines."""
    assert home
    log = Log(str(places.find().state / "audit"))
    log.append(verdict())
    log.append(verdict())
    return log


def test_sends_and_says_how_much(log: Log, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Then nothing is new; then the log was cut."""
    monkeypatch.setattr(otlp, "exporter", lambda *_: Collector())
    assert main(WORDS) == 0
    assert main(WORDS) == 0
    assert capsys.readouterr().out.splitlines() == [f"{n} lines sent to http://localhost:4318/v1/logs" for n in (2, 0)]
    Path(files(log.directory)[0]).write_text("")
    assert main(WORDS) == 3
    assert "its end was cut off" in capsys.readouterr().err


@pytest.mark.usefixtures("log")
def test_without_the_library(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """It says how to get it."""
    monkeypatch.setitem(sys.modules, "opentelemetry.exporter.otlp.proto.http._log_exporter", None)
    assert main(WORDS) == 2
    assert "pip install 'checkrail[otlp]'" in capsys.readouterr().err


@pytest.mark.usefixtures("home")
def test_no_log_and_no_endpoint(capsys: pytest.CaptureFixture[str]) -> None:
    """Each is said."""
    assert main(WORDS) == 1
    assert main(["export", "otlp", "--endpoint", "nowhere"]) == 2
    assert "is no http or https URL" in capsys.readouterr().err
