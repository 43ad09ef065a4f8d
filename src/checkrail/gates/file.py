"""The file gate: judges what would happen to a path by where it lies, what it is and what is written.

Each rule looks at one view and speaks for itself; the strictest wins later.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from checkrail.bands import band
from checkrail.context import Surroundings
from checkrail.facts.paths import Place, describe
from checkrail.gates.file_content import CONTENT_RULES, softened
from checkrail.gates.file_delete import deleted
from checkrail.gates.file_view import LOSES, NOTE, REVEALS, RUINS, WRITES, View, finding, views
from checkrail.knowledge import places
from checkrail.knowledge.patterns import fold
from checkrail.knowledge.places import PathClass
from checkrail.model import Action, Axes, Band, Decision, Effect, Finding, Scope, TargetKind

_PRIVATE_HOMES = frozenset((Place.BELOW_HOME, Place.OTHER_HOME, Place.HOME))


class HasScratch(Protocol):
    """The part of a policy that this gate reads."""

    @property
    def scratch(self) -> tuple[str, ...]:
        """Further temporary directories."""


def judge(effects: Sequence[Effect], around: Surroundings, policy: HasScratch) -> tuple[Finding, ...]:
    """Findings on every effect that touches a path, in their order."""
    touched = [effect for effect in effects if effect.target.kind is TargetKind.PATH]
    seen = views(touched, around, policy.scratch)
    return (*(found for view in seen for rule in RULES for found in rule(view)), *_many(seen))


def _stated(view: View) -> Iterator[Finding]:
    """What knowledge states about the effect itself."""
    effect = view.effect
    if effect.decision is None and (effect.axes is None or band(effect.axes) is Band.AUTO):
        return
    yield Finding(
        rule=effect.rule,
        reason=effect.reason or f"{effect.action.value} {view.path}",
        gate="file",
        axes=effect.axes,
        decision=effect.decision,
        safer=effect.safer,
        span=effect.span,
        target=view.facts.path,
        hard=effect.decision is Decision.DENY,
        via=effect.via,
    )


def _odd(view: View) -> Iterator[Finding]:
    if view.facts.odd and view.effect.action is not Action.READ:
        yield finding(view, "odd-name", f"{view.path!r} has {view.facts.odd}", LOSES)


def _classes(view: View) -> Iterator[Finding]:
    """What the kind of file deserves."""
    if view.folder or view.facts.place is Place.STREAM:
        return
    ids = view.facts.classes
    if view.takes_below and view.effect.action in (Action.DELETE, Action.MODE, Action.READ) and not view.absent:
        ids = (*ids, *(found for found in view.facts.below if found not in ids))
    for identifier in ids:
        entry = places.path_class(identifier)
        if identifier == "data" and view.effect.action is Action.DELETE and _kept(view):
            continue
        free = softened(view, identifier) or (identifier == "credentials" and _committed(view))
        yield from _of_class(view, entry, "note" if free else _answer(view, entry))


_FOR_TESTS = re.compile(r"\.env\.(?:test|testing|ci|e2e|defaults)")


def _committed(view: View) -> bool:
    """Whether variables for tests are read that git tracks as they are: whoever has the project has them."""
    reads = view.effect.action is Action.READ and not view.facts.pattern
    return (
        reads
        and _FOR_TESTS.fullmatch(fold(view.facts.path.rpartition("/")[2])) is not None
        and view.restorable() is True
    )


def _kept(view: View) -> bool:
    """Whether no data goes: the call itself makes the copy that it removes, or moves the data to a place of the project."""
    return (
        view.made or view.rewritten or (view.moved and not view.facts.pattern and view.facts.place is Place.WORKSPACE)
    )


def _answer(view: View, entry: PathClass) -> str:
    action = view.effect.action
    if action in (Action.READ, Action.SEND):
        return entry.read
    if action is Action.CREATE or (action is Action.WRITE and not view.overwrites):
        return entry.new
    if action is Action.APPEND or view.effect.previous:
        return entry.append
    answers = {
        Action.WRITE: entry.write,
        Action.DELETE: entry.delete,
        Action.MODE: entry.mode,
    }
    return answers.get(action, "free")


def _from_above(view: View, entry: PathClass) -> bool:
    """Whether only a pattern over folders above may come upon what the class means (``~/**/*.png``)."""
    base, star, _ = view.facts.path.partition("*")
    return bool(star) and entry.id not in describe(f"{base.rpartition('/')[0]}/x", view.around).classes


def _of_class(view: View, entry: PathClass, answer: str) -> Iterator[Finding]:
    if answer == "free" or (entry.id == "data" and view.facts.build and view.effect.action is not Action.DELETE):
        return
    if entry.inside and _from_above(view, entry):
        return
    reading = view.effect.action in (Action.READ, Action.SEND)
    verb = _VERBS.get(view.effect.action, "touches")
    held = "may hold" if entry.id not in view.facts.classes else "is"
    reason = f"{verb} {view.path}, which {held} {entry.what}: {entry.reason}"
    axes = (
        NOTE if answer == "note" else REVEALS if reading and entry.private else Axes(entry.reversibility, entry.scope)
    )
    yield finding(
        view,
        f"{entry.id}-{'read' if reading else _KINDS.get(view.effect.action, 'change')}",
        reason,
        axes,
        safer=entry.safer,
    )


_VERBS = {
    Action.READ: "reads",
    Action.SEND: "sends",
    Action.WRITE: "writes",
    Action.APPEND: "adds to",
    Action.CREATE: "makes",
    Action.DELETE: "removes",
    Action.MODE: "changes the permissions of",
}
_KINDS = {
    Action.DELETE: "delete",
    Action.MODE: "mode",
    Action.WRITE: "write",
    Action.APPEND: "write",
    Action.CREATE: "write",
}


def _read(view: View) -> Iterator[Finding]:
    if view.effect.action not in (Action.READ, Action.SEND):
        return
    facts = view.facts
    if "disk" in facts.floor:
        yield finding(view, "disk-read", f"reads the raw device {view.path}, below all permissions of files", REVEALS)
    elif facts.place is Place.UNKNOWN:
        yield finding(view, "read-unknown", "reads a file that is known only when the command runs", NOTE)
    elif facts.place in _PRIVATE_HOMES and facts.path not in ("/root", "/home"):
        yield finding(view, "read-outside", f"reads {view.path}, which lies outside the workspace", NOTE)


_WRITE_PLACES: dict[Place, tuple[str, str, Axes]] = {
    Place.BELOW_HOME: ("write-outside", "writes {path}, which lies outside the workspace", NOTE),
    Place.HOME: ("write-home", "writes into the home directory itself", LOSES),
    Place.OTHER_HOME: ("write-other-home", "writes {path}, which lies in another person's home", LOSES),
    Place.OUTSIDE: (
        "write-outside",
        "writes {path}, which lies outside the workspace, the home and temporary places",
        LOSES,
    ),
    Place.UNKNOWN: ("write-unknown", "writes a file whose place is known only when the command runs", NOTE),
    Place.SYSTEM: ("write-system", "writes {path}, which belongs to the system", LOSES),
    Place.DEVICE: ("write-device", "writes to the device {path}", RUINS),
    Place.ROOT: ("write-root", "writes over the root of the file system", RUINS),
}


def _write(view: View) -> Iterator[Finding]:
    """Where something is written."""
    effect, facts = view.effect, view.facts
    if effect.action not in WRITES:
        return
    copied = effect.recursive and effect.command in _COPIERS
    if facts.place is Place.ROOM and effect.action is Action.WRITE and (copied or facts.contents):
        yield finding(
            view,
            "overwrite-workspace",
            f"copies over the whole project {view.path}",
            LOSES,
            safer="copy into a new folder, compare, then move what is wanted",
        )
    if facts.place not in _WRITE_PLACES:
        return
    rule, reason, axes = _WRITE_PLACES[facts.place]
    if effect.action is Action.CREATE and facts.place in (Place.OUTSIDE, Place.HOME, Place.OTHER_HOME):
        axes = NOTE
    if view.another_project or (facts.build and facts.place is Place.OTHER_HOME):
        axes = NOTE
    yield finding(view, rule, reason.format(path=view.path), _weighed(view, axes))


def _weighed(view: View, axes: Axes) -> Axes:
    """A throw-away machine's own files are less dear; a server's are everybody's."""
    if view.local:
        return axes
    if view.throwaway_host:
        return NOTE
    return Axes(axes.reversibility, Scope.SHARED)


