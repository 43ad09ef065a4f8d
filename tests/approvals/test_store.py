"""Requests in a file: made once, answered by a person, used once."""

import multiprocessing
import os
import signal
import sqlite3
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from checkrail.approvals.store import MOST_WAITING_IN_SESSION, WHOLE_BYTES, Edited, Full, Store, StoreProblem
from tests.approvals.samples import PERSON, asked

NOW, LIFE = 1_000_000.0, 600.0


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """One that nobody used yet."""
    made = Store(str(tmp_path / "approvals"))
    yield made
    made.close()


def minted(store: Store, name: str = "a", now: float = NOW) -> int:
    """A request that a person said yes to."""
    request, _ = store.ask(asked(name), now=now, lifetime=LIFE)
    assert store.approve(request.number, PERSON, now=now, lifetime=LIFE)
    return request.number


def edit(store: Store, statement: str) -> None:
    """Somebody else writes into the file."""
    with sqlite3.connect(store.path) as db:
        db.execute(statement)
    db.close()


def test_an_approval_is_used_once(store: Store) -> None:
    """By exactly its operation."""
    number = minted(store)
    assert store.take("b", now=NOW) is None
    taken = store.take("a", now=NOW + 1)
    assert taken is not None
    assert (taken.number, taken.who) == (number, PERSON)
    assert store.take("a", now=NOW + 1) is None
    assert store.last_used("a") == number


def test_waiting_alone_lets_nothing_through(store: Store) -> None:
    """Nor does a refusal."""
    request, new = store.ask(asked(), now=NOW, lifetime=LIFE)
    assert new
    assert store.take("a", now=NOW) is None
    assert store.refuse(request.number, PERSON, now=NOW, lifetime=LIFE)
    assert store.take("a", now=NOW) is None
    again, new = store.ask(asked(), now=NOW + 1, lifetime=LIFE)
    assert (again.number, again.state, new) == (request.number, "refused", False)
    later, new = store.ask(asked(), now=NOW + LIFE + 2, lifetime=LIFE)
    assert (later.state, new) == ("waiting", True)
    assert later.number > request.number


def test_identical_asks_are_one_request(store: Store) -> None:
    """While it waits."""
    first, _ = store.ask(asked(), now=NOW, lifetime=LIFE)
    second, new = store.ask(asked(), now=NOW + 5, lifetime=LIFE)
    assert (second.number, new) == (first.number, False)
    assert [request.number for request in store.waiting(now=NOW)] == [first.number]


def test_both_a_request_and_an_approval_expire(store: Store) -> None:
    """Neither can be used afterwards."""
    request, _ = store.ask(asked(), now=NOW, lifetime=LIFE)
    assert not store.approve(request.number, PERSON, now=NOW + LIFE, lifetime=LIFE)
    assert store.waiting(now=NOW + LIFE) == []
    minted(store, "b")
    assert store.take("b", now=NOW + LIFE) is None


def test_only_what_waits_can_be_answered(store: Store) -> None:
    """Once, and no number that nobody asked under."""
    number = minted(store)
    assert not store.approve(number, PERSON, now=NOW, lifetime=LIFE)
    assert not store.refuse(number, PERSON, now=NOW, lifetime=LIFE)
    assert not store.approve(number + 1, PERSON, now=NOW, lifetime=LIFE)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE requests SET state='approved'",
        "UPDATE requests SET state='approved', expires=9e9, uid=1000, user='ann', tty='/dev/pts/7', seal=mark",
        (
            "UPDATE requests SET state='approved', seal=(SELECT seal FROM requests WHERE authorization='other'), decided=1000000,"
            " uid=1000, user='ann', tty='/dev/pts/7', expires=(SELECT expires FROM requests WHERE authorization='other')"
            " WHERE authorization='a'"
        ),
    ],
)
def test_a_row_edited_into_an_approval_does_not_count(store: Store, statement: str) -> None:
    """Without the key nobody makes the seal, and a seal holds for one row."""
    minted(store, "other")
    store.ask(asked(), now=NOW, lifetime=LIFE)
    edit(store, statement)
    with pytest.raises(Edited):
        store.take("a", now=NOW + 1)
    assert store.take("a", now=NOW + 1) is None


