"""What breaks around the hook: whatever it is, either the daemon's whole answer comes out or a block."""

import concurrent.futures
import contextlib
import os
import random
import resource
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from checkrail.daemon.protocol import Answer, encode_answer
from tests.daemon.home import KINDS, LINUX, Home, homes, skip_unless_it_compiles, until
from tests.hooks.test_checkrail_hook import BLOCKED, ECHO, assert_blocked, piped

WHOLE = encode_answer(Answer(0, b"the answer"))
SHORT = "0.03, 0.06, 4.0"
Speech = Callable[[socket.socket], None]


@contextlib.contextmanager
def speaking(home: Home, *turns: Speech) -> Iterator[list[bytes]]:
    """Something at the socket that takes one connection for each turn, the last turn for all that follow; what it was sent."""
    home.socket.parent.mkdir(mode=0o700, exist_ok=True)
    home.set_daemon("/bin/false")
    asked: list[bytes] = []
    left = list(turns)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(home.socket))
        listener.listen()

        def serve() -> None:
            with contextlib.suppress(OSError):
                while True:
                    peer, _ = listener.accept()
                    with peer, contextlib.suppress(OSError):
                        asked.append(request(peer))
                        (left.pop(0) if len(left) > 1 else left[0])(peer)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield asked
        with contextlib.suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        thread.join(10)


def request(peer: socket.socket) -> bytes:
    """A whole request."""
    data = b""
    while len(data) < 12 or len(data) < 12 + int.from_bytes(data[4:8], "big") + int.from_bytes(data[8:12], "big"):
        part = peer.recv(1 << 20)
        if not part:
            break
        data += part
    return data


def says(*parts: bytes, pause: float = 0.0, then: float = 0.0) -> Speech:
    """Sends parts with a pause before each, stays for a while, and leaves."""

    def speak(peer: socket.socket) -> None:
        for part in parts:
            time.sleep(pause)
            peer.sendall(part)
        time.sleep(then)

    return speak


def endless(peer: socket.socket) -> None:
    """An answer that is announced with 4 GiB and never ends."""
    peer.sendall(b"CKA1\0\xff\xff\xff\xff\0\0\0\0")
    while True:
        peer.sendall(b"x" * (1 << 18))


def limited(**limits: int) -> dict[str, Any]:
    """What a process gets that may use so much."""

    def lower() -> None:
        for name, value in limits.items():
            resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (value, value))

    return {"preexec_fn": lower}


def test_a_file_in_the_place_of_the_socket_blocks(home: Home) -> None:
    """The daemon does not touch it, so the hook hears of none."""
    home.socket.parent.mkdir(mode=0o700)
    home.socket.write_text("mine")
    home.set_limits(pauses=SHORT)
    assert_blocked(home.shim(ECHO))
    assert home.socket.read_text() == "mine"


@pytest.mark.parametrize("what", ["directory", "fifo", "file above"])
def test_other_things_in_its_place_block(home: Home, what: str) -> None:
    """A directory, a pipe; a file where its directory should be."""
    if what == "file above":
        home.socket.parent.write_text("mine")
    else:
        home.socket.parent.mkdir(mode=0o700)
    if what == "directory":
        home.socket.mkdir()
    elif what == "fifo":
        os.mkfifo(home.socket)
    home.set_limits(pauses=SHORT)
    assert_blocked(home.shim(ECHO))


def test_a_link_to_itself_is_replaced_or_blocks(home: Home) -> None:
    """The daemon takes its place; whether in time for this call, the machine decides."""
    home.socket.parent.mkdir(mode=0o700)
    home.socket.symlink_to(home.socket)
    done = home.shim(ECHO)
    assert (done.returncode, done.stdout) in ((0, ECHO), (2, b""))
    until(lambda: home.shim(ECHO).stdout == ECHO)


@pytest.mark.parametrize("mode", [0o701, 0o710, 0o704, 0o1777, 0o750])
def test_each_bit_for_others_blocks(home: Home, mode: int) -> None:
    """Before a word is sent."""
    with speaking(home, says(WHOLE)) as asked:
        home.socket.parent.chmod(mode)
        done = home.shim(ECHO)
        assert asked == []
        home.socket.parent.chmod(0o700)
    assert_blocked(done)
    assert b"open to others" in done.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="gives a directory away")
def test_a_directory_of_another_user_blocks(home: Home) -> None:
    """However private."""
    with speaking(home, says(WHOLE)) as asked:
        os.chown(home.socket.parent, 12345, -1)
        done = home.shim(ECHO)
        assert asked == []
        os.chown(home.socket.parent, os.geteuid(), -1)
    assert_blocked(done)


