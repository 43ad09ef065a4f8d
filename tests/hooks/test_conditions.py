"""What happens to the machine around a call: what the caller sees, that nothing passes unseen, and that the next call works."""

import contextlib
import json
import os
import resource
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import checkrail
from checkrail.daemon import lifecycle
from tests.daemon.home import Home, running, until
from tests.hooks.test_checkrail_hook import ECHO, assert_blocked

PATIENT = "0.03, 0.06, 0.12, 0.25, 0.5, 1.0, 2.0, 4.0"
SHORT = "0.03, 0.06, 0.12, 4.0"
ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="becomes another user")
REAL = f"import sys,runpy;sys.path[:0]={[str(Path(checkrail.__file__).parents[1]), *filter(None, sys.path)]!r};runpy.run_module('checkrail.daemon',run_name='__main__')"


def next_call_works(home: Home) -> None:
    """An answer to another call, whole."""
    done = home.shim(b'{"do": "echo", "next": 1}')
    assert (done.returncode, done.stdout, done.stderr) == (0, b'{"do": "echo", "next": 1}', b"")


def killed(pid: int) -> None:
    """Kills a process of this test's daemon."""
    os.kill(pid, signal.SIGKILL)
    until(lambda: not running(pid))


def test_a_killed_supervisor_is_replaced_once_its_workers_end(home: Home) -> None:
    """Its workers answer on; when they are gone, the next call starts another daemon."""
    found = home.start()
    killed(found.supervisor)
    assert home.shim(ECHO).stdout == ECHO
    for pid in found.workers:
        os.kill(pid, signal.SIGKILL)
    until(lambda: not any(map(running, found.workers)))
    next_call_works(home)
    assert len(home.starts()) == 2


def test_a_supervisor_killed_in_a_call_changes_no_answer(home: Home) -> None:
    """The worker finishes what it has begun."""
    found = home.start()
    with subprocess.Popen(home.command(), stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin and process.stdout
        process.stdin.write(b'{"do": "nap", "s": 0.8}')
        process.stdin.close()
        time.sleep(0.4)
        killed(found.supervisor)
        assert process.stdout.read() == b"one"
        assert process.wait(20) == 0
    next_call_works(home)


def test_a_worker_frozen_in_a_call_blocks_it(home: Home) -> None:
    """As often as the hook asks; the workers are replaced."""
    home.start()
    assert_blocked(home.shim({"do": "freeze"}))
    until(lambda: 0 not in home.status().workers)
    next_call_works(home)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_a_worker_killed_or_frozen_at_rest_is_not_noticed(home: Home, number: signal.Signals) -> None:
    """Another answers, and it is replaced."""
    found = home.start()
    os.kill(found.workers[0], number)
    assert home.shim(ECHO).stdout == ECHO
    until(lambda: found.workers[0] not in home.status().workers)
    next_call_works(home)


def test_a_daemon_frozen_as_a_whole_loses_its_place(home: Home) -> None:
    """The call is answered by another."""
    found = home.start()
    os.killpg(os.getpgid(found.supervisor), signal.SIGSTOP)
    assert home.shim(ECHO).stdout == ECHO
    os.killpg(os.getpgid(found.supervisor), signal.SIGCONT)
    next_call_works(home)


def test_a_stale_socket_and_a_stale_lock_are_taken_over(home: Home) -> None:
    """Left by a daemon that is no more; the number in its lock is another process by now."""
    home.socket.parent.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(home.socket))
    for name in ("lock", "s.lock", "pid", "s.pid"):
        (home.socket.parent / name).write_text("1\n")
    assert home.shim(ECHO).stdout == ECHO
    next_call_works(home)


def test_a_runtime_directory_that_cannot_be_written_blocks(home: Home) -> None:
    """Not even by root: the system gives no directory there. With a place again, the next call is answered."""
    place = home.socket
    home.socket = Path("/proc/self/checkrail/s")
    home.set_limits(pauses=SHORT)
    assert_blocked(home.shim(ECHO))
    home.socket = place
    home.set_limits(pauses=PATIENT)
    next_call_works(home)


