"""Everything that lies in a package's directory, whichever client would load it. Links are listed and not followed out."""

import os
import stat
import unicodedata
from collections.abc import Iterator

import msgspec

from checkrail.plugins import clients, containment

MOST = 20_000
DEEPEST = 40
HEAD = 256
"""Entries, folders within one another, and bytes of a file's beginning that are looked at."""

_CORE = ("plugin.json", "mcp.json")
_SUFFIXES = {
    ".sh": "bash", ".bash": "bash", ".zsh": "zsh", ".py": "python3", ".js": "node", ".mjs": "node", ".cjs": "node",
    ".ts": "node", ".mts": "node", ".rb": "ruby", ".pl": "perl", ".php": "php", ".ps1": "pwsh",
}  # fmt: skip
_SHEBANGS = ("bash", "zsh", "python", "node", "ruby", "perl", "php", "pwsh", "sh")
_RUNS = {"python": "python3", "sh": "bash"}
_PROGRAMS = (
    ".exe", ".dll", ".so", ".dylib", ".jar", ".class", ".pyc", ".wasm", ".node", ".bat", ".cmd", ".com", ".msi", ".scpt",
    ".app", ".lua", ".tcl", ".awk", ".fish", ".vbs", ".elf", ".bin", ".deb", ".rpm", ".apk", ".whl", ".gem", ".tgz", ".zip",
)  # fmt: skip
_MAGIC = (
    b"\x7fELF",
    b"MZ",
    b"\xca\xfe\xba\xbe",
    b"\xcf\xfa\xed\xfe",
    b"\xce\xfa\xed\xfe",
    b"\xfe\xed\xfa\xcf",
    b"PK\x03\x04",
    b"\x00asm",
)
_DEPENDENCIES = ("node_modules", "__pycache__", "site-packages")
_INERT = frozenset({"script", "prose", "data", "program"})


class Entry(msgspec.Struct, frozen=True):
    """One entry. ``kind`` is core, skill, one of clients.toml, script, prose, data, program, escape, special, dependency, cut.

    ``other_case`` marks a name that means something to a client only without regard to case.
    """

    path: str
    kind: str
    client: str = ""
    runs: str = ""
    other_case: bool = False
    odd_name: bool = False


def entries(root: str) -> Iterator[Entry]:
    """The entries of a resolved root, folders before what they hold, at most :data:`MOST` and then one of kind ``cut``."""
    count = 0
    waiting = [("", 0)]
    while waiting:
        folder, depth = waiting.pop()
        try:
            names = containment.names(os.path.join(root, folder))
        except OSError:
            yield Entry(folder, "cut")
            continue
        for name in names:
            count += 1
            if count > MOST:
                yield Entry(folder, "cut")
                return
            path = f"{folder}/{name}" if folder else name
            found = _entry(root, path)
            if found is not None:
                if not (found.kind in _INERT and _in_dependencies(path)):
                    yield found
            elif name == ".git":
                yield Entry(path, "dependency")
            elif depth >= DEEPEST:
                yield Entry(path, "cut")
            else:
                if name in _DEPENDENCIES:
                    yield Entry(path, "dependency")
                waiting.append((path, depth + 1))


def _in_dependencies(path: str) -> bool:
    """Whether a path lies in a folder of other people's code, of which only what a client might load is listed."""
    return not path.startswith("skills/") and any(part in _DEPENDENCIES for part in path.split("/")[:-1])


def _entry(root: str, path: str) -> Entry | None:
    """The entry of a path; None for a directory that is walked into."""
    whole = os.path.join(root, path)
    odd = _odd(path)
    try:
        found = os.lstat(whole)
    except OSError:
        return Entry(path, "special", odd_name=odd)
    if stat.S_ISLNK(found.st_mode):
        if not containment.is_inside(root, whole):
            return Entry(path, "escape", odd_name=odd)
        if os.path.isdir(whole):
            return Entry(path, "data", odd_name=odd)  # what it leads to is listed in its own place
    elif stat.S_ISDIR(found.st_mode):
        return None
    elif not stat.S_ISREG(found.st_mode):
        return Entry(path, "special", odd_name=odd)
    return msgspec.structs.replace(_file(root, path, found.st_mode), odd_name=odd)


def _file(root: str, path: str, mode: int) -> Entry:
    parts = path.split("/")
    if path in _CORE or (len(parts) == 3 and parts[0] == "skills" and parts[2] == "SKILL.md"):
        return Entry(path, "core")
    if path.lower() in _CORE:
        return Entry(path, "manifest" if "plugin" in path.lower() else "mcp", "file systems that fold case", "", True)
    known = clients.of(path)
    if known is not None:
        return Entry(path, known[0].kind, known[0].client, "", known[1])
    head = _head(root, path)
    runs = _runs(path, head)
    if runs:
        return Entry(path, "script", runs=runs)
    if path.lower().endswith(_PROGRAMS) or head.startswith(_MAGIC):
        return Entry(path, "program")
    if path.lower().endswith((".md", ".markdown", ".mdx", ".txt", ".rst")):
        return Entry(path, "prose")
    return Entry(path, "program" if mode & 0o111 or head.startswith(b"#!") else "data")


def _head(root: str, path: str) -> bytes:
    try:
        descriptor = os.open(os.path.join(root, path), os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as file:
            return file.read(HEAD)
    except OSError:
        return b""


def _runs(path: str, head: bytes) -> str:
    """The program that would run a file; empty for none that is known."""
    suffix = os.path.splitext(path)[1].lower()
    if suffix in _SUFFIXES:
        return _SUFFIXES[suffix]
    if not head.startswith(b"#!"):
        return ""
    words = head[2:].split(b"\n")[0].decode("ascii", "replace").replace("/", " ").split()
    name = next((known for known in _SHEBANGS for word in words if word.startswith(known)), "")
    return _RUNS.get(name, name)


def _odd(path: str) -> bool:
    """Letters that are not seen, or that turn the direction of a line."""
    return any(unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp") for letter in path)
