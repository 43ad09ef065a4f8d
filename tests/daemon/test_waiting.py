"""A call that waits for a person: inside the host's time, on few workers, and never longer."""

import json
import subprocess
import threading
import time
from pathlib import Path

import pytest

from checkrail.daemon.board import Board
from checkrail.daemon.protocol import PATIENCE, Request, encode_request
from tests.daemon.home import Home


def hook(home: Home, seconds: float, *more: str) -> "subprocess.CompletedProcess[bytes]":
    """A call through the shim whose answer may wait."""
    raw = json.dumps({"do": "wait", "seconds": seconds}).encode()
    return subprocess.run(home.command(*more), input=raw, capture_output=True, timeout=60)


def later(seconds: float, path: Path) -> None:
    """The person answers after a while."""
    threading.Timer(seconds, path.touch).start()


def test_an_answer_in_time_is_given_inside_the_call(home: Home) -> None:
    """After longer than the shim bears silence."""
    home.start()
    later(3.6, home.path / "answer-7")
    started = time.monotonic()
    done = hook(home, 30, "--wait", "20")
    assert (done.returncode, done.stdout) == (0, b"allowed")
    assert 3.5 < time.monotonic() - started < 8


def test_without_an_answer_it_is_denied_before_the_host_gives_up(home: Home) -> None:
    """The shorter of what the policy wants and what the host grants counts."""
    home.start()
    for wanted, granted in ((1, "20"), (30, "1")):
        started = time.monotonic()
        done = hook(home, wanted, "--wait", granted)
        assert (done.returncode, done.stderr) == (2, b"denied\n")
        assert 0.9 < time.monotonic() - started < 4


def test_a_host_that_grants_nothing_is_answered_at_once(home: Home) -> None:
    """And so is any hook that was installed without waiting."""
    home.start()
    started = time.monotonic()
    assert hook(home, 30).returncode == 2
    assert time.monotonic() - started < 2


def test_waiting_calls_leave_workers_for_the_others(home: Home) -> None:
    """Of two workers one may wait; the next question is a denial at once, and everything else is quick."""
    home.start()
    waiting = threading.Thread(target=hook, args=(home, 30, "--wait", "20"))
    waiting.start()
    time.sleep(0.6)
    started = time.monotonic()
    assert hook(home, 30, "--wait", "20").returncode == 2
    assert time.monotonic() - started < 2
    for _ in range(5):
        started = time.monotonic()
        assert home.ask({"do": "echo"}).exit_code == 0
        assert time.monotonic() - started < 1
    (home.path / "answer-7").touch()
    waiting.join(timeout=20)
    assert home.status().replaced == 0


def test_a_caller_that_leaves_frees_its_worker(home: Home) -> None:
    """Nobody waits for an answer that nobody takes."""
    home.start()
    raw = json.dumps({"do": "wait", "seconds": 30}).encode()
    with subprocess.Popen(home.command("--wait", "20"), stdin=subprocess.PIPE, stderr=subprocess.DEVNULL) as gone:
        assert gone.stdin is not None
        gone.stdin.write(raw)
        gone.stdin.close()
        time.sleep(0.8)
        gone.kill()
    time.sleep(0.8)
    started = time.monotonic()
    later(1.0, home.path / "answer-7")
    assert hook(home, 30, "--wait", "20").returncode == 0
    assert time.monotonic() - started > 0.9  # it could wait: the place was free


def test_a_daemon_that_stops_lets_nothing_through(home: Home) -> None:
    """The waiting call is denied, or blocked by the shim."""
    home.start()
    found: list[int] = []
    waiting = threading.Thread(target=lambda: found.append(hook(home, 30, "--wait", "20").returncode))
    waiting.start()
    time.sleep(0.8)
    from checkrail.daemon import lifecycle

    lifecycle.stop(home.socket)
    waiting.join(timeout=30)
    assert found == [2]


@pytest.mark.parametrize(
    ("told", "patience"), [("5", 5), ("99999", 540), ("-5", 0), ("x", 0), ("", 0), ("٣", 0), ("9" * 5000, 0)]
)
def test_patience_is_bounded_and_no_variable_of_the_call(told: str, patience: int) -> None:
    """Whatever a caller says."""
    import socket

    from checkrail.daemon.protocol import receive_request

    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(encode_request(Request(agent="claude", environment={"HOME": "/h", PATIENCE: told})))
        request = receive_request(ours, seconds=1)
    assert request is not None
    assert (request.patience, request.environment) == (patience, {"HOME": "/h"})


@pytest.mark.parametrize(("rows", "places"), [(1, 0), (2, 1), (3, 1), (4, 2)])
def test_half_of_the_workers_may_wait(rows: int, places: int) -> None:
    """And a worker that takes the place of a dead one does not wait."""
    board = Board(rows)
    assert sum(board.may_wait(row) for row in range(rows)) == places
    if places:
        board.enter(0, 1)
        assert board.may_wait(rows - 1)
