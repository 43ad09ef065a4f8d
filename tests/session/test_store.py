"""What was spent: reserved, counted, released, over restarts and many processes."""

import os
import sqlite3
import stat
import time
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checkrail.model import Event, EventKind
from checkrail.session.spend import DAY_S, Charge, micros
from checkrail.session.store import HOLD_S, KEEP_S, VERSION, Store, StoreError

EURO = 1_000_000


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 1_900_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    """One for each test."""
    return Clock()


@pytest.fixture
def store(tmp_path: Path, clock: Clock) -> Store:
    """An empty one."""
    tmp_path.chmod(0o700)
    return Store(tmp_path / "session", clock=clock)


def call(number: str = "", *, amount: float = 0, session: str = "s") -> Event:
    """A pending call."""
    return Event(
        agent="claude",
        kind=EventKind.PRE,
        tool="mcp__bank__pay",
        input={"amount": amount},
        session=session,
        call=number,
    )


def charge(euros: float, *, day: int = 50, lifetime: int = 500, currency: str = "EUR") -> Charge:
    """So many euros below these ceilings."""
    return Charge(currency=currency, micros=round(euros * EURO), day=day * EURO, lifetime=lifetime * EURO)


def hold(store: Store, event: Event, euros: float, *, lifetime: int = 500) -> str:
    """Reserves; which ceiling stood against it."""
    over = store.weigh(event, [charge(euros, lifetime=lifetime)], hold=True, sure=True).over
    return over[1] if over else ""


def total(store: Store, currency: str = "EUR") -> tuple[float, float]:
    """What counts in a day, and in all."""
    day, ever = store.totals().get(currency, (0, 0))
    return day / EURO, ever / EURO


def test_what_is_let_through_is_reserved_at_once(store: Store) -> None:
    """So that the next call sees it; the last cent can be spent and no more."""
    assert hold(store, call("1"), 30) == ""
    assert hold(store, call("2"), 20.01) == "day"
    assert hold(store, call("3"), 20) == ""
    assert hold(store, call("4"), 0.000001) == "day"
    assert total(store) == (50, 50)


def test_only_what_ran_counts(store: Store, clock: Clock) -> None:
    """A person who was asked may say no; a call that surely failed moved nothing; what is never heard of again is let go."""
    store.weigh(call("asked"), [charge(5)], hold=False, sure=True)
    assert total(store) == (0, 0)
    store.finished(call("asked"), failed=False)
    assert total(store) == (5, 5)
    hold(store, call("failed"), 7)
    store.finished(call("failed"), failed=True)
    assert total(store) == (5, 5)
    hold(store, call("lost"), 11)
    assert total(store) == (16, 16)
    clock.now += HOLD_S + 1
    assert total(store) == (5, 5)
    store.finished(call("lost"), failed=False)  # late, but it did run
    assert total(store) == (16, 16)
    store.finished(call("lost"), failed=False)
    store.finished(call("unknown"), failed=False)
    assert total(store) == (16, 16)


def test_a_failure_of_part_of_a_call_releases_nothing(store: Store) -> None:
    """Of several commands another may have failed."""
    store.weigh(call("1"), [charge(5)], hold=True, sure=False)
    store.finished(call("1"), failed=True)
    assert total(store) == (5, 5)


def test_a_session_that_tells_nothing_is_assumed_to_have_run_it(store: Store, clock: Clock) -> None:
    """Its agent has no event for finished calls."""
    hold(store, call("1", session="mute"), 5)
    hold(store, call("2", session="telling"), 7)
    store.finished(call("other", session="telling"), failed=False)
    clock.now += HOLD_S + 1
    assert total(store) == (5, 5)
    with sqlite3.connect(store.path) as db:
        assert db.execute("SELECT state FROM charge ORDER BY micros").fetchall() == [("assumed",), ("released",)]


def test_a_day_is_any_24_hours(store: Store, clock: Clock) -> None:
    """The lifetime does not end."""
    hold(store, call("1"), 50)
    store.finished(call("1"), failed=False)
    assert hold(store, call("2"), 1) == "day"
    clock.now += DAY_S + 1
    assert hold(store, call("3"), 50, lifetime=99) == "lifetime"
    assert hold(store, call("4"), 49, lifetime=99) == ""
    assert total(store) == (49, 99)


