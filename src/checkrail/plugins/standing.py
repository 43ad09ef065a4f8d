"""What installed packages and the operator say about a tool, for the gate that sees each call. It can only raise."""

import re
from functools import lru_cache

import msgspec

from checkrail.bands import band as band_of
from checkrail.context import Surroundings
from checkrail.model import Axes, Band, Reversibility, Scope, Trust
from checkrail.plugins import settings
from checkrail.plugins.declarations import Declaration

INDEX = "plugins/index.json"
"""Below Checkrail's data directory; written by the store."""
LIMIT = 16 * 1024 * 1024
_OTHER = re.compile(r"[^A-Za-z0-9_-]")


class Operation(msgspec.Struct, frozen=True):
    """The declared band of a tool, with the axes it follows from where they were declared."""

    band: Band
    axes: tuple[Reversibility, Scope, Trust] | None = None
    plugin: str = ""


class Index(msgspec.Struct, frozen=True):
    """``operations`` by server and tool, ``disabled`` stdio servers; servers are spelled as clients spell them."""

    operations: dict[str, dict[str, Operation]] = {}
    disabled: dict[str, str] = {}


class Unreadable(Exception):
    """The index is there and cannot be read; the text says which."""


def spelled(server: str) -> str:
    """A server's name as clients spell it in the names of its tools."""
    return _OTHER.sub("_", server)


@lru_cache(maxsize=8)
def _decoded(raw: bytes) -> Index:
    return msgspec.json.decode(raw, type=Index)


def _held(around: Surroundings, name: str) -> list[tuple[str, bytes]]:
    """Files of a name in Checkrail's own places."""
    found = []
    for folder in dict.fromkeys(around.own):
        path = f"{folder}/{name}"
        if around.host.lstat(path) is None:
            continue
        raw = around.host.read(path, LIMIT)
        if raw is None:
            raise Unreadable(path)
        found.append((path, raw))
    return found


def _indices(around: Surroundings) -> list[Index]:
    found = []
    for path, raw in _held(around, INDEX):
        try:
            found.append(_decoded(raw))
        except (msgspec.DecodeError, RecursionError):
            raise Unreadable(path) from None
    return found


@lru_cache(maxsize=8)
def _overlay(raw: bytes) -> dict[str, dict[str, Operation]]:
    found: dict[str, dict[str, Operation]] = {}
    for entry in settings.parse(raw).declared():
        if entry.id.startswith("mcp:"):
            server, _, tool = entry.id.removeprefix("mcp:").rpartition("/")
            found.setdefault(spelled(server), {})[tool] = operation(entry)
    return found


def operation(entry: Declaration, plugin: str = "") -> Operation:
    """A declaration as the gate needs it."""
    axes = entry.axes
    return Operation(entry.band, (axes.reversibility, axes.scope, axes.trust) if axes else None, plugin)


def declared(server: str, tool: str, around: Surroundings) -> Operation | None:
    """The declaration about a tool; the stricter of several. Raises :class:`Unreadable`."""
    name = spelled(server)
    found = [index.operations.get(name, {}).get(tool) for index in _indices(around)]
    for path, raw in _held(around, settings.NAME):
        try:
            said = _overlay(raw)
        except settings.SettingsError:
            raise Unreadable(path) from None
        found += [tools.get(tool) for known, tools in said.items() if name == known or _of_plugin(name, known)]
    return max((one for one in found if one is not None), key=lambda one: one.band.rank, default=None)


def _of_plugin(name: str, server: str) -> bool:
    """A plugin's server has the plugin's name before its own."""
    return name.startswith("plugin_") and name.endswith(f"_{server}")


def disabled(server: str, around: Surroundings) -> str:
    """The plugin whose server this is, where nobody has enabled it. Raises :class:`Unreadable`."""
    return next((name for index in _indices(around) if (name := index.disabled.get(spelled(server)))), "")


def axes_of(said: Operation) -> Axes:
    """Axes that give the declared band."""
    axes = Axes(*said.axes) if said.axes is not None else None
    return axes if axes is not None and band_of(axes) is said.band else _BY_BAND[said.band]


_BY_BAND = {
    Band.AUTO: Axes(),
    Band.SOFT_ACK: Axes(trust=Trust.UNTRUSTED),
    Band.ESCALATE: Axes(Reversibility.HARD, Scope.EXTERNAL),
}
