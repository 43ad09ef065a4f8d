"""Answering requests at a terminal: through a real pseudo-terminal, in processes of their own."""

import contextlib
import json
import os
import pty
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from checkrail.approvals.passcode import Passcode
from checkrail.approvals.store import Store
from checkrail.audit import Log, files
from tests.approvals.samples import asked, private

COMMAND = [sys.executable, "-m", "checkrail"]


class Seat:
    """A home with requests, and a terminal in front of it."""

    def __init__(self, path: Path) -> None:
        self.state = private(path / "state" / "checkrail")
        self.store = Store(str(self.state / "approvals"))
        marks = ("CLAUDECODE", "GEMINI_CLI", "CURSOR_AGENT", "CODEX_SANDBOX", "QWEN_CODE", "AI_AGENT")
        kept = {name: value for name, value in os.environ.items() if name not in marks}
        self.around = {
            **kept, "HOME": str(path), "XDG_STATE_HOME": str(path / "state"), "XDG_CONFIG_HOME": str(path / "config"),
            "XDG_DATA_HOME": str(path / "data"), "XDG_RUNTIME_DIR": str(path), "TERM": "xterm",
        }  # fmt: skip

    def ask(self, command: str = "rm -rf src", name: str = "a") -> int:
        """A request that waits."""
        told = asked(name, whole=json.dumps({"command": command}), summary=command)
        return self.store.ask(told, now=time.time(), lifetime=600)[0].number

    def run(self, *words: str, **more: str) -> "subprocess.CompletedProcess[bytes]":
        """Without a terminal."""
        return subprocess.run(
            [*COMMAND, *words], env={**self.around, **more}, stdin=subprocess.DEVNULL, capture_output=True, timeout=30,
            start_new_session=True,
        )  # fmt: skip

    def states(self) -> list[str]:
        """Of all requests."""
        found = (self.store.get(number) for number in range(1, 20))
        return [request.state for request in found if request]

    def answers(self) -> list[str]:
        """The lines of the log about answers."""
        lines = [
            json.loads(line)
            for path in files(str(self.state / "audit"))
            for line in Path(path).read_text().splitlines()
        ]
        return [line["answer"] for line in lines if line["kind"] == "answer"]


class Terminal:
    """A person's: what is typed and what is seen."""

    def __init__(self, seat: Seat, *words: str) -> None:
        self.seen = b""
        self.pid, self.handle = pty.fork()
        if self.pid == 0:
            os.execve(sys.executable, [*COMMAND, *words], seat.around)
        self.before = termios.tcgetattr(self.handle)

    def readable(self, seconds: float) -> bool:
        """Whether there is more to see; by ``poll``, which knows no highest descriptor."""
        poll = select.poll()
        poll.register(self.handle, select.POLLIN)
        return bool(poll.poll(seconds * 1000))

    def until(self, text: str, seconds: float = 20.0) -> str:
        """Reads until the text is seen."""
        end = time.monotonic() + seconds
        while text.encode() not in self.seen and time.monotonic() < end:
            if self.readable(0.1):
                try:
                    self.seen += os.read(self.handle, 65536)
                except OSError:
                    break
        assert text.encode() in self.seen, self.seen.decode(errors="replace")
        return self.seen.decode(errors="replace")

    def type(self, text: str) -> None:
        """Types."""
        os.write(self.handle, text.encode())

    def end(self) -> int:
        """The exit code."""
        end = time.monotonic() + 20
        while time.monotonic() < end:
            with contextlib.suppress(OSError):
                if self.readable(0):
                    self.seen += os.read(self.handle, 65536)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                os.close(self.handle)
                return os.waitstatus_to_exitcode(status)
            time.sleep(0.02)
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        raise AssertionError(self.seen.decode(errors="replace"))


@pytest.fixture
def seat(tmp_path: Path) -> Iterator[Seat]:
    """Somebody's."""
    made = Seat(private(tmp_path / "home"))
    yield made
    made.store.close()


def test_a_yes_needs_the_word_and_is_logged(seat: Seat) -> None:
    """The operation is shown whole, with what is hidden in it made visible."""
    number = seat.ask("rm -rf src\u202e\n--and a second line")
    terminal = Terminal(seat, "approve", str(number))
    text = terminal.until("Type yes:")
    assert "rm -rf src\\u202e" in text
    assert "│ --and a second line" in text
    assert "\u202e" not in text
    assert "finding:   gone [r.x]" in text
    terminal.type("yes\n")
    assert terminal.end() == 0
    assert seat.states() == ["approved"]
    found = seat.store.take("a", now=time.time())
    assert found is not None
    assert found.who is not None
    assert found.who.uid == os.getuid()
    assert found.who.tty.startswith("/dev/")
    assert seat.answers() == ["approved"]


@pytest.mark.parametrize("said", ["y\n", "\n", "no\n", "yes please\n", "\x04"])
def test_anything_else_is_no_yes(seat: Seat, said: str) -> None:
    """And it still waits."""
    number = seat.ask()
    terminal = Terminal(seat, "approve", str(number))
    terminal.until("Type yes:")
    terminal.type(said)
    assert terminal.end() == 1
    assert seat.states() == ["waiting"]


def test_refusing(seat: Seat) -> None:
    """Is done at once."""
    terminal = Terminal(seat, "refuse", str(seat.ask()))
    assert terminal.end() == 0
    assert seat.states() == ["refused"]
    assert seat.answers() == ["refused"]


@pytest.mark.parametrize(
    "words", [("approve", "1"), ("refuse", "1"), ("watch",), ("passcode", "set"), ("passcode", "clear")]
)
def test_without_a_terminal_nothing_is_answered(seat: Seat, words: tuple[str, ...]) -> None:
    """From a pipe, from /dev/null, without a controlling terminal."""
    seat.ask()
    done = seat.run(*words)
    assert done.returncode == 2
    assert b"terminal" in done.stderr
    assert seat.states() == ["waiting"]


