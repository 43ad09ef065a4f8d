"""A home with a running daemon for tests of the wrappers and of the client, and a pseudo-terminal to type into."""

import os
import pty
import select
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any


class Place:
    """Home, project, and our command line in them."""

    def __init__(self, root: Path) -> None:
        self.home, self.project = root / "h", root / "p"
        self.home.mkdir(mode=0o700)
        self.project.mkdir()
        self.socket = self.home / ".local/state/checkrail/run/daemon.sock"

    def environment(self) -> dict[str, str]:
        """This home and nothing of ours."""
        return {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "HOME": str(self.home), "TERM": "dumb"}

    def words(self, *words: str) -> list[str]:
        """Our command line."""
        return [sys.executable, "-m", "checkrail", *words]

    def run(self, *words: str, **options: Any) -> "subprocess.CompletedProcess[bytes]":
        """Runs it to its end."""
        given: dict[str, Any] = {"stdin": subprocess.DEVNULL} if "input" not in options else {}
        return subprocess.run(
            self.words(*words), env=self.environment(), cwd=self.project, capture_output=True, timeout=60, check=False, **given, **options
        )  # fmt: skip


def places() -> Iterator[Place]:
    """In a directory with a short name, for the socket's sake; its daemon is stopped in the end."""
    root = Path(tempfile.mkdtemp(prefix="cr"))
    place = Place(root)
    try:
        assert place.run("daemon", "start").returncode == 0
        yield place
    finally:
        place.run("daemon", "stop")
        shutil.rmtree(root, ignore_errors=True)


class Terminal:
    """A program at a pseudo-terminal of its own."""

    def __init__(self, words: list[str], place: Place) -> None:
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(place.project)
            os.execvpe(words[0], words, place.environment())
        self.seen = ""

    def until(self, text: str, *, seconds: float = 40) -> str:
        """What comes up to ``text``, an AssertionError where it does not come."""
        end = time.monotonic() + seconds
        while text not in self.seen:
            left = end - time.monotonic()
            assert left > 0, f"no {text!r} in {self.seen!r}"
            if select.select([self.fd], [], [], left)[0]:
                try:
                    part = os.read(self.fd, 65536)
                except OSError:
                    part = b""
                assert part, f"ended without {text!r}: {self.seen!r}"
                self.seen += part.decode(errors="replace")
        before, _, self.seen = self.seen.partition(text)
        return before

    def type(self, text: str) -> None:
        """As from a keyboard."""
        os.write(self.fd, text.encode())

    def end(self) -> int:
        """Its exit code, once it has ended."""
        while True:
            try:
                if not os.read(self.fd, 65536):
                    break
            except OSError:
                break
        _, status = os.waitpid(self.pid, 0)
        os.close(self.fd)
        return os.waitstatus_to_exitcode(status)
