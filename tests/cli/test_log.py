"""log on the command line."""

import csv
import io
import json
import threading
import time
from pathlib import Path

import pytest

from checkrail.audit import Log, files
from checkrail.cli import log as command
from checkrail.cli import main
from tests.audit.lines import outcome, verdict


@pytest.fixture
def log(home: Path) -> Log:
    """A log of a few lines in the user's place."""
    assert home
    from checkrail import places

    log = Log(str(places.find().state / "audit"), max_bytes=100_000)
    for entry in (
        verdict(decision="allow", rules=[], summary="ls"),
        outcome(),
        verdict(summary="git push \x1b[2K\u202e", session="s2"),
        verdict(summary="=cmd|' /C calc'!A1", decision="deny", rules=["floor.x"], agent="codex"),
    ):
        log.append(entry)
    return log


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> list[str]:
    """What the command prints, line by line."""
    assert main(["log", *words]) == 0
    return capsys.readouterr().out.splitlines()


@pytest.mark.usefixtures("log")
def test_lines_are_chosen(capsys: pytest.CaptureFixture[str]) -> None:
    """By decision, rule, agent, session, text, number."""
    assert len(printed(capsys)) == 3
    assert len(printed(capsys, "--outcomes")) == 4
    assert len(printed(capsys, "--limit", "1")) == 1
    assert len(printed(capsys, "--decision", "ask", "--decision", "deny")) == 2
    assert "[floor.x]" in printed(capsys, "--rule", "floor.*")[0]
    assert "codex" in printed(capsys, "--agent", "codex")[0]
    assert len(printed(capsys, "--session", "s2")) == 1
    assert len(printed(capsys, "--grep", "calc")) == 1
    assert printed(capsys, "--since", "2026-11-30") == []


@pytest.mark.usefixtures("log")
def test_nothing_that_an_agent_wrote_acts_on_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    """Control and direction characters are written out."""
    text = "\n".join(printed(capsys))
    assert "\\u001b[2K\\u202e" in text
    assert text.replace("\n", "").isprintable()


@pytest.mark.usefixtures("log")
def test_json_is_the_lines_as_they_stand(log: Log, capsys: pytest.CaptureFixture[str]) -> None:
    """With their marks."""
    found = printed(capsys, "--format", "json", "--outcomes", "-n", "0")
    assert found == Path(files(log.directory)[0]).read_text().splitlines()
    assert printed(capsys, "--json", "-n", "1") == found[-1:]


@pytest.mark.usefixtures("log")
def test_csv_is_a_table_without_formulas(capsys: pytest.CaptureFixture[str]) -> None:
    """A header, one row a line, and nothing that a spreadsheet would run."""
    found = list(csv.DictReader(io.StringIO("\n".join(printed(capsys, "--format", "csv")))))
    assert [row["decision"] for row in found] == ["allow", "ask", "deny"]
    assert found[2]["summary"] == "'=cmd|' /C calc'!A1"
    assert found[1]["rules"] == "git.push"
    assert tuple(found[0]) == command.COLUMNS


@pytest.mark.usefixtures("home")
def test_a_time_that_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    """Is wrong usage."""
    with pytest.raises(SystemExit):
        main(["log", "--since", "yesterday"])
    assert "is no time such as" in capsys.readouterr().err


@pytest.mark.usefixtures("home")
def test_no_log_yet(capsys: pytest.CaptureFixture[str]) -> None:
    """Shows nothing."""
    assert printed(capsys) == []


def test_following_goes_across_files(
    log: Log, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What comes while it runs is shown once, in order."""
    monkeypatch.setattr(command, "PAUSE", 0.01)

    def write() -> None:
        time.sleep(0.05)
        for number in range(8):
            log.append(verdict(summary=f"new {number}", input={"command": "x" * 4000}))
            time.sleep(0.01)

    turns = iter(range(60))
    real = time.sleep

    def pause(seconds: float) -> None:
        real(seconds)
        if threading.current_thread() is threading.main_thread() and next(turns, None) is None:
            raise KeyboardInterrupt

    writer = threading.Thread(target=write)
    writer.start()
    monkeypatch.setattr(time, "sleep", pause)
    assert main(["log", "-f", "--json", "-n", "1"]) == 130
    writer.join()
    found = [json.loads(line)["summary"] for line in capsys.readouterr().out.splitlines()]
    assert found[1:] == [f"new {number}" for number in range(8)]
    assert len(files(log.directory)) > 2