@pytest.mark.parametrize(
    "change",
    ["expires=9e9", "authorization='b'", "session='s9'", "user='root'", "state='approved', used=0", "cwd='/x'"],
)
def test_an_approval_cannot_be_stretched_moved_or_used_again(store: Store, change: str) -> None:
    """A later end, another operation, another session, another name; and what was used stays used, short of the key."""
    minted(store)
    if "used" in change:
        assert store.take("a", now=NOW + 1)
        edit(store, f"UPDATE requests SET {change}")
        with pytest.raises(Edited):  # the operation was blanked, which the mark covers
            store.take("a", now=NOW + 2)
        return
    edit(store, f"UPDATE requests SET {change}")
    for name in ("a", "b"):
        try:
            assert store.take(name, now=NOW + 1) is None
        except Edited:
            pass


def test_a_person_is_never_shown_another_text_than_the_one_that_is_bound(store: Store) -> None:
    """A row whose text was edited is not listed, cannot be approved, and the next ask makes a new one."""
    request, _ = store.ask(asked(), now=NOW, lifetime=LIFE)
    edit(store, 'UPDATE requests SET whole=\'{"command":"ls"}\'')
    assert store.waiting(now=NOW) == []
    with pytest.raises(Edited):
        store.approve(request.number, PERSON, now=NOW, lifetime=LIFE)
    again, new = store.ask(asked(), now=NOW, lifetime=LIFE)
    assert new
    assert again.number != request.number


def test_no_more_wait_than_a_person_can_answer(store: Store) -> None:
    """Per session and in all; and nothing that is too long to be shown."""
    for index in range(MOST_WAITING_IN_SESSION):
        store.ask(asked(f"a{index}"), now=NOW, lifetime=LIFE)
    with pytest.raises(Full):
        store.ask(asked("one more"), now=NOW, lifetime=LIFE)
    store.ask(asked("elsewhere", session="s2"), now=NOW, lifetime=LIFE)
    with pytest.raises(Full):
        store.ask(asked("long", session="s3", whole="x" * (WHOLE_BYTES + 1)), now=NOW, lifetime=LIFE)


