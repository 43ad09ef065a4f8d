"""Data that lies in files between calls: a download, a copy of a key, text of a page that was written down.

A file that a call writes takes on what the call took in; reading it later counts as taking that in again, and so does sending it.
Only a keyed digest of the path is kept. Folders count for what lies below them.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from checkrail.knowledge.chains import UNTRUSTED
from checkrail.model import HOLE, SOME, Action, Decision, Effect, Finding, Reading, TargetKind
from checkrail.policy import Policy
from checkrail.session import secrets
from checkrail.session.capabilities import CREDENTIALS, INGESTION, PRIVATE, SHORT, Deed, short
from checkrail.session.facts import Occurrence, State, Trail, trails
from checkrail.session.links import Links
from checkrail.session.secrets import Keys
from checkrail.written import MARK, graver, hardened

MOST_PATHS = 128
"""Paths of one call that are looked at."""
_DEEPEST, _LONGEST = 24, 120
REPOSITORY = "git:"
"""Stands for the path of whatever a commit holds."""
_STORES = re.compile(r"git\.(?:add|commit|tag|branch|notes|stash)\b")
_PUSHES = re.compile(r"git\.push\b|gh\.pr\.create|glab\.mr")
_ALL = re.compile(r" (?:--all|-[a-zA-Z]*a[a-zA-Z]*)(?: |$)")
_SECRET = frozenset({"SECRET", "API_KEY"})
_UNREAD = "nobody has read it"
_WRITES = (Action.WRITE, Action.APPEND, Action.CREATE)


class Made(msgspec.Struct, frozen=True):
    """A file that a call leaves behind. Without labels it is new, and whatever lay there before is gone."""

    path: str
    labels: tuple[str, ...] = ()
    cls: str = ""
    target: str = ""
    told: str = ""
    deeds: tuple[Deed, ...] = ()


def _program(effect: Effect) -> str:
    return effect.command or next((step for step in effect.via if not step.startswith(MARK)), "")


def _here(effect: Effect) -> bool:
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


def taken(state: State, keys: Keys | None, reading: Reading) -> dict[str, list[Trail]]:
    """Of each program of a call (empty: of none), what lies in the files that it reads."""
    known = {trail.path: trail for trail in trails(state)}
    found: dict[str, list[Trail]] = {}
    if not known or keys is None:
        return found
    if any(_PUSHES.match(effect.rule) for effect in reading.effects):
        found["git"] = list(_found(REPOSITORY, known, keys))
    places = [effect for effect in reading.effects if _takes(effect) and _here(effect)]
    for effect in places[:MOST_PATHS]:
        if hits := list(_found(effect.target.value, known, keys)):
            found.setdefault(_program(effect), []).extend(hits)
    return found


def run(state: State, keys: Keys | None, reading: Reading) -> list[tuple[str, Trail]]:
    """The files that a call runs, with what lies in them."""
    known = {trail.path: trail for trail in trails(state)}
    if not known or keys is None:
        return []
    return [(path, trail) for path in reading.scripts[:MOST_PATHS] for trail in _found(path, known, keys)]


def deeds(found: Iterable[Trail]) -> Iterator[Deed]:
    """What reading such files amounts to."""
    for trail in found:
        strange = tuple(label for label in trail.labels if label in UNTRUSTED)
        private = tuple(label for label in trail.labels if label not in UNTRUSTED)
        if strange:
            yield Deed(INGESTION, trail.cls, trail.seen.target, strange)
        if private:
            yield Deed(PRIVATE, trail.cls, trail.seen.target, private)
        if not _SECRET.isdisjoint(private) and trail.cls != "git":
            yield Deed(CREDENTIALS, trail.cls, trail.seen.target, private)


def done(ran: Iterable[tuple[str, Trail]]) -> Iterator[Deed]:
    """What running such files amounts to."""
    return (deed for _, trail in ran for deed in trail.deeds)


def made(
    reading: Reading,
    findings: Sequence[Finding],
    used: Sequence[Deed],
    then: Sequence[Deed],
    read: dict[str, list[Trail]],
    link: Links,
    state: State,
    policy: Policy,
) -> list[Made]:
    """What a call leaves in files; ``then`` is what the text that it writes does once it is run."""
    stored = _stored(reading, link, state)
    effects = [effect for effect in reading.effects if _here(effect) and effect.action in _WRITES][:MOST_PATHS]
    later = [
        f.reason for f in findings if graver(f) and policy.adjusted(hardened(f), Decision.ASK) is not Decision.ALLOW
    ]
    if not effects or not (used or then or later or read or link.knows or state.trails):
        return stored
    text = Made("", told=later[0] if later else "", deeds=tuple(then))
    found = stored
    for effect in effects:
        if effect.content is not None and HOLE not in effect.content and SOME not in effect.content:
            told = _of_text(effect, link, text)
        else:
            told = _of_call(effect, reading, used, read)
        if (
            told.labels
            or told.told
            or told.deeds
            or (effect.action is Action.WRITE and effect.previous is None and state.trails)
        ):
            found.append(told)
    return found


def _stored(reading: Reading, link: Links, state: State) -> list[Made]:
    """What a repository takes up: a secret in the words of a commit or tag, or a file that holds one and is no file for them."""
    takes = [effect for effect in reading.effects if _STORES.match(effect.rule)]
    if not takes or not (link.knows or state.trails):
        return []
    if held := link.secrets:
        return [Made(REPOSITORY, (held[0].label,), "git", "what was put into the repository")]
    if any(effect.rule == "git.add" or _ALL.search(effect.target.value) for effect in takes):
        open_files = (trail for trail in trails(state) if trail.shown and not _SECRET.isdisjoint(trail.labels))
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


def _of_call(effect: Effect, reading: Reading, used: Sequence[Deed], read: dict[str, list[Trail]]) -> Made:
    """A file whose text only running tells: what its program took in, or for a redirection the whole call."""
    program = _program(effect)
    whole = not program or effect.content is not None
    sources = [trail for name, each in read.items() if whole or name == program for trail in each]
    own = [e.target for e in reading.effects if not whole and _program(e) == program]
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
        )
        for each in files
    )


def left(state: State, files: Sequence[Trail], most: int) -> None:
    """Takes what a call left in files into the state; the oldest of more than ``most`` go."""
    new = {trail.path for trail in files}
    older = [trail for trail in state.trails if trail.path not in new]
    state.trails = [*older, *(trail for trail in files if trail.labels or trail.told or trail.deeds)][-most:]
