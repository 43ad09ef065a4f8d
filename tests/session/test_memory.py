"""The store: what is written is there, bounded, private, and never taken for empty where it cannot be read."""

import os
import stat
import threading
from array import array
from pathlib import Path

import pytest

from checkrail.policy import Keep
from checkrail.session import facts, memory
from checkrail.session.capabilities import Deed
from checkrail.session.facts import Occurrence
from checkrail.session.memory import Head, Sources, Store, Unreadable


def ingest(store: Store, who: str, number: int = 1) -> None:
    """One fact."""
    with store.change(who) as change:
        change.state.seq += 1
        seen = Occurrence(change.state.seq, change.now, "WebFetch", "", str(number), "seen")
        facts.happened(
            change.state, (Deed("external-ingestion", "example.org", "example.org", ("UNTRUSTED_WEB",)),), seen
        )


def _sources(store: Store) -> Sources:
    """The sources of the session ``a`` as it is now."""
    return store.sources("a", store.mark("a") or 0)


def test_what_is_written_is_there_for_another_process(tmp_path: Path) -> None:
    """Through a store of its own."""
    ingest(Store(tmp_path / "s"), "a")
    held = Store(tmp_path / "s").load("a")
    assert held is not None
    assert [fact.cls for fact in held.state.facts] == ["example.org"]
    assert Store(tmp_path / "s").load("b") is None


def test_a_reader_that_has_it_already_sees_a_change(tmp_path: Path) -> None:
    """By the mark."""
    reader, writer = Store(tmp_path / "s"), Store(tmp_path / "s")
    ingest(writer, "a", 1)
    first = reader.load("a")
    assert first is reader.load("a")
    ingest(writer, "a", 2)
    second = reader.load("a")
    assert first is not None and second is not None
    assert second.version == first.version + 1


def test_nothing_is_made_for_a_look(tmp_path: Path) -> None:
    """A session that is not known opens nothing."""
    assert Store(tmp_path / "s").load("a") is None
    assert not (tmp_path / "s").exists()


def test_files_are_the_users_alone(tmp_path: Path) -> None:
    """Modes of folder and files."""
    ingest(Store(tmp_path / "s"), "a")
    assert stat.S_IMODE(os.stat(tmp_path / "s").st_mode) == 0o700
    assert {stat.S_IMODE(place.stat().st_mode) for place in (tmp_path / "s").iterdir()} == {0o600}


@pytest.mark.parametrize("harm", ["corrupt", "gone", "newer"])
def test_what_cannot_be_read_is_not_empty(tmp_path: Path, harm: str) -> None:
    """A mark is left, so there was something."""
    store = Store(tmp_path / "s")
    ingest(store, "a")
    if harm == "newer":
        import sqlite3

        with sqlite3.connect(store.path) as db:
            db.execute("PRAGMA user_version=99")
    else:
        for place in (tmp_path / "s").glob("memory.sqlite*"):
            place.unlink()
        if harm == "corrupt":
            store.path.write_bytes(b"no database" * 1000)
    os.utime(tmp_path / "s" / "seen-a", (1, 1))
    with pytest.raises(Unreadable):
        Store(tmp_path / "s").load("a")


def test_old_sessions_go_and_the_oldest_of_too_many(tmp_path: Path) -> None:
    """The others stay."""
    now = [1_000_000.0]
    store = Store(tmp_path / "s", clock=lambda: now[0], keep=Keep(sessions=3))
    for number in range(5):
        now[0] += 1
        ingest(store, f"w{number}")
    assert [who for who, *_ in store.sessions()] == ["w4", "w3", "w2"]
    assert store.load("w0") is None
    now[0] += 7 * memory.DAY_S + 10
    ingest(store, "late")
    assert [who for who, *_ in store.sessions()] == ["late"]


def test_sources_make_room_for_one_another_and_facts_stay(tmp_path: Path) -> None:
    """The oldest go first."""
    store = Store(tmp_path / "s")
    ingest(store, "a")
    for number in range(Keep().sources + 5):
        with store.change("a") as change:
            change.add(
                Head("example.org", "WebFetch", str(number), change.now, ("UNTRUSTED_WEB",)), array("Q", [number])
            )
    found = _sources(store)
    assert len(found.heads) == Keep().sources
    assert next(iter(found.heads.values())).target == "5"
    assert [head.target for head in found.of([6])] == ["6"]
    with store.change("a") as change:
        change.add(Head("example.org", "WebFetch", "late", change.now, ("UNTRUSTED_WEB",)), array("Q", [6]))
    again = _sources(store)
    assert [head.target for head in again.of([6])] == ["6", "late"]
    assert 5 not in again.index
    held = store.load("a")
    assert held is not None and len(held.state.facts) == 1


def test_many_writers_lose_nothing(tmp_path: Path) -> None:
    """One transaction each."""

    def work() -> None:
        store = Store(tmp_path / "s")
        for number in range(10):
            ingest(store, "a", number)

    ingest(Store(tmp_path / "s"), "a")
    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    held = Store(tmp_path / "s").load("a")
    assert held is not None
    assert held.state.seq == 41


def test_forgetting(tmp_path: Path) -> None:
    """One session, or everything with what cannot be read."""
    store = Store(tmp_path / "s")
    ingest(store, "a")
    ingest(store, "b")
    store.forget(["a"])
    assert store.load("a") is None
    store.path.write_bytes(b"broken" * 999)
    store.forget_all()
    assert Store(tmp_path / "s").load("b") is None


def test_what_could_not_be_stored_taints(tmp_path: Path) -> None:
    """Also once the store can be written again, until a person lets it be forgotten."""
    store = Store(tmp_path / "s")
    ingest(store, "a")
    store.lose("a")
    for _ in range(2):
        with pytest.raises(Unreadable, match="could not be stored"):
            Store(tmp_path / "s").load("a")
        ingest(store, "a")
    store.forget(["a"])
    assert store.load("a") is None


def test_sources_that_make_room_are_gone_from_the_index(tmp_path: Path) -> None:
    """For a reader that has read them before, too; a print that another one holds stays."""
    store = Store(tmp_path / "s")
    ingest(store, "a")
    for number in range(Keep().sources + 2):
        with store.change("a") as change:
            change.add(Head("c", "t", str(number), number, ()), array("Q", [7, 1000 + number]))
        if number % 50 == 0:
            _sources(store)
    for found in (_sources(store), _sources(Store(tmp_path / "s"))):
        assert len(found.heads) == Keep().sources
        assert 1000 not in found.index and 1001 not in found.index
        assert [head.target for head in found.of([1002])] == ["2"]
        assert len(found.of([7])) == Keep().sources