def test_a_clock_that_runs_back_forgets_nothing(store: Store, clock: Clock) -> None:
    """What was spent "later" still counts today."""
    hold(store, call("1"), 50)
    store.finished(call("1"), failed=False)
    clock.now -= 10 * DAY_S
    assert hold(store, call("2"), 1) == "day"


def test_the_same_call_again_is_one_call(store: Store) -> None:
    """Two hooks, a second try, the agent's own question without a number."""
    for _ in range(3):
        assert hold(store, call("1"), 30) == ""
    assert store.weigh(call(""), [charge(30)], hold=True, sure=True).over is None
    assert total(store) == (30, 30)
    store.finished(call("1"), failed=False)
    assert total(store) == (30, 30)


def test_calls_without_a_number_are_told_by_their_arguments(store: Store) -> None:
    """Each of two equal ones counts, and each word about one counts one."""
    assert [hold(store, call(amount=1), 20), hold(store, call(amount=1), 20), hold(store, call(amount=2), 20)] == [
        "",
        "",
        "day",
    ]
    store.finished(call(amount=1), failed=False)
    store.finished(call(amount=1), failed=True)
    assert total(store) == (20, 20)
    store.finished(call(amount=3), failed=False)
    assert total(store) == (20, 20)


def test_a_word_about_a_finished_call_means_its_session_alone(store: Store, clock: Clock) -> None:
    """Numbers may be the same in two."""
    hold(store, call("1", session="a"), 5)
    hold(store, call("1", session="b"), 7)
    store.finished(call("1", session="a"), failed=False)
    store.finished(call("2", session="b"), failed=False)
    clock.now += HOLD_S + 1
    assert total(store) == (5, 5)


def test_an_approval_makes_a_reservation_of_a_question(store: Store) -> None:
    """Whatever the ceiling: a person has said yes."""
    hold(store, call("1"), 80)
    assert total(store) == (0, 0)
    store.approved(call("1"))
    assert total(store) == (80, 80)
    assert hold(store, call("2"), 1) == "day"


def test_looking_changes_nothing(store: Store) -> None:
    """Not even makes the file."""
    assert store.weigh(call("1"), [charge(60)], hold=True, sure=True, look=True).over == ("EUR", "day")
    assert not store.directory.exists()
    hold(store, call("1"), 30)
    assert store.weigh(call("2"), [charge(30)], hold=True, sure=True, look=True).over == ("EUR", "day")
    assert store.weigh(call("2"), [charge(20)], hold=True, sure=True, look=True).over is None
    assert total(store) == (30, 30)


def test_currencies_are_kept_apart_and_held_together(store: Store) -> None:
    """Where one does not fit, none is reserved."""
    both = [charge(30), charge(60, currency="USD")]
    assert store.weigh(call("1"), both, hold=True, sure=True).over == ("USD", "day")
    assert total(store) == total(store, "USD") == (0, 0)
    store.finished(call("1"), failed=False)
    assert (total(store), total(store, "USD")) == ((30, 30), (60, 60))


def test_a_store_without_a_mark_concerns_nobody(store: Store) -> None:
    """Finished calls of other sessions cost one look at the disk."""
    assert not store.concerns(call("1"))
    hold(store, call("1"), 1)
    assert store.concerns(call("2"))
    assert not store.concerns(call("1", session="other"))


def test_it_is_closed_to_others_and_holds_nothing_raw(store: Store) -> None:
    """Numbers, sessions and arguments only as digests."""
    old = os.umask(0)
    try:
        hold(
            store,
            Event(
                agent="claude",
                kind=EventKind.PRE,
                tool="mcp__bank__pay",
                input={"iban": "DE8937"},
                session="sess",
                call="toolu_7",
            ),
            1,
        )
    finally:
        os.umask(old)
    assert stat.S_IMODE(store.directory.stat().st_mode) == 0o700
    for place in store.directory.iterdir():
        assert stat.S_IMODE(place.stat().st_mode) == 0o600, place
        assert not any(word in place.read_bytes() for word in (b"DE8937", b"sess", b"toolu_7")), place


