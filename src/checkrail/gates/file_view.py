"""One effect on a path together with what is known about the path, as the file gate's rules see it."""

import bisect
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from checkrail.context import Surroundings
from checkrail.facts import git
from checkrail.facts.host import Stat
from checkrail.facts.paths import CONTAINERS, PathFacts, Place, describe, elsewhere
from checkrail.model import HOLE, SOME, Action, Axes, Effect, Finding, Reversibility, Scope

NOTE = Axes(Reversibility.REVERSIBLE, Scope.SHARED)
"""Reaches beyond the task at hand, and can be undone."""
LOSES = Axes(Reversibility.HARD, Scope.LOCAL)
RUINS = Axes(Reversibility.IRREVERSIBLE, Scope.LOCAL)
REVEALS = Axes(Reversibility.IRREVERSIBLE, Scope.EXTERNAL)

WRITES = frozenset((Action.WRITE, Action.APPEND, Action.CREATE))
_MAKERS = frozenset(
    (
        "",
        "mkdir",
        "touch",
        "mktemp",
        "cp",
        "git",
        "tar",
        "unzip",
        "tee",
        "npm",
        "npx",
        "cargo",
        "uv",
        "curl",
        "wget",
        "cat",
        "echo",
        "printf",
    )
)
_DEEP_READERS = frozenset(("rg", "ag", "ack", "Grep", "tar", "zip", "7z", "rsync"))
"""Commands that read all below a folder without being told to."""
_CARRIERS = frozenset(("mv", "gmv", "ln", "gln", "mount"))
_ROOMS = frozenset((Place.WORKSPACE, Place.ROOM))


class View(msgspec.Struct, frozen=True):
    """``moved``: the path is the source of a move. ``whole``: more than one file is meant, a tree or a glob.

    ``absent``: known not to exist before the call; ``replaced``: unless the call puts something there.
    ``rewritten``: the call itself has written all of the file before, so that nothing else is left in it.
    ``brings``: the call moves or links something, wherever it goes. ``carried``: the call moves or links something there, which then shares its fate.
    """

    effect: Effect
    facts: PathFacts
    around: Surroundings
    moved: bool
    whole: bool
    absent: bool
    replaced: bool
    carried: bool
    brings: bool = False
    rewritten: bool = False

    @property
    def path(self) -> str:
        """The path as a person reads it."""
        home = self.around.home
        path = self.facts.path + ("/*" if self.facts.contents else "")
        path = path.replace(HOLE, "$…").replace(SOME, "$…")
        return f"~{path[len(home) :]}" if path == home or path.startswith(home + "/") else path or "?"

    @property
    def takes_below(self) -> bool:
        """Whether what lies below the path is meant, too. Only what goes down the tree reads a directory."""
        found = self.stat() if self.effect.action is Action.READ else None
        reads = self.effect.action is Action.READ and self.effect.command in _DEEP_READERS and not self.facts.pattern
        reads = reads or (found is not None and found.kind == "directory")
        deep = self.effect.recursive or self.facts.contents or self.moved or reads
        return deep and self.facts.place is not Place.UNKNOWN

    @property
    def another_project(self) -> bool:
        """Whether the path lies where containers keep projects, or in a home of a kind that this machine does not have."""
        from checkrail.knowledge import places

        path, place = self.facts.path, self.facts.place
        if place is Place.OTHER_HOME and self.local:
            return self.around.host.lstat("/".join(path.split("/")[:3])) is None and path.startswith("/Users/")
        return place is Place.OUTSIDE and any(path.startswith(f"{root}/") for root in places.paths().projects)

    @property
    def made(self) -> bool:
        """Whether there is nothing but what the call itself makes there, and not by moving it."""
        return self.absent and not self.replaced and not self.whole

    @property
    def throwaway_host(self) -> bool:
        """Whether the path lies in a container that is gone tomorrow."""
        return self.effect.target.host.startswith(CONTAINERS)

    @property
    def local(self) -> bool:
        """Whether the path lies on this machine."""
        return not self.effect.target.host

    @property
    def folder(self) -> bool:
        """Whether a directory is made, which by itself does nothing."""
        return self.effect.action is Action.CREATE and self.effect.command in ("mkdir", "gmkdir")

    @property
    def overwrites(self) -> bool:
        """Whether a write takes something away: the file is there, or it is emptied and may be there."""
        return self.stat() is not None or (self.effect.content == "" and not self.absent)

    def stat(self) -> Stat | None:
        """The entry that is there now."""
        return self.around.host.lstat(self.facts.path) if self.local and not self.facts.pattern else None

    def restorable(self) -> bool | None:
        """Whether git can bring all of it back."""
        if not self.local or (self.facts.pattern and not self.facts.contents):
            return None
        return git.restorable(self.facts.path, self.around.host, _build_names())


