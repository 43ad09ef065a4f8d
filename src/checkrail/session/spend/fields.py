"""The named values in a call, however they are written: nested arguments, JSON, a form, options of a command line.

Each value keeps the whole way to it, so that entries of a list can be told from two values under one name. Bounded.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, NoReturn
from urllib.parse import parse_qsl

import msgspec

from checkrail.model import HOLE, SOME
from checkrail.operations.shapes import plain

MOST = 2000
DEEPEST = 32
LONGEST = 65_536
_BODIES = frozenset(
    {"body", "data", "payload", "json", "form", "params", "parameters", "input", "arguments", "request"}
)


class Unclear(ValueError):
    """What is called for cannot be told; the text says why."""


class Field(msgspec.Struct, frozen=True):
    """One value; ``key`` and ``parent`` are normalised names, ``way`` leads to it, list positions as ``[3]``."""

    way: tuple[str, ...]
    value: Any

    @property
    def key(self) -> str:
        """The last name on the way."""
        return next((step for step in reversed(self.way) if step[:1] != "["), "")

    @property
    def parent(self) -> str:
        """The last name but one."""
        names = [step for step in self.way if step[:1] != "["]
        return names[-2] if len(names) > 1 else ""


class _Pairs(tuple[tuple[str, Any], ...]):
    """A JSON object with every pair that was written, twice the same key too."""


def _refused(name: str) -> NoReturn:
    raise ValueError(name)


_DECODER = json.JSONDecoder(object_pairs_hook=_Pairs, parse_float=Decimal, parse_constant=_refused)


def _json(text: str) -> Any:
    """The object or list in ``text``, None for anything else. Raises :class:`Unclear` for one that is broken or too large."""
    if text[:1] not in ("{", "["):
        return None
    if len(text) > LONGEST:
        raise Unclear("the arguments are too long")
    try:
        return _DECODER.decode(text)
    except (ValueError, RecursionError):
        raise Unclear("the arguments are no proper JSON") from None


def of_form(text: str) -> Iterator[Field]:
    """The fields of ``a=1&b[c]=2``."""
    if len(text) > LONGEST:
        raise Unclear("the form is too long")
    try:
        pairs = parse_qsl(text, keep_blank_values=True, max_num_fields=MOST)
    except ValueError:
        raise Unclear("the form has too many fields") from None
    for name, value in pairs:
        yield Field(_way(name), value)


def of_text(text: str) -> Iterator[Field]:
    """The fields of a body: JSON or a form."""
    held = _json(text.strip())
    yield from of_form(text.strip()) if held is None else of_arguments(held)


def _way(name: str) -> tuple[str, ...]:
    """The steps of ``items[0][amount]``."""
    first, *rest = name.split("[")
    steps = [plain(first), *(f"[{step[:-1]}]" if step[:-1].isdigit() else plain(step) for step in rest)]
    return tuple(step for step in steps if step)


def of_arguments(given: Any) -> Iterator[Field]:
    """The fields of the arguments of a tool, JSON and forms in texts included. Raises :class:`Unclear`."""
    left = [MOST]
    yield from _walk((), given, left)


def _walk(way: tuple[str, ...], value: Any, left: list[int]) -> Iterator[Field]:
    left[0] -= 1
    if left[0] < 0 or len(way) > DEEPEST:
        raise Unclear("the arguments are too many or too deep")
    if isinstance(value, Mapping | _Pairs):
        for name, child in value.items() if isinstance(value, Mapping) else value:
            yield from _walk((*way, plain(str(name)) or "?"), child, left)
    elif isinstance(value, list | tuple):
        for at, child in enumerate(value):
            yield from _walk((*way, f"[{at}]"), child, left)
    else:
        yield Field(way, value)
        if isinstance(value, str) and value:
            yield from _inside(way, value.strip(), left)


def _inside(way: tuple[str, ...], text: str, left: list[int]) -> Iterator[Field]:
    held = _json(text) if text[:1] in ("{", "[") and text[-1:] in ("}", "]") else None
    if held is not None:
        yield from _walk(way, held, left)
    elif "=" in text and way and way[-1] in _BODIES:
        yield from of_form(text)


def of_words(words: Sequence[str]) -> Iterator[Field]:
    """The fields of a command line: ``--amount 5``, ``--amount=5``, ``-d amount=5``. Raises :class:`Unclear` where one hides."""
    at = 1
    while at < len(words):
        word = words[at]
        at += 1
        if word[:1] in (HOLE, SOME):
            raise Unclear("an argument is not known before it runs")
        if word[:1] != "-" or word == "-":
            continue
        name, attached, value = word.partition("=")
        if not attached and at < len(words) and words[at][:1] != "-":
            value, attached = words[at], "="
            at += 1
        if HOLE in name or SOME in name:
            raise Unclear("an option is not known before it runs")
        if plain(name) in ("d", "data", "f", "form", "field", "rawfield"):
            yield from _pair(value)
        else:
            yield Field((plain(name),), value if attached else True)


def _pair(text: str) -> Iterator[Field]:
    name, _, value = text.partition("=")
    if HOLE in name or SOME in name or name[:1] == "@":
        raise Unclear("the data is not known before it runs")
    if text[:1] in ("{", "["):
        yield from of_text(text)
    else:
        yield Field(_way(name), value)