def test_inside_an_agent_nothing_is_answered(seat: Seat) -> None:
    """Even at a terminal: a slip is caught here, intent by the floor."""
    number = seat.ask()
    seat.around["CLAUDECODE"] = "1"
    terminal = Terminal(seat, "approve", str(number))
    assert terminal.end() == 2
    assert seat.states() == ["waiting"]


def test_a_number_that_does_not_wait(seat: Seat) -> None:
    """Unknown, or answered."""
    assert Terminal(seat, "approve", "9").end() == 2
    number = seat.ask()
    assert Terminal(seat, "refuse", str(number)).end() == 0
    assert Terminal(seat, "approve", str(number)).end() == 2


def test_the_passcode_is_asked_for(seat: Seat) -> None:
    """Set, wrong, right, cleared with the old one; it is never shown."""
    terminal = Terminal(seat, "passcode", "set")
    for prompt in ("New passcode:", "Once more:"):
        terminal.until(prompt)
        terminal.type("open sesame\n")
    assert terminal.end() == 0
    assert b"sesame" not in terminal.seen
    number = seat.ask()
    for code, expected in (("wrong", 1), ("open sesame", 0)):
        terminal = Terminal(seat, "approve", str(number))
        terminal.until("Type yes:")
        terminal.type("yes\n")
        terminal.until("Passcode:")
        terminal.type(f"{code}\n")
        assert terminal.end() == expected
        assert code.encode() not in terminal.seen
    assert seat.states() == ["approved"]
    terminal = Terminal(seat, "passcode", "clear")
    terminal.until("Passcode:")
    terminal.type("wrong\n")
    assert terminal.end() == 1
    assert Passcode(str(seat.state / "approvals")).is_set()
    assert seat.answers() == ["passcode-set", "wrong-passcode", "approved", "wrong-passcode"]


def test_the_list(seat: Seat) -> None:
    """For people and for programs; it needs no terminal and answers nothing."""
    assert seat.run("approvals").stdout == b"nothing waits\n"
    seat.ask("rm -rf src\x1b[2J", "a")
    seat.ask("git push -f", "b")
    text = seat.run("approvals").stdout.decode()
    assert "rm -rf src\\x1b[2J" in text
    assert "2 wait" in text
    rows = [json.loads(line) for line in seat.run("approvals", "--json").stdout.splitlines()]
    assert [row["input"]["command"] for row in rows] == ["rm -rf src\x1b[2J", "git push -f"]
    assert all({"authorization", "mark", "seal"}.isdisjoint(row) for row in rows)
    assert seat.states() == ["waiting", "waiting"]


def test_watching(seat: Seat) -> None:
    """Requests come one after the other; one key answers; the terminal is as it was."""
    terminal = Terminal(seat, "watch")
    terminal.until("waiting for requests")
    for index, (key, told) in enumerate((("y", "approved:"), ("n", "refused:"), ("s", "still waits")), 1):
        assert seat.ask(f"rm -rf dir{index}", f"a{index}") == index
        terminal.until(f"rm -rf dir{index}")
        time.sleep(1.2)
        terminal.type(key)
        terminal.until(told)
    terminal.type("q")
    assert terminal.end() == 0
    assert seat.states() == ["approved", "refused", "waiting"]
    assert seat.answers() == ["approved", "refused"]


def test_a_key_typed_before_the_request_was_seen_answers_nothing(seat: Seat) -> None:
    """Whoever leans on the keyboard has not read it."""
    terminal = Terminal(seat, "watch")
    terminal.until("waiting for requests")
    seat.ask()
    terminal.type("y" * 5)
    terminal.until("rm -rf src")
    terminal.type("yyy")
    time.sleep(1.5)
    assert seat.states() == ["waiting"]
    terminal.type("q")
    assert terminal.end() == 0


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_view_that_is_ended_gives_the_terminal_back(seat: Seat, how: signal.Signals) -> None:
    """With echo and lines."""
    terminal = Terminal(seat, "watch")
    terminal.until("waiting for requests")
    assert not termios.tcgetattr(terminal.handle)[3] & termios.ECHO
    os.kill(terminal.pid, how)
    end = time.monotonic() + 10
    while not termios.tcgetattr(terminal.handle)[3] & termios.ECHO and time.monotonic() < end:
        time.sleep(0.02)
    assert termios.tcgetattr(terminal.handle) == terminal.before
    assert terminal.end() != 0


def test_watching_with_a_passcode(seat: Seat) -> None:
    """Asked for at each yes; a wrong one answers nothing."""
    Passcode(str(seat.state / "approvals")).put("open sesame")
    number = seat.ask()
    terminal = Terminal(seat, "watch")
    terminal.until("y approve once · n refuse · s skip · q quit\r\n", 20)
    terminal.until("rm -rf src")
    time.sleep(1.2)
    terminal.type("y")
    terminal.until("Passcode:")
    terminal.type("open sesame\n")
    terminal.until("approved:")
    terminal.type("q")
    assert terminal.end() == 0
    assert seat.states()[number - 1] == "approved"


def test_a_log_that_cannot_be_written_is_told(seat: Seat) -> None:
    """The answer stands."""
    number = seat.ask()
    Log(str(seat.state / "audit")).append({"kind": "x"})
    for name in os.listdir(seat.state / "audit"):
        if name.endswith(".jsonl"):
            os.unlink(seat.state / "audit" / name)
            os.mkdir(seat.state / "audit" / name)
    terminal = Terminal(seat, "refuse", str(number))
    assert terminal.end() == 0
    assert b"could not be written" in terminal.seen
