"""The stdio transport: the server as a child, two threads that each carry one direction, and an end for whatever goes wrong."""

import contextlib
import os
import signal
import subprocess
import threading
from collections.abc import Sequence
from typing import Any

from checkrail.proxy import lines
from checkrail.proxy.exchange import Exchange
from checkrail.proxy.record import say

GRACE_S = 2.0
"""What a server gets to end by itself, and again after it was told to."""
NOT_STARTED = 127


class Proxy:
    """One server for one client. ``source`` and ``sink`` are the client's ends."""

    def __init__(self, exchange: Exchange, *, source: int = 0, sink: int = 1) -> None:
        self._exchange = exchange
        self._source, self._sink = source, sink
        self._answering, self._asking = threading.Lock(), threading.Lock()
        self._over = threading.Event()

    def run(self, command: Sequence[str]) -> int:
        """Starts the server and carries messages until either side ends; the server's exit code."""
        try:
            child = subprocess.Popen(
                list(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
            )
        except OSError as error:
            say(f"{command[0]}: {error.strerror or error}")
            return NOT_STARTED
        carries = [
            threading.Thread(target=self._guarded, args=(carry, child), daemon=True)
            for carry in (self._from_client, self._from_server)
        ]
        for carry in carries:
            carry.start()
        try:
            self._over.wait()
        finally:
            code = _ended(child)
            carries[1].join(GRACE_S)  # what it has said before its end still arrives
            self._unanswered()
        return code

    def _guarded(self, carry: Any, child: "subprocess.Popen[bytes]") -> None:
        """A direction that fails ends the session, since the other one alone would be half a guard."""
        try:
            carry(child)
        except lines.TooLong as error:
            say(f"stopped: {error}")
        except OSError:
            pass  # one of the ends is gone
        except Exception as error:
            say(f"stopped: {type(error).__name__}: {error}")
        self._over.set()

    def _answer(self, line: bytes) -> None:
        with self._answering:
            lines.write(self._sink, line)

    def _ask(self, child: "subprocess.Popen[bytes]", line: bytes) -> None:
        assert child.stdin
        with self._asking:
            lines.write(child.stdin.fileno(), line)

    def _unanswered(self) -> None:
        with contextlib.suppress(OSError):
            for error in self._exchange.unanswered():
                self._answer(error)

    def _from_client(self, child: "subprocess.Popen[bytes]") -> None:
        for line in lines.lines(self._source):
            if line.strip() and self._exchange.outgoing(line, self._answer):
                self._ask(child, line)

    def _from_server(self, child: "subprocess.Popen[bytes]") -> None:
        assert child.stdout
        for line in lines.lines(child.stdout.fileno()):
            if line.strip() and (further := self._exchange.incoming(line, self._answer)):
                # Who empties the server's output must never wait for its input.
                threading.Thread(target=self._guarded_ask, args=(child, further), daemon=True).start()

    def _guarded_ask(self, child: "subprocess.Popen[bytes]", line: bytes) -> None:
        with contextlib.suppress(OSError, ValueError):  # the server is gone, which its other direction tells
            self._ask(child, line)


def _ended(child: "subprocess.Popen[bytes]") -> int:
    """Ends the server and what it started: its input is closed, then it is told to, then it is killed."""
    if child.stdin:
        with contextlib.suppress(OSError):
            child.stdin.close()
    for ending in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(GRACE_S)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, ending)
    return child.wait()