def _delete(view: View) -> Iterator[Finding]:
    if view.effect.action is Action.DELETE:
        for rule, reason, axes, safer in deleted(view):
            yield finding(view, rule, reason, _weighed(view, axes), safer=safer)


_OPEN_TO_ALL = frozenset("2367")


def _mode(view: View) -> Iterator[Finding]:
    """Permissions and owners. ``effect.content`` is the mode as written, where it is one."""
    effect, facts = view.effect, view.facts
    if effect.action is not Action.MODE or facts.place in (Place.STREAM, Place.SCRATCH):
        return
    if gives_rights(effect.content or ""):
        yield finding(view, "set-uid", f"lets everyone run {view.path} with its owner's rights", LOSES)
    inside = facts.place in (Place.WORKSPACE, Place.ROOM)
    if inside or view.another_project or facts.place in (Place.BELOW_HOME, Place.UNKNOWN):
        if view.whole and not inside and not facts.build:
            yield finding(view, "mode-outside", f"changes the permissions of everything in {view.path}", LOSES)
        elif not inside or (view.whole and (effect.content or "")[-1:] in _OPEN_TO_ALL):
            yield finding(view, "mode", f"changes the permissions of {view.path}", NOTE)
    else:
        yield finding(
            view,
            "mode-outside",
            f"changes the permissions of {view.path}, which lies outside the workspace",
            _weighed(view, LOSES),
        )
    if "credentials" in facts.classes and opens(effect.content or ""):
        yield finding(view, "key-opened", f"lets others read {view.path}", LOSES, safer="chmod 600")


