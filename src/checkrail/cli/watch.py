"""A view for a second terminal: shows each request as it comes, whole, and takes the answer with one key.

y lets the call through once (after the passcode, where one is set), n refuses it, s leaves it waiting, q ends the view.
Works over ssh. Exit codes: 0 ended, 2 no terminal, 1 the requests cannot be read.
"""

import argparse
import os
import select
import signal
import sys
import termios
import time
import tty
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

from checkrail.approvals.rows import Request, Who
from checkrail.cli import USAGE, person, terminal
from checkrail.places import PlacesError

LOOK_S = 0.4
SETTLE_S = 0.7
"""A key that was typed before a request could be seen answers nothing."""
KEYS = "y approve once · n refuse · s skip · q quit"


def configure(parser: argparse.ArgumentParser) -> None:
    """Takes no arguments."""


@contextmanager
def single_keys(handle: int) -> Iterator[None]:
    """The terminal gives each key at once and shows none; afterwards it is as it was."""
    before = termios.tcgetattr(handle)
    try:
        tty.setcbreak(handle, termios.TCSADRAIN)
        yield
    finally:
        termios.tcsetattr(handle, termios.TCSADRAIN, before)


def _ended(number: int, _frame: FrameType | None) -> NoReturn:
    """So that the terminal is restored."""
    raise SystemExit(128 + number)


class View:
    """One run of the view."""

    def __init__(self, known: person.Desk, who: Who, handle: int) -> None:
        self._known, self._who, self._handle = known, who, handle
        self._skipped: set[int] = set()

    def run(self) -> None:
        """Until q."""
        person.say(f"waiting for requests; {KEYS}")
        while True:
            request = self._next()
            if request is None:
                if self._key(LOOK_S) == "q":
                    return
            elif not self._answered(request):
                return

    def _next(self) -> Request | None:
        if not self._known.store.exists():
            return None
        found = self._known.store.waiting(now=time.time())
        return next((request for request in found if request.number not in self._skipped), None)

    def _answered(self, request: Request) -> bool:
        """Shows one request and takes its answer; False where the person quits."""
        sys.stderr.write("\a")
        person.say(terminal.paint("─" * 72, "dim"))
        person.show(request)
        person.say(KEYS)
        time.sleep(SETTLE_S)
        termios.tcflush(self._handle, termios.TCIFLUSH)
        while True:
            key = self._key(LOOK_S)
            if key == "q":
                return False
            if key == "s":
                self._skipped.add(request.number)
                person.say(f"request {request.number} still waits")
                return True
            if key == "n":
                person.refuse(self._known, request, self._who)
                return True
            if key == "y":
                self._approve(request)
                return True
            if not key and not self._still_waits(request):
                person.say(f"request {request.number} does not wait any more")
                return True

    def _approve(self, request: Request) -> None:
        """``getpass`` sets the terminal as it needs it and gives it back as it was."""
        if person.passed(self._known, self._who, request):
            person.approve(self._known, request, self._who)
        else:
            self._skipped.add(request.number)

    def _still_waits(self, request: Request) -> bool:
        return any(one.number == request.number for one in self._known.store.waiting(now=time.time()))

    def _key(self, seconds: float) -> str:
        poll = select.poll()
        poll.register(self._handle, select.POLLIN)
        if not poll.poll(seconds * 1000):
            return ""
        read = os.read(self._handle, 1)
        return read.decode("ascii", "replace").lower() if read else "q"


def run(args: argparse.Namespace) -> int:  # noqa: ARG001
    """Watches."""
    try:
        who, known = person.present(), person.desk()
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, _ended)
        with single_keys(sys.stdin.fileno()):
            View(known, who, sys.stdin.fileno()).run()
        return 0
    except (person.NoPerson, PlacesError) as error:
        person.say(f"checkrail watch: {error}")
        return USAGE
    except OSError as error:
        person.say(f"checkrail watch: {error}")
        return 1
