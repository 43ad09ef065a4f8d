"""What somebody without the key can do to a log, and what a crash can, shows; and nothing else does."""

import multiprocessing
import os
import shutil
import signal
import time
from collections.abc import Callable
from multiprocessing.sharedctypes import Synchronized
from pathlib import Path

import pytest

from checkrail.audit import Log, files, verify
from checkrail.audit import log as log_module
from checkrail.audit.log import FILES

NOVEMBER = 1_795_000_000.0
DAY = 86400.0


@pytest.fixture
def folder(tmp_path: Path) -> str:
    """A log of nine lines in three files."""
    return written(tmp_path / "audit")


def written(place: Path) -> str:
    """Writes such a log."""
    log = Log(str(place), max_bytes=100_000)
    for number in range(9):
        assert log.append({"n": number, "text": "x" * 4000}, now=NOVEMBER) == ""
    assert len(files(log.directory)) == 3
    return log.directory


def problems(folder: str) -> tuple[str, ...]:
    """What verify says."""
    return verify(folder).problems


def rewrite(path: str, change: Callable[[list[str]], list[str]]) -> None:
    """Changes the lines of a file."""
    place = Path(path)
    place.write_text("".join(change(place.read_text().splitlines(keepends=True))))


def test_a_log_in_several_files_is_whole(folder: str) -> None:
    """To start with."""
    assert problems(folder) == ()


@pytest.mark.parametrize(
    ("which", "change", "told"),
    [
        (0, lambda lines: lines[1:], "0001.jsonl:1: the 1 lines before it are missing"),
        (1, lambda lines: lines[1:], "0002.jsonl:1: 1 lines are missing before it"),
        (1, lambda lines: lines[:-1], "0003.jsonl:1: 1 lines are missing before it"),
        (2, lambda lines: lines[:-1], "the last 1 lines are missing"),
        (1, lambda lines: lines[:1] + lines[2:], "0002.jsonl:2: 1 lines are missing before it"),
        (1, lambda lines: [*lines, lines[-1]], "0002.jsonl:4: line 6 stands after line 6"),
        (1, lambda lines: [lines[1], lines[0], lines[2]], "0002.jsonl:1: 1 lines are missing before it"),
        (2, lambda lines: [lines[0].replace("xx", "xy"), *lines[1:]], "0003.jsonl:1: the line was changed"),
        (1, lambda _lines: [], "0003.jsonl:1: 3 lines are missing before it"),
        (2, lambda _lines: [], "the last 3 lines are missing"),
    ],
)
def test_the_first_broken_place_is_named_first(
    folder: str, which: int, change: Callable[[list[str]], list[str]], told: str
) -> None:
    """In the file where it is; and it still shows when the log has gone on."""
    rewrite(files(folder)[which], change)
    assert told in problems(folder)[0]
    Log(folder, max_bytes=100_000).append({"n": "more"}, now=NOVEMBER)
    assert len(problems(folder)) >= 1


@pytest.mark.parametrize("which", [0, 1, 2])
def test_a_file_that_was_removed_shows(folder: str, which: int) -> None:
    """Also when the log has gone on."""
    os.unlink(files(folder)[which])
    assert "missing" in problems(folder)[0]
    Log(folder, max_bytes=100_000).append({"n": "more"}, now=NOVEMBER)
    assert "missing" in problems(folder)[0]


def test_files_that_changed_places_show(folder: str) -> None:
    """Their names are not what holds the order."""
    first, second, _ = files(folder)
    os.rename(first, first + ".x")
    os.rename(second, first)
    os.rename(first + ".x", second)
    assert "the 3 lines before it are missing" in problems(folder)[0]
    assert "line 1 stands after line 6" in problems(folder)[1]


def test_two_logs_spliced_show(folder: str, tmp_path: Path) -> None:
    """By another key as by the same."""
    other = written(tmp_path / "other")
    same = tmp_path / "same"
    same.mkdir(mode=0o700)
    shutil.copy(os.path.join(folder, "audit.key"), same / "audit.key")
    written(same)
    rewrite(files(folder)[1], lambda _lines: Path(files(other)[1]).read_text().splitlines(keepends=True))
    assert "0002.jsonl:1: the line was changed" in problems(folder)[0]
    rewrite(files(folder)[1], lambda _lines: Path(files(str(same))[1]).read_text().splitlines(keepends=True))
    assert "0002.jsonl:1: " in problems(folder)[0]


def test_a_cut_end_whose_head_was_removed_shows_for_ever(folder: str) -> None:
    """The next line makes a new head, but says so."""
    rewrite(files(folder)[2], lambda lines: lines[:1])
    os.unlink(os.path.join(folder, "head"))
    assert "the head is missing" in problems(folder)[-1]
    log = Log(folder, max_bytes=100_000)
    for _ in range(3):
        log.append({"n": "more"}, now=NOVEMBER)
    (problem,) = problems(folder)
    assert "0003.jsonl:2: the head was missing or changed: lines before this one may have been cut off" in problem


def test_a_log_that_was_removed_but_for_its_key_shows(folder: str) -> None:
    """All lines and the head."""
    for path in (*files(folder), os.path.join(folder, "head")):
        os.unlink(path)
    Log(folder).append({"n": "more"})
    assert "the head was missing" in problems(folder)[0]


def test_an_old_head_shows(folder: str) -> None:
    """It names a line that is not the last, or the right number with another mark."""
    head = Path(folder, "head")
    kept = head.read_bytes()
    log = Log(folder, max_bytes=100_000)
    log.append({}, now=NOVEMBER)
    head.write_bytes(kept)
    assert problems(folder) == ()  # one line: a writer may have been killed in between
    log.append({}, now=NOVEMBER)
    log.append({}, now=NOVEMBER)
    head.write_bytes(kept)
    assert "the head is 3 lines older than the log" in problems(folder)[0]


