"""A daemon with a toy service, for tests: run as a program, it does to a call whatever the call's text says."""

import argparse
import contextlib
import os
import re
import signal
import sys
import time
from pathlib import Path

import msgspec

from checkrail.daemon import lifecycle
from checkrail.daemon.protocol import Answer, Request
from checkrail.daemon.settings import Settings


class Toy:
    """Understands ``{"do": ...}``; see :meth:`answer`."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._code = (home / "package" / "value.py").read_text()
        self._policy = ""

    def preload(self) -> None:
        """Leaves a trace, so that a test can end what it started and count starts."""
        os.stat(self._home / "package")
        with (self._home / "starts").open("a") as file:
            file.write(f"{os.getpid()} {os.getpgid(0)}\n")

    def answer(self, request: Request) -> Answer:
        """Does what is asked for."""
        try:
            wish = msgspec.json.decode(request.raw)
        except msgspec.DecodeError:
            return Answer(2, b"", b"not JSON\n")
        return getattr(self, "do_" + wish["do"])(request, wish)  # type: ignore[no-any-return]

    def late(self, request: Request) -> Answer:
        """Says so, or is late again."""
        if b"late_too" in request.raw:
            while True:
                pass
        return Answer(2, b"", b"late\n")

    def digest(self) -> str:
        """The text of the policy file."""
        return (self._home / "policy").read_text()

    def waits(self, number: int) -> bool:
        """A request waits until there is a file of its number."""
        return not (self._home / f"answer-{number}").exists()

    def reload(self) -> None:
        """Takes the policy file."""
        self._policy = self.digest()

    def do_echo(self, request: Request, _wish: object) -> Answer:
        """The event comes back on stdout."""
        return Answer(0, request.raw)

    def do_wait(self, _request: Request, wish: dict[str, float]) -> Answer:
        """Like a question to a person: a denial that may wait, an allow once it is answered."""
        if self.waits(7):
            return Answer(2, b"", b"denied\n", wait=wish["seconds"], request=7)
        return Answer(0, b"allowed")

    def do_deny(self, _request: Request, _wish: object) -> Answer:
        """All three ways at once."""
        return Answer(2, b'{"deny":true}', b"denied\n")

    def do_say(self, _request: Request, wish: dict[str, int]) -> Answer:
        """Exit code and sizes as wished."""
        return Answer(wish["code"], b"o" * wish["out"], b"e" * wish["err"])

    def do_tell(self, request: Request, _wish: object) -> Answer:
        """All about the request."""
        told = msgspec.structs.asdict(request) | {"raw": len(request.raw), "worker": os.getpid()}
        told |= {"policy": self._policy, "code": self._code, "environ": sorted(os.environ)}
        return Answer(0, msgspec.json.encode(told))

    def do_spin(self, _request: Request, _wish: object) -> Answer:
        """Never ends, in Python."""
        while True:
            pass

    def do_regex(self, _request: Request, _wish: object) -> Answer:
        """Takes hours, in the engine of ``re``."""
        return Answer(0, str(re.fullmatch(r"(a|aa)*b", "a" * 90)).encode())

    def do_swallow(self, _request: Request, wish: dict[str, int]) -> Answer:
        """Swallows the deadline as often as wished, then never ends."""
        for _ in range(wish["times"]):
            try:
                self.do_spin(_request, wish)
            except BaseException:
                pass
        return self.do_spin(_request, wish)

    def do_raise(self, _request: Request, _wish: object) -> Answer:
        """Fails, with a text that must not get out."""
        raise RuntimeError("secret-text")

    def do_deaf(self, _request: Request, _wish: object) -> Answer:
        """Sleeps where no signal but SIGKILL reaches it."""
        signal.pthread_sigmask(signal.SIG_BLOCK, set(signal.Signals))
        time.sleep(60)
        return Answer(0)

    def do_die(self, _request: Request, wish: dict[str, str]) -> Answer:
        """The worker is killed in the middle of the call; the second time it answers, if told to."""
        with contextlib.suppress(FileExistsError, KeyError):
            (self._home / wish["once"]).touch(exist_ok=False)
            os.kill(os.getpid(), signal.SIGKILL)
        if "once" not in wish:
            os.kill(os.getpid(), signal.SIGKILL)
        return Answer(0, b"survived")

    def do_die_all(self, _request: Request, wish: dict[str, str]) -> Answer:
        """The whole daemon is killed in the middle of the call, once."""
        with contextlib.suppress(FileExistsError):
            (self._home / wish["once"]).touch(exist_ok=False)
            os.killpg(0, signal.SIGKILL)
        return Answer(0, b"survived")

    def do_freeze(self, _request: Request, _wish: object) -> Answer:
        """The worker is stopped in the middle of the call."""
        os.kill(os.getpid(), signal.SIGSTOP)
        return Answer(0, b"thawed")

    def do_noise(self, request: Request, _wish: object) -> Answer:
        """Prints where it should not."""
        print("noise", flush=True)
        os.write(1, b"noise")
        os.write(2, b"noise")
        return Answer(0, request.raw)

    def do_wrong(self, _request: Request, _wish: object) -> Answer:
        """An answer that cannot be sent."""
        return Answer(999, b"x")

    def do_nap(self, _request: Request, wish: dict[str, float]) -> Answer:
        """Takes its time, within the limit."""
        time.sleep(wish["s"])
        return Answer(0, self._code.encode())


def main() -> int:
    """Runs the toy daemon."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--settings", default="{}")
    parser.add_argument("--socket", type=Path)
    parser.add_argument("--systemd", action="store_true")
    given = parser.parse_args()
    return lifecycle.run(
        foreground=False,
        socket=given.socket,
        log=given.home / "log",
        systemd=given.systemd,
        settings=msgspec.json.decode(given.settings, type=Settings),
        service=Toy(given.home),
        package=given.home / "package",
    )


if __name__ == "__main__":
    sys.exit(main())