@ROOT
def test_another_user_cannot_take_the_place_of_the_socket(home: Home) -> None:
    """Its directory keeps everybody else out; the daemon answers on."""
    home.start()
    line = "import os, socket, sys; os.setgroups([]); os.setgid(12345); os.setuid(12345); p = sys.argv[1]; os.path.exists(p) and os.unlink(p); socket.socket(socket.AF_UNIX).bind(p)"
    done = subprocess.run((sys.executable, "-I", "-c", line, str(home.socket)), capture_output=True, timeout=30)
    assert b"PermissionError" in done.stderr
    next_call_works(home)


@ROOT
def test_in_a_user_namespace_a_directory_of_somebody_else_is_not_entered(home: Home) -> None:
    """There every foreign owner looks like oneself, where nobody is mapped; the system keeps the directory shut."""
    if shutil.which("unshare") is None or subprocess.run(("unshare", "--user", "true"), capture_output=True).returncode:
        pytest.skip("no user namespaces here")
    home.start()
    home.set_limits(pauses=SHORT)
    os.chown(home.socket.parent, 12345, 12345)
    try:
        done = subprocess.run(("unshare", "--user", *home.command()), input=ECHO, capture_output=True, timeout=30)
        assert done.returncode != 0 and done.stdout == b""
    finally:
        os.chown(home.socket.parent, os.geteuid(), os.getegid())
        home.set_limits(pauses=PATIENT)
    next_call_works(home)


def test_an_upgrade_under_a_running_daemon_loses_no_call(home: Home) -> None:
    """Calls before, during and after it are answered, by the old code or the new."""
    home.start()
    seen = [home.shim({"do": "nap", "s": 0.01}).stdout]
    (home.path / "package" / "value.py").write_text("two")
    end = time.monotonic() + 20
    while seen[-1] != b"two" and time.monotonic() < end:
        seen.append(home.shim({"do": "nap", "s": 0.01}).stdout)
    assert set(seen) == {b"one", b"two"}
    next_call_works(home)


def test_a_policy_changed_in_a_call_counts_from_the_next_on(home: Home) -> None:
    """The call under way is answered by what it began with."""
    home.start()
    found: list[bytes] = []
    call = threading.Thread(target=lambda: found.append(home.shim({"do": "nap", "s": 0.6}).stdout))
    call.start()
    time.sleep(0.3)
    (home.path / "policy").write_text("second")
    call.join()
    assert found == [b"one"]
    until(lambda: json.loads(home.shim({"do": "tell"}).stdout)["policy"] == "second")
    next_call_works(home)


def test_an_event_of_ten_mebibytes_blocks(home: Home) -> None:
    """With the reason; the daemon never sees it."""
    home.start()
    done = home.shim(b'{"do": "echo", "x": "' + b"x" * (10 << 20) + b'"}')
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"larger than 8 MiB" in done.stderr
    next_call_works(home)


