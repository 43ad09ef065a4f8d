"""Which processes a machine lives by, and which serve others: the schema of ``processes.toml`` and its loader."""

import re
from functools import cache

import msgspec

from checkrail.knowledge.network import load

PATTERN_CAP = 200
"""Characters of a process pattern that are compared."""


class Processes(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``processes.toml``, names in lower case."""

    vital: frozenset[str]
    services: frozenset[str]
    servers: frozenset[str]


@cache
def processes() -> Processes:
    """The table of processes."""
    return load("processes.toml", Processes)


def vital(pattern: str, *, searched: bool = False) -> str:
    """The first name in a pattern (``sshd|cron``) that the machine or others need; empty where there is none.

    ``searched``: the pattern is looked for in whole command lines.
    """
    table = processes()
    names = table.vital | table.services | (table.servers if searched else frozenset())
    return next((part for part in pattern[:PATTERN_CAP].split("|") if _plain(part) in names), "")


def _plain(part: str) -> str:
    """``[s]shd`` and ``^sshd$`` are ``sshd``."""
    return re.sub(r"\[(\w)\]", r"\1", part).strip("\\^$() /").casefold()
