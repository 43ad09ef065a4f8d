"""Between a server and the sessions: asked about each call, told of each finished one. Opens nothing where nothing is known."""

import contextlib
from collections.abc import Sequence
from typing import Any

import msgspec

from checkrail import redaction
from checkrail.facts.hosts import registered_domain
from checkrail.knowledge.chains import rows
from checkrail.model import Asking, Decision, Event, EventKind, Finding, Operation, Reading
from checkrail.policy import BUILT_IN, Policy
from checkrail.session import facts, forms, identity, leaving, links, prints, secrets, trails
from checkrail.session.capabilities import INGESTION, PRIVATE, Deed, deeds, deferred
from checkrail.session.facts import Occurrence, Pending, State
from checkrail.session.memory import NONE, Change, Head, Held, Store, Unreadable
from checkrail.session.rules import Case, judged
from checkrail.session.spend import surely_failed

REMEMBERED = frozenset({INGESTION, PRIVATE})
STARTS = frozenset({"Task", "Agent"})
"""Tools that start sub-agents."""
MOST_RESULT = 4 * 1024 * 1024


class Recollection:
    """One call's look at its session; ``counts`` unset looks and writes nothing. ``policy`` says what is kept.

    ``told_only`` is for calls in a file, of which nobody knows whether they ran or belong together: there a session's past counts
    once one of its calls is told to be finished.
    """

    def __init__(
        self,
        store: Store,
        *,
        counts: bool = True,
        told_only: bool = False,
        policy: Policy = BUILT_IN,
    ) -> None:
        self._store = store
        self._counts = counts
        self._told_only = told_only
        self._policy = policy
        store.keep = policy.session.keep
        self._deeds: list[Deed] = []
        self._made: list[leaving.Made] = []
        self._leaves: secrets.Parts = {}

    def _session(self, event: Event) -> str:
        """The session of the event, or the one at the root of it."""
        return self._found(event)[0]

    def _found(self, event: Event) -> tuple[str, Held | None]:
        """The session of the event, or the one at the root of it, and what is stored of it."""
        own, started_by = identity.who(event), identity.parent(event)
        for start in (own, started_by):
            held = self._store.load(start) if start else None
            if held is not None:
                root = held.state.root or start
                return root, held if root == start else self._store.load(root)
        starter = self._store.starter(identity.place(event)) if event.parent else ""
        return starter or started_by or own, self._store.load(starter) if starter else None

    def weigh(
        self,
        event: Event,
        operation: Operation,
        reading: Reading,
        findings: Sequence[Finding],
        policy: Policy,
    ) -> list[Finding]:
        """See :class:`~checkrail.session.Memory`."""
        used = deeds(event, operation, reading, findings, policy)
        lost, held = "", None
        sources = NONE
        try:
            if event.session:
                self.joined(event)
                who, held = self._found(event)
                sources = self._store.sources(who, held.version) if held else NONE
        except Unreadable as error:
            lost = str(error)
        if held and self._told_only and not held.state.telling:
            held, sources = None, NONE
        state, keys = held.state if held else State(), held.keys if held else None
        link = links.Links(event, reading, findings, sources, state.secrets, keys, self._store.keep.passage)
        stored = leaving.stored(reading, link, state)
        taken = trails.taken(state, keys, reading, [each.target for each in stored])
        ran = trails.run(state, keys, reading, event.cwd)
        used = (*used, *trails.deeds(trail for each in taken.read.values() for trail in each), *trails.done(ran))
        self._deeds += [deed for deed in used if deed.capability in REMEMBERED]
        then = deferred(event, reading, findings, policy)
        self._made += [*stored, *leaving.made(reading, findings, used, then, taken, link, state, policy)]
        self._leaves.update(link.leaving())
        return judged(Case(event, operation, reading, findings, used, state, link, policy, lost, taken, ran))

    def keep(self, event: Event, decision: Decision) -> None:
        """See :class:`~checkrail.session.Memory`."""
        if self._counts and event.session and event.tool in STARTS and decision is not Decision.DENY:
            self._store.starts(identity.place(event), self._session(event))
        worth = self._deeds or self._made or self._leaves
        if not self._counts or not worth or not event.session or decision is Decision.DENY:
            return None
        if event.asking is Asking.ASKING:
            return None  # that call was remembered when it was announced
        who = self._session(event)
        with contextlib.suppress(Unreadable):  # somebody else is writing, as a rule
            return self._keep(event, who, decision)
        try:
            return self._keep(event, who, decision)
        except Unreadable:
            self._store.lose(who)
            raise

    def _keep(self, event: Event, who: str, decision: Decision) -> None:
        done = tuple(dict.fromkeys(self._deeds))
        with self._store.change(who) as change:
            state, call = change.state, identity.call(event)
            state.seq += 1
            known = "asked" if decision is Decision.ASK else "assumed"
            target = done[0].target if done else ""
            seen = Occurrence(state.seq, change.now, event.tool[:64], target, call, known)  # type: ignore[arg-type]
            files = leaving.kept(self._made, change.keys, seen, event.project or event.cwd)
            if known == "assumed":
                facts.happened(state, done, seen)
                leaving.left(state, files, change.keep.files)
                _went(state, self._leaves)
            _wait(state, Pending(call, done, seen, files, self._leaves))

    def approved(self, event: Event) -> str:
        """A person let an asked call through outside the agent: it runs, whether or not its end is told; why that is lost, or empty."""
        if not event.session or not self._counts:
            return ""
        try:
            (who, held), call = self._found(event), identity.call(event)
            if held is None or all(each.call != call or each.seen.known != "asked" for each in held.state.pending):
                return ""
            with self._store.change(who) as change:
                mine = next((each for each in change.state.pending if each.call == call), None)
                if mine is not None and mine.seen.known == "asked":
                    seen = msgspec.structs.replace(mine.seen, known="assumed")
                    _happened(change, mine, seen)
                    _wait(change.state, msgspec.structs.replace(mine, seen=seen))
        except OSError as error:
            return f"that a call was approved could not be remembered: {error}"
        return ""

    def joined(self, event: Event) -> None:
        """A sub-agent with a session of its own shares that of who started it, from its first event on. Raises OSError."""
        own = identity.who(event)
        if event.parent in ("", event.session) or not self._counts or self._store.mark(own) is not None:
            return
        root = self._session(event)
        if root == own:
            return
        with self._store.change(own) as change:
            change.state.root = root

    def heard(self, event: Event) -> str:
        """Takes in a finished call; why it could not, or an empty string."""
        if not event.session or not self._counts:
            return ""
        try:
            self.joined(event)
            if event.kind is EventKind.POST:
                self._heard(event)
        except OSError as error:
            return f"what this session did could not be remembered: {error}"
        return ""

    def _heard(self, event: Event) -> None:
        text = said(event.result)
        (who, known), call = self._found(event), identity.call(event)
        waited = next((each for each in known.state.pending if each.call == call), None) if known else None
        # What strangers wrote holds no secrets of this machine.
        found = [] if waited and _stranger(waited) else [*secrets.values(text), *forms.secrets_in(text, self._policy)]
        if known is None and not found:
            return
        if known and known.state.telling and not found and all(call != each.call for each in known.state.pending):
            return
        with self._store.change(who) as change:
            change.state.telling = True
            mine = next((each for each in change.state.pending if each.call == call), None)
            change.state.pending = [each for each in change.state.pending if each.call != call]
            if mine is not None and surely_failed(event):
                facts.withdrawn(change.state, call)
            elif mine is not None:
                _came_back(change, event, mine, text if not found or not _keeps_secrets(mine) else "")
            _saw(change, found, text)


