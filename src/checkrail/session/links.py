"""Where the parameters of a call come from: passages and exact values of texts that came back before, secrets that were seen."""

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any
from urllib.parse import unquote

import msgspec

from checkrail.facts.hosts import registered_domain
from checkrail.knowledge import chains as knowledge
from checkrail.knowledge.chains import UNTRUSTED
from checkrail.model import Action, Effect, Event, Finding, Reading, TargetKind
from checkrail.operations.names import words
from checkrail.session import decoded, prints, secrets
from checkrail.session.capabilities import carries, host_of, service
from checkrail.session.memory import Head, Sources
from checkrail.session.secrets import Keys, Parts, Secret
from checkrail.written import later

MOST_TEXT = 128 * 1024
MOST_SEARCHED = 48 * 1024
MOST_EXACT = 2048
SEARCH = "search.web"
RECORDS = frozenset({"CUSTOMER_DATA", "FINANCIAL_DATA", "PATIENT_DATA"})
_FILES = (("path",), ("file",), ("files",), ("filename",), ("filepath",))
"""The last words of arguments that name files."""

_HOST = re.compile(r"(?<![\w@.-])(?:[a-zA-Z0-9-]{1,63}\.){1,8}[a-zA-Z]{2,24}(?![\w.-])")
_ABOUT = re.compile(r"(?i)host|domain|endpoint|server|url")
_IN_URL = re.compile(r"[a-z][a-z0-9+.-]{1,20}://(?:[^\s/@\"']{0,128}@)?([^\s/:?#\"'<>)\]]{4,253})")
_ADDRESS = re.compile(r"[\w.+-]{1,64}@((?:[\w-]{1,63}\.){1,8}[a-zA-Z]{2,24})")
_NUMERIC = re.compile(r"(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])")
_IDENTIFIER = re.compile(r"(?<![\w-])(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[A-Za-z0-9][\w-]{15,63}(?![\w-])")
_REMOTES = re.compile(r"git\.remote\.(?:add|set)|git\.submodule\.add")
_PATH = re.compile(r"(?<![\w/.:])/(?:[\w.@-]+/){2,12}[\w.@-]{3,80}")


def exact(text: str, own: str = "") -> Iterator[str]:
    """The addresses, hosts, long identifiers and paths in a text that are worth recognising; ``own`` is where it came from."""
    seen: set[str] = set()
    text = text[:MOST_SEARCHED]
    for pattern, group in ((_ADDRESS, 0), (_IN_URL, 1), (_NUMERIC, 0), (_IDENTIFIER, 0), (_PATH, 0)):
        if (pattern is _ADDRESS and "@" not in text) or (pattern is _IN_URL and "://" not in text):
            continue
        for match in pattern.finditer(text):
            value = match[group].lower().rstrip(".")
            if value in seen or (pattern is _IN_URL and own and registered_domain(value) == own):
                continue
            seen.add(value)
            yield value
            if len(seen) >= MOST_EXACT:
                return


def hosts(text: str) -> Iterator[str]:
    """The hosts that a text names, in URLs or in lines about hosts."""
    yield from (match[1].lower() for match in _IN_URL.finditer(text))
    for line in text.splitlines():
        if _ABOUT.search(line):
            yield from (match[0].lower() for match in _HOST.finditer(line))


def leaves(value: Any, left: int = 20_000) -> Iterator[str]:
    """Every text inside arguments, keys among them, in order; iterative and bounded."""
    pending = [value]
    while pending and left:
        left -= 1
        current = pending.pop()
        if isinstance(current, str):
            yield current
        elif isinstance(current, dict):
            pending.extend(part for pair in reversed(current.items()) for part in reversed(pair))
        elif isinstance(current, list | tuple):
            pending.extend(reversed(current))


class Link(msgspec.Struct, frozen=True):
    """A parameter repeats what a source returned; ``value`` says whether it is a short exact one."""

    head: Head
    value: bool = False

    @property
    def untrusted(self) -> bool:
        """Whether strangers can write what the source returns."""
        return any(label in UNTRUSTED for label in self.head.labels)

    @property
    def sensitive(self) -> bool:
        """Whether the source is a private one."""
        return any(label not in UNTRUSTED for label in self.head.labels)


