"""Strict JSON for what agents send: one document, no doubt about what it says.

Parsers differ on duplicate keys, trailing text, NaN and lone surrogates, and such a difference is where a
harmless reading and a dangerous one part. So each of them is a :class:`Fault`, which ends in a question.
"""

import json
import re
from typing import Any, NoReturn

MAX_BYTES = 8 * 1024 * 1024
"""Largest event in bytes: a Write of a large file fits, an endless one does not."""
MAX_DEPTH = 64
MAX_VALUES = 200_000

_SURROGATES = re.compile("[\ud800-\udfff]")


class Fault(ValueError):
    """Why an event could not be understood, in words for the person who is asked."""


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        raise Fault(f"the key {next(n for n in names if names.count(n) > 1)!r} stands twice in one object")
    return found


def _constant(name: str) -> NoReturn:
    raise Fault(f"{name} is not JSON")


_DECODER = json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=_constant)


def _text(raw: bytes) -> str:
    if len(raw) > MAX_BYTES:
        raise Fault(f"the event is larger than {MAX_BYTES} bytes")
    if b"\0" in raw:
        raise Fault("the event holds NUL bytes")
    try:
        return raw.decode("utf-8-sig").strip(" \t\r\n")
    except UnicodeDecodeError as error:
        raise Fault(f"the event is not UTF-8 (byte {error.start})") from None


def _parse(text: str) -> Any:
    if not text:
        raise Fault("the event is empty")
    try:
        value, end = _DECODER.raw_decode(text)
    except RecursionError:
        raise Fault("the event is nested too deeply") from None
    except json.JSONDecodeError as error:
        raise Fault(f"the event is not JSON: {error.msg} at character {error.pos}") from None
    except Fault:
        raise
    except ValueError as error:  # an integer of thousands of digits
        raise Fault(f"the event is not usable JSON: {error}") from None
    if end != len(text):
        raise Fault(f"something follows the JSON document at character {end}")
    return value


def _well_formed(text: str) -> str:
    """Lone surrogates as every agent writes them out in the end: U+FFFD."""
    return text if text.isascii() else _SURROGATES.sub("\ufffd", text)


def _bound(value: Any) -> None:
    """Refuses what is nested too deeply or holds too many values; iterative, so that depth cannot hurt."""
    pending, count = [(value, 1)], 0
    while pending:
        current, depth = pending.pop()
        count += 1
        if depth > MAX_DEPTH or count > MAX_VALUES:
            raise Fault("the event is nested too deeply" if depth > MAX_DEPTH else "the event holds too many values")
        children = current.values() if isinstance(current, dict) else current if isinstance(current, list) else ()
        pending.extend((child, depth + 1) for child in children)


def _surely_bounded(raw: bytes) -> bool:
    """Whether the bytes alone tell, as they do of nearly every event: each value takes one, each level a bracket."""
    return len(raw) <= MAX_VALUES and raw.count(b"{") + raw.count(b"[") < MAX_DEPTH


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return _well_formed(value)
    if isinstance(value, dict):
        return {_well_formed(key): _clean(child) for key, child in value.items()}
    if isinstance(value, list):
        return [_clean(child) for child in value]
    return value


def read_object(raw: bytes) -> dict[str, Any]:
    """The one JSON object in ``raw``. Raises :class:`Fault` for anything else, and nothing but that."""
    value = _parse(_text(raw))
    if not isinstance(value, dict):
        raise Fault("the event is not a JSON object")
    if not _surely_bounded(raw):
        _bound(value)
    return _clean(value) if rb"\u" in raw or not raw.isascii() else value


def text_field(source: dict[str, Any], name: str, default: str = "") -> str:
    """A string field of the envelope. Raises :class:`Fault` where it is of another kind or holds a NUL."""
    value = source.get(name)
    if value is None:
        return default
    if not isinstance(value, str):
        raise Fault(f"the field {name!r} is not a string")
    if "\0" in value:
        raise Fault(f"the field {name!r} holds a NUL")
    return value


def holds_nul(value: Any) -> bool:
    """Whether a string anywhere in ``value`` (already bounded) holds a NUL."""
    if isinstance(value, str):
        return "\0" in value
    if isinstance(value, dict):
        return any(holds_nul(key) or holds_nul(child) for key, child in value.items())
    return isinstance(value, list) and any(holds_nul(child) for child in value)