@pytest.mark.parametrize("harm", ["garbage", "version", "link", "open", "directory", "read-only"])
def test_a_store_that_cannot_be_used_is_an_error_that_says_so(store: Store, harm: str, tmp_path: Path) -> None:
    """Never counters that begin anew."""
    hold(store, call("1"), 30)
    if harm == "garbage":
        store.path.write_bytes(b"x" * 8192)
    elif harm == "version":
        with sqlite3.connect(store.path) as db:
            db.execute(f"PRAGMA user_version={VERSION + 1}")
    elif harm == "link":
        store.path.rename(tmp_path / "elsewhere")
        store.path.symlink_to(tmp_path / "elsewhere")
    elif harm == "open":
        store.directory.chmod(0o777)
    elif harm == "directory":
        store.path.unlink()
        store.path.mkdir()
    else:
        with sqlite3.connect(store.path) as db:
            db.execute("DROP TABLE charge")
    with pytest.raises(OSError, match=r".") as caught:
        hold(store, call("2"), 1)
    assert str(store.directory) in str(caught.value)


def test_another_writer_is_waited_for_and_then_told(store: Store) -> None:
    """Below the time for an answer."""
    hold(store, call("1"), 1)
    with sqlite3.connect(store.path, isolation_level=None) as db:
        db.execute("BEGIN IMMEDIATE")
        started = time.perf_counter()
        with pytest.raises(StoreError, match="locked"):
            hold(store, call("2"), 1)
        assert time.perf_counter() - started < 1.2


def test_old_rows_become_a_total_and_the_table_stays_small(tmp_path: Path, clock: Clock) -> None:
    """Nothing that ran is forgotten."""
    tmp_path.chmod(0o700)
    store = Store(tmp_path / "session", clock=clock, most_rows=10)
    for number in range(36):
        assert hold(store, call(str(number)), 1) == ""
        store.finished(call(str(number)), failed=number % 3 == 0)
        clock.now += DAY_S / 5
    with sqlite3.connect(store.path) as db:
        assert db.execute("SELECT count(*) FROM charge").fetchone()[0] <= 10
    assert total(store)[1] == 24
    clock.now += KEEP_S + 1
    hold(store, call("last", session="t"), 1)
    assert not store.concerns(call("1"))


def test_more_calls_than_are_counted_is_an_error(tmp_path: Path, clock: Clock) -> None:
    """And not a call for free."""
    tmp_path.chmod(0o700)
    store = Store(tmp_path / "session", clock=clock, most_rows=5)
    for number in range(5):
        hold(store, call(str(number)), 1)
    with pytest.raises(StoreError, match="more than 5 calls"):
        hold(store, call("5"), 1)
    assert total(store) == (5, 5)


def test_sums_beyond_any_bounds_are_an_error(store: Store) -> None:
    """And no wrap around."""
    huge = Charge(currency="EUR", micros=2**62, day=2**80, lifetime=2**80)
    store.weigh(call("1"), [huge], hold=True, sure=True)
    store.weigh(call("2"), [huge], hold=True, sure=True)
    with pytest.raises(StoreError, match="overflow"):
        store.weigh(call("3"), [huge], hold=True, sure=True)


@given(st.decimals(min_value=0, max_value=10**12, allow_nan=False, allow_infinity=False))
def test_millionths_are_rounded_up(amount: Decimal) -> None:
    """Never below what is spent."""
    assert 0 <= micros(amount) - amount * EURO < 1


STEP = st.tuples(
    st.sampled_from(["hold", "ask", "ran", "failed", "wait", "approve"]), st.integers(0, 5), st.sampled_from([1, 7, 20])
)


@settings(max_examples=30, deadline=None)
@given(st.lists(STEP, max_size=15))
def test_any_order_of_words_counts_each_call_at_most_once(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, int, int]]
) -> None:
    """Against a plain model: what was told to have run is the least that counts, what was ever let through the most."""
    clock = Clock()
    store = Store(tmp_path_factory.mktemp("s") / "session", clock=clock)
    asked: dict[int, int] = {}
    ran: dict[int, int] = {}
    for step, number, euros in steps:
        event = call(str(number))
        if step in ("hold", "ask") and number not in asked:
            over = store.weigh(event, [charge(euros, day=10**6, lifetime=10**6)], hold=step == "hold", sure=True).over
            assert over is None
            asked[number] = euros
        elif step == "ran":
            store.finished(event, failed=False)
            if number in asked:
                ran[number] = asked[number]
        elif step == "failed":
            store.finished(event, failed=True)
            if number in asked and number not in ran:
                asked[number] = 0 if asked[number] < 0 else asked[number]
        elif step == "wait":
            clock.now += HOLD_S / 2
        elif step == "approve":
            store.approved(event)
    assert sum(ran.values()) <= total(store)[1] <= sum(asked.values())
