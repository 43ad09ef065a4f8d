"""What a deletion deserves: by place, by what it takes with it, and by whether it can be had back."""

import re
import time
from collections.abc import Iterator

from checkrail.facts import git
from checkrail.facts.paths import PathFacts, Place
from checkrail.gates.file_pattern import FRESH, finds_nothing, named, spares
from checkrail.gates.file_view import LOSES, NOTE, RUINS, View
from checkrail.knowledge import places
from checkrail.knowledge.patterns import fold, glob
from checkrail.model import SCRATCHED, Axes

Judged = tuple[str, str, Axes, str]
"""Rule, reason, axes, safer way."""

_FAR: dict[Place, tuple[str, str, Axes]] = {
    Place.ROOT: ("delete-root", "removes {path}: the whole file system", RUINS),
    Place.HOME: ("delete-home", "removes {path}: the home directory", RUINS),
    Place.SYSTEM: ("delete-system", "removes {path}, which belongs to the system", RUINS),
    Place.DEVICE: ("delete-device", "removes the device {path}", RUINS),
    Place.OTHER_HOME: ("delete-outside", "removes {path}, which lies in another person's home", LOSES),
    Place.OUTSIDE: ("delete-outside", "removes {path}, which lies outside the workspace", LOSES),
    Place.BELOW_HOME: ("delete-outside", "removes {path}, which lies outside the workspace", LOSES),
    Place.STREAM: ("delete-device", "removes the device {path}", RUINS),
}


def deleted(view: View) -> Iterator[Judged]:
    """Judgements on one deletion, or on the source of a move."""
    facts = view.facts
    if view.carried and view.whole:
        yield (
            "delete-carried",
            f"removes {view.path}, into which the same call moves or links other files",
            LOSES,
            "remove it in a call of its own",
        )
    if facts.place is Place.UNKNOWN:
        yield from _unknown(view)
    elif view.whole and "workspace" in facts.covers:
        yield "delete-workspace", f"removes all of the project {view.around.workspace}", RUINS, ""
    elif facts.place in _FAR:
        yield from _far(view)
    elif facts.place is Place.SCRATCH:
        if view.whole and "scratch" in facts.covers:
            yield (
                "delete-all-scratch",
                f"removes everything in {view.path}, other programs' files too",
                LOSES,
                "remove your own folder in it",
            )
    elif view.moved:
        yield from _moved(view)
    else:
        yield from _in_workspace(view)
    if facts.unknown and view.whole:
        yield from _collapsing(facts.collapsed)


def _far(view: View) -> Iterator[Judged]:
    rule, reason, axes = _FAR[view.facts.place]
    if (view.absent and not view.whole and not view.replaced) or view.rewritten:
        axes = NOTE
    if view.facts.place is Place.BELOW_HOME and (_REBUILT.search(view.facts.path) or _is_cache(view)):
        axes = NOTE
    if view.another_project and (not view.whole or view.facts.build) and not _precious(view.facts):
        axes = NOTE
    if view.moved and not view.facts.pattern and view.facts.place in _ELSEWHERE and not view.facts.covers:
        axes = NOTE  # it can be moved back
    yield rule, reason.format(path=view.path), axes, ""


_ELSEWHERE = frozenset((Place.BELOW_HOME, Place.OTHER_HOME, Place.OUTSIDE))


def _precious(facts: PathFacts) -> bool:
    return named(facts, "documents") or "data" in facts.classes


_REBUILT = re.compile(
    r"/(?:node_modules|\.?venv|__pycache__|\.(?:pytest|mypy|ruff)_cache|\.tox|\.nox|\.next|\.turbo|\.gradle)(?:/|$)"
)
"""Names that mean the same outside a project, too."""


def _moved(view: View) -> Iterator[Judged]:
    """A move inside the workspace takes nothing away; of the project or of git's folder it does, and other rules say so."""
    if view.facts.pattern and view.facts.contents:
        yield "move-all", f"moves everything out of {view.path}", NOTE, ""


def _unknown(view: View) -> Iterator[Judged]:
    if view.whole and not _throwaway(view.facts) and not view.effect.rule.endswith(SCRATCHED):
        yield (
            "delete-unknown",
            f"removes {_shown(view)}, of which only running tells what it is",
            LOSES,
            "name the folder, or check that the variable is set: ${VAR:?}",
        )
    else:
        yield "delete-unknown", "removes a file that is known only when the command runs", NOTE, ""


