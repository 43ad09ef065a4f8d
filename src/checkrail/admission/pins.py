"""``checkrail.lock``: digests of definitions that a person has read, and what changed since.

The user's own lock grants: a definition that is pinned and unchanged is accepted. A lock that lies in a project can only
tighten: whoever writes the project could write its lock, so a pin there accepts nothing, and a change against it is held back.
"""

import hashlib
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from checkrail.admission import fields
from checkrail.admission.records import Definition, Finding, Outcome
from checkrail.knowledge.speech import rules

NAME = "checkrail.lock"
VERSION = 1
LIMIT = 64 * 1024 * 1024
"""Bytes of a lock that are read."""
RULE = "admission.changed"

_PROSE = frozenset({"description", "title", "summary", "$comment", "examples", "annotations", "icons", "_meta"})


class LockError(Exception):
    """A lock cannot be used; the text says which and why."""


class Pin(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One reviewed definition: digests of both channels, and the reviewed texts by their place, to show what changed."""

    descriptive: str
    structural: str
    texts: dict[str, str] = {}


class Lock(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole lock: server -> key of a definition -> pin, and the servers whose calls are denied until somebody reviews them."""

    version: int = VERSION
    servers: dict[str, dict[str, Pin]] = {}
    quarantined: dict[str, str] = {}


def pin(definition: Definition) -> Pin:
    """The digests of a definition as it stands. Raises :class:`checkrail.admission.fields.Unread`."""
    texts = {text.path: text.text for text in fields.texts(definition)}
    return Pin(_digest(texts), _digest(_structure(definition.tool)), texts)


def _digest(value: object) -> str:
    return "sha256:" + hashlib.sha256(msgspec.json.encode(value, order="sorted")).hexdigest()


def _structure(value: object) -> Any:
    """A schema without its prose; lists whose order means nothing are sorted."""
    if isinstance(value, dict):
        kept = {
            str(key): _structure(inner)
            for key, inner in value.items()
            if key not in _PROSE or (isinstance(inner, dict) and key == "annotations")
        }
        required = kept.get("required")
        return {**kept, "required": sorted(map(str, required))} if isinstance(required, list) else kept
    return [_structure(inner) for inner in value] if isinstance(value, list) else value


def changes(definition: Definition, lock: Lock) -> tuple[str, ...] | None:
    """Places that differ from the pin; empty for an unchanged one, None where there is no pin."""
    old = lock.servers.get(definition.server, {}).get(definition.key)
    if old is None:
        return None
    try:
        new = pin(definition)
    except fields.Unread as error:
        return (str(error),)
    if (new.descriptive, new.structural) == (old.descriptive, old.structural):
        return ()
    differing = [place for place in sorted({*old.texts, *new.texts}) if old.texts.get(place) != new.texts.get(place)]
    return tuple(differing) or ("its schema",)


def pinned(definitions: Iterable[Definition], lock: Lock) -> frozenset[tuple[str, str]]:
    """Server and key of every definition that stands unchanged in the lock."""
    return frozenset((entry.server, entry.key) for entry in definitions if changes(entry, lock) == ())


def change_finding(definition: Definition, lock: Lock) -> Finding | None:
    """What to say of a definition that is no longer what was reviewed."""
    differing = changes(definition, lock)
    if not differing:
        return None
    entry = rules()[RULE]
    place = differing[0]
    said = next((text.text for text in _safe_texts(definition) if text.path == place), "")
    return Finding(
        rule=RULE, field=place, start=0, end=min(len(said), 240), text=said[:240],
        reason=f"{entry.reason}: {', '.join(differing[:6])}", fix=entry.fix,
    )  # fmt: skip


def _safe_texts(definition: Definition) -> list[Any]:
    try:
        return list(fields.texts(definition))
    except fields.Unread:
        return []


def load(path: Path) -> Lock:
    """The lock of a file; an empty one where there is none. Raises :class:`LockError` for one that cannot be read."""
    try:
        raw = path.read_bytes() if path.stat().st_size <= LIMIT else None
    except FileNotFoundError:
        return Lock()
    except OSError as error:
        raise LockError(f"{path}: {error.strerror or error}") from error
    if raw is None:
        raise LockError(f"{path} is larger than {LIMIT} bytes")
    try:
        found = msgspec.json.decode(raw, type=Lock)
    except (msgspec.ValidationError, msgspec.DecodeError, RecursionError) as error:
        raise LockError(f"{path}: {error}") from error
    if found.version != VERSION:
        raise LockError(f"{path} has version {found.version}; this Checkrail knows {VERSION}")
    return found


def save(path: Path, lock: Lock) -> None:
    """Writes the lock in one step, so that a reader sees the old one or the new one. Raises :class:`LockError`."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(msgspec.json.format(msgspec.json.encode(lock, order="sorted"), indent=1) + b"\n")
        draft.replace(path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise LockError(f"{path}: {error.strerror or error}") from error


def with_pins(lock: Lock, definitions: Iterable[Definition]) -> Lock:
    """The lock with these definitions pinned as they stand, their servers no longer quarantined."""
    servers = {server: dict(tools) for server, tools in lock.servers.items()}
    released = set()
    for entry in definitions:
        servers.setdefault(entry.server, {})[entry.key] = pin(entry)
        released.add(entry.server)
    kept = {server: why for server, why in lock.quarantined.items() if server not in released}
    return Lock(VERSION, servers, kept)


def with_quarantined(lock: Lock, refused: Mapping[str, str]) -> Lock:
    """The lock with servers held back, each with why."""
    return Lock(VERSION, lock.servers, {**lock.quarantined, **refused})


REFUSED = (Outcome.QUARANTINE, Outcome.ALERT)
"""Outcomes that keep a definition out."""
