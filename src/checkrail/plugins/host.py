"""A machine that holds nothing but the package, so that a verdict on its commands is the same wherever it is checked."""

import os
import stat
from collections.abc import Iterator

from checkrail.facts.host import Stat
from checkrail.plugins import containment

ROOT = "/plugin"
DATA = "/plugin-data"
HOME = "/home/user"


class PackageHost:
    """See :class:`checkrail.facts.host.Host`: the resolved ``root`` of a package seen at :data:`ROOT`, links never followed out."""

    def __init__(self, root: str) -> None:
        self.home = HOME
        self.folds_case = False
        self._root = root

    def _real(self, path: str) -> str | None:
        path = os.path.normpath(path)
        if path != ROOT and not path.startswith(f"{ROOT}/"):
            return None
        return self._root + path[len(ROOT) :]

    def lstat(self, path: str) -> Stat | None:
        """See Host."""
        real = self._real(path)
        try:
            if real is None or not containment.is_inside(self._root, os.path.dirname(real) if path != ROOT else real):
                return None
            found = os.lstat(real)
        except (OSError, ValueError):
            return None
        kinds = ((stat.S_ISREG, "file"), (stat.S_ISDIR, "directory"), (stat.S_ISLNK, "link"))
        kind = next((name for test, name in kinds if test(found.st_mode)), "other")
        return Stat(kind, found.st_size)

    def readlink(self, path: str) -> str | None:
        """See Host."""
        real = self._real(path)
        try:
            return os.readlink(real) if real is not None and self.lstat(path) else None
        except (OSError, ValueError):
            return None

    def read(self, path: str, limit: int) -> bytes | None:
        """See Host."""
        real = self._real(path)
        try:
            return containment.read(self._root, real, limit) if real is not None else None
        except (OSError, ValueError, containment.Escapes, containment.WrongKind):
            return None

    def names(self, path: str, limit: int) -> tuple[str, ...] | None:
        """See Host."""
        real = self._real(path)
        try:
            if real is None or not containment.is_inside(self._root, real):
                return None
            return tuple(containment.names(real)[:limit])
        except (OSError, ValueError):
            return None

    def variable(self, name: str) -> str | None:  # noqa: ARG002
        """See Host."""
        return None

    def homes(self) -> Iterator[str]:
        """See Host."""
        yield from ()
