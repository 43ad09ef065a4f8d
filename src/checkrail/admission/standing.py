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


@lru_cache(maxsize=16)
def _decoded(raw: bytes) -> dict[str, str]:
    return {_spelled(server): why for server, why in msgspec.json.decode(raw, type=_Held).quarantined.items()}


def _spelled(server: str) -> str:
    """A server's name as clients spell it in the names of its tools."""
    return _OTHER.sub("_", server)


def held_back(server: str, around: Surroundings) -> str | None:
    """Why calls to a server are denied; None where they are not. Raises :class:`Unreadable`."""
    if not server:
        return None
    for folder in dict.fromkeys((*around.own, around.workspace)):
        path = f"{folder}/{NAME}"
        found = around.host.lstat(path)
        if found is None:
            continue
        raw = around.host.read(path, LIMIT)
        try:
            held = _decoded(raw) if raw is not None else None
        except (msgspec.DecodeError, msgspec.ValidationError, RecursionError):
            held = None
        if held is None:
            if folder == around.workspace:
                continue  # a project's lock can only hold back; a broken one holds nothing
            raise Unreadable(path)
        if (why := _why(held, _spelled(server))) is not None:
            return why
    return None


def _why(held: dict[str, str], server: str) -> str | None:
    """The entry of a server; a plugin's server has the plugin's name before its own."""
    if server in held:
        return held[server]
    if server.startswith("plugin_"):
        return next((why for name, why in held.items() if server.endswith(f"_{name}")), None)
    return None