def _build_names() -> tuple[str, ...]:
    from checkrail.knowledge import places

    return places.paths().build


def finding(
    view: View, rule: str, reason: str, axes: Axes | None = None, *, safer: str = "", hard: bool = False
) -> Finding:
    """A finding of this gate about the view's path."""
    return Finding(
        rule=f"file.{rule}",
        reason=reason,
        gate="file",
        axes=axes,
        safer=safer,
        span=view.effect.span,
        target=view.facts.path,
        hard=hard,
        via=view.effect.via,
    )


def views(effects: Sequence[Effect], around: Surroundings, scratch: Sequence[str]) -> list[View]:
    """The views of effects on paths."""
    put = _put(effects, around)
    return [view(effect, around, scratch, put) for effect in effects]


class Put(msgspec.Struct, frozen=True):
    """Places that the call writes to, with the command that does; sorted too, so that looking one up is not going through all."""

    commands: Mapping[str, str]
    places: tuple[str, ...]
    carried: bool
    written: Mapping[str, int]

    def wrote(self, path: str, effect: Effect) -> bool:
        """Whether the call has written a whole file before it removes it: whatever was there went then, and was judged then."""
        at = self.written.get(path)
        return at is not None and not effect.recursive and 0 <= at < effect.span.start

    def around(self, path: str) -> Iterator[str]:
        """The commands that write to a path, above it or below it."""
        above = path.rstrip("/")
        while True:
            if above in self.commands and (above or path.startswith("/")):
                yield self.commands[above]
            if not above:
                break
            above = above.rpartition("/")[0]
        for index in range(bisect.bisect_left(self.places, f"{path}/"), len(self.places)):
            if not self.places[index].startswith(f"{path}/"):
                break
            yield self.commands[self.places[index]]


def view(effect: Effect, around: Surroundings, scratch: Sequence[str], put: Put) -> View:
    """One view; a path on another machine is judged by its spelling alone."""
    path = effect.target.value
    moved = effect.action is Action.DELETE and (effect.rule.endswith(".source") or effect.command in ("mv", "gmv"))
    place = elsewhere() if effect.target.host else around
    facts = describe(path, place, scratch=scratch, follow=effect.action is not Action.DELETE)
    commands = [] if effect.action is not Action.DELETE or moved else list(put.around(facts.path))
    return View(
        effect=effect,
        facts=facts,
        around=place,
        moved=moved,
        whole=effect.recursive or facts.pattern,
        absent=not effect.target.host and _absent(facts, around),
        replaced=any(command not in _MAKERS for command in commands),
        carried=any(command in _CARRIERS for command in commands),
        brings=put.carried,
        rewritten=effect.action is Action.DELETE and not moved and put.wrote(facts.path, effect),
    )


def _put(effects: Sequence[Effect], around: Surroundings) -> Put:
    commands = {effect.target.value.rstrip("/"): effect.command for effect in effects if effect.action in WRITES}
    if _carries_builds(effects, around):  # what goes with the place that receives it is made again
        commands = {path: "cp" if command in _CARRIERS else command for path, command in commands.items()}
    carried = any(command in _CARRIERS for command in commands.values())
    written = {
        effect.target.value: effect.span.start
        for effect in effects
        if effect.action is Action.WRITE
        and effect.command in _MAKERS
        and effect.previous is None
        and not effect.recursive
        and not effect.target.host
        and not effect.via
    }
    return Put(commands, tuple(sorted(commands)), carried, written)


def _carries_builds(effects: Sequence[Effect], around: Surroundings) -> bool:
    """Whether all that the call moves is what a build makes, inside the project."""
    sources = [
        effect for effect in effects if effect.rule.endswith(".source") or effect.command in ("ln", "gln", "mount")
    ]
    if not sources or any(effect.target.host or effect.command not in ("mv", "gmv") for effect in sources):
        return False
    known = [describe(effect.target.value, around, follow=False) for effect in sources]
    return all(facts.build and facts.place is Place.WORKSPACE and not facts.pattern for facts in known)


def _absent(facts: PathFacts, around: Surroundings) -> bool:
    """Whether a path is known not to exist: the folder around it can be seen, holds something, and does not hold it."""
    if facts.unknown or (facts.pattern and not facts.contents) or around.host.lstat(facts.path) is not None:
        return False
    seen = around.workspace if facts.place in _ROOMS else facts.path.rpartition("/")[0] or "/"
    home = (around.home,) if facts.place is Place.BELOW_HOME else ()
    return any(around.host.names(folder, 1) for folder in (seen, *home))
