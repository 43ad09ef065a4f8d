"""Data that lies in files between calls: a download, a copy of a key, text of a page that was written down.

A file that a call writes takes on what the call took in; reading it later counts as taking that in again, and so does sending it.
Only a keyed digest of the path is kept. Folders count for what lies below them.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from checkrail.knowledge import chains as knowledge
from checkrail.knowledge.chains import UNTRUSTED
from checkrail.model import HOLE, SOME, Action, Effect, Reading, TargetKind
from checkrail.operations.files import absolute
from checkrail.session import secrets
from checkrail.session.capabilities import CREDENTIALS, INGESTION, PRIVATE, Deed
from checkrail.session.facts import State, Trail, trails
from checkrail.session.secrets import Keys
from checkrail.written import MARK

MOST_PATHS = 128
"""Paths of one call that are looked at."""
_DEEPEST, _FOLDERS = 24, 6
REPOSITORY = "git:"
"""Stands for the path of whatever a commit holds."""
_CODE = re.compile(r"[^ ]*\.(?:sh|bash|zsh|py|js|mjs|cjs|ts|rb|pl|php|ps1|command)(?: |$)|[^. ]+ from ")
_PACKAGE = re.compile(r"(?:\.(?:tgz|tar\.gz|tar\.bz2|whl|zip|deb|rpm|gem|txt)|/)$")
_PUSHES = re.compile(r"git\.push\b|gh\.pr\.create|glab\.mr")
SECRET: frozenset[str] = frozenset({"SECRET", "API_KEY"})


class Taken(msgspec.Struct, frozen=True):
    """What lies in the files that each program of a call reads (empty: no program), and in files below the folders it reads."""

    read: dict[str, list[Trail]] = {}
    below: dict[str, list[Trail]] = {}


def program(effect: Effect) -> str:
    """The program that an effect comes from; empty for the shell or tool itself."""
    return effect.command or next((step for step in effect.via if not step.startswith(MARK)), "")


def here(effect: Effect) -> bool:
    """Whether an effect is a path of this machine that can be known, and no text of a written file names it."""
    target = effect.target
    known = target.kind is TargetKind.PATH and not target.host and HOLE not in target.value and SOME not in target.value
    return known and not any(step.startswith(MARK) for step in effect.via)


def _takes(effect: Effect) -> bool:
    return effect.action is Action.READ or effect.rule.endswith(".source")


def _found(path: str, known: dict[int, Trail], keys: Keys) -> Iterator[Trail]:
    """What lies at a path or in a folder around it."""
    for _ in range(_DEEPEST):
        if (trail := known.get(secrets.digest(path, keys))) is not None:
            yield trail
        above = path.rpartition("/")[0]
        if not above or above == path:
            return
        path = above


def above(path: str) -> list[str]:
    """The nearest folders that hold a path."""
    found = []
    for _ in range(_FOLDERS):
        path = path.rpartition("/")[0]
        if not path:
            break
        found.append(path)
    return found


def taken(state: State, keys: Keys | None, reading: Reading, stored: Sequence[str]) -> Taken:
    """What a call takes from files; ``stored`` names what it put into the repository itself."""
    known = {trail.path: trail for trail in trails(state)}
    read: dict[str, list[Trail]] = {}
    below: dict[str, list[Trail]] = {}
    if keys is None:
        return Taken()
    if any(_PUSHES.match(effect.rule) for effect in reading.effects):
        mine = [trail for trail in known.values() if trail.seen.target in stored]
        read["git"] = [*_found(REPOSITORY, known, keys), *mine]
    places = [effect for effect in reading.effects if _takes(effect) and here(effect)] if known else []
    for effect in places[:MOST_PATHS]:
        if hits := list(_found(effect.target.value, known, keys)):
            read.setdefault(program(effect), []).extend(hits)
        folder = secrets.digest(effect.target.value.rstrip("/"), keys)
        if under := [trail for trail in known.values() if trail.shown and folder in trail.above]:
            below.setdefault(program(effect), []).extend(under)
    return Taken(read, below)


def run(state: State, keys: Keys | None, reading: Reading, cwd: str) -> list[tuple[str, Trail]]:
    """The files that a call runs, with what lies in them: by name, as build files, or as packages that it installs."""
    known = {trail.path: trail for trail in trails(state)}
    if not known or keys is None:
        return []
    named = dict.fromkeys(path for path in reading.scripts if not _open(path))
    found = [(path, trail) for path in list(named)[:MOST_PATHS] for trail in _found(path, known, keys)]
    # Of an own build file one call runs a part, which its reader finds.
    implied = [path for path in dict.fromkeys(_implied(reading, cwd)) if path not in named][:MOST_PATHS]
    strange = {place: trail for place, trail in known.items() if not UNTRUSTED.isdisjoint(trail.labels)}
    found += [(path, trail) for path in implied for trail in _found(path, strange, keys)]
    if any(_open(path) for path in reading.scripts) or any(text.endswith(HOLE) for text in reading.opaque):
        found += [(trail.seen.target, trail) for trail in known.values() if _CODE.match(trail.seen.target)]
    return found


def _open(path: str) -> bool:
    return HOLE in path or SOME in path or "*" in path


def _implied(reading: Reading, cwd: str) -> Iterator[str]:
    """The files that programs run without being told, and the packages that they are told to install."""
    for line in reading.commands[:MOST_PATHS] if reading.opaque else ():
        first, *words = line.split()[:64] or [""]
        for row in knowledge.chains().implied:
            if first.rpartition("/")[2] in row.programs:
                told = (word for word in words if row.arguments and _PACKAGE.search(word))
                yield from (absolute(name, cwd, "/") for name in (*row.files, *told))


def deeds(found: Iterable[Trail]) -> Iterator[Deed]:
    """What reading such files amounts to."""
    for trail in found:
        strange = tuple(label for label in trail.labels if label in UNTRUSTED)
        private = tuple(label for label in trail.labels if label not in UNTRUSTED)
        if strange:
            yield Deed(INGESTION, trail.cls, trail.seen.target, strange)
        if private:
            yield Deed(PRIVATE, trail.cls, trail.seen.target, private)
        if not SECRET.isdisjoint(private) and trail.cls != "git":
            yield Deed(CREDENTIALS, trail.cls, trail.seen.target, private)


def done(ran: Iterable[tuple[str, Trail]]) -> Iterator[Deed]:
    """What running such files amounts to."""
    return (deed for _, trail in ran for deed in trail.deeds)