class Links:
    """What one call repeats; each answer is worked out when a rule first asks for it."""

    def __init__(
        self,
        event: Event,
        reading: Reading,
        findings: Sequence[Finding],
        sources: Sources,
        known: Sequence[Secret],
        keys: Keys | None,
        passage: int = prints.USUAL,
    ) -> None:
        self._event = event
        self._reading = reading
        self._sources = sources
        self._known = known
        self._keys = keys
        self._passage = passage
        out = [effect for effect in reading.effects if carries(effect, findings) and not later(effect)]
        addressed = any(effect.target.kind is TargetKind.URL for effect in out)
        # Beside an address, the command line that reaches it says nothing more.
        self.out = [
            effect
            for effect in out
            if not (addressed and effect.target.kind is TargetKind.HOST and not host_of(effect))
        ]
        # A search tells its words to somebody, too; for all but secrets that is what it is for.
        self._tells = [*self.out, *(effect for effect in reading.effects if effect.rule == SEARCH)]

    @cached_property
    def said(self) -> str:
        """Everything the call says, as it says it and as the shell would make of it."""
        parts = [*leaves(self._event.input), *self._reading.commands]
        parts += [effect.content for effect in self._reading.effects if effect.content]
        return "\n".join(dict.fromkeys(parts))[:MOST_TEXT]

    @property
    def knows(self) -> bool:
        """Whether there is anything that a text could repeat."""
        return self._keys is not None and bool(self._sources.heads or self._known)

    def held(self, text: str) -> list[Secret]:
        """The secrets that stand in a text as they are."""
        if not self._known or self._keys is None or not text:
            return []
        return secrets.plainly(text.encode("utf-8", "replace")[:MOST_TEXT], self._known, self._keys)

    def of_text(self, text: str) -> list[Link]:
        """The sources of which a passage stands in a text."""
        if not self._sources.heads or self._keys is None or not text:
            return []
        raw = prints.plain(text, prints.MOST_ASKED)
        by = prints.factor(self._keys.salt)
        return [Link(head) for head in self._sources.of(prints.repeated(raw, self._sources.index, by, self._passage))]

    @cached_property
    def passages(self) -> list[Link]:
        """Sources of anything that the call says, in whatever spelling."""
        if not self._sources.heads or self._keys is None:
            return []
        by = prints.factor(self._keys.salt)
        found: set[int] = set()
        for reading in decoded.readings(self.said.encode("utf-8", "replace")):
            raw = prints.plain(reading.decode("utf-8", "replace"), prints.MOST_ASKED)
            found |= prints.repeated(raw, self._sources.index, by, self._passage)
        return [Link(head) for head in self._sources.of(found)]

    @cached_property
    def destinations(self) -> list[Link]:
        """Untrusted sources in which a host or address first stood that this call sends to."""
        if self._keys is None or not self._sources.heads:
            return []
        named = {host_of(effect).lower() for effect in self.out} | set(self._recipients())
        wanted = {secrets.digest(name, self._keys) for name in named if name}
        heads = self._sources.heads.values()
        return [Link(head, True) for head in heads if not wanted.isdisjoint(head.exact) and Link(head).untrusted]

    def _recipients(self) -> Iterator[str]:
        sends = any(effect.action in (Action.SEND, Action.CHANGE, Action.CREATE) for effect in self.out)
        if sends:
            yield from (
                match[0].lower() for text in leaves(self._event.input) for match in _ADDRESS.finditer(text[:MOST_TEXT])
            )

    @cached_property
    def suppliers(self) -> list[Link]:
        """Untrusted sources in which a host first stood from which this call installs, or which it makes a repository's remote."""
        reading = self._reading
        fetches = any("installs packages" in text for text in reading.opaque)
        remote = any(_REMOTES.match(effect.rule) for effect in reading.effects)
        if self._keys is None or not self._sources.heads or not (fetches or remote):
            return []
        named = {host_of(effect).lower() for effect in reading.effects if effect.target.kind is TargetKind.URL}
        known = knowledge.chains()
        hosts = {
            name for name in named if name and registered_domain(name) not in known.forges.hosts | known.ordinary.hosts
        }
        wanted = {secrets.digest(name, self._keys) for name in hosts}
        return [
            Link(head, True)
            for head in self._sources.heads.values()
            if wanted & set(head.exact) and Link(head).untrusted
        ]

    def elsewhere(self, links: Sequence[Link]) -> list[Link]:
        """Those whose text would go to somebody other than where it came from."""
        services = {service(effect) for effect in self.out} - {""}
        return [link for link in links if not services or services != {link.head.service}]

    @cached_property
    def values(self) -> list[Link]:
        """Records of people or money of which an address or long identifier goes out."""
        records = [head for head in self._sources.heads.values() if head.exact and not RECORDS.isdisjoint(head.labels)]
        if self._keys is None or not records:
            return []
        said = self.bodies[:MOST_SEARCHED]
        named = {match[0].lower() for pattern in (_ADDRESS, _IDENTIFIER) for match in pattern.finditer(said)}
        wanted = {secrets.digest(value, self._keys) for value in list(named)[:MOST_EXACT]}
        return [Link(head, True) for head in records if not wanted.isdisjoint(head.exact)]

    @property
    def quotes(self) -> bool:
        """Whether all that goes out are words for people, and no file."""
        talk = knowledge.pattern(knowledge.chains().quoted.rules)
        files = any(words(text)[-1:] in _FILES for text in leaves(self._event.input) if len(text) <= 32)
        return all(talk.match(effect.rule) for effect in self.out) and not files

    @cached_property
    def bodies(self) -> str:
        """What goes out, without what only says who asks."""
        parts = [_parts(effect, self.said)[0] for effect in self.out]
        beside = [self._beside(effect) for effect in self.out]
        return b"\n".join(dict.fromkeys((*parts, *beside))).decode("utf-8", "replace")

    @cached_property
    def _pieces(self) -> Parts:
        if not self._known or self._keys is None:
            return {}
        return secrets.parts([self.said.encode("utf-8", "replace")], self._known, self._keys)

    @cached_property
    def secrets(self) -> list[Secret]:
        """Secrets that were seen and that the call says again in any spelling."""
        return secrets.whole(self._known, self._pieces)

    @cached_property
    def _leaving(self) -> list[tuple[Parts, Parts]]:
        """By effect: the pieces of secrets that leave for where they do not belong, and those that only say who asks."""
        touched = [each for each in self._known if each.identity in self._pieces] if self._tells else []
        found = []
        for effect in self._tells if touched else ():
            body, login = _parts(effect, self.said)
            beside = self._beside(effect)
            host, keys = host_of(effect), self._keys
            home = secrets.digest(registered_domain(host), keys) if host and keys else 0
            abroad = [each for each in touched if home not in each.hosts]
            if abroad and keys:
                asked = secrets.parts([login], abroad, keys)
                sent = secrets.parts([body, beside], abroad, keys) if beside else secrets.parts([body], abroad, keys)
                found.append(({n: p for n, p in sent.items() if not beside or n not in asked}, asked))
        return found

    def _beside(self, effect: Effect) -> bytes:
        """What a tool is told beside an address that it calls: whatever the argument is named, it may go there."""
        if effect.target.kind is not TargetKind.URL:
            return b""
        tools = [e for e in self._reading.effects if e.target.kind is TargetKind.TOOL and e.content]
        told = [e.content or "" for e in tools if e.target.value in effect.via]
        return "\n".join(told).encode("utf-8", "replace")

    def strayed(self, gone: Parts) -> tuple[list[Secret], bool]:
        """The secrets that leave for where they do not belong; and whether each only says who asks, as a login does.

        ``gone`` are the pieces that have left before: what completes them takes the secret out.
        """
        astray: dict[int, Secret] = {}
        logins = True
        for body, login in self._leaving:
            sent = [each for each in secrets.whole(self._known, body, gone) if each.identity in body]
            asked = secrets.whole(self._known, login)
            astray.update((each.identity, each) for each in (*sent, *asked))
            logins = logins and not sent
        return list(astray.values()), logins and not self.destinations

    def leaving(self) -> Parts:
        """The pieces of secrets that this call takes out."""
        found: dict[int, frozenset[int]] = {}
        for body, _ in self._leaving:
            for identity, starts in body.items():
                found[identity] = found.get(identity, frozenset()) | starts
        return found


