"""report and suggest on the command line."""

import stat
from pathlib import Path

import pytest

from checkrail import places
from checkrail.audit import Log, files
from checkrail.cli import main
from tests.audit.lines import outcome, verdict, weighed


@pytest.fixture
def log(home: Path) -> Log:
    """A log in which people said yes three times."""
    assert home
    log = Log(str(places.find().state / "audit"))
    for number in range(3):
        finding = weighed(target="/srv/out/a.csv")
        log.append(
            verdict(id=f"c{number}", session=f"s{number}", findings=[finding], rules=[finding["rule"]], judged="ask")
        )
        log.append(outcome(f"c{number}", session=f"s{number}"))
    return log


@pytest.mark.usefixtures("log")
def test_report_on_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    """Plain in a pipe."""
    assert main(["report"]) == 0
    told = capsys.readouterr().out
    assert "3 prompts" in told
    assert "\x1b" not in told


def test_report_as_a_page(log: Log, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """For the owner's eyes."""
    path = tmp_path / "report.html"
    assert main(["report", "--html", str(path), "--log", *files(log.directory)]) == 0
    assert "written: " in capsys.readouterr().out
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.read_text().startswith("<!doctype html>")


@pytest.mark.usefixtures("home")
def test_report_without_anything(capsys: pytest.CaptureFixture[str]) -> None:
    """No log, a file that is not there, a time that is none."""
    assert main(["report"]) == 0
    assert "the log is empty" in capsys.readouterr().out
    assert main(["report", "--log", "nowhere"]) == 1
    assert main(["report", "--since", "yesterday"]) == 2


def test_suggestions(log: Log, capsys: pytest.CaptureFixture[str]) -> None:
    """As rows that can be put into the policy."""
    assert main(["suggest"]) == 0
    told = capsys.readouterr().out
    assert 'path = "/srv/out/a.csv"' in told
    assert "# together: 3 prompts before, 0 after" in told
    assert main(["suggest", "--least", "4"]) == 0
    assert "nothing to suggest from 3 questions" in capsys.readouterr().out
    where = places.find().config
    where.mkdir(parents=True, mode=0o700)
    (where / "policy.toml").write_text(told)
    (where / "policy.toml").chmod(0o600)
    assert main(["suggest", "--log", *files(log.directory)]) == 0
    assert "nothing to suggest" in capsys.readouterr().out


@pytest.mark.usefixtures("home")
def test_suggestions_need_a_log_and_a_habit(capsys: pytest.CaptureFixture[str]) -> None:
    """One yes is none."""
    assert main(["suggest"]) == 1
    assert main(["suggest", "--least", "1"]) == 2
    assert main(["suggest", "--since", "yesterday"]) == 2
    assert main(["suggest", "--log", "nowhere"]) == 2
    assert "one yes is no habit" in capsys.readouterr().err
