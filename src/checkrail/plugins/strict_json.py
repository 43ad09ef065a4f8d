"""JSON as every parser reads it alike: UTF-8 without a mark, no key twice, no NaN, bounded in size and depth."""

import json
from collections.abc import Iterator
from typing import Any, NoReturn

LIMIT = 1024 * 1024
"""Bytes of one document."""
DEEPEST = 64


class Malformed(Exception):
    """Not a document; the text says why, without quoting it."""


def decode(raw: bytes, *, limit: int = LIMIT) -> Any:
    """The document. Raises :class:`Malformed`."""
    if len(raw) > limit:
        raise Malformed(f"it is larger than {limit} bytes")
    if raw.startswith(b"\xef\xbb\xbf"):
        raise Malformed("it begins with a byte order mark")
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        raise Malformed("it is not UTF-8") from None
    try:
        found = json.loads(text, object_pairs_hook=_once, parse_constant=_constant)
    except json.JSONDecodeError as error:
        raise Malformed(f"it is not JSON (line {error.lineno})") from None
    except RecursionError:
        raise Malformed("it is nested too deep") from None
    except ValueError:  # an integer with more digits than Python converts
        raise Malformed("it holds a number that is too long") from None
    for depth, value in _walk(found):
        if depth > DEEPEST:
            raise Malformed("it is nested too deep")
        if isinstance(value, str) and any("\ud800" <= letter <= "\udfff" for letter in value):
            raise Malformed("it holds half of a surrogate pair")
    return found


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise Malformed("it holds a key twice")
    return found


def _constant(name: str) -> NoReturn:
    raise Malformed(f"it holds {name}")


def _walk(document: Any) -> Iterator[tuple[int, Any]]:
    waiting: list[tuple[int, Any]] = [(1, document)]
    while waiting:
        depth, value = waiting.pop()
        yield depth, value
        if depth > DEEPEST:
            return
        if isinstance(value, dict):
            waiting += [(depth + 1, inner) for pair in value.items() for inner in pair]
        elif isinstance(value, list):
            waiting += [(depth + 1, inner) for inner in value]
