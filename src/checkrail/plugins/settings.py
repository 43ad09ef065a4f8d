"""The operator's ``plugins.toml``: drafts off, where packages may come from, and what the operator declares about operations."""

import tomllib
from pathlib import Path
from typing import Any

import msgspec

from checkrail.plugins import declarations
from checkrail.plugins.declarations import Declaration

NAME = "plugins.toml"
LIMIT = 1024 * 1024


class SettingsError(Exception):
    """The file cannot be used; the text says why."""


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``sources`` are beginnings of locations from which packages may be added; empty allows all, at a terminal."""

    drafts: bool = True
    sources: tuple[str, ...] = ()
    operation: tuple[dict[str, Any], ...] = ()

    def declared(self) -> tuple[Declaration, ...]:
        """The operator's declarations."""
        return declarations.of_list(self.operation, by="operator")[0]


def parse(raw: bytes) -> Settings:
    """The settings in a file's bytes. Raises :class:`SettingsError`."""
    try:
        found = msgspec.convert(tomllib.loads(raw.decode("utf-8")), Settings)
    except (ValueError, RecursionError) as error:  # not UTF-8, not TOML, a number too long, not of this shape
        raise SettingsError(f"{NAME}: {error}") from None
    faults = declarations.of_list(found.operation, by="operator")[1]
    void = next((fault for fault in faults if fault.code == "declaration.void"), None)
    if void is not None:
        raise SettingsError(f"{NAME}: {void.subject}: {void.reason}")
    return found


def load(directory: Path) -> Settings:
    """The settings of a configuration directory; the usual ones where there is no file. Raises :class:`SettingsError`."""
    path = directory / NAME
    try:
        if path.stat().st_size > LIMIT:
            raise SettingsError(f"{path} is larger than {LIMIT} bytes")
        return parse(path.read_bytes())
    except FileNotFoundError:
        return Settings()
    except OSError as error:
        raise SettingsError(f"{path}: {error.strerror or error}") from None