def test_old_ones_go_and_operations_are_blanked(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """What may hold secrets stays only as long as somebody has to see it."""
    monkeypatch.setattr("checkrail.approvals.store.KEEP_ROWS", 3)
    for index in range(8):
        minted(store, f"a{index}")
        assert store.take(f"a{index}", now=NOW)
    store.ask(asked("last"), now=NOW, lifetime=LIFE)
    rows = sqlite3.connect(store.path).execute("SELECT number, state, whole FROM requests").fetchall()
    assert [row[0] for row in rows] == [6, 7, 8, 9]
    assert all(whole == "" for _, state, whole in rows if state != "waiting")


def test_it_survives_a_restart(store: Store) -> None:
    """Another process finds the approval."""
    number = minted(store)
    store.close()
    taken = Store(store.directory).take("a", now=NOW)
    assert taken is not None
    assert taken.number == number


def test_files_are_private(store: Store) -> None:
    """And what is open to others is not used."""
    minted(store)
    for name in os.listdir(store.directory):
        assert os.stat(os.path.join(store.directory, name)).st_mode & 0o077 == 0, name
    store.close()
    os.chmod(store.path, 0o644)
    with pytest.raises(StoreProblem):
        Store(store.directory).take("a", now=NOW)


def test_a_link_in_its_place_is_not_followed(store: Store, tmp_path: Path) -> None:
    """Nobody chooses where the requests lie."""
    _ = store.key
    os.symlink(tmp_path / "elsewhere", store.path)
    with pytest.raises(StoreProblem):
        store.take("a", now=NOW)


@pytest.mark.parametrize(
    "content", [b"no database at all, but long enough to be looked at" * 40, b"SQLite format 3\0" + b"\xff" * 4096]
)
def test_a_broken_file_is_a_problem_and_no_yes(store: Store, content: bytes) -> None:
    """And so is one of a later version."""
    _ = store.key
    Path(store.path).write_bytes(content)
    Path(store.path).chmod(0o600)
    with pytest.raises(StoreProblem):
        store.take("a", now=NOW)


def test_tables_of_another_version_are_left_alone(store: Store) -> None:
    """What a newer Checkrail wrote is not guessed at."""
    minted(store)
    edit(store, "PRAGMA user_version=99")
    store.close()
    with pytest.raises(StoreProblem, match="version 99"):
        Store(store.directory).take("a", now=NOW)


def test_a_full_file_is_a_problem_and_no_yes(tmp_path: Path) -> None:
    """Like a full disk: nothing new can wait, what is there holds."""
    store = Store(str(tmp_path / "approvals"), pages=24)
    number = minted(store)
    with pytest.raises(StoreProblem):
        for index in range(1000):
            store.ask(asked(f"b{index}", session=f"s{index}", whole="x" * 8000), now=NOW, lifetime=LIFE)
    taken = store.take("a", now=NOW)
    assert taken is None or taken.number == number


def test_the_agents_own_prompt_is_remembered_once(store: Store) -> None:
    """By session and call."""
    store.shown("s1", "c1", now=NOW)
    assert not store.was_shown("s2", "c1")
    assert store.was_shown("s1", "c1")
    assert not store.was_shown("s1", "c1")


def _racer(directory: str, tries: int, start: Any, found: Any) -> None:
    store, won = Store(directory), 0
    start.wait()
    for _ in range(tries):
        won += store.take("a", now=NOW) is not None
    found.put(won)


def test_of_ten_thousand_racing_consumers_one_gets_it(store: Store) -> None:
    """Eight processes, 1,250 tries each."""
    minted(store)
    store.close()
    context = multiprocessing.get_context("fork")
    start, found = context.Event(), context.Queue()
    racers = [context.Process(target=_racer, args=(store.directory, 1250, start, found)) for _ in range(8)]
    for racer in racers:
        racer.start()
    start.set()
    won = [found.get(timeout=60) for _ in racers]
    for racer in racers:
        racer.join(timeout=60)
    assert sum(won) == 1


def test_threads_that_open_a_new_store_at_once_all_can(tmp_path: Path) -> None:
    """And identical asks are still one request."""
    numbers: list[int] = []

    def ask() -> None:
        store = Store(str(tmp_path / "approvals"))
        numbers.append(store.ask(asked(), now=NOW, lifetime=LIFE)[0].number)
        store.close()

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(numbers) == 8
    assert len(set(numbers)) == 1


@pytest.mark.skipif(sys.platform != "linux", reason="kills a forked process")
@pytest.mark.parametrize("moment", ["minted", "used"])
def test_a_process_killed_in_between_loses_and_doubles_nothing(store: Store, moment: str) -> None:
    """After the yes it is still there; after the use it is gone for good."""
    request, _ = store.ask(asked(), now=NOW, lifetime=LIFE)
    store.close()
    child = os.fork()
    if child == 0:
        mine = Store(store.directory)
        mine.approve(request.number, PERSON, now=NOW, lifetime=LIFE)
        if moment == "used":
            mine.take("a", now=NOW)
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    assert (Store(store.directory).take("a", now=NOW) is not None) == (moment == "minted")


FULL_DISK = """
import sys
from checkrail.approvals.store import Store, StoreProblem
from tests.approvals.samples import PERSON, asked
store = Store(sys.argv[1])
first = store.ask(asked("a"), now=1.0, lifetime=600)[0]
store.approve(first.number, PERSON, now=1.0, lifetime=600)
stored = failed = 0
for index in range(80):
    try:
        store.ask(asked(f"b{index}", session=f"s{index}", whole="x" * 9000), now=1.0, lifetime=600)
        stored += 1
    except StoreProblem:
        failed += 1
print(stored > 0, failed > 0)
"""


@pytest.mark.skipif(
    sys.platform != "linux" or not os.path.exists("/usr/bin/unshare"), reason="needs a mount of its own"
)
def test_a_full_disk_is_a_problem_and_no_yes(tmp_path: Path) -> None:
    """On a file system of 300 KiB, in a namespace of its own."""
    import subprocess

    script = f'mount -t tmpfs -o size=300k,mode=700 tmpfs "{tmp_path}" && exec "{sys.executable}" -c "$0" "{tmp_path}/approvals"'
    done = subprocess.run(
        ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script, FULL_DISK],
        capture_output=True, timeout=60, text=True, check=False,
    )  # fmt: skip
    if (done.returncode and "mount" in done.stderr + done.stdout) or "unshare" in done.stderr:
        pytest.skip("no mounts of one's own here")
    assert done.stdout.split() == ["True", "True"], done.stderr


def test_a_clock_that_jumps_lengthens_no_yes(store: Store) -> None:
    """Set forward it ends sooner, set far back it does not count; a small step, as by a time server, does no harm."""
    minted(store, "forward")
    assert store.take(asked("forward").authorization, now=NOW + LIFE + 1) is None
    minted(store, "back")
    assert store.take(asked("back").authorization, now=NOW - 3600) is None
    minted(store, "step")
    assert store.take(asked("step").authorization, now=NOW - 5) is not None
