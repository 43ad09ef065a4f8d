"""JSON-RPC messages: looked at only as far as one has to, so that what passes can pass as the bytes that came."""

from typing import Any

import msgspec

from checkrail.plugins import strict_json
from checkrail.proxy.lines import LIMIT

FIELDS = frozenset({"jsonrpc", "id", "method", "params", "result", "error"})
LONGEST_NUMBER = 256
"""Bytes of a number."""
REFUSED, BROKEN, DEAD = -32600, -32700, -32000
"""Codes of errors: not taken, not read, nobody there."""

_decode = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


class Malformed(Exception):
    """A line is no message that both ends would read alike; the text says why."""


class Message(msgspec.Struct, frozen=True, kw_only=True):
    """One message: its bytes, and its fields undecoded."""

    raw: bytes
    fields: dict[str, msgspec.Raw]
    method: str = ""
    number: str = ""
    """Its number as every reader takes it, however it is spelled; empty where it has none, as a notification."""

    @property
    def answers(self) -> bool:
        """Whether it is the answer to a request."""
        return "result" in self.fields or "error" in self.fields

    @property
    def asks(self) -> bool:
        """Whether it is a request, which gets an answer."""
        return bool(self.method and self.number)

    @property
    def asked(self) -> str:
        """The number under which it is asked; empty for an answer, whose number is the other side's."""
        return self.number if self.method else ""

    @property
    def key(self) -> bytes:
        """The bytes of its number; empty where it has none."""
        return bytes(self.fields.get("id", b""))

    def strictly(self, name: str) -> Any:
        """A field, decoded; None where it is absent. Raises :class:`Malformed`, too, where readers would differ about it."""
        try:
            return strict_json.decode(bytes(self.fields[name]), limit=LIMIT) if name in self.fields else None
        except strict_json.Malformed as error:
            raise Malformed(str(error)) from None

    def loosely(self, name: str) -> Any:
        """A field, decoded, for who only looks on; None where it is absent or cannot be read."""
        try:
            return msgspec.json.decode(self.fields.get(name, b"null"))
        except (msgspec.MsgspecError, RecursionError, ValueError):
            return None

    def names(self, name: str) -> frozenset[str]:
        """The names in a field that is an object; none in another."""
        try:
            return frozenset(_decode(self.fields.get(name, b"null")))
        except (msgspec.MsgspecError, RecursionError, ValueError):
            return frozenset()


def read(line: bytes, *, within_line: bool = True) -> Message:
    """The message in a line, or in a body of its own. Raises :class:`Malformed`.

    A carriage return inside a line would end it for some readers, and a field in another case is the field for others; so
    neither passes. Batches are not part of the protocol any more.
    """
    raw = line.removesuffix(b"\r") if within_line else line
    if within_line and b"\r" in raw:
        raise Malformed("it holds a carriage return")
    try:
        fields = _decode(raw)
        method = msgspec.json.decode(fields["method"], type=str) if "method" in fields else ""
    except (msgspec.MsgspecError, RecursionError, ValueError) as error:
        raise Malformed(str(error)) from None
    odd = [name for name in fields if name not in FIELDS and name.lower() in FIELDS]
    if odd:
        raise Malformed(f"the field {odd[0]!r} could be taken for {odd[0].lower()!r}")
    if raw.count(b'"result"') > 1 or b"\\u00" in raw:
        _once(raw)
    if ("method" in fields) == ("result" in fields or "error" in fields):
        raise Malformed("it is neither a request nor an answer")
    return Message(raw=line, fields=fields, method=method, number=_number(fields))


def _once(raw: bytes) -> None:
    """A field that stands there twice, or is spelled with escapes, is read by some as the first and by others as the last."""
    try:
        strict_json.decode(raw, limit=LIMIT)
    except strict_json.Malformed as error:
        raise Malformed(str(error)) from None


def _number(fields: dict[str, msgspec.Raw]) -> str:
    """The number of a message. An error may be about a message without one, which is null."""
    if "id" not in fields:
        return ""
    try:
        found = msgspec.json.decode(fields["id"])
    except (msgspec.MsgspecError, RecursionError, ValueError) as error:
        raise Malformed(str(error)) from None
    if found is None and "error" in fields:
        return ""
    number = number_in(found)
    if not number or len(fields["id"]) > LONGEST_NUMBER:
        raise Malformed("its number is neither a number nor a text")
    return number


def number_in(value: object) -> str:
    """A number as :attr:`Message.number` spells it; empty for what is none."""
    if isinstance(value, str):
        return f"text {value}"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return f"number {int(value) if value == value // 1 else value}"
    return ""


def of(fields: dict[str, msgspec.Raw]) -> Message:
    """An answer made of fields that were read before."""
    return Message(raw=msgspec.json.encode(fields), fields=fields, number=_number(fields))


def with_result(message: Message, result: Any) -> bytes:
    """The answer with another result."""
    return msgspec.json.encode({**message.fields, "result": result})


def with_error(key: bytes, code: int, text: str) -> bytes:
    """An answer that says what went wrong."""
    number = msgspec.Raw(key) if key else None
    return msgspec.json.encode({"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": text}})


def stopped(key: bytes, text: str) -> bytes:
    """The answer to a call that was not let through: a tool's error, which the model reads."""
    result = {"content": [{"type": "text", "text": text}], "isError": True}
    return msgspec.json.encode({"jsonrpc": "2.0", "id": msgspec.Raw(key), "result": result})