def test_no_descriptor_left_blocks(home: Home) -> None:
    """The hook's own limit; an interpreter does not even start then, which the hook in C does not need."""
    home.start()
    home.set_limits(pauses=SHORT)
    done = home.shim(ECHO, **limited(NOFILE=3))
    assert done.returncode == (127 if home.kind == "python" else 2) and done.stdout == b"" and done.stderr


@pytest.mark.parametrize("count", [8, 14, 18, 24])
def test_a_daemon_with_few_descriptors_answers_or_does_not(home: Home, count: int) -> None:
    """A daemon at its limit is like none, or answers as ever."""
    home.set_limits(pauses="0.03, 0.06, 0.12, 0.25, 0.5, 4.0")
    home.set_daemon("/bin/sh", "-c", f'ulimit -n {count}; exec "$@"', "sh", *home.daemon)
    done = home.shim(ECHO)
    assert (done.returncode, done.stdout) == (0, ECHO) or (done.returncode, done.stdout) == (2, b"")


@pytest.mark.parametrize("size", [24, 48, 96])
def test_little_memory_blocks_or_does_not_matter(home: Home, size: int) -> None:
    """Where the event does not fit, no half of it is asked about."""
    home.start()
    event = b'{"do": "echo", "x": "' + b"x" * (6 << 20) + b'"}'
    done = home.shim(event, **limited(AS=size << 20))
    assert (done.returncode, done.stdout) == (0, event) or (
        done.returncode in ((1, 2, 127) if home.kind == "python" else (2,)) and done.stdout == b""
    )


def test_a_slow_daemon_is_waited_for(home: Home) -> None:
    """One byte after the other, within the deadline."""
    with speaking(home, says(*(bytes((byte,)) for byte in WHOLE), pause=0.03)):
        done = home.shim(ECHO)
    assert (done.returncode, done.stdout) == (0, b"the answer")


@pytest.mark.parametrize("speech", [says(b"C", then=3), says(WHOLE[:-1], then=3), says(WHOLE, then=3)])  # fmt: skip
def test_an_answer_that_does_not_end_is_blocked_by_the_deadline(home: Home, speech: Speech) -> None:
    """Even where all of it seems to be there: only the end of the stream says so."""
    home.set_limits(deadline=1.0, silence=0.3)
    with speaking(home, speech):
        started = time.monotonic()
        done = home.shim(ECHO)
    assert_blocked(done)
    assert time.monotonic() - started < 6


def test_bytes_that_drip_do_not_move_the_deadline(home: Home) -> None:
    """It is one for the whole call."""
    home.set_limits(deadline=1.0, silence=0.3)
    with speaking(home, says(*([b"C"] * 60), pause=0.05)):
        assert_blocked(home.shim(ECHO))


def test_a_huge_answer_blocks_within_bounds(home: Home) -> None:
    """It is not read to its end, which there is none."""
    home.set_limits(pauses=SHORT)
    with speaking(home, endless):
        assert_blocked(home.shim(ECHO))


@pytest.mark.parametrize("half", range(0, len(WHOLE), 3))
def test_of_a_half_answer_nothing_comes_out(home: Home, half: int) -> None:
    """Killed in the middle of its answer: the question is asked again, and the answer is the second one's alone."""
    other = encode_answer(Answer(2, b"other", b"and why\n"))
    with speaking(home, says(WHOLE[:half]), says(other)) as asked:
        done = home.shim(ECHO)
    assert (done.returncode, done.stdout, done.stderr) == (2, b"other", b"and why\n")
    assert len(asked) == 2 and asked[0] == asked[1]


def test_a_request_that_nobody_takes_blocks(home: Home) -> None:
    """An event larger than what a socket holds, and a peer that reads none of it."""
    home.set_limits(deadline=2.0, silence=0.2, pauses=SHORT)
    home.socket.parent.mkdir(mode=0o700)
    home.set_daemon("/bin/false")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(home.socket))
        listener.listen()
        assert_blocked(home.shim(b'{"x": "' + b"x" * (4 << 20) + b'"}'))


def test_a_full_queue_of_callers_blocks_or_is_waited_for(home: Home) -> None:
    """Nobody accepts."""
    home.set_limits(deadline=1.5, silence=0.2, pauses=SHORT)
    home.socket.parent.mkdir(mode=0o700)
    home.set_daemon("/bin/false")
    with socket.socket(socket.AF_UNIX) as listener, contextlib.ExitStack() as others:
        listener.bind(str(home.socket))
        listener.listen(1)
        for _ in range(4):
            other = others.enter_context(socket.socket(socket.AF_UNIX))
            other.setblocking(False)
            with contextlib.suppress(OSError):
                other.connect(str(home.socket))
        assert_blocked(home.shim(ECHO))