def _shown(view: View) -> str:
    return view.path if view.facts.path.strip("\ufffc\ufffb/*") else "a tree"


def _collapsing(collapsed: PathFacts | None) -> Iterator[Judged]:
    """An empty variable turns ``$DIR/*`` into ``/*``."""
    if collapsed is None or collapsed.place is Place.SCRATCH:
        return
    dear = collapsed.place in (Place.ROOT, Place.HOME, Place.SYSTEM) or collapsed.covers
    if dear and (collapsed.floor or collapsed.floor_below or collapsed.covers):
        path = collapsed.path + ("/*" if collapsed.contents else "")
        yield (
            "delete-collapsing",
            f"removes {path} if a variable in it is empty",
            RUINS,
            "write ${VAR:?} so that an empty variable stops the command",
        )


def _in_workspace(view: View) -> Iterator[Judged]:
    facts = view.facts
    if (view.absent and not view.replaced) or view.rewritten or _matches_nothing(view):
        return
    if (facts.build or _filled_again(view)) and not _tracked_build(view):
        return
    if _throwaway(facts) and not facts.contents and "/**/" not in facts.path:
        yield "delete-throwaway", f"removes {view.path}", NOTE, ""
        return
    if not view.whole:
        yield _single(view)
        return
    if facts.pattern and not facts.contents and spares(view):
        yield (
            "delete-counted",
            f"removes {view.path}: only what is made again, was just made, or git can bring back",
            NOTE,
            "",
        )
        return
    restorable = view.restorable()
    if restorable and not facts.below:
        yield "delete-tracked", f"removes {view.path}, all of which git can bring back", NOTE, ""
        return
    what = (
        "files by a pattern"
        if facts.pattern and not facts.contents
        else "everything in it"
        if facts.contents
        else "a whole folder"
    )
    lost = ", with changes that git cannot bring back" if restorable is False else ""
    yield (
        "delete-tree",
        f"removes {view.path}: {what}{lost}",
        LOSES,
        "git rm what is tracked, move the rest aside, or name the files",
    )


def _matches_nothing(view: View) -> bool:
    """Whether a pattern is known to take nothing: the folders around it can be seen, and nothing is called so."""
    return (
        view.facts.pattern and not view.facts.contents and not view.replaced and not view.brings and finds_nothing(view)
    )


def _is_cache(view: View) -> bool:
    """Whether a tool fetches or makes it again on the next use."""
    path = fold(view.facts.path.removeprefix(view.around.home + "/"))
    return any(path == entry or path.startswith(entry + "/") for entry in places.paths().home_caches)


def _filled_again(view: View) -> bool:
    """Whether the project file beside a folder tells that a tool fills it: ``bin`` of .NET, ``vendor`` of Composer."""
    if view.facts.pattern and not view.facts.contents:
        return False
    folder, _, name = view.facts.path.rpartition("/")
    for _ in range(_LEVELS):
        for entry in places.paths().beside:
            if fold(name) in entry.names and _stands_in(folder, entry.files, view):
                return True
        if folder == view.around.workspace or not folder:
            return False
        folder, _, name = folder.rpartition("/")
    return False


_LEVELS = 6


def _stands_in(folder: str, files: tuple[str, ...], view: View) -> bool:
    names = view.around.host.names(folder, 2_000) or ()
    return any(glob(file, hidden=True).fullmatch(fold(name)) for file in files for name in names)


def _tracked_build(view: View) -> bool:
    """A folder called ``build`` that git tracks holds sources; what git can bring back is free all the same."""
    return view.local and git.holds_tracked(view.facts.path, view.around.host) and view.restorable() is not True


def _single(view: View) -> Judged:
    """One file: free to tidy up, unless it is old, unknown to git or a document."""
    stat = view.stat()
    if stat is not None and stat.kind == "file":
        if view.restorable():
            return "delete-tracked", f"removes {view.path}, which git can bring back", NOTE, ""
        if stat.size and not (stat.mtime and time.time() - stat.mtime < FRESH):
            return "delete-untracked", f"removes {view.path}, of which git has no copy", LOSES, "move it aside instead"
    elif stat is None and named(view.facts, "documents"):
        return (
            "delete-document",
            f"removes {view.path}, a document that may exist only once",
            LOSES,
            "move it aside instead",
        )
    return "delete-file", f"removes {view.path}", NOTE, ""


def _throwaway(facts: PathFacts) -> bool:
    return named(facts, "throwaway") or named(facts, "locks")