@contextlib.contextmanager
def clients(home: Home, count: int, first: bytes = b"") -> Iterator[list[socket.socket]]:
    """Connections that say no more than ``first``; fewer where the queue of the daemon is full."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, count + 200)), hard))
    made: list[socket.socket] = []
    try:
        for _ in range(count):
            peer = socket.socket(socket.AF_UNIX)
            made.append(peer)
            peer.setblocking(False)
            with contextlib.suppress(BlockingIOError):
                peer.connect(str(home.socket))
                peer.send(first) if first else None
        yield made
    finally:
        for peer in made:
            peer.close()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_a_client_that_drips_holds_one_worker_for_a_moment(home: Home) -> None:
    """A byte now and then; calls beside it are answered, and it is left."""
    home.set(workers=2, client_s=0.3)
    home.start()
    with clients(home, 1, b"CKR1") as (slow,):
        for _ in range(8):
            with contextlib.suppress(OSError):
                slow.send(b"\0")
            assert home.shim(ECHO).stdout == ECHO
    next_call_works(home)


@pytest.mark.parametrize("how", [socket.SHUT_WR, socket.SHUT_RD, socket.SHUT_RDWR])
def test_a_client_that_closes_one_half_does_no_harm(home: Home, how: int) -> None:
    """In the middle of its request, in either direction."""
    home.start()
    with clients(home, 6, b"CKR1\0\0\0\x09\0\0") as peers:
        for peer in peers:
            with contextlib.suppress(OSError):
                peer.shutdown(how)
        assert home.shim(ECHO).stdout == ECHO
    next_call_works(home)


def test_a_thousand_idle_clients_delay_and_let_nothing_through(home: Home) -> None:
    """The answer, or a block at the deadline; when they are gone, the next call is answered."""
    home.set(workers=2, client_s=0.1)
    home.start()
    with clients(home, 1000):
        done = home.shim(ECHO)
        assert (done.returncode, done.stdout) == (0, ECHO) or (done.returncode, done.stdout) == (2, b"")
    until(lambda: home.shim(ECHO).stdout == ECHO, seconds=30)
    next_call_works(home)


# The real daemon -------------------------------------------------------------------------


@pytest.fixture
def real(home: Home, monkeypatch: pytest.MonkeyPatch) -> Iterator[Home]:
    """A home whose hook starts the real daemon, with all that it keeps inside of the home."""
    for name in ("CONFIG", "STATE", "DATA"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(home.path / name.lower()))
    monkeypatch.setenv("HOME", str(home.path))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(home.path))
    home.set_daemon(sys.executable, "-I", "-c", REAL)
    try:
        yield home
    finally:
        lifecycle.stop(home.socket)


def judged(home: Home, command: bytes, **options: object) -> "subprocess.CompletedProcess[bytes]":
    """A pending command of Claude Code."""
    raw = b'{"session_id":"s","cwd":"/tmp","hook_event_name":"PreToolUse","tool_name":"Bash","permission_mode":"default","tool_input":{"command":"%s"}}'
    return subprocess.run(home.command(), input=raw % command, capture_output=True, timeout=60, **options)  # type: ignore[call-overload,no-any-return]


def says(done: "subprocess.CompletedProcess[bytes]") -> str:
    """Allow, ask, deny, or blocked."""
    told = json.loads(done.stdout or b"{}").get("hookSpecificOutput", {}).get("permissionDecision", "")
    return told or ("blocked" if done.returncode == 2 else "allow")


def judges_as_ever(home: Home, **options: object) -> None:
    """What is dangerous is stopped, what is harmless passes."""
    assert says(judged(home, b"rm -rf /", **options)) in ("deny", "blocked")
    assert says(judged(home, b"git status --short", **options)) == "allow"


@pytest.mark.parametrize("variables", [{}, {"HOME": ""}, {"HOME": "/nonexistent"}, {"HOME": "relative"}])
def test_a_missing_home_changes_no_verdict(real: Home, variables: dict[str, str]) -> None:
    """Unset, empty, gone or no path: the dangerous is stopped, and the harmless passes or is blocked with a reason."""
    around = {**variables, "PATH": os.environ["PATH"]} | {
        name: value for name, value in os.environ.items() if name.startswith("XDG_")
    }
    assert says(judged(real, b"rm -rf /", env=around)) in ("deny", "blocked")
    assert says(judged(real, b"rm -rf ~", env=around)) in ("deny", "ask", "blocked")
    done = judged(real, b"git status --short", env=around)
    assert says(done) == "allow" or (done.returncode == 2 and done.stderr)
    lifecycle.stop(real.socket)
    judges_as_ever(real)


def test_a_locale_without_utf_8_changes_no_verdict(real: Home) -> None:
    """Neither do bytes that are no text."""
    around = {**os.environ, "LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}
    judges_as_ever(real, env=around)
    assert says(judged(real, "echo ü; rm -rf /".encode(), env=around)) in ("deny", "blocked")
    for raw in (b"echo \xff\xfe", b"rm -rf / \xff", b"\xed\xa0\x80"):
        assert says(judged(real, raw, env=around)) in ("ask", "deny", "blocked")
    judges_as_ever(real, env=around)


def test_state_that_cannot_be_written_changes_no_verdict(real: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """The system gives no directory there, not even to root."""
    for name in ("STATE", "DATA"):
        monkeypatch.setenv(f"XDG_{name}_HOME", "/proc/self/checkrail")
    judges_as_ever(real)
    judges_as_ever(real)
