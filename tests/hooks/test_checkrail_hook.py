"""The shim as a process: what goes in, what comes out, and that nothing but a block comes out when something breaks."""

import contextlib
import fcntl
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from checkrail.daemon import shim
from tests.daemon.home import LINUX, Home, running, until

ECHO = b'{"do": "echo"}'
BLOCKED = re.compile(rb"checkrail: blocked: [^\n]+; run: checkrail doctor\n\Z")


def assert_blocked(done: "subprocess.CompletedProcess[bytes]") -> None:
    """One line on stderr, exit code 2, nothing on stdout."""
    assert (done.returncode, done.stdout) == (2, b"")
    assert BLOCKED.match(done.stderr), done.stderr


def piped(home: Home, **more: Any) -> "subprocess.Popen[bytes]":
    """The shim with pipes that stay open."""
    return subprocess.Popen(
        home.command(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more
    )


def catches(pid: int, number: int) -> bool:
    """Whether a process has a handler for a signal."""
    caught = re.search(r"^SigCgt:\s*(\w+)", Path(f"/proc/{pid}/status").read_text(), re.M)
    return caught is not None and bool(int(caught[1], 16) >> (number - 1) & 1)


def fake_daemon(home: Home, answer: bytes) -> socket.socket:
    """Something that takes one connection after the other at the socket and says ``answer``."""
    home.socket.parent.mkdir(mode=0o700)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(str(home.socket))
    listener.listen()

    def serve() -> None:
        while True:
            try:
                peer, _ = listener.accept()
            except OSError:
                return
            peer.recv(1 << 16)
            peer.sendall(answer)
            peer.close()

    threading.Thread(target=serve, daemon=True).start()
    home.set_daemon("/bin/false")
    return listener


def test_it_stays_small() -> None:
    """The shim has under 60 lines and imports built-in or extension modules only, none of them the package."""
    text = shim.source()
    assert len(text.splitlines()) < 60
    imported = [line for line in text.splitlines() if re.match(r"\s*(import|from)\b", line)]
    assert imported == ["import _signal, _socket, posix, sys, time"]


def test_it_starts_a_daemon_and_gives_back_its_answer(home: Home) -> None:
    """Without a daemon the first call starts one and is answered; the next finds it."""
    first, second = home.shim(ECHO), home.shim({"do": "deny"})
    assert (first.returncode, first.stdout, first.stderr) == (0, ECHO, b"")
    assert (second.returncode, second.stdout, second.stderr) == (2, b'{"deny":true}', b"denied\n")
    assert len(home.starts()) == 1


@pytest.mark.parametrize(("code", "out", "err"), [(0, 0, 0), (2, 0, 9), (0, 300_000, 300_000), (7, 1, 1)])
def test_the_answer_passes_unchanged(home: Home, code: int, out: int, err: int) -> None:
    """Exit code, stdout and stderr are those of the daemon, of any size."""
    done = home.shim({"do": "say", "code": code, "out": out, "err": err})
    assert (done.returncode, done.stdout, done.stderr) == (code, b"o" * out, b"e" * err)


def test_the_daemon_learns_where_it_is_asked_from_and_no_secrets(home: Home, tmp_path: Path) -> None:
    """Agent, event kind, directory and a few variables travel; others stay."""
    environment = {**os.environ, "KUBECONFIG": "/k", "AWS_SECRET_ACCESS_KEY": "hush", "PGPASSWORD": "hush"}
    told = json.loads(home.shim({"do": "tell"}, cwd=tmp_path, env=environment).stdout)
    assert (told["agent"], told["event"], told["cwd"]) == ("claude", "pre", str(tmp_path))
    assert told["environment"]["HOME"] == os.environ["HOME"]
    assert "hush" not in str(told)
    assert told["environment"]["KUBECONFIG"] == "/k"
    assert not {"KUBECONFIG", "PGPASSWORD"} & set(told["environ"])


def test_an_open_stdin_is_no_obstacle(home: Home) -> None:
    """A host that never closes the pipe gets its answer once the JSON value is complete."""
    with piped(home) as process:
        assert process.stdin and process.stdout
        process.stdin.write(b'{"do": "echo", "text": "a } \\" { \\\\"}\n')
        process.stdin.flush()
        assert process.wait(10) == 0
        assert process.stdout.read() == b'{"do": "echo", "text": "a } \\" { \\\\"}\n'


def test_a_stdin_that_does_not_block_is_no_obstacle(home: Home) -> None:
    """Some hosts hand over their own kind of pipe; the event comes when it comes."""
    home.start()
    read, write = os.pipe()
    os.set_blocking(read, False)
    with subprocess.Popen(home.command(), stdin=read, stdout=subprocess.PIPE) as process:
        os.close(read)
        time.sleep(0.2)
        os.write(write, ECHO)
        assert process.stdout and process.stdout.read() == ECHO
    os.close(write)


def test_stdin_in_pieces_is_put_together(home: Home) -> None:
    """Pieces of 4 kB that end in brackets, quotes and backslashes make one event."""
    event = json.dumps({"do": "echo", "text": '{}[]"\\ ' * 20_000, "more": [{"a": {}}]}).encode()
    with piped(home) as process:
        assert process.stdin and process.stdout
        for start in range(0, len(event), 4096):
            process.stdin.write(event[start : start + 4096])
            process.stdin.flush()
        assert process.stdout.read() == event
        assert process.wait(10) == 0


@pytest.mark.parametrize("event", [b"", b"not json", b'{"do": "echo"', b"[[[[", b"\xff\xfe\x00", b"{}" * 9])
def test_what_is_no_event_is_for_the_daemon_to_refuse(home: Home, event: bytes) -> None:
    """Bytes that make no JSON value reach the daemon at the end of stdin, and are blocked."""
    done = home.shim(event)
    assert done.returncode == 2
    assert done.stderr


def test_an_event_of_eight_mebibytes_passes_and_a_larger_one_does_not(home: Home) -> None:
    """The limit is enforced without reading what lies far beyond it."""
    frame = len('{"do": "say", "code": 0, "out": 1, "err": 0, "x": ""}')
    wish = {"do": "say", "code": 0, "out": 1, "err": 0}
    assert home.shim(wish | {"x": "x" * ((8 << 20) - frame)}).stdout == b"o"
    done = home.shim(wish | {"x": "x" * (8 << 20)})
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"larger than 8 MiB" in done.stderr


def test_a_missing_event_is_blocked_by_the_deadline(home: Home) -> None:
    """A host that says nothing, or half of it, is told so before its own timeout."""
    home.set_limits(deadline=0.6, silence=0.3)
    with piped(home) as process:
        assert process.stdin and process.stdout and process.stderr
        process.stdin.write(b'{"do": "echo", ')
        process.stdin.flush()
        assert process.wait(10) == 2
        assert BLOCKED.match(process.stderr.read())
        assert process.stdout.read() == b""


def test_a_vanished_directory_is_no_obstacle(home: Home, tmp_path: Path) -> None:
    """The working directory of the agent may be gone."""
    gone = tmp_path / "gone"
    gone.mkdir()
    line = 'cd "$0" && rmdir "$0" && exec "$@"'
    done = subprocess.run(
        ("/bin/sh", "-c", line, str(gone), *home.command()), input=b'{"do": "tell"}', capture_output=True, timeout=30
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["cwd"] == ""


@pytest.mark.parametrize("stream", [0, 1, 2])
def test_a_closed_stream_blocks(home: Home, stream: int) -> None:
    """The socket must not take the place of a standard stream, and no answer may get lost."""
    line = f'exec {stream}<&-; exec "$@"'
    done = subprocess.run(("/bin/sh", "-c", line, "sh", *home.command()), input=ECHO, capture_output=True, timeout=30)
    assert (done.returncode, done.stdout) == (2, b"")
    assert stream == 2 or BLOCKED.match(done.stderr)
    assert home.starts() == []


def test_an_answer_that_nobody_reads_blocks(home: Home) -> None:
    """With a stdout that is closed at the other end, the exit code is that of a block."""
    home.start()
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(home.command(), input=ECHO, stdout=write, stderr=subprocess.PIPE, timeout=30)
    os.close(write)
    assert done.returncode == 2
    assert BLOCKED.match(done.stderr)


def test_noise_of_the_daemon_stays_there(home: Home) -> None:
    """What deciding code prints never reaches the host."""
    for _ in range(2):  # the first call starts the daemon
        done = home.shim({"do": "noise"})
        assert (done.returncode, done.stdout, done.stderr) == (0, b'{"do": "noise"}', b"")


def _held(pid: int) -> set[str]:
    """What a process holds open; what it closes meanwhile does not count."""
    held = set()
    for entry in Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):
            held.add(os.readlink(entry))
    return held


@LINUX
def test_the_started_daemon_holds_nothing_of_the_host(home: Home) -> None:
    """None of the shim's descriptors lives on in the daemon, not even one that the host leaked."""
    leaked, other = os.pipe()
    high = fcntl.fcntl(leaked, fcntl.F_DUPFD, 77)  # beyond what a shim that closes the first few would reach
    with piped(home, pass_fds=(high,)) as process:
        assert process.stdin and process.stdout
        inodes = {os.readlink(f"/proc/self/fd/{fd}") for fd in (process.stdin.fileno(), process.stdout.fileno(), high)}
        process.stdin.write(ECHO)
        process.stdin.close()
        assert process.stdout.read() == ECHO  # which ends only when nobody holds the pipe
        assert process.wait(10) == 0
    for fd in (leaked, other, high):
        os.close(fd)
    found = home.status()
    for pid in (found.supervisor, *found.workers):
        assert not _held(pid) & inodes
        assert os.getsid(pid) not in (pid, os.getsid(0))


@pytest.mark.parametrize(
    "answer",
    [b"", b"HTTP/1.1 200 OK\r\n\r\n", b"CKA1", b"CKA1\0\0\0\0\5\0\0\0\0abc", b"CKA1\0\0\0\0\1\0\0\0\0abc", b"\0" * 13],
)
def test_nonsense_blocks(home: Home, answer: bytes) -> None:
    """An answer that is cut off, too long or something else entirely is no answer."""
    listener = fake_daemon(home, answer)
    assert_blocked(home.shim(ECHO))
    listener.close()


def test_a_silent_daemon_blocks(home: Home) -> None:
    """A peer that takes the call and says nothing is given up before the host's timeout."""
    home.socket.parent.mkdir(mode=0o700)
    home.set_limits(deadline=1.0, silence=0.3)
    home.set_daemon("/bin/false")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(home.socket))
        listener.listen()
        assert_blocked(home.shim(ECHO))


