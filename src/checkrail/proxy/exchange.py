"""What becomes of each message between one client and one server, whatever carries them."""

import threading
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from checkrail.proxy import calls, messages
from checkrail.proxy.calls import Judge
from checkrail.proxy.lists import Lists
from checkrail.proxy.messages import Malformed, Message
from checkrail.proxy.pages import LISTED, Gathering
from checkrail.proxy.record import Record, say

MOST_OPEN = 4096
"""Requests that may wait for an answer at a time."""
MOST_LATE = 256
"""Cancelled requests whose answers may still come; tasks whose results may be fetched."""
CANCELLED = "notifications/cancelled"

Deliver = Callable[[bytes], None]
"""Gives the client a message."""


class _Open(msgspec.Struct, frozen=True, kw_only=True):
    """A request that waits for its answer; ``tool`` is empty where it calls none, ``key`` the bytes of the client's number.

    ``call`` is the number by which the call was judged.
    """

    key: bytes
    call: str = ""
    tool: str = ""
    given: Mapping[str, Any] = {}
    gathering: Gathering | None = None


class Exchange:
    """The messages of one session. Its methods may be called from two threads, one for each direction."""

    def __init__(self, lists: Lists, judge: Judge, record: Record) -> None:
        self._lists, self._judge, self._record = lists, judge, record
        self._open: dict[str, _Open] = {}
        self._late: dict[str, _Open] = {}
        self._tasks: dict[str, _Open] = {}
        """Calls whose results are fetched later, by the name of the task."""
        self._judging = threading.Lock()

    def outgoing(self, line: bytes, deliver: Deliver, *, within_line: bool = True) -> Message | None:
        """The client's message where it may go to the server as it came; else the client has been answered."""
        try:
            message = messages.read(line, within_line=within_line)
        except Malformed as error:
            deliver(messages.with_error(b"", messages.BROKEN, f"Checkrail could not read this: {error}"))
            return None
        return message if self._passes(message, deliver) else None

    def incoming(self, line: bytes, deliver: Deliver, *, within_line: bool = True) -> bytes:
        """Delivers what may pass of a message of the server; what the server is to be asked further, else nothing."""
        try:
            message = messages.read(line, within_line=within_line)
        except Malformed as error:
            say(f"a message of the server was left out: {error}")
            return b""
        if not message.answers:
            deliver(message.raw)
            return b""
        asked = self._open.pop(message.number, None) or self._late.pop(message.number, None)
        if asked is None and (message.number or "result" in message.fields):
            say("an answer of the server was left out: nobody asked for it")
            return b""
        if asked and asked.gathering:
            return self._gathered(asked, asked.gathering, message, deliver)
        with self._judging:  # the answer need not wait for being remembered, but the next call does
            deliver(self._shown(message))
            if asked and asked.tool:
                self._remember(asked, message)
        return b""

    def unanswered(self) -> list[bytes]:
        """Errors for every request that still waits; nobody waits for a server that is gone."""
        keys = [entry.key for entry in self._open.values()]
        self._open.clear()
        return [messages.with_error(key, messages.DEAD, "the server has ended") for key in keys]

    def abandon(self, number: str, why: str) -> bytes:
        """The error for a request that gets no answer any more; nothing where none with this number waits."""
        asked = self._open.pop(number, None)
        return messages.with_error(asked.key, messages.DEAD, why) if asked else b""

    def alone(self) -> "Exchange":
        """For messages that belong to no session: the same lists and the same judge, numbers of their own."""
        other = Exchange(self._lists, self._judge, self._record)
        other._judging, other._tasks = self._judging, self._tasks
        return other

    # From the client -----------------------------------------------------------------------------------------------

    def _passes(self, message: Message, deliver: Deliver) -> bool:
        if not message.asks:
            self._cancelled(message)
            return message.method.lower() not in calls.JUDGED
        if message.number in self._open:
            deliver(messages.with_error(message.key, messages.REFUSED, "another request with this number waits"))
            return False
        why = self._stopped(message)
        if why:
            calls_tool = message.method.lower() == calls.CALL
            deliver(
                messages.stopped(message.key, why)
                if calls_tool
                else messages.with_error(message.key, messages.REFUSED, why)
            )
        return not why

    def _cancelled(self, message: Message) -> None:
        """A cancelled request holds no place any more; its answer may be on its way."""
        if message.method != CANCELLED:
            return
        params = message.loosely("params")
        number = messages.number_in(params.get("requestId") if isinstance(params, dict) else None)
        if (entry := self._open.pop(number, None)) is not None:
            self._late[number] = entry
            while len(self._late) > MOST_LATE:
                self._late.pop(next(iter(self._late)))

    def _stopped(self, message: Message) -> str:
        """Why a request does not go to the server; one that goes is open from now on."""
        if len(self._open) >= MOST_OPEN:
            return "too many requests wait for an answer"
        number, key = message.number, message.key
        try:
            if message.method.lower() not in calls.JUDGED:
                if message.method.lower() == calls.PICK and (why := self._kept_out(message)):
                    return why
                self._open[number] = self._opened(message)
                return ""
            tool, given = calls.call_in(message)
        except Malformed as error:
            return f"Checkrail could not read this call: {error}"
        call = key.decode(errors="replace")
        if why := self._judged(tool, given, call):
            return why
        self._open[number] = _Open(key=key, call=call, tool=tool, given=given)
        return ""

    def _opened(self, message: Message) -> _Open:
        """A request that needs no judging; the result of a task is that of the call which began it."""
        if message.method.lower() == calls.FETCH:
            begun = self._tasks.get(_text_in(message.loosely("params"), "taskId"))
            return msgspec.structs.replace(begun, key=message.key) if begun else _Open(key=message.key)
        params = message.strictly("params") if message.method == LISTED else None
        return _Open(key=message.key, gathering=Gathering.begun(message, params))

    def _kept_out(self, message: Message) -> str:
        """Why a prompt that a person picked is not given to the model."""
        name = calls.named(message)
        why = self._lists.refused.get(f"prompt: {name}")
        return f"Checkrail keeps the prompt {name} out: {why}. Review it: checkrail pin --review" if why else ""

    def _judged(self, tool: str, given: Mapping[str, Any], call: str) -> str:
        if why := self._lists.refused.get(tool):
            return f"Checkrail keeps {tool} out, so it cannot be called: {why}. Review it: checkrail pin --review"
        try:
            with self._judging:
                return self._judge.stops(tool, given, call)
        except Exception as error:  # whatever it is, nobody has judged the call
            return f"Checkrail blocked this: {type(error).__name__}: {error}"

    # From the server -----------------------------------------------------------------------------------------------

    def _gathered(self, asked: _Open, gathering: Gathering, message: Message, deliver: Deliver) -> bytes:
        """Takes in a page of the tools. The client gets all of them in one answer, since they are judged together."""
        further = gathering.take(message)
        if further:
            self._open[gathering.number] = asked
            return further
        with self._judging:
            deliver(self._shown(gathering.whole(message)))
        return b""

    def _shown(self, message: Message) -> bytes:
        """The bytes that go to the client for an answer of the server: what describes, as it was judged, written anew."""
        if not self._lists.describes(message.names("result")):
            return message.raw
        try:
            result, told = self._lists.admitted(message.strictly("result"))
        except Malformed as error:
            say(f"a description was left out: {error}")
            return messages.with_error(
                message.key, messages.REFUSED, f"Checkrail could not read the server's answer: {error}"
            )
        self._record.tell(told)
        return messages.with_result(message, result)

    def _remember(self, asked: _Open, message: Message) -> None:
        result = message.loosely("result")
        if task := _text_in(result.get("task") if isinstance(result, dict) else None, "taskId"):
            self._tasks[task] = asked
            while len(self._tasks) > MOST_LATE:
                self._tasks.pop(next(iter(self._tasks)))
            return
        problem = self._judge.finished(asked.tool, asked.given, asked.call, result)
        if problem:
            say(f"what {asked.tool} brought back is not remembered: {problem}")


def _text_in(value: object, name: str) -> str:
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, str) else ""
