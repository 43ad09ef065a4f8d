"""What a worker does with calls that are slow, broken, silent or strange, while the others stay served."""

import os
import signal
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from checkrail.daemon.board import Board
from checkrail.daemon.log import Log
from checkrail.daemon.protocol import Answer, Request, decode_answer, encode_request
from checkrail.daemon.server import Post, Worker
from checkrail.daemon.settings import Settings
from tests.daemon.home import Home, running, until
from tests.daemon.toy import Toy


def quick(home: Home, **more: float) -> Home:
    """A daemon whose limits are short."""
    home.set(**{"workers": 2, "decide_s": 0.2, "late_s": 0.1, "grace_s": 0.2, **more})
    home.start()
    return home


@pytest.mark.parametrize("do", ["spin", "regex", "swallow"])
def test_a_call_without_end_is_answered_in_time(home: Home, do: str) -> None:
    """By the late answer, whatever holds the worker up."""
    quick(home)
    assert home.ask({"do": do, "times": 1}) == Answer(2, b"", b"late\n")
    assert home.status().late == 1


def test_a_late_answer_that_is_late_becomes_a_block(home: Home) -> None:
    """Without the service's help."""
    quick(home)
    answer = home.ask({"do": "spin", "late_too": 1})
    assert (answer.exit_code, answer.stdout) == (2, b"")
    assert b"no decision within 0.2 s" in answer.stderr


def test_others_stay_served_beside_a_stuck_call(home: Home) -> None:
    """One worker is busy without end; the other answers many calls meanwhile."""
    home.start()
    stuck = threading.Thread(target=home.ask, args=({"do": "regex"},))
    stuck.start()
    until(lambda: home.status().calls > 1)
    for number in range(50):
        assert home.ask({"do": "echo", "number": number}).exit_code == 0
    assert stuck.is_alive()
    stuck.join()


@pytest.mark.parametrize("do", ["raise", "wrong", "unknown"])
def test_a_failing_service_blocks_and_tells_no_secrets(home: Home, do: str) -> None:
    """An exception, an answer that cannot be sent: exit code 2 and the kind of error, not its text."""
    home.start()
    answer = home.ask({"do": do})
    assert (answer.exit_code, answer.stdout) == (2, b"")
    assert b"internal error" in answer.stderr
    assert "secret-text" not in home.log() + answer.stderr.decode()
    assert home.ask({"do": "echo"}).exit_code == 0


def test_memory_is_bounded(home: Home) -> None:
    """A call that wants more than a worker may have is blocked; the worker goes on."""
    quick(home, memory_bytes=1 << 29)
    answer = home.ask({"do": "say", "code": 0, "out": 1 << 30, "err": 0})
    assert (answer.exit_code, answer.stdout) == (2, b"")
    assert b"MemoryError" in answer.stderr


@pytest.mark.parametrize("frame", [b"x" * 100, b"CKR1" + b"\xff" * 8, b"\0" * 12])
def test_garbage_is_answered_with_a_block(home: Home, frame: bytes) -> None:
    """And the next call is served."""
    home.start()
    for _ in range(5):
        with socket.socket(socket.AF_UNIX) as peer:
            peer.connect(str(home.socket))
            peer.sendall(frame)
            answer = decode_answer(peer.makefile("rb").read())
        assert answer.exit_code == 2
        assert answer.stderr.startswith(b"checkrail: blocked: the request")
    assert home.ask({"do": "echo"}).exit_code == 0
    assert home.status().replaced == 0


def test_silent_clients_do_not_fill_the_house(home: Home) -> None:
    """More of them than workers, and a call still comes through."""
    quick(home, client_s=0.1)
    silent = [socket.socket(socket.AF_UNIX) for _ in range(6)]
    for peer in silent:
        peer.connect(str(home.socket))
    assert home.ask({"do": "echo"}).exit_code == 0
    for peer in silent:
        assert peer.recv(1) == b""
        peer.close()


def test_a_client_that_does_not_read_is_left(home: Home) -> None:
    """An answer that nobody takes holds no worker for long."""
    quick(home, client_s=0.1)
    wish = {"do": "say", "code": 0, "out": 4 << 20, "err": 0}
    with socket.socket(socket.AF_UNIX) as deaf:
        deaf.connect(str(home.socket))
        deaf.sendall(encode_request(Request(agent="a", raw=str(wish).replace("'", '"').encode())))
        assert all(home.ask({"do": "echo"}).exit_code == 0 for _ in range(9))
        until(lambda: home.status().calls >= 10)


def test_a_changed_policy_is_taken_up_by_every_worker(home: Home) -> None:
    """In place: the same workers, the new policy, and the handshake tells its digest."""
    before = home.start()
    assert home.tell()["policy"] == "first"
    (home.path / "policy").write_text("second")
    until(lambda: home.tell()["policy"] == "second")
    after = home.status()
    assert (before.policy, after.policy) == ("first", "second")
    assert after.workers == before.workers


