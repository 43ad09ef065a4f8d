"""Which servers are held back, as the lock of the user and that of the project say it, for the gate that sees each call."""

import re
from functools import lru_cache

import msgspec

from checkrail.admission.pins import LIMIT, NAME
from checkrail.context import Surroundings

_OTHER = re.compile(r"[^A-Za-z0-9_-]")


class Unreadable(Exception):
    """The user's lock is there and cannot be read; the text says which."""


class _Held(msgspec.Struct):
    """The part of a lock that a call is judged by."""

    quarantined: dict[str, str] = {}
    servers: dict[str, msgspec.Raw] = {}


@lru_cache(maxsize=16)
def _decoded(raw: bytes) -> tuple[dict[str, str], dict[str, str]]:
    """The servers that are held back, each with why, and those that were reviewed."""
    held = msgspec.json.decode(raw, type=_Held)
    reviewed = {spelled(server): "" for server in held.servers}
    return {spelled(server): why for server, why in held.quarantined.items()}, reviewed


def spelled(server: str) -> str:
    """A server's name as clients spell it in the names of its tools."""
    return _OTHER.sub("_", server)


def _lock(folder: str, around: Surroundings) -> tuple[dict[str, str], dict[str, str]] | None:
    """What the lock in a folder says; None where there is none. Raises :class:`Unreadable`."""
    path = f"{folder}/{NAME}"
    if around.host.lstat(path) is None:
        return None
    raw = around.host.read(path, LIMIT)
    try:
        if raw is not None:
            return _decoded(raw)
    except (msgspec.DecodeError, msgspec.ValidationError, RecursionError):
        pass
    if folder == around.workspace:
        return None  # a project's lock can only hold back; a broken one holds nothing
    raise Unreadable(path)


def held_back(server: str, around: Surroundings) -> str | None:
    """Why calls to a server are denied; None where they are not. Raises :class:`Unreadable`."""
    if not server:
        return None
    for folder in dict.fromkeys((*around.own, around.workspace)):
        found = _lock(folder, around)
        if found is not None and (why := _why(found[0], spelled(server))) is not None:
            return why
    return None


def stranger(server: str, around: Surroundings) -> bool:
    """Whether the user keeps a lock and this server was never in it. A project's lock admits nobody. Raises :class:`Unreadable`."""
    locks = [found for folder in around.own if (found := _lock(folder, around)) is not None]
    name = spelled(server)
    return bool(server and locks) and all(_why(part, name) is None for found in locks for part in found)


def _why(held: dict[str, str], server: str) -> str | None:
    """The entry of a server; a plugin's server has the plugin's name before its own."""
    if server in held:
        return held[server]
    if server.startswith("plugin_"):
        return next((why for name, why in held.items() if server.endswith(f"_{name}")), None)
    return None
