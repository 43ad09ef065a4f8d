"""Which programs install packages, and where a line names the address of one: the schema of ``installs.toml`` and its loader."""

from functools import cache
from typing import Literal

import msgspec

from checkrail.knowledge.network import load


class Installer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One way of installing; see ``installs.toml``."""

    names: tuple[str, ...]
    subs: tuple[str, ...] = ()
    source: frozenset[str] = frozenset()
    shorthand: Literal["", "bare", "prefix"] = ""
    first: bool = False
    free: tuple[str, ...] = ()
    hits: tuple[str, ...] = ()
    misses: tuple[str, ...] = ()


class Installs(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``installs.toml``."""

    installers: tuple[Installer, ...] = msgspec.field(name="installer")


@cache
def by_name() -> dict[str, tuple[Installer, ...]]:
    """The ways of installing of each command."""
    found: dict[str, tuple[Installer, ...]] = {}
    for installer in load("installs.toml", Installs).installers:
        for name in installer.names:
            found[name] = (*found.get(name, ()), installer)
    return found
