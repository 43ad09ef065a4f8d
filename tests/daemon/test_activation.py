"""A socket passed by systemd, with a real child that gets it as descriptor 3."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from checkrail.daemon import activation
from tests.daemon.home import Home, running, until

PASS = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS=sys.argv[2], LISTEN_FDNAMES="checkrail.socket")
os.execv(sys.argv[3], sys.argv[3:])
"""


def activated(home: Home, listener: socket.socket, *, count: int = 1) -> "subprocess.Popen[bytes]":
    """The toy daemon, started as systemd would."""
    fd = listener.fileno()
    command = (sys.executable, "-c", PASS, str(fd), str(count), *home.daemon, "--systemd", "--socket", str(home.socket))
    return subprocess.Popen(command, pass_fds=(fd,), start_new_session=True, stderr=subprocess.PIPE)


@pytest.fixture
def listener(home: Home) -> Iterator[socket.socket]:
    """What a socket unit makes."""
    home.socket.parent.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as made:
        made.bind(str(home.socket))
        made.listen()
        yield made


def test_a_passed_socket_is_served_and_left_in_place(home: Home, listener: socket.socket) -> None:
    """Also after a change of code and the end of the daemon, since the file is systemd's; a call then starts anew."""
    process = activated(home, listener)
    assert home.shim({"do": "echo"}).stdout == b'{"do": "echo"}'
    assert home.status().supervisor == process.pid
    (home.path / "package" / "value.py").write_text("second")
    until(lambda: home.tell()["code"] == "second")
    assert home.status().supervisor == process.pid
    process.terminate()
    assert process.wait(10) == 0
    assert home.socket.exists()
    again = activated(home, listener)
    assert home.shim({"do": "echo"}).returncode == 0
    again.terminate()
    assert again.wait(10) == 0


def test_a_call_waits_for_the_service(home: Home, listener: socket.socket) -> None:
    """Made before the service runs, it is in the queue of the socket."""
    with subprocess.Popen(home.command(), stdin=subprocess.PIPE, stdout=subprocess.PIPE) as caller:
        assert caller.stdin and caller.stdout
        caller.stdin.write(b'{"do": "echo"}')
        caller.stdin.close()
        process = activated(home, listener)
        assert caller.stdout.read() == b'{"do": "echo"}'
    process.terminate()
    assert process.wait(10) == 0


def test_a_hook_of_another_installation_is_answered_there(home: Home, listener: socket.socket) -> None:
    """The socket is not ours to give up, so the daemon stays."""
    process = activated(home, listener)
    assert home.ask({"do": "echo"}, installation="/elsewhere").exit_code == 0
    assert running(process.pid)
    process.terminate()
    assert process.wait(10) == 0


@pytest.mark.parametrize("count", [2, 7])
def test_more_than_one_socket_is_refused(home: Home, listener: socket.socket, count: int) -> None:
    """The unit is wrong, and nothing is guessed."""
    process = activated(home, listener, count=count)
    assert process.stderr
    assert b"must have one ListenStream" in process.stderr.read()
    assert process.wait(10) == 1


def test_variables_for_another_process_are_not_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    """They were inherited by accident: ignored, and taken away."""
    monkeypatch.setenv("LISTEN_PID", str(os.getpid() + 1))
    monkeypatch.setenv("LISTEN_FDS", "1")
    assert activation.inherited() is None
    assert "LISTEN_FDS" not in os.environ


def test_a_file_is_no_socket(tmp_path: Path) -> None:
    """Whatever else lies at descriptor 3 is refused."""
    code = "from checkrail.daemon import activation; activation.inherited()"
    with (tmp_path / "file").open("w") as file:
        command = (sys.executable, "-c", PASS, str(file.fileno()), "1", sys.executable, "-c", code)
        done = subprocess.run(command, pass_fds=(file.fileno(),), capture_output=True, timeout=20)
    assert done.returncode == 1 and b"is no socket" in done.stderr


def test_what_is_passed_to_ourselves_names_the_file() -> None:
    """So that the later self knows which file it may remove."""
    assert activation.passing((7, 9))["LISTEN_FDNAMES"] == "checkrail-7-9"
    assert activation.passing(None)["LISTEN_FDNAMES"] == "systemd"
