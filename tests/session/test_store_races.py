"""What was spent, counted by many processes at once, some of them killed."""

import multiprocessing
import random
import sqlite3
import time
from pathlib import Path

from checkrail.session.store import Store, StoreError
from tests.session.test_store import call, charge, total


def spender(directory: str, number: int, calls: int, ceiling: int, told: str) -> None:
    """Tries to spend, and writes down each euro before it is spent, as the agent would run the call."""
    store, dice = Store(Path(directory)), random.Random(number)
    with open(f"{told}/{number}", "a", buffering=1) as log:
        for turn in range(calls):
            event = call(f"{number}-{turn}", session=f"s{number}")
            try:
                over = store.weigh(event, [charge(1, day=ceiling, lifetime=10**6)], hold=True, sure=True).over
                if over is None:
                    log.write("spent\n")
                    if dice.random() < 0.8:
                        store.finished(event, failed=False)
            except StoreError as error:
                log.write(f"error {error}\n")


def run(tmp_path: Path, *, processes: int, calls: int, ceiling: int, kill: bool) -> list[str]:
    """What all of them wrote down."""
    tmp_path.chmod(0o700)
    told = tmp_path / "told"
    told.mkdir()
    context = multiprocessing.get_context("fork")
    arguments = [(str(tmp_path / "session"), number, calls, ceiling, str(told)) for number in range(processes)]
    workers = [context.Process(target=spender, args=each) for each in arguments]
    for worker in workers:
        worker.start()
    if kill:
        dice = random.Random(1)
        for worker in workers[::2]:
            time.sleep(dice.random() / 20)
            worker.kill()  # nothing where it has ended
    for worker in workers:
        worker.join(60)
        assert worker.exitcode in ((0, -9) if kill else (0,))
    return [line for place in told.iterdir() for line in place.read_text().splitlines()]


def test_sixteen_processes_spend_exactly_the_ceiling(tmp_path: Path) -> None:
    """Not a euro more, and none is lost."""
    lines = run(tmp_path, processes=16, calls=8, ceiling=40, kill=False)
    spent = sum(line == "spent" for line in lines)
    errors = [line for line in lines if line != "spent"]
    assert spent <= 40
    assert spent == 40 or errors, lines
    assert total(Store(tmp_path / "session"))[0] >= spent


def test_killed_processes_break_no_ceiling_and_no_file(tmp_path: Path) -> None:
    """What one of them had reserved stays reserved; the others go on."""
    lines = run(tmp_path, processes=16, calls=8, ceiling=40, kill=True)
    store = Store(tmp_path / "session")
    spent = sum(line == "spent" for line in lines)
    assert spent <= total(store)[0] <= 40
    with sqlite3.connect(store.path) as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    over = store.weigh(call("last"), [charge(41, day=40)], hold=True, sure=True).over
    assert over == ("EUR", "day")
