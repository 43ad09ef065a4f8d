"""Whose tool a name in prose is: the tool's own, its server's, another server's, or nobody's that is known."""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Literal

import msgspec

from checkrail.admission.fields import COUNT
from checkrail.admission.records import Definition
from checkrail.operations.names import UNKNOWN, judge_words
from checkrail.operations.names import words as words

Owner = Literal["", "own", "sibling", "foreign", "unknown"]

_SHAPED = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[_.-][A-Za-z0-9]+)+|[a-z]+(?:[A-Z][a-z0-9]+)+")


class Register(msgspec.Struct, frozen=True):
    """All tools that are known: server -> names, and name (folded) -> servers."""

    servers: Mapping[str, frozenset[str]]
    owners: Mapping[str, frozenset[str]]


@lru_cache(maxsize=65536)
def fold(name: str) -> str:
    """A name without case and separators, since prose spells names loosely."""
    return name.lower().replace("-", "").replace("_", "").replace(".", "")


def register(definitions: Iterable[Definition]) -> Register:
    """The register of some definitions."""
    servers: dict[str, set[str]] = {}
    owners: dict[str, set[str]] = {}
    for entry in definitions:
        if entry.name and entry.kind == "tool":
            servers.setdefault(entry.server, set()).add(fold(entry.name))
            owners.setdefault(fold(entry.name), set()).add(entry.server)
    return Register(
        {server: frozenset(names) for server, names in servers.items()},
        {name: frozenset(found) for name, found in owners.items()},
    )


def own_words(definition: Definition) -> frozenset[str]:
    """Names that are the definition's own matter: keys and fixed values anywhere in its schemas."""
    found: set[str] = set()
    open_values: list[object] = [value for key, value in definition.tool.items() if key not in ("name", "description")]
    for value in open_values:  # grows while it is walked, up to a bound
        if len(open_values) > COUNT:
            break
        if isinstance(value, Mapping):
            found.update(fold(str(key)) for key in value)
            open_values += value.values()
        elif isinstance(value, list):
            open_values += value
        elif isinstance(value, str) and len(value) <= 64:
            found.add(fold(value))
    return frozenset(found)


def owner(name: str, definition: Definition, known: Register, own: frozenset[str]) -> Owner:
    """Whose tool a word names; empty for what is no tool's name."""
    folded = fold(name)
    if folded in own:
        return ""
    if folded == fold(definition.name):
        return "own"
    shaped = _SHAPED.fullmatch(name) is not None
    if folded in known.servers.get(definition.server, ()):
        return "sibling" if shaped or len(folded) > 3 else ""
    if not shaped:
        return ""
    if known.owners.get(folded):
        return "foreign"
    return (
        "unknown"
        if verb(name) and ("_" in name or not name.islower()) and not name.isupper() and "-" not in name
        else ""
    )


@lru_cache(maxsize=16384)
def verb(name: str) -> str:
    """The class of the verb in a tool's name, as the MCP gate knows it; empty where it has none."""
    group = judge_words(words(name))
    return "" if group == UNKNOWN else group
