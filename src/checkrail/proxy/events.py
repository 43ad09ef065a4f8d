"""Server-sent events, taken apart and put together again in one spelling, so that no two readers see different ones."""

from collections.abc import AsyncIterator

import msgspec

from checkrail.proxy.lines import LIMIT, Cut, TooLong

TYPE = "text/event-stream"


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """One event; ``name`` is empty for a plain message, ``retry`` and ``number`` where it has none."""

    data: bytes = b""
    name: bytes = b""
    number: bytes = b""
    retry: bytes = b""

    def encoded(self, data: bytes | None = None) -> bytes:
        """Its bytes, with other data where some is given."""
        fields = ((b"event", self.name), (b"id", self.number), (b"retry", self.retry))
        lines = [name + b": " + value for name, value in fields if value]
        lines += [b"data: " + line for line in (self.data if data is None else data).split(b"\n")]
        return b"\n".join(lines) + b"\n\n"


def number_only(event: Event) -> bytes:
    """What a client needs of an event that does not pass, to go on behind it."""
    return b"id: " + event.number + b"\n\n"


async def events(parts: AsyncIterator[bytes], limit: int = LIMIT) -> AsyncIterator[Event]:
    """The events of a stream; an unfinished last one is left out. Raises :class:`TooLong`."""
    fields: dict[bytes, bytes] = {}
    size = 0
    async for line in _lines(parts, limit):
        size += len(line) + 1
        if size > limit:
            raise TooLong(f"an event is longer than {limit} bytes")
        if line:
            _note(fields, line)
            continue
        if fields:
            yield Event(
                data=fields.get(b"data", b""), name=fields.get(b"event", b""), number=fields.get(b"id", b""), retry=fields.get(b"retry", b"")
            )  # fmt: skip
        fields, size = {}, 0


def _note(fields: dict[bytes, bytes], line: bytes) -> None:
    name, _, value = line.partition(b":")
    value = value.removeprefix(b" ")
    if name == b"data" and name in fields:
        fields[name] += b"\n" + value
    elif name in (b"data", b"event", b"id", b"retry"):
        fields[name] = value


async def _lines(parts: AsyncIterator[bytes], limit: int) -> AsyncIterator[bytes]:
    """Lines however they end: at a line feed, a carriage return, or both."""
    cut, ended = Cut(limit, "line"), False
    async for part in parts:
        if ended and part.startswith(b"\n"):
            part = part[1:]
        ended = part.endswith(b"\r") if part else ended
        for line in cut.fed(part.replace(b"\r\n", b"\n").replace(b"\r", b"\n")):
            yield line