def _happened(change: Change, mine: Pending, seen: Occurrence) -> None:
    """A call has run: what was only asked about counts from now on."""
    facts.happened(change.state, mine.deeds, seen)
    if mine.seen.known == "asked":
        leaving.left(change.state, mine.trails, change.keep.files)
        _went(change.state, mine.leaves)


def _went(state: State, parts: secrets.Parts) -> None:
    """Pieces of secrets are out of the house; of the secrets that are known, so their number has a bound."""
    known = {each.identity for each in state.secrets}
    both = {**state.gone, **{name: state.gone.get(name, frozenset()) | starts for name, starts in parts.items()}}
    state.gone = {name: starts for name, starts in both.items() if name in known}


def _stranger(pending: Pending) -> bool:
    return any(deed.capability == INGESTION for deed in pending.deeds)


def _keeps_secrets(pending: Pending) -> bool:
    """Whether nothing but secrets was read; those that were found are known by their value, the rest is no passage."""
    return {label for deed in pending.deeds for label in deed.labels} == {"SECRET"}


def _wait(state: State, pending: Pending) -> None:
    kept = [each for each in state.pending if each.call != pending.call]
    state.pending = [*kept[-(facts.MOST_PENDING - 1) :], pending]


def _came_back(change: Change, event: Event, mine: Pending, text: str) -> None:
    """What was assumed is known now, and what came back gets its prints."""
    seen = Occurrence(mine.seen.seq, mine.seen.at, mine.seen.tool, mine.seen.target, mine.call, "seen")
    _happened(change, mine, seen)
    labels = tuple(dict.fromkeys(label for deed in mine.deeds for label in deed.labels))
    stranger = _stranger(mine)
    if not text or not mine.deeds:
        return
    first = mine.deeds[0]
    origin = registered_domain(first.target) if "." in first.target and " " not in first.target else first.cls
    asked = set(links.exact("\n".join(links.leaves(event.input)))) if stranger else set()
    values = (value for value in links.exact(text, first.cls) if value not in asked) if stranger else ()
    exact = tuple(secrets.digest(value, change.keys) for value in values)
    head = Head(first.cls or origin, event.tool[:64], first.target, change.now, labels, exact)
    change.add(head, prints.of_source(text, prints.factor(change.keys.salt), change.keep.passage))


