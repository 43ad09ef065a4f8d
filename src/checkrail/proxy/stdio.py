"""The stdio transport: the server as a child, two threads that each carry one direction, and an end for whatever goes wrong."""

import contextlib
import os
import signal
import subprocess
import threading
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from checkrail.proxy import calls, lines, messages
from checkrail.proxy.calls import Judge
from checkrail.proxy.lists import Lists
from checkrail.proxy.messages import Malformed, Message
from checkrail.proxy.record import Record, say

GRACE_S = 2.0
"""What a server gets to end by itself, and again after it was told to."""
MOST_OPEN = 4096
"""Requests that may wait for an answer at a time."""
NOT_STARTED = 127


class _Open(msgspec.Struct, frozen=True):
    """A request that waits for its answer; ``tool`` is empty where it calls none."""

    tool: str = ""
    given: Mapping[str, Any] = {}


class Proxy:
    """One server for one client. ``source`` and ``sink`` are the client's ends."""

    def __init__(self, lists: Lists, judge: Judge, record: Record, *, source: int = 0, sink: int = 1) -> None:
        self._lists, self._judge, self._record = lists, judge, record
        self._source, self._sink = source, sink
        self._open: dict[bytes, _Open] = {}
        self._writing, self._judging = threading.Lock(), threading.Lock()
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
        with self._writing:
            lines.write(self._sink, line)

    def _unanswered(self) -> None:
        """Nobody waits for a server that is gone."""
        with contextlib.suppress(OSError):
            for key in list(self._open):
                self._answer(messages.with_error(key, messages.DEAD, "the server has ended"))

    def _from_client(self, child: "subprocess.Popen[bytes]") -> None:
        assert child.stdin
        for line in lines.lines(self._source):
            if not line.strip():
                continue
            try:
                passes = self._outgoing(messages.read(line))
            except Malformed as error:
                self._answer(messages.with_error(b"", messages.BROKEN, f"Checkrail could not read this: {error}"))
                continue
            if passes:
                lines.write(child.stdin.fileno(), line)

    def _outgoing(self, message: Message) -> bool:
        """Whether a message of the client goes to the server; where not, it has been answered."""
        if not message.method or not message.key:
            return message.method.lower() not in calls.JUDGED
        if len(self._open) >= MOST_OPEN:
            return self._refuse(message, "too many requests wait for an answer")
        if message.method.lower() not in calls.JUDGED:
            self._open[message.key] = _Open()
            return True
        try:
            tool, given = calls.call_in(message)
        except Malformed as error:
            return self._refuse(message, f"Checkrail could not read this call: {error}")
        if why := self._stops(tool, given, message.key.decode(errors="replace")):
            return self._refuse(message, why)
        self._open[message.key] = _Open(tool, given)
        return True

    def _stops(self, tool: str, given: Mapping[str, Any], call: str) -> str:
        if why := self._lists.refused.get(tool):
            return f"Checkrail keeps {tool} out, so it cannot be called: {why}. Review it: checkrail pin --review"
        try:
            with self._judging:
                return self._judge.stops(tool, given, call)
        except Exception as error:  # whatever it is, nobody has judged the call
            return f"Checkrail blocked this: {type(error).__name__}: {error}"

    def _refuse(self, message: Message, why: str) -> bool:
        calls_tool = message.method.lower() == calls.CALL
        answer = (
            messages.stopped(message.key, why)
            if calls_tool
            else messages.with_error(message.key, messages.REFUSED, why)
        )
        self._answer(answer)
        return False

    def _from_server(self, child: "subprocess.Popen[bytes]") -> None:
        assert child.stdout
        for line in lines.lines(child.stdout.fileno()):
            if not line.strip():
                continue
            try:
                message = messages.read(line)
            except Malformed as error:
                say(f"a message of the server was left out: {error}")
                continue
            asked = self._open.pop(message.key, None) if message.answers else None
            with self._judging:  # the answer need not wait for being remembered, but the next call does
                self._answer(self._incoming(message))
                if asked and asked.tool:
                    self._remember(asked, message)

    def _incoming(self, message: Message) -> bytes:
        """The bytes that go to the client for a message of the server."""
        describes = message.answers and self._lists.describes(message.names("result"))
        return self._admitted(message) if describes else message.raw

    def _remember(self, asked: _Open, message: Message) -> None:
        call = message.key.decode(errors="replace")
        problem = self._judge.finished(asked.tool, asked.given, call, _result(message))
        if problem:
            say(f"what {asked.tool} brought back is not remembered: {problem}")

    def _admitted(self, message: Message) -> bytes:
        """What describes passes as it was judged, written anew."""
        try:
            result, told = self._lists.admitted(message.strictly("result"))
        except Malformed as error:
            say(f"a description was left out: {error}")
            return messages.with_error(
                message.key, messages.REFUSED, f"Checkrail could not read the server's answer: {error}"
            )
        self._record.tell(told)
        return messages.with_result(message, result)


def _result(message: Message) -> Any:
    try:
        return msgspec.json.decode(message.fields.get("result", b"null"))
    except (msgspec.MsgspecError, RecursionError, ValueError):
        return None


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
