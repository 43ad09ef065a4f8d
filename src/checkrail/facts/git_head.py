"""Whether anything is staged: the tree that git notes in the index against the tree of the commit that is checked out.

Reads loose objects and packs, each within a cap, and says no where it cannot tell.
"""

import struct
import zlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from checkrail.facts.git import Repository
    from checkrail.facts.host import Host

LARGEST_OBJECT = 65_536
"""Bytes of a commit, packed and unpacked."""
LARGEST_PACK = 40_000_000
"""Bytes of a pack that is opened."""
MOST_PACKS = 20
LARGEST_REFERENCES = 4_000_000
"""Bytes of the file of packed references."""
_INDEX_HEAD = 8 + 256 * 4


def nothing_staged(found: "Repository", host: "Host", index: bytes) -> bool:
    """Whether the index holds what the commit holds, for sure. ``index`` is its content."""
    noted, commit = _noted_tree(index), commit_of("HEAD", found, host)
    return bool(noted) and bool(commit) and noted == _tree_of(commit, found, host)


def commit_of(name: str, found: "Repository", host: "Host") -> str:
    """The commit that a reference names by its full name (``refs/heads/x``), empty where it is not found."""
    for _ in range(5):
        text = ""
        for folder in dict.fromkeys((found.folder, found.common)):
            text = text or (host.read(f"{folder}/{name}", 4096) or b"").decode("ascii", "replace").strip()
        if not text.startswith("ref: "):
            return text or references(found, host).get(name, "")
        name = text[5:].strip()
    return ""


def references(found: "Repository", host: "Host") -> dict[str, str]:
    """The packed references: name to commit."""
    packed = (host.read(f"{found.common}/packed-refs", LARGEST_REFERENCES) or b"").decode("utf-8", "replace")
    pairs = (line.split(" ", 1) for line in packed.split("\n") if line[:1] not in ("#", "^", ""))
    return {pair[1].strip(): pair[0] for pair in pairs if len(pair) == 2}


def _noted_tree(index: bytes) -> str:
    """The tree that the index was last known to be, from its TREE extension; empty where it no longer is."""
    at = index.find(b"TREE", 12)
    while at >= 0:
        size = int.from_bytes(index[at + 4 : at + 8], "big")
        body = index[at + 8 : at + 8 + size]
        # name NUL, entries SP subtrees NL, then the object where entries is not -1: the first is the root's, without a name
        if len(body) == size and body[:1] == b"\0" and at + 8 + size <= len(index) - 20:
            line, newline, rest = body[1:].partition(b"\n")
            counts = line.split(b" ")
            if newline and len(counts) == 2 and counts[0].isdigit() and counts[1].isdigit() and len(rest) >= 20:
                return rest[:20].hex()
            if newline and counts[0] == b"-1":
                return ""
        at = index.find(b"TREE", at + 4)
    return ""


def _tree_of(commit: str, found: "Repository", host: "Host") -> str:
    if len(commit) != 40:
        return ""
    text = _loose(commit, found, host) or _packed(commit, found, host)
    return text[5:45].decode("ascii", "replace") if text.startswith(b"tree ") else ""


def _loose(name: str, found: "Repository", host: "Host") -> bytes:
    held = host.read(f"{found.common}/objects/{name[:2]}/{name[2:]}", LARGEST_OBJECT)
    text = _inflated(held) if held else b""
    return text.partition(b"\0")[2] if text.startswith(b"commit ") else b""


def _inflated(data: bytes) -> bytes:
    try:
        return zlib.decompressobj().decompress(data, LARGEST_OBJECT)
    except zlib.error:
        return b""


def _packed(name: str, found: "Repository", host: "Host") -> bytes:
    folder = f"{found.common}/objects/pack"
    indexes = [entry for entry in host.names(folder, 4 * MOST_PACKS) or () if entry.endswith(".idx")]
    for entry in indexes[:MOST_PACKS]:
        index = host.read(f"{folder}/{entry}", LARGEST_PACK // 4) or b""
        at = _offset(index, bytes.fromhex(name)) if _is_hex(name) else None
        if at is not None:
            pack = host.read(f"{folder}/{entry[:-4]}.pack", LARGEST_PACK) or b""
            return _whole_commit(pack, at)
    return b""


def _is_hex(name: str) -> bool:
    return all(char in "0123456789abcdef" for char in name)


def _offset(index: bytes, name: bytes) -> int | None:
    """Where a pack holds an object, from its index of version 2."""
    if index[:8] != b"\xfftOc\0\0\0\2" or len(index) < _INDEX_HEAD:
        return None
    fan = struct.unpack_from(">256I", index, 8)
    low, high, count = fan[name[0] - 1] if name[0] else 0, fan[name[0]], fan[255]
    if len(index) < _INDEX_HEAD + count * 28:
        return None
    names = index[_INDEX_HEAD + low * 20 : _INDEX_HEAD + high * 20]
    at = next((place for place in range(0, len(names), 20) if names[place : place + 20] == name), None)
    if at is None:
        return None
    offset = int.from_bytes(index[_INDEX_HEAD + count * 24 + (low + at // 20) * 4 :][:4], "big")
    return offset if offset < 0x80000000 else None


def _whole_commit(pack: bytes, at: int) -> bytes:
    """A commit that is stored whole; one stored as a difference is not worked out."""
    if at >= len(pack) or pack[at] >> 4 & 7 != 1:
        return b""
    while at < len(pack) and pack[at] & 0x80:
        at += 1
    return _inflated(pack[at + 1 : at + 1 + LARGEST_OBJECT])