@pytest.mark.parametrize("program", ["/bin/false", "/does/not/exist"])
def test_a_daemon_that_cannot_start_blocks(home: Home, program: str) -> None:
    """The host hears why."""
    home.set_daemon(program)
    home.set_limits(pauses="0.03, 0.06, 0.12, 0.25, 0.5, 4.0")
    home.socket.parent.mkdir(mode=0o700)
    assert_blocked(home.shim(ECHO))


def test_an_open_directory_blocks(home: Home) -> None:
    """A socket in a directory that others may enter is not used: it may be anybody's."""
    fake_daemon(home, b"CKA1" + b"\0" * 9).close()
    home.socket.parent.chmod(0o755)
    done = home.shim(ECHO)
    assert_blocked(done)
    assert b"open to others" in done.stderr


@LINUX
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_blocks(home: Home, number: signal.Signals) -> None:
    """A shim that is told to end does not end like a success or a crash."""
    with piped(home) as process:
        assert process.stdin and process.stderr
        process.stdin.write(b'{"do": ')
        process.stdin.flush()
        until(lambda: catches(process.pid, number))
        time.sleep(0.2)  # now it waits for the rest
        process.send_signal(number)
        assert process.wait(10) == 2
        assert BLOCKED.match(process.stderr.read())


def test_blocked_signals_of_the_host_do_not_disarm_the_deadline(home: Home) -> None:
    """A host may start its hooks with signals blocked."""
    home.set_limits(deadline=0.6, silence=0.3)
    line = (
        "import os, signal, sys; signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM, signal.SIGTERM]);"
        "os.execv(sys.argv[1], sys.argv[1:])"
    )
    with subprocess.Popen(
        (sys.executable, "-c", line, *home.command()), stdin=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.wait(10) == 2
        assert process.stderr and BLOCKED.match(process.stderr.read())


def test_a_worker_killed_in_a_call_is_asked_again(home: Home) -> None:
    """The question has no effect, so the shim asks it again: another worker answers."""
    done = home.shim({"do": "die", "once": "killed"})
    assert (done.returncode, done.stdout) == (0, b"survived")
    assert home.shim(ECHO).stdout == ECHO


def test_a_daemon_killed_in_a_call_is_started_again(home: Home) -> None:
    """Supervisor and workers die at once; the same call gets a new daemon and its answer."""
    done = home.shim({"do": "die_all", "once": "killed"})
    assert (done.returncode, done.stdout) == (0, b"survived")
    first, second = home.starts()
    assert not running(first) and running(second)


def test_a_call_that_kills_every_worker_is_blocked(home: Home) -> None:
    """Asked again a few times and not for ever; the daemon stays in service."""
    assert_blocked(home.shim({"do": "die"}))
    until(lambda: home.status().replaced <= 3)
    assert home.shim(ECHO).stdout == ECHO


def test_arguments_that_are_missing_block(home: Home) -> None:
    """A hook without an agent's name is a wrong installation."""
    done = subprocess.run(
        home.command()[: home.command().index("--agent")], input=ECHO, capture_output=True, timeout=30
    )
    assert_blocked(done)