def _parts(effect: Effect, said: str) -> tuple[bytes, bytes]:
    """What an effect carries out, and what of it says who asks."""
    if effect.target.kind is TargetKind.URL:
        headers, _, body = (effect.content or "").partition("\n\n")
        address = effect.target.value
        _scheme, _, rest = address.partition("://")
        host, slash, path = rest.partition("/")
        user, at, name = host.rpartition("@")
        carried = f"{name}{slash}{path}\n{unquote(path)}\n{body}"
        return carried.encode("utf-8", "replace"), f"{user}{at}\n{headers}".encode("utf-8", "replace")
    if effect.target.kind is TargetKind.TOOL:
        return f"{effect.target.value}\n{said}".encode("utf-8", "replace"), b""
    whole = f"{effect.target.value}\n{said}".encode("utf-8", "replace")
    published = effect.action is Action.SEND or knowledge.pattern(knowledge.chains().published.rules).match(effect.rule)
    return (whole, b"") if published else (b"", whole)


def merged(links: Sequence[Link]) -> str:
    """Where linked parameters come from, for a reason."""
    import time

    told = dict.fromkeys(
        f"{time.strftime('%H:%M', time.localtime(link.head.at))} {link.head.tool} {link.head.target}" for link in links
    )
    return "; ".join(list(told)[:3])