def test_a_head_that_is_one_behind_is_mended_over_a_new_file(folder: str) -> None:
    """A writer was killed after its line; the next one starts a file."""
    head = Path(folder, "head")
    kept = head.read_bytes()
    log = Log(folder, max_bytes=100_000)
    log.append({}, now=NOVEMBER)
    head.write_bytes(kept)
    before = len(files(folder))
    log.append({}, now=NOVEMBER + 31 * DAY)
    assert len(files(folder)) == before + 1
    assert problems(folder) == ()


def test_a_line_that_only_lacks_its_end_is_whole(folder: str) -> None:
    """The next one starts on a line of its own."""
    rewrite(files(folder)[2], lambda lines: [*lines[:-1], lines[-1].rstrip("\n")])
    assert problems(folder) == ()
    Log(folder, max_bytes=100_000).append({}, now=NOVEMBER)
    assert problems(folder) == ()


def test_expired_files_leave_no_room_for_more(folder: str) -> None:
    """The log says up to which line it expired; what is missing beyond that shows."""
    log = Log(folder, max_bytes=100_000)
    for number in range(3 * FILES):
        log.append({"n": number, "text": "x" * 11_000}, now=NOVEMBER)
    assert problems(folder) == ()
    os.unlink(files(folder)[0])
    assert "lines before it are missing" in problems(folder)[0]


def test_an_old_date_in_the_middle_makes_no_gap(folder: str) -> None:
    """Only a beginning of the log expires."""
    os.utime(files(folder)[1], (0, 0))
    Log(folder, max_bytes=100_000).append({}, now=NOVEMBER + 31 * DAY)
    assert len(files(folder)) == 4
    assert problems(folder) == ()


def test_a_clock_that_was_set_back_keeps_the_order(folder: str) -> None:
    """The file that is there goes on."""
    log = Log(folder, max_bytes=100_000)
    log.append({}, now=NOVEMBER - 62 * DAY)
    log.append({}, now=NOVEMBER)
    assert problems(folder) == ()


def test_other_files_do_no_harm(folder: str) -> None:
    """They are no part of the log."""
    for name in ("audit-zzz.jsonl", "audit-2099-01-01.jsonl", "audit-2026-11-0001.jsonl.bak", "audit-.jsonl"):
        Path(folder, name).write_text("nonsense\n")
    assert Log(folder, max_bytes=100_000).append({}, now=NOVEMBER) == ""
    assert problems(folder) == ()


def test_more_files_than_four_digits_count(tmp_path: Path) -> None:
    """In a month."""
    place = written(tmp_path / "audit")
    for path, number in zip(files(place), (9997, 9998, 9999), strict=True):
        os.rename(path, os.path.join(place, f"audit-2026-11-{number}.jsonl"))
    log = Log(place, max_bytes=100_000)
    for number in range(9):
        log.append({"n": number, "text": "x" * 4000}, now=NOVEMBER)
    assert [os.path.basename(path)[14:-6] for path in files(place)] == [
        "9997",
        "9998",
        "9999",
        "10000",
        "10001",
        "10002",
    ]
    assert problems(place) == ()


def _write_many(log: Log, count: int, failed: "Synchronized[int]") -> None:
    for number in range(count):
        if log.append({"n": number, "text": "x" * 300}):
            with failed.get_lock():
                failed.value += 1


def test_sixteen_writers_lose_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One chain over many files, while another verifies again and again."""
    monkeypatch.setattr(log_module, "LOCK_SECONDS", 30.0)  # how busy the machine is, is not what is tested
    log = Log(str(tmp_path / "audit"), max_bytes=8_000_000)
    log.append({})
    context = multiprocessing.get_context("fork")
    failed = context.Value("i", 0)
    workers = [context.Process(target=_write_many, args=(log, 500, failed)) for _ in range(16)]
    for worker in workers:
        worker.start()
    while any(worker.is_alive() for worker in workers):
        assert problems(log.directory) == ()
        time.sleep(0.1)
    for worker in workers:
        worker.join(60)
        assert worker.exitcode == 0
    report = verify(log.directory)
    assert (report.lines, report.problems, failed.value) == (8001, (), 0)
    assert len(files(log.directory)) > 3


def _write_on(log: Log) -> None:
    while True:
        log.append({"text": "x" * 300})


def test_a_writer_that_is_killed_leaves_a_whole_chain(tmp_path: Path) -> None:
    """At any moment, again and again; those that come after go on."""
    log = Log(str(tmp_path / "audit"), max_bytes=200_000)
    context = multiprocessing.get_context("fork")
    for turn in range(12):
        workers = [context.Process(target=_write_on, args=(log,)) for _ in range(2)]
        for worker in workers:
            worker.start()
        time.sleep(0.02 + turn * 0.003)
        for worker in workers:
            assert worker.pid
            os.kill(worker.pid, signal.SIGKILL)
            worker.join(10)
        assert problems(log.directory) == ()
    assert log.append({}) == ""
    assert verify(log.directory).lines > 12
    assert problems(log.directory) == ()


def test_a_copy_without_its_lock_is_verified(folder: str, tmp_path: Path) -> None:
    """And one without its key cannot be."""
    copy = str(tmp_path / "copy")
    shutil.copytree(folder, copy)
    os.unlink(os.path.join(copy, "lock"))
    assert problems(copy) == ()
    os.unlink(os.path.join(copy, "audit.key"))
    with pytest.raises(FileNotFoundError):
        verify(copy)
