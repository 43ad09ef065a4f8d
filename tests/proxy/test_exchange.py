"""Messages: whatever comes, nothing is raised, and nothing reaches the other side that was not read."""

import json
from collections.abc import Mapping
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from checkrail.proxy.exchange import MOST_OPEN, Exchange
from checkrail.proxy.lists import Lists
from checkrail.proxy.record import Record


class _Judge:
    def __init__(self) -> None:
        self.heard: list[tuple[str, str, Any]] = []

    def stops(self, tool: str, _given: Mapping[str, Any], _call: str, /) -> str:
        """Only one tool may run."""
        return "" if tool == "ok" else "no"

    def finished(self, tool: str, _given: Mapping[str, Any], call: str, result: Any, /) -> str:
        """Kept."""
        self.heard.append((tool, call, result))
        return ""


def _exchange(judge: _Judge | None = None) -> Exchange:
    return Exchange(Lists("s"), judge or _Judge(), Record(None, "s"))


def _call(number: object, tool: str = "ok", **more: object) -> bytes:
    return json.dumps(
        {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": tool}, **more}
    ).encode()


PARTS = st.sampled_from(
    ['"id"', '"method"', '"params"', '"result"', '"error"', '"Result"', ":", ",", "{", "}", "[", "]", "1", "null", '"tools/call"',
     '"name"', '"bad"', '"tools"', " ", "\\u0061", "1e999", "\r", "-0"]
)  # fmt: skip


@given(st.one_of(st.binary(max_size=60), st.lists(PARTS, max_size=24).map(lambda parts: "".join(parts).encode())))
def test_any_bytes_from_either_side(raw: bytes) -> None:
    """What passes is a message, as it came; a call only one that was judged; an answer only one that was asked for."""
    exchange = _exchange()
    said: list[bytes] = []
    message = exchange.outgoing(raw, said.append)
    if message is not None:
        assert message.raw == raw and not said
        assert message.method.lower() != "tools/call" or message.strictly("params")["name"] == "ok"
    told: list[bytes] = []
    assert not _exchange().incoming(raw, told.append)
    for line in told:
        assert "result" not in json.loads(line)


@given(
    st.one_of(
        st.integers(), st.text(max_size=20), st.floats(), st.none(), st.booleans(), st.lists(st.integers(), max_size=1)
    )
)
def test_numbers(number: object) -> None:
    """Texts and numbers are taken, and answered under the same one; nothing else is."""
    exchange = _exchange()
    said: list[bytes] = []
    passed = exchange.outgoing(_call(number), said.append) is not None
    finite = isinstance(number, (int, float)) and number == number and abs(number) != float("inf")
    assert passed is (
        isinstance(number, str) or (finite and not isinstance(number, bool) and len(json.dumps(number)) < 300)
    )
    if passed:
        exchange.incoming(json.dumps({"jsonrpc": "2.0", "id": number, "result": {}}).encode(), said.append)
        assert json.loads(said[0])["id"] == number


def test_requests_that_are_never_answered_are_bounded() -> None:
    """A cancelled one makes room, and its late answer still counts."""
    exchange = _exchange()
    said: list[bytes] = []
    for number in range(MOST_OPEN):
        assert exchange.outgoing(_call(number), said.append)
    assert exchange.outgoing(_call("more"), said.append) is None
    assert "too many" in said.pop().decode()
    cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}}
    assert exchange.outgoing(json.dumps(cancelled).encode(), said.append)
    assert exchange.outgoing(_call("more"), said.append)
    exchange.incoming(b'{"jsonrpc":"2.0","id":7,"result":{}}', said.append)
    assert len(said) == 1
    assert len(exchange.unanswered()) == MOST_OPEN


def test_the_result_of_a_task_is_that_of_its_call() -> None:
    """However often it is fetched, and over whichever request; what only says that it goes on is none."""
    judge = _Judge()
    exchange = _exchange(judge)
    said: list[bytes] = []

    def ask(number: int, method: str, params: object, result: object) -> None:
        told = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        assert exchange.outgoing(json.dumps(told).encode(), said.append)
        exchange.incoming(json.dumps({"jsonrpc": "2.0", "id": number, "result": result}).encode(), said.append)

    ask(1, "tools/call", {"name": "ok", "task": {}}, {"task": {"taskId": "t-1", "status": "working"}})
    ask(2, "tasks/get", {"taskId": "t-1"}, {"taskId": "t-1", "status": "completed"})
    assert judge.heard == []
    ask(3, "tasks/result", {"taskId": "t-1"}, {"content": []})
    ask(4, "tasks/result", {"taskId": "other"}, {"content": []})
    assert judge.heard == [("ok", "1", {"content": []})]
    assert len(said) == 4