def gives_rights(mode: str) -> bool:
    """Whether a mode sets the set-user or set-group bit: ``u+s``, ``4755``."""
    if mode.isdigit():
        return len(mode.lstrip("0")) == 4 and mode.lstrip("0")[0] in "2467"
    return any("s" in part.partition(sign)[2] for part in mode.split(",") for sign in "+=" if sign in part)


def opens(mode: str) -> bool:
    """Whether a mode lets group or others read or write."""
    if mode.isdigit():
        return any(int(digit) & 6 for digit in mode.zfill(3)[-2:])
    for part in mode.split(","):
        who, sign, what = part.partition("+") if "+" in part else part.partition("=")
        if sign and (not who or set(who) & set("goa")) and set(what) & set("rw"):
            return True
    return False


_COPIERS = frozenset(("cp", "gcp", "rsync", "ditto", "xcopy", "robocopy"))


def _many(seen: Sequence[View]) -> Iterator[Finding]:
    """Many single deletions in one call are one big one."""
    single = [
        view for view in seen
        if view.effect.action is Action.DELETE and not view.whole and not view.absent and not view.moved and view.local
        and view.facts.place is Place.WORKSPACE and not view.facts.build
    ]  # fmt: skip
    if len({view.facts.path for view in single}) < MANY:
        return
    lost = [view for view in single[:200] if view.stat() is not None and view.restorable() is not True]
    if len(lost) >= MANY:
        yield finding(lost[0], "delete-many", f"removes {len(lost)} files that git cannot bring back", LOSES)


MANY = 8
"""As many files at once are more than tidying up."""

RULES: tuple[Callable[[View], Iterator[Finding]], ...] = (
    _stated,
    _odd,
    _classes,
    _read,
    _write,
    _delete,
    _mode,
    *CONTENT_RULES,
)
