"""Which paths matter and why: the schema of ``paths.toml`` and ``floor.toml``, and their cached loaders."""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Literal

import msgspec

from checkrail.knowledge.network import load
from checkrail.knowledge.patterns import Index, fold, glob, parse
from checkrail.model import Reversibility, Scope

Answer = Literal["free", "note", "ask", "deny"]


class PathClass(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Paths that ask for care, and what each action on them deserves.

    ``new`` is for writing or making a file that is known not to exist yet, ``private`` says that reading it hands
    out something that cannot be taken back. ``scratch`` keeps the class in temporary directories, too, and ``inside`` leaves
    it out where only a pattern from above may come upon it. ``exceptions`` are globs of file names. ``hits`` and
    ``misses`` are examples, executed by the tests (home ``/home/dev``).
    """

    id: str
    what: str
    reason: str
    patterns: tuple[str, ...]
    exceptions: tuple[str, ...] = ()
    read: Answer = "free"
    write: Answer = "ask"
    append: Answer = "ask"
    new: Answer = "ask"
    delete: Answer = "ask"
    mode: Answer = "ask"
    private: bool = False
    inside: bool = False
    scratch: bool = False
    scope: Scope = Scope.LOCAL
    reversibility: Reversibility = Reversibility.HARD
    safer: str = ""
    hits: tuple[str, ...]
    misses: tuple[str, ...]


class Beside(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Folders called ``names`` (lower case) that a tool fills again where one of ``files`` stands beside them."""

    names: tuple[str, ...]
    files: tuple[str, ...]


class PathsFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``paths.toml``."""

    system: frozenset[str]
    scratch: tuple[str, ...]
    caches: tuple[str, ...]
    home_caches: tuple[str, ...]
    projects: tuple[str, ...]
    streams: tuple[str, ...]
    build: tuple[str, ...]
    throwaway: tuple[str, ...]
    locks: tuple[str, ...]
    documents: tuple[str, ...]
    beside: tuple[Beside, ...]
    classes: tuple[PathClass, ...] = msgspec.field(name="class")


class FloorPlace(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Paths of the floor: ``wipe`` only all of it, ``change`` any write, deletion, move or change of mode."""

    id: str
    reason: str
    on: Literal["wipe", "change"]
    patterns: tuple[str, ...]
    exceptions: tuple[str, ...] = ()
    safer: str = ""
    hits: tuple[str, ...]
    misses: tuple[str, ...]


class FloorFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``floor.toml``."""

    places: tuple[FloorPlace, ...] = msgspec.field(name="place")


class Classes:
    """An index of patterns that answers with ids."""

    def __init__(self, owners: Sequence[PathClass | FloorPlace]) -> None:
        self._index = Index(parse(text, number) for number, owner in enumerate(owners) for text in owner.patterns)
        self._ids = tuple(owner.id for owner in owners)
        self._exceptions = tuple(tuple(glob(fold(text), hidden=True) for text in owner.exceptions) for owner in owners)

    def match(self, parts: Sequence[str], homes: Iterable[int]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Ids of the classes of a path (folded components), and of those that may lie below it."""
        found = self._index.match(parts, homes)
        if not found.at and not found.under:
            return (), ()
        at = (number for number in sorted(found.at) if not (parts and self._excepted(number, parts[-1])))
        return tuple(self._ids[number] for number in at), tuple(self._ids[number] for number in sorted(found.under))

    def _excepted(self, number: int, name: str) -> bool:
        return any(pattern.match(name) for pattern in self._exceptions[number])


@cache
def paths() -> PathsFile:
    """The table of path classes. Raises ValueError that names the file and the place in it."""
    return load("paths.toml", PathsFile)


@cache
def floor_places() -> FloorFile:
    """The places that the floor protects. Raises ValueError that names the file and the place in it."""
    return load("floor.toml", FloorFile)


@cache
def path_classes() -> Classes:
    """The classes of ``paths.toml``, indexed."""
    return Classes(paths().classes)


@cache
def floor_classes() -> Classes:
    """The places of ``floor.toml``, indexed."""
    return Classes(floor_places().places)


@cache
def path_class(identifier: str) -> PathClass:
    """The class of an id."""
    return next(entry for entry in paths().classes if entry.id == identifier)


@cache
def floor_place(identifier: str) -> FloorPlace:
    """The floor's place of an id."""
    return next(entry for entry in floor_places().places if entry.id == identifier)
