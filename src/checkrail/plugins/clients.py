"""What other clients may load from a package's directory, as data."""

import re
import tomllib
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import msgspec


class Kind(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A kind of file that clients load, and where they look for it."""

    kind: str
    client: str
    paths: tuple[str, ...]


@cache
def kinds() -> tuple[tuple[Kind, re.Pattern[str], re.Pattern[str]], ...]:
    """Each kind with its patterns, in any case and as written."""
    raw = tomllib.loads((Path(__file__).parent / "clients.toml").read_text(encoding="utf-8"))
    found = msgspec.convert(raw["file"], tuple[Kind, ...])
    return tuple((kind, _any(kind.paths, re.IGNORECASE), _any(kind.paths)) for kind in found)


def _any(patterns: Iterable[str], flags: int = 0) -> re.Pattern[str]:
    return re.compile("|".join(map(_one, patterns)), flags)


def _one(pattern: str) -> str:
    parts = re.split(r"(\*\*/|\*)", pattern)
    spelled = {"**/": r"(?:[^/]+/)*", "*": r"[^/]*"}
    return "".join(spelled.get(part, re.escape(part)) for part in parts)


def of(path: str) -> tuple[Kind, bool] | None:
    """The kind of a path, and whether it is so only in another case."""
    for kind, folded, exact in kinds():
        if folded.fullmatch(path):
            return kind, exact.fullmatch(path) is None
    return None
