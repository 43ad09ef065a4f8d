"""The floor: what is never allowed, by no configuration, approval, declaration, mode or environment variable.

INVARIANT: nothing here takes a policy, and each finding depends on one effect alone, so that adding effects never removes one.
"""

from collections.abc import Callable, Iterator, Sequence

from checkrail.context import Surroundings
from checkrail.facts.hosts import is_metadata
from checkrail.facts.paths import CONTAINERS, PathFacts, Place, describe, elsewhere
from checkrail.knowledge import places
from checkrail.knowledge.patterns import fold
from checkrail.model import Action, Decision, Effect, Finding, TargetKind

CHANGES = frozenset((Action.WRITE, Action.APPEND, Action.CREATE, Action.DELETE, Action.MODE))
FORK_BOMB = "shell.fork-bomb"
SELF = "checkrail.self"
NAME = "checkrail"

_OWNED = frozenset(("root", "home", "system", "boot"))
"""Places whose permissions and owners are never changed as a whole; volumes and sites are handed over every day."""
_SHARED_FOLDERS = frozenset(
    (".github", ".agents", ".config", "documents", "etc", "library", "application support", "user")
)
"""Folders in which hook settings are one thing among many: taking them away is a question, not a refusal."""


def floor(effects: Sequence[Effect], around: Surroundings) -> tuple[Finding, ...]:
    """Findings that deny, whatever else is found."""
    return tuple(found for effect in effects for rule in RULES for found in rule(effect, around))


def _finding(effect: Effect, rule: str, reason: str, safer: str = "") -> Finding:
    return Finding(
        rule=f"floor.{rule}",
        reason=reason,
        gate="floor",
        decision=Decision.DENY,
        safer=safer,
        span=effect.span,
        target=effect.target.value,
        floor=True,
        hard=True,
        via=effect.via,
    )


def _at_place(effect: Effect, identifier: str) -> Finding:
    place = places.floor_place(identifier)
    return _finding(effect, identifier, f"{place.reason} ({effect.target.value})", place.safer)


def _paths(effect: Effect, around: Surroundings) -> Iterator[Finding]:
    """Files: wiping what nobody gets back, changing what guards or starts the machine."""
    if effect.target.kind is not TargetKind.PATH or effect.action not in CHANGES:
        return
    if effect.target.host.startswith(CONTAINERS):
        return
    remote = bool(effect.target.host)
    facts = describe(effect.target.value, elsewhere() if remote else around, follow=effect.action is not Action.DELETE)
    found = dict.fromkeys((*_wiped(effect, facts), *_changed(effect, facts)))
    yield from (
        _at_place(effect, identifier)
        for identifier in found
        if not (remote and identifier in ("checkrail", "hook-settings"))
    )


def _wiped(effect: Effect, facts: PathFacts) -> Iterator[str]:
    """Places of which everything would go, or everything change hands."""
    if facts.unknown or not _takes_all(effect, facts):
        return
    named = [entry for entry in (*facts.floor, *facts.floor_below) if places.floor_place(entry).on == "wipe"]
    yield from (name for name in ("root", "home") if name in facts.covers)
    if effect.action is Action.DELETE:
        # A project that is a volume of its own is still a project: the file gate asks.
        yield from (entry for entry in named if not (entry == "volume" and facts.place is Place.ROOM))
    else:
        yield from (entry for entry in named if entry in _OWNED)


def _takes_all(effect: Effect, facts: PathFacts) -> bool:
    if effect.action is Action.MODE:
        return effect.recursive
    return effect.action is Action.DELETE and (effect.recursive or facts.contents or _moved(effect))


def _moved(effect: Effect) -> bool:
    return effect.rule.endswith(".source") or effect.command in ("mv", "gmv")


def _changed(effect: Effect, facts: PathFacts) -> Iterator[str]:
    """Places that are not to be changed at all."""
    if facts.own:
        yield "checkrail"
    for entry in facts.floor:
        if places.floor_place(entry).on == "change" and not _spared(entry, effect):
            yield entry
    if _takes_all(effect, facts) and not facts.unknown:
        yield from _taken_along(facts)


