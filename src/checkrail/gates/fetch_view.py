"""What the fetch gate looks at: one URL or host effect with its address taken apart."""

import re
from collections.abc import Sequence
from functools import cached_property
from typing import Protocol
from urllib.parse import unquote_plus

from checkrail.facts.hosts import HostFacts, classify, is_local
from checkrail.gates.host_patterns import listed
from checkrail.model import HOLE, SOME, Action, Effect, TargetKind
from checkrail.readers.url_parsing import Url, readings

_MOST_PARAMETERS = 200
_PAIRS = re.compile(r"[&;]")


class HostLists(Protocol):
    """The part of a policy that lists hosts."""

    @property
    def allow(self) -> Sequence[str]:
        """Host patterns that are ordinary to talk to."""

    @property
    def block(self) -> Sequence[str]:
        """Host patterns that are never talked to."""


class View:
    """An effect on a URL or a host, seen by the rules."""

    def __init__(self, effect: Effect, hosts: HostLists) -> None:
        self.effect = effect
        self.hosts = hosts
        self.plain_host = effect.target.kind is TargetKind.HOST

    @cached_property
    def url(self) -> Url:
        """The reading of the address that this effect stands for."""
        if self.plain_host:
            return Url(scheme="", host=self.effect.target.value)
        found = readings(self.effect.target.value)
        return next((url for url in found if url.host == self.effect.target.host), found[0])

    @property
    def host(self) -> str:
        """Host name or address, without port."""
        return self.effect.target.host if not self.plain_host and self.effect.target.host else self.url.host

    @property
    def unknown(self) -> bool:
        """Whether the host is known only when the call runs."""
        return HOLE in self.host or SOME in self.host

    @cached_property
    def facts(self) -> HostFacts:
        """The host's classes."""
        return classify(self.host)

    @property
    def local(self) -> bool:
        """Whether the address is this machine."""
        return is_local(self.host)

    @property
    def sends(self) -> bool:
        """Whether something goes out or changes there."""
        return self.effect.action not in (Action.RECEIVE, Action.READ)

    @property
    def trusted(self) -> bool:
        """Whether the policy lists the host as ordinary."""
        return listed(self.host, self.hosts.allow)

    @property
    def headers(self) -> str:
        """The headers that are known."""
        return (self.effect.content or "").partition("\n\n")[0]

    @property
    def body(self) -> str:
        """The text sent, as far as it is known."""
        return (self.effect.content or "").partition("\n\n")[2]

    @cached_property
    def parameters(self) -> tuple[tuple[str, str], ...]:
        """Decoded query parameters, names in lower case."""
        pairs = (pair.partition("=") for pair in _PAIRS.split(self.url.query)[:_MOST_PARAMETERS] if pair)
        return tuple((unquote_plus(name).lower(), unquote_plus(value)) for name, _, value in pairs)

    def has(self, *classes: str) -> bool:
        """Whether the host has one of the classes."""
        return not self.facts.classes.isdisjoint(classes)
