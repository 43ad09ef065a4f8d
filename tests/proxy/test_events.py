"""Events of a stream: the same ones however the bytes arrive, and whatever ends their lines."""

import asyncio
from collections.abc import AsyncIterator
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checkrail.proxy.events import Event, events
from checkrail.proxy.lines import TooLong


def _read(*parts: bytes, limit: int = 1 << 20) -> list[Event]:
    async def arriving() -> AsyncIterator[bytes]:
        for part in parts:
            yield part

    async def read() -> list[Event]:
        return [event async for event in events(arriving(), limit)]

    return asyncio.run(read())


def test_fields() -> None:
    """Data over several lines, a field without a space or a value, comments, and what is none of ours."""
    found = _read(b":x\n\ndata:1\ndata: 2\nevent: message\nid: 7\nretry: 9\nother: x\n\ndata\n\nid: 8\n\ndata: half\n")
    assert found == [Event(data=b"1\n2", name=b"message", number=b"7", retry=b"9"), Event(), Event(number=b"8")]
    assert found[0].encoded() == b"event: message\nid: 7\nretry: 9\ndata: 1\ndata: 2\n\n"


@given(
    st.lists(st.sampled_from([b"data: a", b"data:b", b"id: 1", b"", b"", b":c", b"event: e", b"x"]), max_size=12),
    st.sampled_from([b"\n", b"\r", b"\r\n"]),
    st.lists(st.integers(0, 120), max_size=6),
)
def test_cuts_and_line_ends_mean_nothing(lines: list[bytes], end: bytes, cuts: list[int]) -> None:
    """The same stream in other pieces, and with other ends of lines, is the same stream."""
    raw = b"".join(line + end for line in lines)
    places = sorted({0, len(raw), *(cut for cut in cuts if cut < len(raw))})
    parts = [raw[low:high] for low, high in pairwise(places)]
    assert _read(*parts) == _read(b"".join(line + b"\n" for line in lines))


@given(st.binary(max_size=80))
def test_what_is_written_is_read_again(data: bytes) -> None:
    """A message holds no carriage return, as JSON does not but for spaces."""
    text = data.replace(b"\r", b"")
    assert _read(Event(data=text, number=b"1").encoded()) == [Event(data=text, number=b"1")]


@pytest.mark.parametrize("raw", [b"data: " + b"x" * 2000, b"data: x\n" * 300, b"x" * 999 + b"\n" + b"y" * 200 + b"\n"])
def test_an_event_is_bounded(raw: bytes) -> None:
    """By its lines and by all of them."""
    with pytest.raises(TooLong):
        _read(raw, limit=1000)
