"""Reading on, whatever happens to the files meanwhile."""

import json
import os
from pathlib import Path

import pytest

from checkrail.audit import Log, files
from checkrail.audit.log import FILES
from checkrail.audit.tail import Position, after

NOVEMBER = 1_795_000_000.0


@pytest.fixture
def log(tmp_path: Path) -> Log:
    """A log that turns to a new file after three lines."""
    return Log(str(tmp_path / "audit"), max_bytes=100_000)


def write(log: Log, *numbers: int) -> None:
    """Lines."""
    for number in numbers:
        log.append({"n": number, "text": "x" * 4000}, now=NOVEMBER)


def read(log: Log, at: Position) -> tuple[list[int], Position]:
    """What is new."""
    new = list(after(log.directory, at))
    return [json.loads(line)["n"] for line, _ in new], new[-1][1] if new else at


def test_what_is_new_is_read_across_files(log: Log) -> None:
    """Each line once, also where several files were begun in between."""
    write(log, 1, 2)
    found, at = read(log, Position())
    assert found == [1, 2]
    assert read(log, at) == ([], at)
    write(log, *range(3, 12))
    assert len(files(log.directory)) > 3
    found, at = read(log, at)
    assert found == list(range(3, 12))
    assert read(log, at) == ([], at)


def test_a_line_that_is_not_finished_waits(log: Log) -> None:
    """Until it is."""
    write(log, 1)
    with open(files(log.directory)[0], "ab") as handle:
        handle.write(b'{"n":')
        handle.flush()
        found, at = read(log, Position())
        assert found == [1]
        handle.write(b"2}\n")
    assert read(log, at)[0] == [2]


def test_files_that_expire_are_passed_over(log: Log) -> None:
    """What is left is read."""
    write(log, 1)
    _, at = read(log, Position())
    write(log, *range(2, 5 * FILES))
    assert not os.path.exists(at.path)
    found = [json.loads(line).get("n") for line, _ in after(log.directory, at)]
    assert 5 * FILES - 1 in found
    assert 2 not in found


def test_a_file_that_became_shorter_is_read_again(log: Log) -> None:
    """Rather than never."""
    write(log, 1, 2)
    _, at = read(log, Position())
    path = Path(files(log.directory)[0])
    path.write_text(path.read_text().splitlines(keepends=True)[0])
    assert read(log, at)[0] == [1]
