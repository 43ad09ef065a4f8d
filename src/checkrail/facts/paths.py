"""What a path is: where it leads, where that lies, what kind of file it names and what lies below it."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache

import msgspec

from checkrail.context import Surroundings
from checkrail.facts.ground import Ground, ground, streams, unprivate
from checkrail.facts.host import FrozenHost
from checkrail.facts.resolve import normal, real
from checkrail.knowledge import places
from checkrail.knowledge.patterns import WILD, fold, glob, meets
from checkrail.model import HOLE, SOME, Ordered

DEEPEST = 64
"""Components that are looked at; a deeper path is called odd."""

CONTAINERS = ("container:", "docker:", "podman:")
"""Beginnings of ``Target.host`` for machines that are thrown away."""

_EVERYTHING = re.compile(r"\.{0,2}(?:[*?]|\[[!^][^\]]*\]|\[[^\]]*\w-\w[^\]]*\])*\*(?:\.\*)?")
_ROOT_ALIAS = re.compile(r"/proc/(?:self|thread-self|\d+)(?:/task/\d+)?/root(?=/|\Z)")
_CWD_ALIAS = re.compile(r"/proc/(?:self|thread-self)(?:/task/\d+)?/cwd(?=/|\Z)")


class Place(Ordered):
    """Where a path lies, from what nobody misses to what everybody does."""

    STREAM = "stream"  # /dev/null, standard output: nothing is kept
    SCRATCH = "scratch"
    WORKSPACE = "workspace"  # below the workspace
    ROOM = "workspace-root"
    BELOW_HOME = "home-below"
    OUTSIDE = "outside"
    OTHER_HOME = "other-home"
    UNKNOWN = "unknown"
    SYSTEM = "system"
    DEVICE = "device"
    HOME = "home"
    ROOT = "root"


class PathFacts(msgspec.Struct, frozen=True, kw_only=True):
    """All that is known about a path.

    ``classes`` are classes of ``paths.toml`` that the path belongs to, ``below`` those that may lie under it; ``floor`` and
    ``floor_below`` the same for ``floor.toml``, ``maybe`` what of it an unknown part may turn out to name. ``covers`` names what the path is or holds: root, home, workspace, own,
    scratch. ``own``: it is or lies in a place of Checkrail. ``contents``: a glob takes all that is in ``path``.
    ``unknown``: a part only running would tell; ``collapsed`` is the path with such parts empty.
    """

    path: str
    real: str
    place: Place
    classes: tuple[str, ...] = ()
    below: tuple[str, ...] = ()
    floor: tuple[str, ...] = ()
    floor_below: tuple[str, ...] = ()
    maybe: tuple[str, ...] = ()
    covers: frozenset[str] = frozenset()
    own: bool = False
    build: bool = False
    contents: bool = False
    pattern: bool = False
    unknown: bool = False
    odd: str = ""
    collapsed: "PathFacts | None" = None


def is_guarded(path: str, around: Surroundings) -> bool:
    """Whether a file is one of Checkrail's own: its policy, records, requests."""
    facts = describe(path, around)
    return facts.own or "checkrail" in facts.floor


def describe(path: str, around: Surroundings, *, scratch: Iterable[str] = (), follow: bool = True) -> PathFacts:
    """Describe a path; never raises. ``scratch`` adds temporary directories.

    Keep ``..`` and a trailing ``/`` in ``path`` where they are known: both matter for links. ``follow`` unset
    leaves a link in the last place unresolved, as deleting and renaming do.
    """
    fixed = ground(around)
    key = (path, follow, tuple(scratch))
    known = fixed.described.get(key)
    if isinstance(known, PathFacts):
        return known
    found = _described(path, around, fixed, key[2], follow)
    if len(fixed.described) < REMEMBERED:
        fixed.described[key] = found
    return found


REMEMBERED = 25_000
"""Paths of one call that are described only once."""


def _described(path: str, around: Surroundings, fixed: Ground, scratch: tuple[str, ...], follow: bool) -> PathFacts:
    odd = _oddity(path)
    raw = _absolute(path.replace("\0", ""), around)
    trailing = raw.endswith("/") and not path.endswith("//")
    written = _aliases(normal(raw) if raw.startswith("/") else raw, around)
    base, contents = _contents(written, raw)
    if streams().fullmatch(written):
        return PathFacts(path=written, real=written, place=Place.STREAM)
    ways = {base: None}
    if raw.startswith("/"):
        ways |= dict.fromkeys(_real_ways(raw if not contents else base, base, fixed, follow or contents or trailing))
    extra = frozenset(fixed.folded(normal(unprivate(entry), around.workspace)) for entry in scratch)
    views = [_view(way, fixed, extra) for way in ways]
    leaf = views[-1]
    strictest = max(views, key=lambda view: view.place.rank)
    return PathFacts(
        path=base,
        real=leaf.path,
        place=strictest.place,
        classes=_joined(view.classes for view in views),
        below=_joined(view.below for view in views),
        floor=_joined(view.floor for view in views),
        floor_below=_joined(view.floor_below for view in views),
        maybe=_joined(view.maybe for view in views),
        covers=frozenset().union(*(view.covers for view in views)),
        own=any(view.own for view in views),
        build=all(view.build for view in views),
        contents=contents,
        pattern=contents or bool(_GLOB.search(base)),
        unknown=HOLE in raw,
        odd=odd,
        collapsed=_collapsed(path, around, scratch, follow) if HOLE in path else None,
    )


