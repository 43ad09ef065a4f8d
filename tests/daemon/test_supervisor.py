"""The supervisor replaces what is stuck, dead or frozen, and itself when the code changes."""

import os
import signal
import subprocess
import threading
from pathlib import Path

import pytest

from tests.daemon.home import LINUX, Home, running, until


def test_a_worker_that_no_timer_reaches_is_killed(home: Home) -> None:
    """Its caller gets no answer, so the shim blocks; the next call is served by a new worker."""
    home.set(workers=2, decide_s=0.2, late_s=0.1, grace_s=0.1)
    before = home.start()
    done = home.shim({"do": "deaf"})
    assert (done.returncode, done.stdout) == (2, b"")
    assert home.shim({"do": "echo"}).returncode == 0
    after = home.status()
    assert after.supervisor == before.supervisor
    assert set(after.workers).isdisjoint(before.workers)
    assert "is stuck in a call" in home.log()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_a_worker_that_is_killed_or_frozen_at_rest_is_replaced(home: Home, number: signal.Signals) -> None:
    """Calls go on meanwhile."""
    before = home.start()
    os.kill(before.workers[0], number)
    assert home.shim({"do": "echo"}).returncode == 0
    until(lambda: before.workers[0] not in home.status().workers and 0 not in home.status().workers)
    assert not running(before.workers[0])
    assert home.status().replaced == 1


def test_a_worker_frozen_in_a_call_is_replaced(home: Home) -> None:
    """The caller is blocked after a few tries; the daemon is whole again."""
    home.start()
    assert home.shim({"do": "freeze"}).returncode == 2
    until(lambda: 0 not in home.status().workers)
    assert home.shim({"do": "echo"}).returncode == 0


@LINUX
def test_no_dead_process_stays(home: Home) -> None:
    """Children are reaped: the supervisor has its workers and no zombies."""
    found = home.start()
    for _ in range(3):
        home.shim({"do": "die"})

    def children() -> list[int]:
        listed = subprocess.run(("ps", "-o", "pid=", "--ppid", str(found.supervisor)), capture_output=True, text=True)
        return sorted(map(int, listed.stdout.split()))

    until(lambda: children() == sorted(home.status().workers))
    assert all(map(running, children()))


def test_a_frozen_daemon_loses_its_place(home: Home) -> None:
    """Stopped as a whole it answers nobody: a starter takes the path, and the call is answered."""
    found = home.start()
    os.killpg(os.getpgid(found.supervisor), signal.SIGSTOP)
    done = home.shim({"do": "echo"})
    assert (done.returncode, done.stdout) == (0, b'{"do": "echo"}')
    os.killpg(os.getpgid(found.supervisor), signal.SIGCONT)
    until(lambda: not running(found.supervisor))  # it finds that the path is no longer its own
    assert home.shim({"do": "echo"}).returncode == 0
    assert len(home.starts()) == 2


def test_changed_code_is_taken_up_without_a_lost_call(home: Home) -> None:
    """The process stays, its program is new, calls in flight are finished by the old one."""
    before = home.start()
    seen: list[bytes] = []
    stop = threading.Event()

    def call() -> None:
        while not stop.is_set():
            seen.append(home.ask({"do": "nap", "s": 0.01}).stdout)

    callers = [threading.Thread(target=call) for _ in range(4)]
    for caller in callers:
        caller.start()
    until(lambda: len(seen) > 20)
    (home.path / "package" / "value.py").write_text("second")
    until(lambda: b"second" in seen)
    stop.set()
    for caller in callers:
        caller.join()
    assert set(seen) == {b"one", b"second"}
    after = home.status()
    assert after.supervisor == before.supervisor
    assert after.code != before.code
    assert set(after.workers).isdisjoint(before.workers)
    assert home.shim({"do": "tell"}).returncode == 0


def test_it_can_start_anew_more_than_once(home: Home) -> None:
    """And still removes its own socket at the end."""
    home.start()
    for text in ("second", "third!"):
        (home.path / "package" / "value.py").write_text(text)
        until(lambda text=text: home.tell()["code"] == text)  # type: ignore[misc]
    assert len(set(home.starts())) == 1
    os.kill(home.starts()[0], signal.SIGTERM)
    until(lambda: not running(home.starts()[0]))
    assert not home.socket.exists()


def test_it_ends_when_idle(home: Home) -> None:
    """Without calls for long it removes its socket and is gone; the next call starts another."""
    home.set(workers=2, idle_s=0.3)
    found = home.start()
    until(lambda: not running(found.supervisor))
    assert not any(map(running, found.workers))
    assert not home.socket.exists()
    assert home.shim({"do": "echo"}).returncode == 0


def test_a_stop_lets_calls_finish(home: Home) -> None:
    """SIGTERM ends it once the call in flight is answered; the socket is removed."""
    found = home.start()
    answers: list[bytes] = []
    caller = threading.Thread(target=lambda: answers.append(home.ask({"do": "nap", "s": 0.6}).stdout))
    caller.start()
    until(lambda: home.status().calls >= 2)
    os.kill(found.supervisor, signal.SIGTERM)
    caller.join()
    assert answers == [b"one"]
    until(lambda: not running(found.supervisor))
    assert not home.socket.exists()


def test_it_ends_when_its_socket_is_taken_away(home: Home) -> None:
    """A call that is under way finishes; nothing is removed that is not its own."""
    found = home.start()
    home.socket.unlink()
    assert home.shim({"do": "echo"}).returncode == 0  # by a new daemon
    os.kill(found.supervisor, signal.SIGCHLD)  # any signal makes it look around
    until(lambda: not running(found.supervisor))
    assert home.socket.exists()
    assert home.status().running


def test_the_log_is_small_and_private(home: Home) -> None:
    """Mode 0600, and nothing of a call in it."""
    home.start()
    home.shim({"do": "raise", "password": "hunter2"})
    log = Path(home.path / "log")
    assert log.stat().st_mode & 0o777 == 0o600
    assert "RuntimeError" in log.read_text() and "hunter2" not in log.read_text()
