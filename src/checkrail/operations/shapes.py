"""The arguments of a tool by their shape: SQL, commands, paths, URLs, code, recipients, options, at any depth and name."""

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import msgspec

from checkrail.knowledge import network

_MOST_LEAVES = 10_000
_DEEPEST = 64
_LONGEST_JSON = 65_536
_KEY = re.compile(r"[^a-z0-9]")

SQL = re.compile(
    r"""(?:\s|;|\(|--[^\n]*\n|/\*.*?\*/)*+(?:
    select\s|select\*|with\s+\w+[\s(]|with\s+recursive\s|explain\s|show\s+\w|describe\s+\w|pragma\s+\w|values\s*\(|table\s+\w
    |insert\s+(?:or\s+\w+\s+)?into\s|replace\s+into\s|update\s+\S+(?:\s+(?:as\s+)?\w+)?\s+set\s|delete\s+from\s|merge\s+into\s
    |(?:create|alter|drop)\s+(?:or\s+replace\s+|temp(?:orary)?\s+|unique\s+|materialized\s+|foreign\s+|external\s+|if\s+)*
      (?:table|view|index|database|schema|user|role|function|procedure|trigger|sequence|type|extension|policy|column|owned|event|tablespace)\b
    |truncate\s+(?:table\s+)?\w|grant\s+[\w\s,*]+\s(?:on|to)\s|revoke\s+[\w\s,*]+\s(?:on|from)\s|copy\s+\S+\s+(?:from|to)\s|copy\s*\(
    |do\s+\$|call\s+[\w.]+\s*\(|exec(?:ute)?\s+[\w.]+|vacuum\b|attach\s+(?:database\s+)?'|set\s+(?:role|session|global|transaction)\b
    |begin\b|commit\b|rollback\b|reindex\s|refresh\s+materialized|lock\s+table|load\s+data\s)""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
GRAPHQL = re.compile(r"(?:\s|#[^\n]*\n)*(?:(?:query|mutation|subscription)\b[^{]*\{|\{\s*[_A-Za-z]|fragment\s)")
URL = re.compile(
    r"\s*(?:[a-zA-Z][a-zA-Z0-9+.\-]{1,20}:[/\\]{2}|https?:|javascript:|data:|view-source:)\S", re.IGNORECASE
)
INSIDE = re.compile(r"\b(?:https?|ftp|file|wss?|gopher)://[^\s\"'<>`)\]}]+", re.IGNORECASE)
PATH = re.compile(r"(?:~?/|\.{1,2}/|~$|[A-Za-z]:[\\/]|file:///)[^\n\x00]*")
OPTION = re.compile(r"--?[A-Za-z][\w-]*(?:=.*)?", re.DOTALL)
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.\-]{0,80}")


class Leaf(msgspec.Struct, frozen=True):
    """One text in the arguments. ``key`` is normalised; ``beside`` is the object it stands in."""

    key: str
    value: str
    beside: Mapping[str, Any]
    within: str = ""  # the key of the list or object that holds it


class TooMuch(Exception):
    """Arguments that are too many or too deep to look at."""


def plain(key: str) -> str:
    """A key in lower case with letters and digits only."""
    return _plain(key[:200])


@lru_cache(maxsize=4096)
def _plain(key: str) -> str:
    return _KEY.sub("", key.lower())


def _nested_json(value: str) -> Any:
    """The object or list that a text holds, or None."""
    if value[:1] not in "{[" or len(value) > _LONGEST_JSON:
        return None
    try:
        found = msgspec.json.decode(value)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None
    return found if isinstance(found, dict | list) else None


def leaves(given: Mapping[str, Any], closed: frozenset[str] = frozenset()) -> Iterator[Leaf]:
    """Every text in the arguments, JSON inside texts included but for those under a ``closed`` key. Raises :class:`TooMuch`."""
    left = [_MOST_LEAVES]
    yield from _walk("", given, given, "", 0, left, closed)


def _walk(
    key: str,
    value: Any,
    beside: Mapping[str, Any],
    within: str,
    depth: int,
    left: list[int],
    closed: frozenset[str],
) -> Iterator[Leaf]:
    left[0] -= 1
    if left[0] < 0 or depth > _DEEPEST:
        raise TooMuch
    if isinstance(value, dict):
        for name, child in value.items():
            yield from _walk(plain(str(name)), child, value, key, depth + 1, left, closed)
    elif isinstance(value, list | tuple):
        for child in value:
            yield from _walk(key, child, beside, key, depth + 1, left, closed)
    elif isinstance(value, str) and value:
        yield Leaf(key, value, beside, within)
        inner = None if key in closed else _nested_json(value.strip())
        if inner is not None:
            yield from _walk(key, inner, beside, within, depth + 1, left, closed)


def beside(leaf_or_object: Mapping[str, Any], names: frozenset[str]) -> str:
    """The first text in an object under one of the (normalised) names; numbers and lists of texts are joined."""
    for name, value in leaf_or_object.items():
        if plain(str(name)) in names:
            if isinstance(value, str):
                return value
            if isinstance(value, list) and all(isinstance(entry, str) for entry in value):
                return "\n".join(value)
    return ""


def argv(value: Any) -> str:
    """A list of texts as one command line; empty for anything else."""
    if isinstance(value, list) and value and all(isinstance(entry, str) for entry in value):
        return shlex.join(value)
    return ""


def lists(given: Any, depth: int = 0) -> Iterator[tuple[str, Sequence[Any], Mapping[str, Any]]]:
    """Every list under a key, with the object it stands in."""
    if depth > _DEEPEST:
        return
    if isinstance(given, dict):
        for name, value in given.items():
            if isinstance(value, list):
                yield plain(str(name)), value, given
            yield from lists(value, depth + 1)
    elif isinstance(given, list):
        for value in given:
            yield from lists(value, depth + 1)


def dialect(names: Sequence[str]) -> str:
    """The SQL dialect that words of server and tool names tell."""
    for kind, known in network.tools().names.databases.items():
        if not known.isdisjoint(names):
            return kind
    return ""