def elsewhere() -> Surroundings:
    """Another machine: nothing can be looked up, and there is no workspace to be free in."""
    return _ELSEWHERE


_ELSEWHERE = Surroundings(host=FrozenHost(home="/root"), home="/root", workspace="", cwd="/root")
_GLOB = re.compile(r"[*?\[]")


def _joined(groups: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(entry for group in groups for entry in group))


def _absolute(path: str, around: Surroundings) -> str:
    if path == "~" or path.startswith("~/"):
        return around.home + path[1:]
    if _DRIVE.match(path):
        # As Linux sees a Windows drive, so that one table serves both.
        return f"/mnt/{path[0].lower()}/{path[2:]}".replace("\\", "/")
    return path if path.startswith(("/", HOLE, SOME)) else f"{around.cwd or around.workspace}/{path}"


_DRIVE = re.compile(r"[A-Za-z]:(?:[\\/]|\Z)")


def _collapsed(path: str, around: Surroundings, scratch: Iterable[str], follow: bool) -> PathFacts | None:
    rest = path.replace(HOLE, "")
    return describe(rest, around, scratch=scratch, follow=follow) if rest else None


def _aliases(path: str, around: Surroundings) -> str:
    """Other spellings of the same places: ``/private/tmp``, ``/proc/self/root``, ``/proc/self/cwd``."""
    for _ in range(8):
        if found := _ROOT_ALIAS.match(path):
            path = path[found.end() :] or "/"
        elif found := _CWD_ALIAS.match(path):
            path = normal(around.cwd + path[found.end() :])
        else:
            break
    return unprivate(path)


def _contents(path: str, raw: str) -> tuple[str, bool]:
    """Cut globs that take everything in a directory: ``dir/*`` speaks of all that is in ``dir``."""
    parts = path.split("/")
    kept = len(parts)
    while kept > 1 and _EVERYTHING.fullmatch(parts[kept - 1]):
        kept -= 1
    if kept == len(parts):
        return path, raw.endswith("/.") and not raw.endswith("/..")
    return "/".join(parts[:kept]) or "/", True


def _real_ways(raw: str, base: str, fixed: Ground, follow: bool) -> Iterable[str]:
    """The path as the kernel would walk it, links resolved: with ``..`` where it stands, and after it is taken out."""
    around = fixed.around
    starts = (raw, base) if "/.." in raw else (base,)
    for start in starts:
        first_glob = WILD.search(start)
        cut = start.rfind("/", 0, first_glob.start()) if first_glob else len(start)
        known = fixed.known if not around.host.folds_case else None
        way = real(start[:cut] or "/", around.host, follow=follow or bool(first_glob), known=known)
        yield unprivate(normal(f"{way}{start[cut:]}"))


class _View(msgspec.Struct, frozen=True):
    path: str
    place: Place
    classes: tuple[str, ...]
    below: tuple[str, ...]
    floor: tuple[str, ...]
    floor_below: tuple[str, ...]
    maybe: tuple[str, ...]
    covers: frozenset[str]
    own: bool
    build: bool


def _view(path: str, fixed: Ground, extra: frozenset[str]) -> _View:
    seen = fixed.folded(path)
    parts = [fold(part) for part in path.split("/") if part][:DEEPEST]
    if _FOREIGN.match(path) and not fixed.around.host.folds_case:
        parts[0] = "\0"
    homes = tuple(_home_lengths(parts, fixed))
    place, inside = _place(seen, fixed, extra, homes)
    covers = _covers(seen, fixed, extra)
    classes, below = places.path_classes().match(parts, homes)
    if path.startswith(HOLE) and not path.strip(_UNTOLD):
        classes = ()  # of $A/$B nothing is told: that it may be anything is said once, by its place
    floor, floor_below = places.floor_classes().match(parts, homes)
    maybe: tuple[str, ...] = ()
    if HOLE in path or SOME in path or "**" in parts:
        maybe = floor + floor_below
        floor, floor_below = _certainly(parts, homes)
    own = any(seen == entry or seen.startswith(entry + "/") for entry in fixed.own)
    if place is Place.SCRATCH and not own:
        classes, below = (), ()
        floor, floor_below = _kept_in_scratch(floor), _kept_in_scratch(floor_below)
    return _View(path, place, classes, below, floor, floor_below, maybe, covers, own, _is_build(parts, inside))


