"""The packages that a person has added: where each came from, digests of what it is, who signed it off, what is enabled.

Trees lie below Checkrail's own data directory, named by digest; a directory that is used in place is only remembered. Whatever
differs from its digest counts as changed, and nothing that changed stays enabled.
"""

import hashlib
import os
import shutil
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec
from filelock import FileLock

from checkrail import places
from checkrail.model import Band
from checkrail.plugins import declarations, package, standing, trees, unpack
from checkrail.plugins.records import Package, Server
from checkrail.plugins.sources import Acquired, Source

VERSION = 1
LIMIT = 64 * 1024 * 1024


class StoreError(Exception):
    """The store cannot be used, or not so; the text says why."""


class Signed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Who said yes to what lies there, and when."""

    uid: int
    user: str
    tty: str
    time: float


class Installed(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One package. ``servers`` holds the digest of each server's entry, ``enabled`` that of what a person let start."""

    name: str
    version: str
    source: Source
    tree: str
    digest: str
    files: dict[str, str]
    servers: dict[str, str] = {}
    transports: dict[str, str] = {}
    enabled: dict[str, str] = {}
    declared: dict[str, standing.Operation] = {}
    signed: Signed


class Book(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All of them, by name."""

    version: int = VERSION
    plugins: dict[str, Installed] = {}


class Change(msgspec.Struct, frozen=True):
    """What an update would change. ``lowered`` are declared bands that sink or vanish: breaking."""

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    servers: tuple[str, ...] = ()
    lowered: tuple[str, ...] = ()
    version: tuple[str, str] = ("", "")

    @property
    def any(self) -> bool:
        """Whether anything differs."""
        return bool(self.added or self.removed or self.changed or self.version[0] != self.version[1])


def server_digest(server: Server) -> str:
    """The digest of a server's whole entry."""
    return f"sha256:{hashlib.sha256(msgspec.json.encode(server, order='sorted')).hexdigest()}"


def launch_digest(entry: Installed, server: str) -> str:
    """The digest of exactly what would be started: the entry of the server, and the files that it would be started from."""
    told = f"{entry.digest}\n{server}\n{entry.servers[server]}".encode()
    return f"sha256:{hashlib.sha256(told).hexdigest()}"


class Store:
    """The packages below one data directory."""

    def __init__(self, data: Path) -> None:
        self._folder = data / "plugins"
        self._data = data

    def load(self) -> Book:
        """What is installed. Raises :class:`StoreError`."""
        path = self._folder / "installed.json"
        try:
            if path.stat().st_size > LIMIT:
                raise StoreError(f"{path} is larger than {LIMIT} bytes")
            found = msgspec.json.decode(path.read_bytes(), type=Book)
        except FileNotFoundError:
            return Book()
        except (OSError, msgspec.DecodeError, RecursionError) as error:
            raise StoreError(f"{path}: {error}") from None
        if found.version != VERSION:
            raise StoreError(f"{path} has version {found.version}; this Checkrail knows {VERSION}")
        return found

    def get(self, name: str) -> Installed:
        """One package. Raises :class:`StoreError`."""
        found = self.load().plugins.get(name)
        if found is None:
            raise StoreError(f"no plugin {name!r} is installed; see: checkrail plugin list")
        return found

    def stage(self, acquired: Acquired) -> tuple[str, str, dict[str, str]]:
        """Lays acquired files down where they can be read as a package: path, digest and digests of the files."""
        files = trees.digests(acquired.files)
        digest = trees.digest(files)
        if acquired.source.kind == "directory":
            return os.path.realpath(acquired.source.location), digest, files
        self._ready()
        target = self._folder / "trees" / digest.removeprefix("sha256:")
        if not target.exists():
            draft = target.with_name(f".{target.name}.{os.getpid()}")
            shutil.rmtree(draft, ignore_errors=True)
            unpack.write(acquired.files, draft)
            draft.rename(target)
        elif trees.digest(trees.digests(trees.read(os.path.realpath(target)))) != digest:
            raise StoreError(f"{target} does not hold what its name says; remove the plugin and add it again")
        return str(target), digest, files

    def discard(self, tree: str) -> None:
        """Takes away a staged tree that no installed package uses."""
        path = Path(tree)
        used = {entry.tree for entry in self.load().plugins.values()}
        if path.parent == self._folder / "trees" and tree not in used:
            shutil.rmtree(path, ignore_errors=True)

    def locked(self) -> FileLock:
        """Held while a person looks at a change, so that no other change comes in between."""
        self._ready()
        return FileLock(self._folder / "lock", timeout=0, mode=0o600)

    def put(self, entry: Installed) -> None:
        """Adds a package or replaces it."""
        book = self.load()
        self._save(Book(VERSION, {**book.plugins, entry.name: entry}))

    def remove(self, name: str) -> Installed:
        """Forgets a package and takes its tree away; a directory that was used in place stays."""
        gone = self.get(name)
        book = self.load()
        self._save(Book(VERSION, {key: entry for key, entry in book.plugins.items() if key != name}))
        self.discard(gone.tree)
        return gone

    def _ready(self) -> None:
        try:
            places.secure_directory(self._data)
            places.secure_directory(self._folder)
        except places.PlacesError as error:
            raise StoreError(str(error)) from None

    def _save(self, book: Book) -> None:
        self._ready()
        self._write("installed.json", msgspec.json.encode(book, order="sorted"))
        self._write("index.json", msgspec.json.encode(index(book.plugins.values()), order="sorted"))

    def _write(self, name: str, raw: bytes) -> None:
        path = self._folder / name
        draft = path.with_name(f".{name}.{os.getpid()}")
        try:
            descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(msgspec.json.format(raw, indent=1) + b"\n")
            draft.replace(path)
        except OSError as error:
            draft.unlink(missing_ok=True)
            raise StoreError(f"{path}: {error.strerror or error}") from None


def index(entries: Iterable[Installed]) -> standing.Index:
    """What the gate needs of the installed packages, servers by every name that clients give them."""
    operations: dict[str, dict[str, standing.Operation]] = {}
    disabled: dict[str, str] = {}
    for entry in entries:
        for server in entry.servers:
            if entry.transports.get(server) == "stdio" and entry.enabled.get(server) != launch_digest(entry, server):
                disabled[_in_plugin(entry.name, server)] = entry.name
        for named, operation in entry.declared.items():
            server, _, tool = named.removeprefix("mcp:").rpartition("/")
            for spelled in (standing.spelled(server), _in_plugin(entry.name, server)) if server else ():
                known = operations.setdefault(spelled, {}).get(tool)
                if known is None or operation.band.rank > known.band.rank:
                    operations[spelled][tool] = operation
    return standing.Index(operations, disabled)


def _in_plugin(plugin: str, server: str) -> str:
    """The name that clients give a plugin's server."""
    return standing.spelled(f"plugin_{plugin}_{server}")


def described(found: Package, source: Source, staged: tuple[str, str, dict[str, str]], signed: Signed) -> Installed:
    """A package as the store keeps it; nothing of it is enabled."""
    assert found.manifest is not None
    tree, digest, files = staged
    said, _ = declarations.of_manifest(found.manifest)
    return Installed(
        name=found.manifest.name, version=found.manifest.version, source=source, tree=tree, digest=digest, files=files,
        servers={server.name: server_digest(server) for server in found.servers},
        transports={server.name: server.transport for server in found.servers},
        declared={one.id: standing.operation(one, found.manifest.name) for one in said}, signed=signed,
    )  # fmt: skip


def changes(before: Installed, after: Installed) -> Change:
    """What differs between two states of a package."""
    old, new = before.files, after.files
    lowered = declarations.lowered(_bands(before.declared), _bands(after.declared))
    names = before.servers.keys() | after.servers.keys()
    configured = sorted(name for name in names if before.servers.get(name) != after.servers.get(name))
    return Change(
        added=tuple(sorted(new.keys() - old.keys())), removed=tuple(sorted(old.keys() - new.keys())),
        changed=tuple(sorted(name for name in old.keys() & new.keys() if old[name] != new[name])),
        servers=tuple(configured),
        lowered=tuple(f"{named}: {band} -> {now or 'undeclared'}" for named, band, now in lowered),
        version=(before.version, after.version),
    )  # fmt: skip


def _bands(declared: Mapping[str, standing.Operation]) -> dict[str, Band]:
    return {named: operation.band for named, operation in declared.items()}


def state(entry: Installed) -> str:
    """``intact``, ``changed`` or ``gone``: what lies there now against the digest that was signed off."""
    try:
        files = trees.digests(trees.read(os.path.realpath(entry.tree)))
    except unpack.Refused:
        return "changed"
    if not files and not os.path.isdir(entry.tree):
        return "gone"
    return "intact" if trees.digest(files) == entry.digest else "changed"


def read(entry: Installed, *, drafts: bool = True) -> Package:
    """The package that an entry stands for."""
    return package.read(entry.tree, drafts=drafts)


def signed(uid: int, user: str, tty: str) -> Signed:
    """A signature of now."""
    return Signed(uid, user, tty, time.time())


def as_data(entry: Installed) -> dict[str, Any]:
    """An entry without the list of its files, for people and CI."""
    found: dict[str, Any] = msgspec.to_builtins(entry)
    return {**found, "files": len(entry.files), "state": state(entry)}
