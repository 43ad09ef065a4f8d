"""What a call leaves in files, and in what a repository takes up: labels by what the call took in, or by what its text repeats."""

import re
from collections.abc import Sequence

import msgspec

from checkrail.model import HOLE, SOME, Action, Decision, Effect, Finding, Reading
from checkrail.policy import Policy
from checkrail.session import secrets
from checkrail.session.capabilities import INGESTION, PRIVATE, SHORT, Deed, short
from checkrail.session.facts import Occurrence, State, Trail, trails
from checkrail.session.links import Links
from checkrail.session.secrets import Keys
from checkrail.session.trails import MOST_PATHS, REPOSITORY, SECRET, Taken, above, here, program
from checkrail.written import graver, hardened

_LONGEST = 120
_UNREAD = "nobody has read it"
_WRITES = (Action.WRITE, Action.APPEND, Action.CREATE)
_STORES = re.compile(r"git\.(?:add|commit|tag|branch|notes|stash)\b")
_ALL = re.compile(r" (?:--all|-[a-zA-Z]*a[a-zA-Z]*)(?: |$)")
_FED = frozenset({"tee", "dd", "sponge", "base64", "xxd", "openssl", "gpg", "python", "node", "ruby", "perl"})
"""Programs that write what they get from others, or fetch it themselves."""


class Made(msgspec.Struct, frozen=True):
    """A file that a call leaves behind. ``new``: whatever lay there before is gone; else it is added to."""

    path: str
    labels: tuple[str, ...] = ()
    cls: str = ""
    target: str = ""
    told: str = ""
    deeds: tuple[Deed, ...] = ()
    new: bool = True


def made(
    reading: Reading,
    findings: Sequence[Finding],
    used: Sequence[Deed],
    then: Sequence[Deed],
    taken: Taken,
    link: Links,
    state: State,
    policy: Policy,
) -> list[Made]:
    """What a call leaves in files; ``then`` is what the text that it writes does once it is run."""
    effects = [effect for effect in reading.effects if here(effect) and effect.action in _WRITES][:MOST_PATHS]
    later = [
        f.reason for f in findings if graver(f) and policy.adjusted(hardened(f), Decision.ASK) is not Decision.ALLOW
    ]
    if not effects or not (used or then or later or taken.read or taken.below or link.knows or state.trails):
        return []
    text = Made("", told=later[0] if later else "", deeds=tuple(then))
    found = []
    for effect in effects:
        known = effect.content is not None and HOLE not in effect.content and SOME not in effect.content
        told = _of_text(effect, link, text) if known else _of_call(effect, reading, used, taken)
        worth = told.labels or told.told or told.deeds
        # What a program makes of a file in its place is not known to be another text.
        new = effect.action is Action.WRITE and effect.previous is None and (known or bool(worth))
        if worth or (new and state.trails):
            found.append(msgspec.structs.replace(told, new=new))
    return found


def stored(reading: Reading, link: Links, state: State) -> list[Made]:
    """What a repository takes up: a secret in the words of a commit or tag, or a file that holds one and is no file for them."""
    takes = [effect for effect in reading.effects if _STORES.match(effect.rule)]
    if not takes or not (link.knows or state.trails):
        return []
    if held := link.secrets:
        return [Made(REPOSITORY, (held[0].label,), "git", "what was put into the repository")]
    if any(effect.rule == "git.add" or _ALL.search(effect.target.value) for effect in takes):
        open_files = (trail for trail in trails(state) if trail.shown and not SECRET.isdisjoint(trail.labels))
        return [Made(REPOSITORY, trail.labels, "git", trail.seen.target) for trail in open_files][-1:]
    return []


def _of_text(effect: Effect, link: Links, later: Made) -> Made:
    """A file whose text the call says: what it repeats."""
    text = effect.content or ""
    labels: dict[str, None] = {}
    heads = [each.head for each in link.of_text(text)]
    for head in heads:
        labels.update(dict.fromkeys(head.labels))
    held = link.held(text)
    labels.update(dict.fromkeys(secret.label for secret in held))
    cls = heads[0].service if heads else "secret"
    target = f"{effect.target.value.rpartition('/')[2]} with text of {heads[0].target}" if heads else _name(effect)
    return msgspec.structs.replace(later, path=effect.target.value, labels=tuple(labels), cls=cls, target=target)


def _name(effect: Effect) -> str:
    return effect.target.value.rpartition("/")[2]


def _of_call(effect: Effect, reading: Reading, used: Sequence[Deed], taken: Taken) -> Made:
    """A file whose text only running tells: what its program took in, or for a redirection the whole call."""
    name = program(effect)
    own = [e.target for e in reading.effects if program(e) == name and e.action not in _WRITES]
    whole = not name or effect.content is not None or (name in _FED and not own)
    sources = [trail for each in (taken.read, taken.below) for by in each if whole or by == name for trail in each[by]]
    mine = {short(text) for target in own for text in (target.value, target.host) if text}
    taken_in = [deed for deed in used if deed.capability in (INGESTION, PRIVATE) and (whole or deed.target in mine)]
    every: list[Deed | Trail] = [*sources, *taken_in]
    labels = dict.fromkeys(label for each in every for label in each.labels)
    first = next(iter(taken_in), None)
    if first is not None:
        return Made(effect.target.value, tuple(labels), first.cls, f"{_name(effect)} from {first.target}", _UNREAD)
    if sources:
        return Made(effect.target.value, tuple(labels), sources[0].cls, sources[0].seen.target, sources[0].told)
    return Made(effect.target.value)


def kept(files: Sequence[Made], keys: Keys, seen: Occurrence, project: str) -> tuple[Trail, ...]:
    """The files as they are remembered."""
    return tuple(
        Trail(
            secrets.digest(each.path, keys),
            each.labels,
            each.cls,
            msgspec.structs.replace(seen, target=each.target[:SHORT]),
            each.told[:_LONGEST],
            each.deeds,
            not each.path.rpartition("/")[2].startswith(".") and each.path.startswith(project + "/"),
            tuple(secrets.digest(folder, keys) for folder in above(each.path)),
            each.new,
        )
        for each in files
    )


def left(state: State, files: Sequence[Trail], most: int) -> None:
    """Takes what a call left in files into the state; the oldest of more than ``most`` go."""
    for trail in files:
        old = next((each for each in state.trails if each.path == trail.path), None)
        state.trails = [each for each in state.trails if each is not old]
        both = trail if old is None or trail.new else _added(old, trail)
        if both.labels or both.told or both.deeds:
            state.trails.append(both)
    state.trails = state.trails[-most:]


def _added(old: Trail, new: Trail) -> Trail:
    """A file that was added to holds both."""
    return msgspec.structs.replace(
        old,
        labels=tuple(dict.fromkeys((*old.labels, *new.labels))),
        told=old.told or new.told,
        deeds=tuple(dict.fromkeys((*old.deeds, *new.deeds))),
    )
