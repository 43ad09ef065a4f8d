"""What is known about calls that move money: the schema of ``spend.toml`` and its loader."""

from functools import cache
from typing import Literal

import msgspec

from checkrail.knowledge.network import Words, load

Unit = Literal["major", "minor"]


class Currencies(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Currencies by the digits behind their point, and signs that mean just one."""

    none: frozenset[str]
    two: frozenset[str]
    three: frozenset[str]
    signs: dict[str, str]

    def digits(self, currency: str) -> int | None:
        """The digits of a currency, None for one that is not known."""
        rows = ((self.none, 0), (self.two, 2), (self.three, 3))
        return next((digits for known, digits in rows if currency in known), None)


class Fields(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Names of arguments, options and fields, lower case, letters and digits only."""

    major: frozenset[str]
    minor: frozenset[str]
    micros: frozenset[str]
    inner: frozenset[str]
    currency: frozenset[str]
    quantity: frozenset[str]
    recurring: frozenset[str]
    once: frozenset[str]
    budgets: frozenset[str]
    payee: frozenset[str]


class Phrases(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Pieces of text, in lower case."""

    words: tuple[str, ...]


class Provider(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Services, by words of their servers' names, and the unit in which they count."""

    words: frozenset[str]
    unit: Unit


class Row(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What all rows say: unit and currency of a bare number, whether it goes on, and examples."""

    unit: Unit = "major"
    currency: str = ""
    recurring: bool = False
    hits: tuple[str, ...] = ()
    misses: tuple[str, ...] = ()


class ToolRow(Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Tools in whose name each of the sets has a word; a row without sets only holds examples."""

    id: str
    words: tuple[frozenset[str], ...] = ()


class CommandRow(Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Command lines of these programs in which a word matches each of the sets, in order."""

    names: tuple[str, ...]
    words: tuple[tuple[str, ...], ...]


class RequestRow(Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Requests to these hosts and paths; with ``query``, of any method."""

    hosts: tuple[str, ...]
    paths: tuple[str, ...]
    query: tuple[str, ...] = ()


class Spend(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``spend.toml``."""

    currencies: Currencies
    fields: Fields
    recurring: Words
    demanding: Words
    doubtful: Phrases
    providers: tuple[Provider, ...] = msgspec.field(name="provider")
    tools: tuple[ToolRow, ...] = msgspec.field(name="tool")
    commands: tuple[CommandRow, ...] = msgspec.field(name="command")
    requests: tuple[RequestRow, ...] = msgspec.field(name="request")


@cache
def spend() -> Spend:
    """The table of calls that move money."""
    return load("spend.toml", Spend)


@cache
def programs() -> dict[str, tuple[CommandRow, ...]]:
    """The rows by program."""
    rows = spend().commands
    return {name: tuple(row for row in rows if name in row.names) for row in rows for name in row.names}