def _saw(change: Change, found: Sequence[tuple[str, str]], text: str) -> None:
    """Secrets that came back, with the hosts named beside them."""
    if not found:
        return
    beside = {registered_domain(host) for host in links.hosts(text[:65_536])}
    known = {each.identity for each in change.state.secrets}
    new = [
        secrets.secret(label, value, change.keys, at=change.now, hosts=_homes(label, value, beside, change))
        for label, value in found
    ]
    change.state.secrets = [*change.state.secrets, *(each for each in new if each.identity not in known)][
        -change.keep.secrets :
    ]


def _homes(label: str, value: str, beside: set[str], change: Change) -> tuple[int, ...]:
    """Where a secret may go: to its provider, and where the text names none, to the hosts that stand beside it."""
    owners = {registered_domain(host) for host in redaction.owners(value)} if label == "API_KEY" else set()
    return tuple(secrets.digest(host, change.keys) for host in sorted(owners or beside)[:32])


def said(result: Any) -> str:
    """The texts of a result, one after the other, up to a bound."""
    parts, left = [], MOST_RESULT
    for text in links.leaves(result):
        parts.append(text[:left])
        left -= len(text)
        if left <= 0:
            break
    return "\n".join(parts)


def warm() -> None:
    """Loads and compiles what the first calls would wait for otherwise."""
    list(secrets.values("API_TOKEN=abcdefgh1234567\nghp_"))
    list(links.exact("https://www.example.org/a"))
    registered_domain("www.example.org")
    rows()
    keys = secrets.keys(bytes(32))
    secrets.find([b"warm"], [secrets.secret("SECRET", "abcdefgh1234567", keys)], keys)
