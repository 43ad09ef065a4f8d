"""Settings of git that run something, and names that git commands treat with care: ``git_config.toml``."""

import functools
import tomllib
from pathlib import Path
from typing import Literal

import msgspec


class Key(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Settings of one kind; see the head of ``git_config.toml``."""

    names: tuple[str, ...]
    kind: Literal["command", "alias", "place", "switch", "redirect"]
    reason: str
    free: tuple[str, ...] = ()
    hits: tuple[str, ...] = ()
    misses: tuple[str, ...] = ()


class Keys(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The knowledge file."""

    programs: tuple[str, ...]
    protected: tuple[str, ...]
    files: frozenset[str]
    suffixes: frozenset[str]
    key: tuple[Key, ...]


@functools.cache
def keys() -> Keys:
    """The settings that run something."""
    path = Path(__file__).with_name("git_config.toml")
    return msgspec.convert(tomllib.loads(path.read_text()), Keys)
