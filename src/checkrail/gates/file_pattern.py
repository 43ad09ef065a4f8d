"""What a pattern takes, counted: the files below its folder whose names it matches, as they are now."""

import re
import time
from collections.abc import Iterator
from functools import cache

from checkrail.facts import git
from checkrail.facts.host import Stat
from checkrail.facts.paths import PathFacts
from checkrail.gates.file_view import View
from checkrail.knowledge import places
from checkrail.knowledge.patterns import fold, glob

FRESH = 24 * 3600.0
"""Seconds: a file younger than this was most likely made in the task at hand."""
MOST = 5_000
"""Entries that are looked at."""
FEW = 8
"""As many files that only this machine has are more than tidying up."""


def spares(view: View) -> bool:
    """Whether a pattern over the folders below one takes nothing that would be missed. No where that cannot be seen."""
    base, deep, name = view.facts.path.partition("/**/")
    if not deep:
        base, _, name = view.facts.path.rpartition("/")
    if (
        view.effect.recursive
        or view.brings
        or not name.strip("*?.")
        or any(char in base for char in "*?[")
        or "/" in name
    ):
        return False
    fresh = 0
    for path, stat in _matches(base, glob(name), view, deep=bool(deep)):
        if stat is None or stat.kind != "file":
            return False
        ending = glob_of("throwaway").fullmatch(fold(path.rpartition("/")[2])) or not stat.size
        if ending or git.restorable(path, view.around.host):
            continue
        fresh += 1
        if fresh >= FEW or not stat.mtime or time.time() - stat.mtime > FRESH:
            return False
    return bool(view.around.host.names(base, 1))


_SIMPLE = re.compile(r"[\w.*?@+=,% -]+")
"""Patterns that every shell reads alike."""


def finds_nothing(view: View) -> bool:
    """Whether no entry of the one folder that a pattern looks into is called as it says."""
    base, _, name = view.facts.path.rpartition("/")
    if not _SIMPLE.fullmatch(name) or any(char in base for char in "*?[(|{"):
        return False
    host, parent = view.around.host, base.rpartition("/")[0] or "/"
    if host.lstat(base) is None:
        return bool(host.names(view.around.workspace, 1)) and (parent == "/" or host.lstat(parent) is not None)
    names = host.names(base, MOST)
    matcher, folded = glob(name, hidden=True), glob(fold(name), hidden=True)
    seen = names is not None and len(names) < MOST
    return seen and not any(matcher.fullmatch(entry) or folded.fullmatch(fold(entry)) for entry in names or ())


def _matches(base: str, name: re.Pattern[str], view: View, *, deep: bool) -> Iterator[tuple[str, Stat | None]]:
    """Entries that match, build folders left out; one without a state where not all can be seen."""
    host, seen, pending = view.around.host, 0, [base]
    while pending:
        folder = pending.pop()
        names = host.names(folder, MOST)
        seen += len(names or ())
        if names is None or seen >= MOST:
            yield folder, None
            return
        for entry in names:
            path = f"{folder}/{entry}"
            if glob_of("build").fullmatch(fold(entry)):
                continue
            if name.fullmatch(entry) or name.fullmatch(fold(entry)):
                yield path, host.lstat(path)
            elif deep and entry != ".git":
                stat = host.lstat(path)
                if stat is not None and stat.kind == "directory":
                    pending.append(path)


def named(facts: PathFacts, kind: str) -> bool:
    """Whether the file name is in a list of ``paths.toml``: ``throwaway``, ``locks`` or ``documents``."""
    return glob_of(kind).match(fold(facts.path.rpartition("/")[2])) is not None


@cache
def glob_of(kind: str) -> re.Pattern[str]:
    """One matcher for a list of names of ``paths.toml``."""
    texts: tuple[str, ...] = getattr(places.paths(), kind)
    return re.compile("|".join(glob(text, hidden=True).pattern for text in texts))
