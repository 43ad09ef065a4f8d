"""What git knows about a path, read from its files: never runs git, never follows a repository's configuration."""

import struct
from collections.abc import Iterator, Sequence

import msgspec

from checkrail.facts.host import Host, Stat
from checkrail.facts.resolve import normal

LARGEST_INDEX = 6_000_000
"""Bytes of an index that are still read; a larger one leaves the answer open."""
MOST_FILES = 2_000
"""Files below a directory that are compared before the answer is left open."""

_HEAD = struct.Struct(">4sII")
_ENTRY = struct.Struct(">10I20sH")
_EXTENDED, _INTENT_TO_ADD, _STAGE, _NAME = 0x4000, 0x2000, 0x3000, 0x0FFF


class Repository(msgspec.Struct, frozen=True):
    """``root`` is the working tree, ``folder`` its git directory, ``common`` what worktrees share."""

    root: str
    folder: str
    common: str


class Entry(msgspec.Struct, frozen=True, gc=False):
    """A tracked file as git last saw it: size in bytes (modulo 2**32) and time of change in seconds."""

    size: int
    mtime: float


def repository(path: str, host: Host) -> Repository | None:
    """The repository that a path lies in, its nearest one."""
    at = path.rstrip("/")
    for _ in range(64):
        found = host.lstat(f"{at}/.git")
        if found is not None and (opened := _open(at, found, host)):
            return opened
        if not at:
            return None
        at = at.rpartition("/")[0]
    return None


def _open(root: str, found: Stat, host: Host) -> Repository | None:
    folder = f"{root}/.git"
    if found.kind == "file":
        line = _text(folder, host, 4096)
        if not line.startswith("gitdir:"):
            return None
        folder = _joined(root, line[7:].strip())
    shared = _text(f"{folder}/commondir", host, 4096).strip()
    return Repository(root or "/", folder, _joined(folder, shared) if shared else folder)


def _joined(base: str, path: str) -> str:
    return normal(path, base)


def _text(path: str, host: Host, limit: int) -> str:
    return (host.read(path, limit) or b"").decode("utf-8", "replace")


def branch(found: Repository, host: Host) -> str:
    """The branch that is checked out, empty where none is."""
    head = _text(f"{found.folder}/HEAD", host, 4096).strip()
    return head.removeprefix("ref: refs/heads/") if head.startswith("ref: refs/heads/") else ""


def default_branch(found: Repository, host: Host) -> str:
    """The branch that ``origin`` calls its own, empty where it is not known."""
    head = _text(f"{found.common}/refs/remotes/origin/HEAD", host, 4096).strip()
    return head.removeprefix("ref: refs/remotes/origin/") if head.startswith("ref:") else ""


PROTECTED = ("main", "master", "trunk", "default", "production", "prod", "release", "stable")


def is_protected(name: str, found: Repository | None, host: Host) -> bool:
    """Whether others build on a branch: by its name, or because it is the remote's default."""
    if name in PROTECTED or name.startswith(("release/", "releases/", "hotfix/")):
        return True
    return found is not None and name == default_branch(found, host)


_cache: dict[str, tuple[Stat, dict[str, Entry] | None]] = {}


def tracked(found: Repository, host: Host) -> dict[str, Entry] | None:
    """Tracked files by path below the root; None where the index is missing, too large or not understood."""
    path = f"{found.folder}/index"
    stat = host.lstat(path)
    if stat is None or stat.kind != "file":
        return None
    held = _cache.get(path)
    if held is not None and held[0] == stat:
        return held[1]
    entries = parse_index(host.read(path, LARGEST_INDEX) or b"")
    if stat.inode and stat.mtime:
        _cache.clear()
        _cache[path] = (stat, entries)
    return entries


def parse_index(data: bytes) -> dict[str, Entry] | None:
    """The entries of an index of version 2, 3 or 4; None where it is not one. Conflicted entries are left out."""
    if len(data) < _HEAD.size:
        return None
    magic, version, count = _HEAD.unpack_from(data)
    if magic != b"DIRC" or version not in (2, 3, 4) or count > len(data) // _ENTRY.size:
        return None
    try:
        return {name.decode("utf-8", "surrogateescape"): entry for name, entry in _entries(data, version, count)}
    except (struct.error, ValueError, IndexError):
        return None


def _entries(data: bytes, version: int, count: int) -> Iterator[tuple[bytes, Entry]]:
    at, name = _HEAD.size, b""
    for _ in range(count):
        fields = _ENTRY.unpack_from(data, at)
        flags, start, extra = fields[11], at + _ENTRY.size, 0
        if flags & _EXTENDED:
            extra = struct.unpack_from(">H", data, start)[0]
            start += 2
        if version == 4:
            dropped, start = _offset(data, start)
            end = data.index(b"\0", start)
            name = name[: len(name) - dropped] + data[start:end]
            at = end + 1
        else:
            end = start + (flags & _NAME) if flags & _NAME < _NAME else data.index(b"\0", start)
            name = data[start:end]
            at += (end - at + 8) // 8 * 8
        if not flags & _STAGE and not extra & _INTENT_TO_ADD:
            yield name, Entry(fields[9], fields[2] + fields[3] / 1e9)


def _offset(data: bytes, at: int) -> tuple[int, int]:
    """git's variable-width number."""
    byte = data[at]
    value = byte & 0x7F
    while byte & 0x80:
        at += 1
        byte = data[at]
        value = ((value + 1) << 7) | (byte & 0x7F)
        if value > len(data):
            raise ValueError("offset beyond the index")
    return value, at + 1


def unchanged(entry: Entry | None, stat: Stat) -> bool:
    """Whether a file is as git last saw it, by size and time."""
    return entry is not None and entry.size == stat.size & 0xFFFFFFFF and abs(entry.mtime - stat.mtime) < 1e-5


def restorable(path: str, host: Host, skip: Sequence[str] = ()) -> bool | None:
    """Whether git can bring back all of a file or directory as it is now; None where that cannot be told.

    ``skip`` names directories that need not come back (what a build makes again).
    """
    found = repository(path.rpartition("/")[0], host)
    stat = host.lstat(path)
    if found is None or stat is None:
        return None
    entries = tracked(found, host)
    if entries is None:
        return None
    if stat.kind in ("file", "link"):
        return unchanged(entries.get(below(path, found.root)), stat)
    return _all_restorable(path, found.root, entries, host, frozenset(skip)) if stat.kind == "directory" else None


def below(path: str, root: str) -> str:
    """A path as the index names it."""
    return path[len(root.rstrip("/")) + 1 :]


def _all_restorable(path: str, root: str, entries: dict[str, Entry], host: Host, skip: frozenset[str]) -> bool | None:
    pending, seen = [path], 0
    while pending:
        folder = pending.pop()
        names = host.names(folder, MOST_FILES)
        if names is None or seen + len(names) > MOST_FILES or len(names) >= MOST_FILES:
            return None
        seen += len(names)
        for name in names:
            at = f"{folder}/{name}"
            stat = host.lstat(at)
            if name == ".git":
                return False
            if stat is None or name in skip:
                continue
            if stat.kind == "directory":
                pending.append(at)
            elif not unchanged(entries.get(below(at, root)), stat):
                return False
    return True


def holds_tracked(path: str, host: Host) -> bool:
    """Whether git tracks a file at or below a path."""
    found = repository(path.rpartition("/")[0], host)
    entries = tracked(found, host) if found else None
    if not found or not entries:
        return False
    named = below(path, found.root)
    return named in entries or any(name.startswith(named + "/") for name in entries)
