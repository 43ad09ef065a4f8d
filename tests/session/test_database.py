"""Connections: kept between transactions, and never used where they would be somebody else's."""

import sqlite3
import threading
from pathlib import Path

import pytest

from checkrail.session import database
from checkrail.session.database import Kept, Kind

KIND = Kind(version=1, schema="CREATE TABLE t(x); PRAGMA user_version=1;", synchronous="NORMAL", busy_s=0.5)


def _put(path: Path, kept: Kept | None, value: int) -> sqlite3.Connection:
    with database.transaction(path, KIND, "IMMEDIATE", kept) as db:
        db.execute("INSERT INTO t VALUES(?)", (value,))
        return db


def _values(path: Path, kept: Kept | None = None) -> list[int]:
    with database.transaction(path, KIND, "DEFERRED", kept) as db:
        return [value for (value,) in db.execute("SELECT x FROM t")]


def test_a_connection_is_used_again(tmp_path: Path) -> None:
    """And what it commits is there for others."""
    path, kept = tmp_path / "d/f", Kept()
    assert _put(path, kept, 1) is _put(path, kept, 2)
    assert _values(path) == _values(path, kept) == [1, 2]


def test_a_file_in_its_place_is_another_file(tmp_path: Path) -> None:
    """The old connection would write into nowhere."""
    path, kept = tmp_path / "d/f", Kept()
    _put(path, kept, 1)
    for place in path.parent.iterdir():
        place.unlink()
    _put(path, kept, 2)
    assert _values(path) == [2]


def test_within_another_and_in_another_thread_it_is_one_of_their_own(tmp_path: Path) -> None:
    """The inner one sees what was committed before; the thread gets along."""
    path, kept = tmp_path / "d/f", Kept()
    _put(path, kept, 1)
    with database.transaction(path, KIND, "IMMEDIATE", kept) as db:
        db.execute("INSERT INTO t VALUES(2)")
        assert _values(path, kept) == [1]
    seen: list[list[int]] = []
    thread = threading.Thread(target=lambda: seen.append(_values(path, kept)))
    thread.start()
    thread.join()
    assert seen == [[1, 2]] == [_values(path, kept)]


def test_an_error_undoes_and_closes(tmp_path: Path) -> None:
    """The next transaction begins anew."""
    path, kept = tmp_path / "d/f", Kept()
    first = _put(path, kept, 1)
    with pytest.raises(RuntimeError), database.transaction(path, KIND, "IMMEDIATE", kept) as db:
        db.execute("INSERT INTO t VALUES(2)")
        raise RuntimeError
    assert _values(path, kept) == [1]
    assert _put(path, kept, 3) is not first


def test_a_link_in_its_place_is_refused(tmp_path: Path) -> None:
    """It could lead to any file of the user's."""
    (tmp_path / "d").mkdir(mode=0o700)
    (tmp_path / "d/f").symlink_to(tmp_path / "other")
    with pytest.raises(OSError):
        _put(tmp_path / "d/f", None, 1)
    assert not (tmp_path / "other").exists()
