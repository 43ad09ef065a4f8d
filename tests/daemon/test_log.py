"""The daemon's log stays small and private and never stands in the way."""

from pathlib import Path

import pytest

from checkrail.daemon.log import LIMIT, Log


def test_lines_are_single_and_dated(tmp_path: Path) -> None:
    """A text of several lines becomes one; the file is for the user only."""
    path = tmp_path / "log"
    Log(path).note("one\ntwo\r\x00")
    Log(path).note("three")
    first, second = path.read_text().splitlines()
    assert first.endswith("one two \x00") and second.endswith("] three")
    assert path.stat().st_mode & 0o777 == 0o600


def test_it_turns_over(tmp_path: Path) -> None:
    """Above the limit the file moves aside, replacing the one before."""
    path = tmp_path / "log"
    (tmp_path / "log.1").write_text("old")
    path.write_text("x" * (LIMIT + 1))
    Log(path).note("fresh")
    assert path.read_text().endswith("] fresh\n")
    assert (tmp_path / "log.1").stat().st_size == LIMIT + 1


def test_an_error_is_told_by_kind_and_place_only(tmp_path: Path) -> None:
    """Its text may quote what was judged."""
    try:
        raise ValueError("hunter2")
    except ValueError as error:
        Log(tmp_path / "log").failure("decision", error)
    text = (tmp_path / "log").read_text()
    assert "decision: ValueError at test_log.py:" in text
    assert "hunter2" not in text


def test_a_log_that_cannot_be_written_is_no_failure(tmp_path: Path) -> None:
    """Nor is a symbolic link followed."""
    Log(tmp_path / "missing" / "log").note("x")
    (tmp_path / "link").symlink_to(tmp_path / "target")
    Log(tmp_path / "link").note("x")
    assert not (tmp_path / "target").exists()


def test_without_a_file_it_goes_to_stderr(capfd: pytest.CaptureFixture[str]) -> None:
    """In the foreground."""
    Log(None).note("here")
    assert capfd.readouterr().err.endswith("] here\n")
