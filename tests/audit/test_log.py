"""The log: one line an entry, one chain for all workers, and a failure that changes nothing."""

import json
import multiprocessing
import os
from pathlib import Path

import pytest

from checkrail.audit import Log, failures, files, verify
from checkrail.audit.log import FILES

NOVEMBER = 1_795_000_000.0
DAY = 86400.0


@pytest.fixture
def folder(tmp_path: Path) -> str:
    """Where the log lies."""
    return str(tmp_path / "audit")


def lines(folder: str) -> list[dict[str, object]]:
    """All entries, in order."""
    return [json.loads(line) for path in files(folder) for line in Path(path).read_text().splitlines()]


def test_entries_are_numbered_and_chained(folder: str) -> None:
    """Each names the mark of the one before."""
    log = Log(folder)
    for number in range(3):
        assert log.append({"n": number}) == ""
    found = lines(folder)
    assert [entry["number"] for entry in found] == [1, 2, 3]
    assert [entry["previous"] for entry in found] == ["", found[0]["mark"], found[1]["mark"]]
    assert verify(folder).problems == ()
    assert verify(folder).lines == 3


def test_another_process_goes_on_with_the_chain(folder: str) -> None:
    """Two logs over one directory, by turns."""
    first, second = Log(folder), Log(folder)
    for _ in range(3):
        first.append({"who": 1})
        second.append({"who": 2})
    assert [entry["number"] for entry in lines(folder)] == [1, 2, 3, 4, 5, 6]
    assert verify(folder).problems == ()


def _write_many(log: Log, count: int) -> None:
    for number in range(count):
        while log.append({"n": number, "text": "x" * 300}):
            pass


def test_many_processes_write_one_chain(folder: str) -> None:
    """No line is lost, torn or out of order, also where they share what was open before they forked."""
    log = Log(folder)
    log.append({})
    context = multiprocessing.get_context("fork")
    workers = [context.Process(target=_write_many, args=(log, 50)) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
        assert worker.exitcode == 0
    assert verify(folder).lines == 201
    assert verify(folder).problems == ()


@pytest.mark.parametrize("text", ['a\n{"forged":1}', "\x1b[2K\x7f\x9b\u2028\u202e", "ünï\ud800"])
def test_one_entry_is_one_line_of_plain_ascii(folder: str, text: str) -> None:
    """Line breaks, escape sequences and lone surrogates are escaped."""
    Log(folder).append({"text": text})
    content = Path(files(folder)[0]).read_bytes()
    assert content.count(b"\n") == 1
    assert all(32 <= byte < 127 for byte in content[:-1])
    assert json.loads(content)["text"] == text
    assert verify(folder).problems == ()


def test_everything_is_for_the_owner_alone(folder: str) -> None:
    """Directory, log, key, lock and head."""
    Log(folder).append({})
    assert os.stat(folder).st_mode & 0o077 == 0
    for name in os.listdir(folder):
        assert os.stat(os.path.join(folder, name)).st_mode & 0o077 == 0


def test_a_key_open_to_others_is_not_used(folder: str) -> None:
    """The entry is not written, and that is said."""
    Log(folder).append({})
    os.chmod(os.path.join(folder, "audit.key"), 0o644)
    assert "could not be written" in Log(folder).append({})


def test_a_failure_is_said_and_counted(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk leaves no half a line, and the next entry goes on with the chain."""
    log = Log(folder)
    log.append({"n": 1})
    real = os.write

    def full(handle: int, content: bytes) -> int:
        return real(handle, content[:10])

    monkeypatch.setattr(os, "write", full)
    assert "the disk is full" in log.append({"n": 2})
    monkeypatch.undo()
    assert failures(folder) == 1
    assert log.append({"n": 3}) == ""
    assert [entry["n"] for entry in lines(folder)] == [1, 3]
    assert verify(folder).problems == ()


def test_there_is_room_for_the_count_before_the_disk_is_full(folder: str) -> None:
    """What is there already can be overwritten then, but nothing can be made."""
    Log(folder).append({})
    assert Path(folder, "failures").stat().st_size > 0
    assert failures(folder) == 0


def test_a_lock_that_is_held_does_not_hang(folder: str) -> None:
    """It is given up after a moment."""
    import fcntl

    log = Log(folder)
    log.append({})
    with open(os.path.join(folder, "lock")) as holder:
        fcntl.flock(holder, fcntl.LOCK_EX)
        assert "holds its lock" in log.append({})
    assert log.append({}) == ""


def test_a_closed_log_holds_nothing_open_and_goes_on(folder: str) -> None:
    """When it is used again."""
    log = Log(folder)
    log.close()
    log.append({})
    before = len(os.listdir("/dev/fd"))
    log.close()
    assert len(os.listdir("/dev/fd")) == before - 2
    assert log.append({}) == ""
    assert verify(folder).problems == ()


def test_a_directory_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    """A file in its place."""
    (tmp_path / "audit").write_text("")
    assert "could not be written" in Log(str(tmp_path / "audit")).append({})


def test_a_month_has_its_file_and_a_large_one_is_followed_by_another(folder: str) -> None:
    """The chain goes on from file to file."""
    log = Log(folder, max_bytes=100_000)
    for _ in range(3):
        log.append({"text": "x" * 6000}, now=NOVEMBER)
    log.append({}, now=NOVEMBER + 31 * DAY)
    names = [os.path.basename(path) for path in files(folder)]
    assert [name[:13] for name in names] == ["audit-2026-11", "audit-2026-11", "audit-2026-12"]
    assert [name[14:18] for name in names] == ["0001", "0002", "0001"]
    assert verify(folder).problems == ()


def test_old_files_go_and_the_log_says_so(folder: str) -> None:
    """Only so many are kept, and the chain still verifies from its new start."""
    log = Log(folder, max_bytes=100_000)
    for _ in range(2 * FILES + 5):
        log.append({"text": "x" * 11_000}, now=NOVEMBER)
    assert len(files(folder)) == FILES
    assert any(entry.get("kind") == "expired" for entry in lines(folder))
    assert verify(folder).problems == ()


def test_what_is_too_old_goes(folder: str) -> None:
    """By age of the file."""
    log = Log(folder, keep_days=30)
    log.append({"n": 1}, now=NOVEMBER)
    os.utime(files(folder)[0], (NOVEMBER, NOVEMBER))
    log.append({"n": 2}, now=NOVEMBER + 40 * DAY)
    assert len(files(folder)) == 1
    assert verify(folder).problems == ()


def test_equal_operations_have_equal_signatures(folder: str, tmp_path: Path) -> None:
    """By one key; another user's key gives others."""
    log = Log(folder)
    assert log.signature(b"a") == Log(folder).signature(b"a")
    assert log.signature(b"a") != log.signature(b"b")
    assert log.signature(b"a") != Log(str(tmp_path / "other")).signature(b"a")