def _certainly(parts: Sequence[str], homes: tuple[int, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The floor's places that are named whatever the unknown parts turn out to be."""
    named = ["\0" if HOLE in part or SOME in part or part == "**" else part for part in parts]
    at, _ = places.floor_classes().match(named, [length for length in homes if "\0" not in named[:length]])
    return at, ()


_UNTOLD = f"{HOLE}{SOME}/*?."

_FOREIGN = re.compile(r"/(?:system|library|applications|network|users|volumes)(?:/|\Z)")
"""Names that macOS spells with a capital; where case counts they are anyone's."""


def _kept_in_scratch(found: tuple[str, ...]) -> tuple[str, ...]:
    """A copy of settings in a temporary directory steers nothing; Checkrail's socket may well lie there."""
    return tuple(entry for entry in found if entry != "hook-settings")


def _home_lengths(parts: Sequence[str], fixed: Ground) -> Iterable[int]:
    """How many components lead to a home directory, for each home that the path may lie in."""
    for home in fixed.homes:
        steps = [fold(part) for part in home.split("/") if part]
        if len(parts) >= len(steps) and all(map(meets, parts, steps)):
            yield len(steps)
    if not parts:
        return
    if parts[0] in ("home", "users") and len(parts) > 1:
        yield 2
    elif parts[0] == "root" or parts[0][0] in (HOLE, SOME):
        yield 1
    elif parts[:2] == ["var", "root"]:
        yield 2


def _place(path: str, fixed: Ground, extra: frozenset[str], homes: tuple[int, ...]) -> tuple[Place, int]:
    """The place, and how many components lead to its fixed point. The longest fixed point wins."""
    if path == "/":
        return Place.ROOT, 0
    if not path.startswith("/"):
        return Place.UNKNOWN, 0
    best, place = "", Place.OUTSIDE
    for roots, at, below in (
        (fixed.homes, Place.HOME, Place.BELOW_HOME),
        (fixed.scratch | extra, Place.SCRATCH, Place.SCRATCH),
        (fixed.workspaces, Place.ROOM, Place.WORKSPACE),
    ):
        for root in roots:
            if len(root) >= len(best) and (path == root or path.startswith(root + "/")):
                best, place = root, at if path == root else below
    if best:
        return place, best.count("/")
    return _elsewhere(path, fixed, homes)


@cache
def _system_names(folds_case: bool) -> frozenset[str]:
    names = places.paths().system
    return frozenset(name.casefold() for name in names) if folds_case else names


def _elsewhere(path: str, fixed: Ground, homes: tuple[int, ...]) -> tuple[Place, int]:
    top = path.split("/", 2)[1]
    if top in ("home", "Users") or homes:
        return Place.OTHER_HOME if homes else Place.SYSTEM, 2
    if path.startswith("/var/folders/"):
        return Place.SCRATCH, 2
    if any(path == entry or path.startswith(entry + "/") for entry in places.paths().caches):
        return Place.SCRATCH, 1
    if path.startswith("/dev/"):
        return Place.DEVICE, 1
    return (Place.SYSTEM if top in _system_names(fixed.around.host.folds_case) else Place.OUTSIDE), 1


def _covers(path: str, fixed: Ground, extra: frozenset[str]) -> frozenset[str]:
    found = {"root"} if path == "/" else set()
    for name, roots in (
        ("home", fixed.homes),
        ("workspace", fixed.workspaces),
        ("own", fixed.own),
        ("scratch", fixed.scratch | extra),
    ):
        if any(_leads_to(path, root) for root in roots):
            found.add(name)
    return frozenset(found)


def _leads_to(path: str, root: str) -> bool:
    """Whether a path is a directory or one above it; a glob counts where it can name them."""
    if not WILD.search(path):
        return root == path or root.startswith(path.rstrip("/") + "/")
    parts, steps = path.split("/")[1:], root.split("/")[1:]
    return len(parts) <= len(steps) and all(map(meets, parts, steps))


def _is_build(parts: Sequence[str], inside: int) -> bool:
    names, globs = _build_names()
    return any(part in names or globs.match(part) for part in parts[inside:])


@cache
def _build_names() -> tuple[frozenset[str], re.Pattern[str]]:
    names = [fold(name) for name in places.paths().build]
    globs = "|".join(glob(name, hidden=True).pattern for name in names if WILD.search(name))
    return frozenset(name for name in names if not WILD.search(name)), re.compile(globs)


def _oddity(path: str) -> str:
    """What is wrong with the spelling of a name, empty where nothing is."""
    if len(path) > 4096 or path.count("/") > DEEPEST:
        return "very long"
    if path.isascii() and path.isprintable():
        return ""
    for char in _PLAIN.sub("", path):
        kind = unicodedata.category(char)
        if kind == "Cc":
            return "a control character in its name"
        if kind == "Cf":
            return "an invisible character in its name"
        if not char.isascii() and kind[0] in "LNP" and unicodedata.normalize("NFKC", char).isascii():
            return "a look-alike character in its name"
    return "mixed alphabets in its name" if any(map(_mixed, _WORD.findall(path))) else ""


_PLAIN = re.compile(rf"[{HOLE}{SOME}]|Icon\r\Z")
"""Marks of our own, and the one name that macOS itself ends in a carriage return."""
_WORD = re.compile(r"[^\W\d_]+")


def _mixed(word: str) -> bool:
    """Latin letters beside Greek or Cyrillic ones that look like them."""
    return any(char.isascii() for char in word) and any("\u0370" <= char <= "\u052f" for char in word)
