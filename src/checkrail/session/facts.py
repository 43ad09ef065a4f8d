"""What is remembered of a session: which capabilities it used, when first and when last, and in which order.

A fact is one class of one capability and keeps its first and its last occurrence, so its size does not grow with the number of calls,
and no number of harmless calls pushes it out.
"""

from collections.abc import Iterator
from typing import Literal

import msgspec

from checkrail.session.capabilities import INGESTION, PRIVATE, Deed
from checkrail.session.secrets import Secret

MOST_FACTS = 96
MOST_PENDING = 64
OTHER = "other"


class Occurrence(msgspec.Struct, frozen=True, array_like=True):
    """One call: its place in the session, when, by which tool, on what. ``known`` tells how sure it is that it ran."""

    seq: int
    at: int
    tool: str
    target: str
    call: str
    known: Literal["seen", "assumed", "asked"]


class Fact(msgspec.Struct, frozen=True, array_like=True):
    """One class of one capability."""

    capability: str
    cls: str
    labels: tuple[str, ...]
    first: Occurrence
    last: Occurrence


class Trail(msgspec.Struct, frozen=True, array_like=True):
    """What lies in a file, by a digest of its path; of a file that runs ``told`` says what is to be said, ``deeds`` what it does.

    ``shown``: it lies in the project under a name that is no hidden one, so that what stores the project stores it. ``above``: the folders around it. ``new``: nothing of what lay there is left.
    """

    path: int
    labels: tuple[str, ...]
    cls: str
    seen: Occurrence
    told: str = ""
    deeds: tuple[Deed, ...] = ()
    shown: bool = False
    above: tuple[int, ...] = ()
    new: bool = True


class Pending(msgspec.Struct, frozen=True, array_like=True):
    """A call that was let through, or asked about, and has not been told to be finished."""

    call: str
    deeds: tuple[Deed, ...]
    seen: Occurrence
    trails: tuple[Trail, ...] = ()
    leaves: dict[int, frozenset[int]] = {}


class State(msgspec.Struct, array_like=True):
    """All that is remembered of one session besides prints. ``telling``: its agent tells of finished calls."""

    seq: int = 0
    telling: bool = False
    facts: list[Fact] = []
    pending: list[Pending] = []
    secrets: list[Secret] = []
    root: str = ""
    lost: bool = False  # something could not be stored
    trails: list[Trail] = []
    gone: dict[int, frozenset[int]] = {}  # pieces of secrets that went out, too few of each to tell


def facts(state: State) -> Iterator[Fact]:
    """The facts that count: of a call that was asked about, and whose end an agent would have told, none."""
    yield from state.facts
    if state.telling:
        return
    for call in state.pending:
        if call.seen.known == "asked":
            yield from (Fact(deed.capability, deed.cls, deed.labels, call.seen, call.seen) for deed in call.deeds)


def trails(state: State) -> Iterator[Trail]:
    """What lies in files, by the same measure."""
    yield from state.trails
    if not state.telling:
        yield from (trail for call in state.pending if call.seen.known == "asked" for trail in call.trails)


def happened(state: State, deeds: tuple[Deed, ...], seen: Occurrence) -> None:
    """Takes deeds into the facts."""
    for deed in deeds:
        _add(state, deed, msgspec.structs.replace(seen, target=deed.target))


def _add(state: State, deed: Deed, seen: Occurrence) -> None:
    cls = deed.cls
    found = _index(state, deed.capability, cls)
    if found is None and len(state.facts) >= MOST_FACTS:
        cls, found = OTHER, _index(state, deed.capability, OTHER)
    if found is None:
        state.facts.append(Fact(deed.capability, cls, deed.labels, seen, seen))
        return
    old = state.facts[found]
    first = seen if old.first.call == seen.call else old.first
    last = seen if seen.seq >= old.last.seq else old.last
    labels = tuple(dict.fromkeys((*old.labels, *deed.labels)))
    state.facts[found] = msgspec.structs.replace(old, labels=labels, first=first, last=last)


def _index(state: State, capability: str, cls: str) -> int | None:
    return next((at for at, fact in enumerate(state.facts) if (fact.capability, fact.cls) == (capability, cls)), None)


def withdrawn(state: State, call: str) -> None:
    """A call that was assumed to run has failed: what only it had done is forgotten."""
    kept = []
    for fact in state.facts:
        first, last = fact.first, fact.last
        if first.call == call and last.call == call:
            continue
        if last.call == call:
            fact = msgspec.structs.replace(fact, last=first)
        elif first.call == call:
            fact = msgspec.structs.replace(fact, first=last)
        kept.append(fact)
    state.facts = kept
    state.trails = [trail for trail in state.trails if trail.seen.call != call]


def ingested(state: State) -> Occurrence | None:
    """The first time that the session took in what strangers can write."""
    return min((fact.first for fact in facts(state) if fact.capability == INGESTION), key=_seq, default=None)


def chain(state: State) -> tuple[Occurrence, Occurrence] | None:
    """The ingestion and the private access after it, where there is such an order; one call alone is none."""
    entered = ingested(state)
    if entered is None:
        return None
    reads = [fact.last for fact in facts(state) if fact.capability == PRIVATE and fact.last.seq > entered.seq]
    return (entered, max(reads, key=_seq)) if reads else None


def used_before(state: State, cls: str, entered: Occurrence) -> bool:
    """Whether a private place was in use before anything untrusted came in."""
    return any(f.capability == PRIVATE and f.cls == cls and f.first.seq <= entered.seq for f in facts(state))


def _seq(seen: Occurrence) -> int:
    return seen.seq


def told(seen: Occurrence) -> str:
    """``09:12 WebFetch blog.example``, with how sure it is."""
    import time

    sure = "" if seen.known == "seen" else f" ({seen.known})"
    return f"{time.strftime('%H:%M', time.localtime(seen.at))} {seen.tool} {seen.target}".strip() + sure
