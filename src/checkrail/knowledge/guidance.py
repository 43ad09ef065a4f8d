"""The written rules that go back to the agent with a note: the schema of ``guidance.toml`` and its loader."""

from functools import cache

import msgspec

from checkrail.knowledge.network import load
from checkrail.model import Scope, Trust


class Guidance(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One class of calls and what is said about it."""

    id: str
    rules: tuple[str, ...]
    text: str
    scope: Scope | None = None
    trust: Trust | None = None


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    classes: tuple[Guidance, ...] = msgspec.field(name="class")


@cache
def guidance() -> tuple[Guidance, ...]:
    """The classes, in the order in which they are tried."""
    return load("guidance.toml", _File).classes


@cache
def identifiers() -> frozenset[str]:
    """The names of the classes."""
    return frozenset(entry.id for entry in guidance())