def _spared(identifier: str, effect: Effect) -> bool:
    """An empty folder for hooks and the permissions of a device node change nothing that the floor guards."""
    if identifier == "hook-settings":
        return effect.action is Action.CREATE and effect.command in ("mkdir", "gmkdir")
    return identifier == "disk" and effect.action is Action.MODE


def _taken_along(facts: PathFacts) -> Iterator[str]:
    """Checkrail or hook settings inside a tree that would go."""
    if "own" in facts.covers or "checkrail" in facts.floor_below:
        yield "checkrail"
    if "hook-settings" in facts.floor_below and fold(facts.path.rpartition("/")[2]) not in _SHARED_FOLDERS:
        yield "hook-settings"


def _bomb(effect: Effect, around: Surroundings) -> Iterator[Finding]:  # noqa: ARG001
    if effect.rule == FORK_BOMB:
        yield _finding(effect, "fork-bomb", "this starts copies of itself until the machine stops answering")


_SELF_REASON = "this would stop, remove or overrule Checkrail, or approve in the person's place"
_SELF_SAFER = "the person runs it in a terminal of their own"


def _self(effect: Effect, around: Surroundings) -> Iterator[Finding]:
    """Checkrail's commands, processes, services and approvals."""
    if effect.rule == SELF or (
        effect.target.kind is TargetKind.TOOL and fold(effect.target.value).startswith(f"{NAME}:")
    ):
        yield _finding(effect, "checkrail", _SELF_REASON, _SELF_SAFER)
    elif (
        effect.target.kind in _STOPPED and effect.action not in (Action.READ, Action.RECEIVE) and not effect.target.host
    ):
        process = effect.target.kind is TargetKind.PROCESS
        if _names_checkrail(effect.target.value, part=process) or (
            process and _is_checkrail(effect.target.value, around)
        ):
            yield _finding(effect, "checkrail", _SELF_REASON, _SELF_SAFER)


_STOPPED = frozenset((TargetKind.PROCESS, TargetKind.SERVICE, TargetKind.PACKAGE))


def _names_checkrail(value: str, *, part: bool) -> bool:
    """Whether a name means Checkrail: ``checkrail.service``, ``[c]heckrail``; with ``part`` also a piece like ``eckrai``."""
    text = "".join(char for char in fold(value) if char.isalnum())
    return NAME in text or (part and len(text) >= 5 and text in NAME)


def _is_checkrail(value: str, around: Surroundings) -> bool:
    """Every process at once, or a process id that is Checkrail's."""
    if value.strip() in ("-1", "kill -1"):
        return True
    if not value.isascii() or not value.lstrip("-").isdigit():
        return False
    line = around.host.read(f"/proc/{value.lstrip('-')}/cmdline", 65_536) or b""
    return any(NAME.encode() in word.rpartition(b"/")[2] for word in line.split(b"\0")[:4])


def _metadata(effect: Effect, around: Surroundings) -> Iterator[Finding]:  # noqa: ARG001
    """A host that hands out the machine's credentials to whoever asks."""
    if effect.target.kind is TargetKind.HOST and is_metadata(_bare(effect.target.value)):
        yield _finding(effect, "metadata", _METADATA)
    elif effect.target.kind is TargetKind.URL:
        from checkrail.readers.url_parsing import readings

        if any(is_metadata(reading.host) for reading in readings(effect.target.value)):
            yield _finding(effect, "metadata", _METADATA)


_METADATA = "this asks a cloud metadata service or link-local address, which hands out the machine's credentials"


def _bare(host: str) -> str:
    """A host without user and port."""
    name = host.rpartition("@")[2]
    if name.startswith("["):
        return name[1:].partition("]")[0]
    return name.partition(":")[0] if name.count(":") == 1 else name


RULES: tuple[Callable[[Effect, Surroundings], Iterator[Finding]], ...] = (_paths, _bomb, _self, _metadata)
