"""A private place for one test's daemon, the real shim in it, and the broom behind it."""

import contextlib
import functools
import json
import os
import platform
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from checkrail.daemon import client, compiler, lifecycle, shim
from checkrail.daemon.protocol import Answer, Request
from checkrail.daemon.server import Status

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
TOY = Path(__file__).with_name("toy.py")


KINDS = ("python", "c", "bare")
"""The hook in Python, in C, and in C without a C library."""
SANITIZED = "CHECKRAIL_TEST_CFLAGS"
"""More options for the compiler, such as ``-fsanitize=address,undefined``."""


@functools.cache
def program(text: str, *, bare: bool) -> bytes:
    """The compiled hook; a warning is an error."""
    more = tuple(os.environ.get(SANITIZED, "").split())
    return compiler.compiled(
        text, flags=(*compiler.FLAGS, "-Werror", "-Wpedantic", "-Wshadow", "-Wconversion", *more), bare=bare
    )


def skip_unless_it_compiles(kind: str) -> None:
    """Skips a test of a hook that this machine cannot make."""
    if kind == "c" and not compiler.candidates():
        pytest.skip("no C compiler: the hook in C is not tested")
    if kind == "bare" and not (compiler.candidates(bare=True) and platform.machine() == "x86_64"):
        pytest.skip("the hook without a C library is for Linux on x86-64")


class Home:
    """A directory with an installed shim whose daemon is the toy; nothing runs until something asks.

    ``kind`` says which shim. ``deadline``, ``silence`` and ``pauses`` are what the shim's constants are in this home.
    """

    def __init__(self, path: Path, *, kind: str = "python", **settings: float) -> None:
        self.path = path
        self.kind = kind
        self.daemon: tuple[str, ...] = ()
        self.limits = ("9.0", "3.0", "0.03, 0.06, 0.12, 0.25, 0.5, 1.0, 2.0, 4.0")
        self.socket = path / "run" / "s"
        self.hook = path / "hook"
        (path / "package").mkdir()
        (path / "package" / "value.py").write_text("one")
        (path / "policy").write_text("first")
        self.set(**{"workers": 2, **settings})

    def set(self, **settings: float) -> None:
        """Writes the shim anew, with a daemon of these settings."""
        self.daemon = (sys.executable, "-I", str(TOY), "--home", str(self.path), "--settings", json.dumps(settings))
        self.write()

    def set_daemon(self, *command: str) -> None:
        """Lets the shim start something else than the toy."""
        self.daemon = command
        self.write()

    def set_limits(self, *, deadline: float = 9.0, silence: float = 3.0, pauses: str = "") -> None:
        """Writes the shim anew with other deadlines."""
        self.limits = (str(deadline), str(silence), pauses or self.limits[2])
        self.write()

    def write(self) -> None:
        """Writes the shim as everything set so far says."""
        deadline, silence, pauses = self.limits
        self.hook.unlink(missing_ok=True)
        if self.kind == "python":
            text = shim.source().replace("9.0, 3.0", f"{deadline}, {silence}")
            text = text.replace("0.03, 0.06, 0.12, 0.25, 0.5, 1.0, 2.0, 4.0", pauses)
            self.hook.write_text(shim.installed(text, socket=self.socket, daemon=self.daemon))
            return
        own = (("DEADLINE", deadline), ("TRY", silence), ("PAUSES", pauses))
        defined = "".join(f"#define CHECKRAIL_{name} {value}\n" for name, value in own)
        text = defined + shim.c_source(socket=self.socket, daemon=self.daemon)
        self.hook.write_bytes(program(text, bare=self.kind == "bare"))
        self.hook.chmod(0o700)

    def command(self, *more: str) -> tuple[str, ...]:
        """The command line that an agent would run."""
        said = shim.invocation if self.kind == "python" else shim.direct
        return (*said(self.hook, agent="claude", event="pre"), *more)

    def shim(self, event: bytes | dict[str, Any], **options: Any) -> "subprocess.CompletedProcess[bytes]":
        """Runs the shim with an event on its stdin."""
        raw = event if isinstance(event, bytes) else json.dumps(event).encode()
        return subprocess.run(self.command(), input=raw, capture_output=True, timeout=30, **options)

    def ask(self, event: dict[str, Any], *, seconds: float = 10, **more: Any) -> Answer:
        """Asks the daemon directly."""
        raw = json.dumps(event).encode()
        return client.ask(self.socket, Request(agent="claude", event="pre", raw=raw, **more), seconds=seconds)

    def tell(self) -> dict[str, Any]:
        """What a worker knows about a request."""
        return dict(json.loads(self.ask({"do": "tell"}).stdout))

    def start(self) -> Status:
        """Starts the daemon without a shim; all its workers are there."""
        lifecycle.start(self.socket, run=(*self.daemon, "--socket", str(self.socket)))
        until(lambda: 0 not in self.status().workers)
        return self.status()

    def status(self) -> Status:
        """The daemon's own words."""
        return lifecycle.status(self.socket)

    def log(self) -> str:
        """The daemon's log."""
        return (self.path / "log").read_text()

    def starts(self) -> list[int]:
        """Process id of every start of a daemon."""
        with contextlib.suppress(FileNotFoundError):
            return [int(line.split()[0]) for line in (self.path / "starts").read_text().splitlines()]
        return []

    def sweep(self) -> None:
        """Ends every process that the test's daemons consist of; one that is just starting fails without its code."""
        (self.path / "package").rename(self.path / "gone")
        with contextlib.suppress(FileNotFoundError):
            for line in (self.path / "starts").read_text().splitlines():
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(int(line.split()[1]), signal.SIGKILL)


def until(holds: Callable[[], Any], *, seconds: float = 10.0) -> None:
    """Waits for something to become true; an AssertionError where it does not."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.02)


def running(pid: int) -> bool:
    """Is there a process, and not only its remains?"""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    with contextlib.suppress(FileNotFoundError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return Path("/proc").exists() is False


def homes(base: Path, *, kind: str = "python") -> Iterator[Home]:
    """A home that is swept at the end."""
    place = base / "h"
    place.mkdir(mode=0o700)
    home = Home(place, kind=kind)
    try:
        yield home
    finally:
        home.sweep()
