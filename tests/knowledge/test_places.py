"""The examples in the path tables hold, and each class has as many near misses as hits."""

import pytest

from checkrail.context import Surroundings
from checkrail.facts.host import FrozenHost
from checkrail.facts.paths import describe
from checkrail.knowledge import places
from checkrail.knowledge.patterns import parse

AROUND = Surroundings(host=FrozenHost(), home="/home/dev", workspace="/work/app", cwd="/work/app")


@pytest.mark.parametrize(
    ("entry", "path"), [(entry, path) for entry in places.paths().classes for path in entry.hits], ids=str
)
def test_class_hits(entry: places.PathClass, path: str) -> None:
    """Each hit belongs to its class."""
    assert entry.id in describe(path, AROUND).classes


@pytest.mark.parametrize(
    ("entry", "path"), [(entry, path) for entry in places.paths().classes for path in entry.misses], ids=str
)
def test_class_misses(entry: places.PathClass, path: str) -> None:
    """Each near miss does not belong to the class that it is written beside."""
    assert entry.id not in describe(path, AROUND).classes


@pytest.mark.parametrize(
    ("place", "path"), [(place, path) for place in places.floor_places().places for path in place.hits], ids=str
)
def test_floor_hits(place: places.FloorPlace, path: str) -> None:
    """Each hit is the floor's place; a directory above it counts where wiping is meant."""
    facts = describe(path, AROUND)
    assert place.id in facts.floor or (place.on == "wipe" and place.id in facts.floor_below)


@pytest.mark.parametrize(
    ("place", "path"), [(place, path) for place in places.floor_places().places for path in place.misses], ids=str
)
def test_floor_misses(place: places.FloorPlace, path: str) -> None:
    """Each near miss is neither the place nor above it."""
    facts = describe(path, AROUND)
    assert place.id not in (*facts.floor, *facts.floor_below)


def test_as_many_misses_as_hits() -> None:
    """A class that only shows what it catches says nothing about what it spares."""
    rows: tuple[places.PathClass | places.FloorPlace, ...] = (*places.paths().classes, *places.floor_places().places)
    assert [row.id for row in rows if len(row.misses) < min(len(row.hits), 4)] == []


def test_ids_are_unique() -> None:
    """An id means one class."""
    for ids in ([row.id for row in places.paths().classes], [row.id for row in places.floor_places().places]):
        assert len(ids) == len(set(ids))


@pytest.mark.parametrize("text", ["etc/passwd", "**/a/**/b", "~", "**/*.d/x"])
def test_bad_pattern_is_refused(text: str) -> None:
    """A pattern that cannot be indexed is an error that names it."""
    with pytest.raises(ValueError, match="pattern"):
        parse(text, 0)
