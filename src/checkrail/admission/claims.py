"""What tools say of themselves, as far as it makes a call stricter: which of a server's tools claim that they destroy.

A scan or the proxy writes it down, one small file for each server, and the gate reads it when such a tool is called. A claim to
only read is not even kept: an author's word never loosens anything.
"""

import contextlib
import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from checkrail.admission.records import Definition
from checkrail.admission.standing import spelled
from checkrail.context import Surroundings
from checkrail.places import secure_directory

FOLDER = "claims"
LIMIT = 1024 * 1024
"""Bytes of one file."""
MOST = 4000
"""Tools of one server that are kept."""
LONGEST = 200


class _Claims(msgspec.Struct):
    """The tools of a server, as the server names them, that claim to destroy."""

    server: str
    destructive: list[str] = []


def record(state: Path, definitions: Iterable[Definition]) -> None:
    """Writes down the claims of tools that were listed now, server by server. Raises OSError and PlacesError."""
    told: dict[str, list[str]] = {}
    for entry in definitions:
        if entry.server and entry.kind == "tool":
            mine = told.setdefault(entry.server, [])
            if _destroys(entry.tool) and len(mine) < MOST and len(entry.name) <= LONGEST:
                mine.append(entry.name)
    folder = state / FOLDER
    for server, tools in told.items():
        path = folder / _file(server)
        if not tools:
            with contextlib.suppress(FileNotFoundError, NotADirectoryError):
                path.unlink()
            continue
        secure_directory(folder)
        draft = path.with_name(f".{path.name}.{os.getpid()}")
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(msgspec.json.encode(_Claims(spelled(server), tools)))
        draft.replace(path)


def _destroys(tool: Mapping[str, Any]) -> bool:
    notes = tool.get("annotations")
    return isinstance(notes, Mapping) and notes.get("destructiveHint") is True


def _file(server: str) -> str:
    return hashlib.sha256(spelled(server).encode("utf-8", "surrogatepass")).hexdigest()[:32] + ".json"


class Recorded:
    """The claims that were written down, for the gate (:class:`checkrail.operations.mcp.Catalogue`)."""

    def __init__(self, around: Surroundings) -> None:
        self._around = around

    def annotations(self, server: str, tool: str) -> Mapping[str, Any] | None:
        """The claims of a tool that count; None where there are none. What cannot be read claims nothing."""
        for folder in self._around.own if server else ():
            if self._around.host.lstat(f"{folder}/{FOLDER}") is None:
                continue
            for name in _names(server):
                raw = self._around.host.read(f"{folder}/{FOLDER}/{_file(name)}", LIMIT)
                if raw and tool in _destructive(raw, spelled(name)):
                    return {"destructiveHint": True}
        return None


def _names(server: str) -> Iterator[str]:
    """The server's own name; that of a plugin's server has the plugin's before it."""
    yield server
    if server.startswith("plugin_"):
        parts = server.split("_")
        yield from ("_".join(parts[at:]) for at in range(2, min(len(parts), 16)))


def _destructive(raw: bytes, server: str) -> frozenset[str]:
    try:
        found = msgspec.json.decode(raw, type=_Claims)
    except (msgspec.MsgspecError, RecursionError, ValueError):
        return frozenset()
    return (
        frozenset(map(spelled, found.destructive)) | frozenset(found.destructive)
        if found.server == server
        else frozenset()
    )
