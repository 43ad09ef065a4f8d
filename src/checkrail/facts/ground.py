"""The fixed points that a path is measured against, each as written and as its symbolic links resolve."""

import re
from collections.abc import Iterable
from functools import cache

import msgspec

from checkrail.context import Surroundings
from checkrail.facts.resolve import normal, real
from checkrail.knowledge import places

_TEMPORARY = re.compile(
    r"/(?:tmp|var/tmp|private/tmp|private/var/tmp|var/folders|private/var/folders|run/user/\d+|dev/shm)(?:/|\Z)"
)
_NAMED = re.compile(r"/\.?te?mp(?:orary|dir)?\Z", re.IGNORECASE)


class Ground(msgspec.Struct, frozen=True, kw_only=True):
    """``known`` remembers, for one call, directories that are no links, ``described`` what paths were found to be."""

    around: Surroundings
    homes: frozenset[str]
    workspaces: frozenset[str]
    own: frozenset[str]
    scratch: frozenset[str]
    known: set[str]
    described: dict[object, object]

    def folded(self, path: str) -> str:
        """A path as the host's file system compares it."""
        return path.casefold() if self.around.host.folds_case else path


_last: list[Ground] = []


def ground(around: Surroundings) -> Ground:
    """The fixed points of a call, worked out once for each."""
    if _last and _last[0].around is around:
        return _last[0]
    made = _made(around)
    _last[:] = [made]
    return made


def _made(around: Surroundings) -> Ground:
    known: set[str] = set()
    fold = str.casefold if around.host.folds_case else str

    def both(paths: Iterable[str]) -> frozenset[str]:
        found = {normal(path) for path in paths if path.startswith("/")}
        return frozenset(fold(unprivate(way)) for path in found for way in (path, real(path, around.host, known=known)))

    homes = both([around.home]) - {"/"}
    workspaces = frozenset(path for path in both([around.workspace]) if not _holds(path, homes))
    dear = homes | workspaces
    scratch = {path for path in both(_temporary(around)) if not _holds(path, dear)}
    return Ground(
        around=around,
        homes=homes,
        workspaces=workspaces,
        own=both(around.own) - {"/"},
        scratch=frozenset(scratch | {fold(path) for path in places.paths().scratch}),
        known=known,
        described={},
    )


def _holds(path: str, others: Iterable[str]) -> bool:
    """Whether a directory lies strictly above one of the others (or is the root)."""
    return path == "/" or any(other.startswith(path + "/") for other in others)


def _temporary(around: Surroundings) -> Iterable[str]:
    """``$TMPDIR`` and its like, believed only where the name itself says that it is temporary."""
    for name in ("TMPDIR", "TMP", "TEMP", "XDG_RUNTIME_DIR"):
        path = normal(around.host.variable(name) or "/")
        if _TEMPORARY.match(path) or (_NAMED.search(path) and path.startswith(f"{around.home}/")):
            yield path


def unprivate(path: str) -> str:
    """macOS keeps ``/tmp``, ``/var`` and ``/etc`` below ``/private``."""
    return path[8:] if _PRIVATE.match(path) else path


_PRIVATE = re.compile(r"/private/(?:tmp|var|etc)(?:/|\Z)", re.IGNORECASE)


@cache
def streams() -> re.Pattern[str]:
    """Device names that keep nothing."""
    return re.compile("|".join(re.escape(name).replace(r"\*", "[^/]+") for name in places.paths().streams))
