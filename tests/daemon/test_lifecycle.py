"""Start, stop, status, and that there is one daemon."""

import os
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from checkrail.daemon import lifecycle, listening
from checkrail.daemon.lifecycle import DaemonError
from checkrail.places import PlacesError
from tests.daemon.home import Home, running, until


def test_start_status_stop(home: Home) -> None:
    """A start gives a running daemon, a second start the same one, a stop none."""
    assert not home.status().running
    assert lifecycle.stop(home.socket) is False
    first = home.start()
    assert first.running and first.supervisor and first.socket == str(home.socket)
    assert home.start().supervisor == first.supervisor
    assert home.socket.stat().st_mode & 0o777 == 0o600
    assert lifecycle.stop(home.socket) is True
    until(lambda: not running(first.supervisor))
    assert not any(map(running, first.workers))
    assert not home.socket.exists()
    assert not home.status().running


def test_starters_that_race_make_one_daemon(home: Home) -> None:
    """Shims and commands that all find none at once end up with the same."""
    codes: list[int] = []
    threads = [threading.Thread(target=lambda: codes.append(home.shim({"do": "echo"}).returncode)) for _ in range(6)]
    threads += [threading.Thread(target=home.start) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert codes == [0] * 6
    assert len(home.starts()) == 1


def test_a_socket_that_a_dead_daemon_left_is_replaced(home: Home) -> None:
    """Killed as a whole it leaves its file; the next call takes the place."""
    found = home.start()
    os.killpg(os.getpgid(found.supervisor), signal.SIGKILL)
    until(lambda: not running(found.supervisor))
    assert home.socket.exists()
    assert home.shim({"do": "echo"}).returncode == 0
    assert home.status().supervisor != found.supervisor


@pytest.mark.parametrize("mode", [0o777, 0o750, 0o701])
def test_an_open_directory_is_refused(home: Home, mode: int) -> None:
    """With the mode and what to do about it."""
    home.socket.parent.mkdir()
    home.socket.parent.chmod(mode)
    with pytest.raises(PlacesError, match=f"mode 0{mode:o}.*chmod 700"):
        lifecycle.start(home.socket)


def test_a_file_that_is_no_socket_is_not_touched(home: Home) -> None:
    """Somebody's file at the socket's path stays; the fault names it."""
    home.socket.parent.mkdir(mode=0o700)
    home.socket.write_text("mine")
    with pytest.raises(PlacesError, match="no socket"):
        listening.claim(home.socket)
    assert home.socket.read_text() == "mine"


def test_a_claim_is_not_given_twice(home: Home) -> None:
    """While somebody answers, nobody else gets the path; its file is removed by its owner only."""
    home.start()
    assert listening.claim(home.socket) is None
    own = listening.identity(home.socket)
    assert own
    listening.release(home.socket, (own[0], own[1] + 1))
    assert home.socket.exists()
    listening.release(home.socket, own)
    assert not home.socket.exists()


def test_a_daemon_that_does_not_come_up_is_told(home: Home) -> None:
    """With what to run in order to see why."""
    with pytest.raises(DaemonError, match="checkrail daemon run"):
        lifecycle.start(home.socket, run=("/bin/false",), seconds=0.3)


def test_something_else_at_the_socket_is_no_daemon(home: Home) -> None:
    """An answer that is no handshake is no sign of life."""
    home.socket.parent.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(home.socket))
        listener.listen()

        def serve() -> None:
            peer, _ = listener.accept()
            with peer:
                peer.recv(99)
                peer.sendall(b"CKA1\0" + b"\0\0\0\4" + b"\0\0\0\0" + b"true")

        thread = threading.Thread(target=serve)
        thread.start()
        assert not home.status().running
        thread.join()


def test_the_daemon_keeps_little_of_the_environment(home: Home) -> None:
    """Whoever starts it leaves no variables in it that could change a decision."""
    done = home.shim({"do": "echo"}, env={**os.environ, "KUBECONFIG": "/k", "PYTHONPATH": "/evil", "LD_PRELOAD": ""})
    assert done.returncode == 0
    assert set(home.tell()["environ"]) <= lifecycle.KEPT


def test_a_second_run_in_the_foreground_leaves_quietly(home: Home) -> None:
    """It says that one is running and ends with success."""
    home.start()
    done = subprocess.run((*home.daemon, "--socket", str(home.socket)), capture_output=True, timeout=20)
    assert done.returncode == 0
    assert "a daemon is running already" in home.log()
    assert len(home.starts()) == 1


@pytest.mark.parametrize(("extra", "words"), [(("--systemd",), b"no socket was passed"), ((), b"mode 0777")])
def test_the_program_names_what_is_wrong(tmp_path: Path, extra: tuple[str, ...], words: bytes) -> None:
    """``python -m checkrail.daemon``: one line on stderr, exit code 1."""
    place = tmp_path / "open"
    place.mkdir()
    place.chmod(0o777)
    command = (*lifecycle.command(place / "s"), "--foreground", *extra)
    done = subprocess.run(command, capture_output=True, timeout=20, env={"HOME": str(tmp_path)})
    assert done.returncode == 1
    assert done.stderr.startswith(b"checkrail: ") and words in done.stderr
    assert done.stderr.count(b"\n") == 1


def test_the_usual_command_is_isolated() -> None:
    """Neither the working directory nor PYTHONPATH can put code in the daemon."""
    assert lifecycle.command(Path("/s"))[:2] == (sys.executable, "-I")