@LINUX
@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_full_disk_behind_a_stream_blocks(home: Home, stream: str) -> None:
    """An answer that could not be written is none."""
    home.start()
    with open("/dev/full", "wb") as full:
        pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, stream: full}
        done = subprocess.run(home.command(), input=b'{"do": "deny"}', timeout=30, **pipes)
    assert done.returncode == 2
    assert not done.stdout


def test_nobody_who_reads_stderr_does_not_hold_a_block_up(home: Home) -> None:
    """A full pipe: the alarm rings again and ends the hook."""
    home.set_limits(deadline=0.5, silence=0.2)
    read, write = os.pipe()
    os.set_blocking(write, False)
    with contextlib.suppress(BlockingIOError):
        while True:
            os.write(write, b"x" * 4096)
    with subprocess.Popen(home.command(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=write) as process:
        assert process.wait(10) == 2
    os.close(read)
    os.close(write)


def test_a_hook_that_was_stopped_goes_on(home: Home) -> None:
    """As when a person suspends the agent: system calls that were interrupted are made again."""
    home.start()
    with piped(home) as process:
        assert process.stdin and process.stdout
        for part in (b'{"do": "nap", ', b'"s": 0.6}'):
            process.stdin.write(part)
            process.stdin.flush()
            for number in (signal.SIGSTOP, signal.SIGCONT) * 3:
                time.sleep(0.03)
                process.send_signal(number)
        assert process.stdout.read() == b"one"
        assert process.wait(10) == 0


@pytest.mark.parametrize(
    "more", [("--wait", "x"), ("--wait", ""), ("--socket", "/" + "s" * 300), ("--socket", ""), ("--socket", "s"), ("--socket",)]
)  # fmt: skip
def test_wrong_words_block_or_do_not_matter(home: Home, more: tuple[str, ...]) -> None:
    """A number that is none, a path that is too long, empty or without a directory; a last word without its value."""
    home.start()
    home.set_limits(pauses=SHORT)
    done = subprocess.run((*home.command(), *more), input=ECHO, capture_output=True, timeout=30)
    if more == ("--socket",):
        assert (done.returncode, done.stdout) == (0, ECHO)
    else:
        assert (done.returncode, done.stdout) == (2, b"") and BLOCKED.match(done.stderr)


@pytest.fixture(params=KINDS[1:])
def both(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Home, Home]]:
    """One home for the hook in Python, one for the other."""
    skip_unless_it_compiles(request.param)
    with contextlib.ExitStack() as opened:
        made = [
            contextlib.contextmanager(homes)(tmp_path_factory.mktemp("d"), kind=kind)
            for kind in ("python", request.param)
        ]
        first, second = (opened.enter_context(one) for one in made)
        yield first, second


TRICKY = (
    b'{"a": "\\\\"}', b'{"a": "\\""}', b'{"a": "}\\\\\\"}"} \n', b"{\\\\}", b'\\"{"}"}', b'{"a": [}', b"[1, 2]", b"[1]\n", b"}{", b"{}\0",
    b'{"a": "\xff{"}\t', b"{}{", b"{}{}\r", b'{"\\', b'{\\{}}"\\\\"', b" \n", b"\0", b"{\x00}", b'"{}" ', b'{"a":"b\\\\\\\\"}',
)  # fmt: skip


def frames(home: Home, events: Iterable[bytes], environment: dict[str, str], cwd: Path) -> list[object]:
    """What one hook sends for each event with a pipe that stays open; exit codes included."""
    home.set_limits(deadline=0.25, silence=0.2)
    found: list[object] = []
    with speaking(home, says(WHOLE)) as asked:
        for event in events:
            asked.clear()
            with piped(home, env=environment, cwd=cwd) as process:
                assert process.stdin
                process.stdin.write(event)
                process.stdin.flush()
                process.wait(20)
            found.append((event, process.returncode, list(asked)))
    return found


def test_both_hooks_ask_the_same(both: tuple[Home, Home], tmp_path: Path) -> None:
    """Byte for byte, and both take the same events as complete while the pipe stays open."""
    chance = random.Random(7)
    noise = (bytes(chance.choices(b'{}[]"\\ \n a\xe9', k=chance.randrange(1, 12))) for _ in range(20))
    environment = {"HOME": "/h\udcff=x", "PATH": "", "PGHOST": "a\nb", "OTHER": "hush", "CHECKRAIL_WAIT": "5"}
    environment |= {"XDG_STATE_HOME": "x" * 3000}
    events = (*TRICKY, *noise)
    place = tmp_path / "ü \udcfe"
    place.mkdir()
    with concurrent.futures.ThreadPoolExecutor() as pool:
        python, c = pool.map(lambda home: frames(home, events, environment, place), both)
    for one, other in zip(python, c, strict=True):
        assert one == other
