"""The one protocol through which anything looks at the machine, a real one and a frozen one for tests.

Every look is bounded and never raises: what cannot be seen is None. Nothing here runs a program.
"""

import os
import stat as stat_module
from collections.abc import Iterator, Mapping
from typing import Protocol

import msgspec


class Stat(msgspec.Struct, frozen=True):
    """What lstat says: ``kind`` is file, directory, link, block, char, fifo, socket or other."""

    kind: str
    size: int = 0
    mtime: float = 0.0
    mode: int = 0o644
    uid: int = 0
    inode: int = 0


class Host(Protocol):
    """Facts about the machine that a call would run on."""

    home: str
    folds_case: bool

    def lstat(self, path: str) -> Stat | None:
        """The entry itself (links not followed), or None where there is none or it cannot be seen."""

    def readlink(self, path: str) -> str | None:
        """Where a symbolic link points, as written."""

    def read(self, path: str, limit: int) -> bytes | None:
        """At most ``limit`` bytes of a regular file; None for anything else or where it is larger."""

    def names(self, path: str, limit: int) -> tuple[str, ...] | None:
        """At most ``limit`` entry names of a directory, unsorted."""

    def variable(self, name: str) -> str | None:
        """A variable of the calling environment that the shim passed on."""

    def homes(self) -> Iterator[str]:
        """Names of other home directories on the machine (``/home/<name>``)."""


_KINDS = (
    (stat_module.S_ISREG, "file"),
    (stat_module.S_ISDIR, "directory"),
    (stat_module.S_ISLNK, "link"),
    (stat_module.S_ISBLK, "block"),
    (stat_module.S_ISCHR, "char"),
    (stat_module.S_ISFIFO, "fifo"),
    (stat_module.S_ISSOCK, "socket"),
)


class RealHost:
    """The machine itself. ``environment`` is what the caller sent, never the daemon's own."""

    def __init__(self, home: str, environment: Mapping[str, str] | None = None, *, folds_case: bool = False) -> None:
        self.home = home.rstrip("/") or "/"
        self.folds_case = folds_case
        self._environment = dict(environment or {})

    def lstat(self, path: str) -> Stat | None:
        """See :class:`Host`."""
        try:
            found = os.lstat(path)
        except (OSError, ValueError):
            return None
        kind = next((name for test, name in _KINDS if test(found.st_mode)), "other")
        return Stat(kind, found.st_size, found.st_mtime, stat_module.S_IMODE(found.st_mode), found.st_uid, found.st_ino)

    def readlink(self, path: str) -> str | None:
        """See :class:`Host`."""
        try:
            return os.readlink(path)
        except (OSError, ValueError):
            return None

    def read(self, path: str, limit: int) -> bytes | None:
        """See :class:`Host`. Opened without blocking, so that a pipe in a file's place cannot hang us."""
        try:
            handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except (OSError, ValueError):
            return None
        try:
            found = os.fstat(handle)
            if not stat_module.S_ISREG(found.st_mode) or found.st_size > limit:
                return None
            return os.read(handle, limit)
        except OSError:
            return None
        finally:
            os.close(handle)

    def names(self, path: str, limit: int) -> tuple[str, ...] | None:
        """See :class:`Host`."""
        try:
            with os.scandir(path) as entries:
                return tuple(entry.name for entry, _ in zip(entries, range(limit), strict=False))
        except (OSError, ValueError):
            return None

    def variable(self, name: str) -> str | None:
        """See :class:`Host`."""
        return self._environment.get(name)

    def homes(self) -> Iterator[str]:
        """See :class:`Host`."""
        yield from self.names("/home", 64) or ()


class FrozenHost(msgspec.Struct):
    """A machine made of a table, for tests and the regression corpus: path -> content.

    A content of None is a directory, ``@target`` a link; parents exist by themselves.
    """

    home: str = "/home/dev"
    files: dict[str, str | None] = {}
    environment: dict[str, str] = {}
    folds_case: bool = False

    def lstat(self, path: str) -> Stat | None:
        """See :class:`Host`."""
        path = path.rstrip("/") or "/"
        if path in self.files:
            content = self.files[path]
            if content is None:
                return Stat("directory")
            return Stat("link") if content.startswith("@") else Stat("file", len(content.encode()))
        below = path.rstrip("/") + "/"
        return Stat("directory") if any(name.startswith(below) for name in self.files) else None

    def readlink(self, path: str) -> str | None:
        """See :class:`Host`."""
        content = self.files.get(path.rstrip("/"))
        return content[1:] if content is not None and content.startswith("@") else None

    def read(self, path: str, limit: int) -> bytes | None:
        """See :class:`Host`."""
        content = self.files.get(path)
        if content is None or content.startswith("@") or len(content.encode()) > limit:
            return None
        return content.encode()

    def names(self, path: str, limit: int) -> tuple[str, ...] | None:
        """See :class:`Host`."""
        below = path.rstrip("/") + "/"
        found = {name[len(below) :].split("/")[0] for name in self.files if name.startswith(below)}
        if not found and self.lstat(path) is None:
            return None
        return tuple(sorted(found))[:limit]

    def variable(self, name: str) -> str | None:
        """See :class:`Host`."""
        return self.environment.get(name)

    def homes(self) -> Iterator[str]:
        """See :class:`Host`."""
        yield from self.names("/home", 64) or ()