def test_a_policy_that_cannot_be_read_blocks(home: Home) -> None:
    """The service decides what a broken policy means; that it cannot even look is an error."""
    home.start()
    assert home.ask({"do": "echo"}).exit_code == 0
    time.sleep(0.25)  # then it is looked at again
    (home.path / "policy").unlink()
    assert home.ask({"do": "echo"}).exit_code == 2
    found = home.status()  # but the daemon is alive: nobody shall take its place
    assert found.running and found.policy == "unreadable"


def test_workers_retire_and_are_replaced(home: Home) -> None:
    """After their number of calls, without a lost one."""
    home.set(workers=2, calls_per_worker=5)
    before = home.start()
    for number in range(40):
        raw = b'{"do":"echo","n":%d}' % number
        assert home.shim(raw).stdout == raw
    after = home.status()
    assert set(before.workers).isdisjoint(after.workers)
    assert after.replaced == 0


def in_process(home: Home, tmp_path: Path, **more: object) -> tuple[socket.socket, Callable[[], None]]:
    """A worker's post in this process, and what runs the worker for one connection."""
    ours, theirs = socket.socketpair()

    class OneConnection:
        def accept(self) -> tuple[socket.socket, str]:
            return ours, ""

    post = Post(
        listener=OneConnection(),  # type: ignore[arg-type]
        service=Toy(home.path),
        settings=Settings(calls_per_worker=1),
        board=Board(1),
        log=Log(tmp_path / "log"),
        wake=os.open(os.devnull, os.O_WRONLY),
        path="p",
        code="c",
        installation="/here",
        **more,  # type: ignore[arg-type]
    )

    def run() -> None:
        before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGALRM)}
        try:
            Worker(post, 0).run()
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            os.close(post.wake)
            for number, handler in before.items():
                signal.signal(number, handler)

    return theirs, run


@pytest.mark.parametrize(("uid", "answered"), [(os.geteuid(), True), (os.geteuid() + 1, False)])
def test_only_the_user_is_served(home: Home, tmp_path: Path, uid: int, answered: bool) -> None:
    """Whoever connects as somebody else gets no byte."""
    theirs, run = in_process(home, tmp_path, uid_of=lambda _peer: uid)
    with theirs:
        theirs.sendall(encode_request(Request(agent="a", raw=b'{"do":"echo"}')))
        theirs.shutdown(socket.SHUT_WR)
        run()
        try:
            got = theirs.recv(99)
        except ConnectionResetError:
            got = b""
    assert bool(got) is answered
    assert (tmp_path / "log").exists() is not answered


def test_a_hook_of_another_installation_gets_room(home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The call is not answered by the wrong code: the path is given up, then the daemon ends."""
    done: list[object] = []
    monkeypatch.setattr(os, "kill", lambda *arguments: done.append(arguments))
    theirs, run = in_process(home, tmp_path, step_aside=lambda: done.append("aside"))
    with theirs:
        theirs.sendall(encode_request(Request(agent="a", installation="/there", raw=b'{"do":"echo"}')))
        run()
        assert theirs.recv(99) == b""
    assert done == ["aside", (os.getppid(), signal.SIGTERM)]


@pytest.mark.parametrize("installation", ["", "/here"])
def test_a_hook_of_the_same_installation_is_answered(home: Home, tmp_path: Path, installation: str) -> None:
    """As is one that says nothing of itself."""
    theirs, run = in_process(home, tmp_path, step_aside=lambda: pytest.fail("stepped aside"))
    with theirs:
        theirs.sendall(encode_request(Request(agent="a", installation=installation, raw=b'{"do":"echo"}')))
        run()
        assert decode_answer(theirs.recv(99)).stdout == b'{"do":"echo"}'


def test_workers_without_a_supervisor_end(home: Home) -> None:
    """Killed alone, the supervisor leaves workers that serve on and end at their next idle pulse."""
    found = home.start()
    os.kill(found.supervisor, signal.SIGKILL)
    until(lambda: not running(found.supervisor))
    assert home.shim({"do": "echo"}).returncode == 0
    for pid in found.workers:
        os.kill(pid, signal.SIGALRM)
    until(lambda: not any(map(running, found.workers)))
    assert home.shim({"do": "echo"}).returncode == 0
    assert len(home.starts()) == 2


def test_many_callers_get_each_their_own_answer(home: Home) -> None:
    """Sixteen at once, fifty calls each: none is lost, none is crossed."""
    home.start()
    wrong: list[object] = []

    def call(caller: int) -> None:
        for number in range(50):
            wish = {"do": "echo", "caller": caller, "number": number, "fill": "x" * (number * 97)}
            answer = home.ask(wish)
            if answer.exit_code != 0 or answer.stdout != str(wish).replace("'", '"').encode():
                wrong.append((caller, number, answer))

    callers = [threading.Thread(target=call, args=(caller,)) for caller in range(16)]
    started = time.monotonic()
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert wrong == [] and time.monotonic() > started
    assert home.status().calls >= 800
