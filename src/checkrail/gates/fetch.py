"""Judges URLs and hosts: where a request goes, what it carries, and what it changes there.

Rules run in order and each speaks for itself; the strictest wins later. This machine's own addresses are free.
"""

import re
from collections.abc import Callable, Sequence
from typing import Protocol
from urllib.parse import unquote

from checkrail.context import Surroundings
from checkrail.facts.hosts import METADATA, classify, is_metadata
from checkrail.gates.fetch_view import HostLists, View
from checkrail.gates.host_patterns import listed
from checkrail.knowledge import network
from checkrail.model import (
    HOLE,
    Action,
    Axes,
    Decision,
    Effect,
    Finding,
    Reversibility,
    Scope,
    TargetKind,
    Trust,
)
from checkrail.readers.url_parsing import readings
from checkrail.redaction import belongs, holds_secret, token_pattern

GATE = "fetch"
OUTSIDE = Axes(Reversibility.IRREVERSIBLE, Scope.EXTERNAL)
NOTED = Axes(trust=Trust.UNTRUSTED)
SHARED = Axes(scope=Scope.SHARED)

_ENCODED = re.compile(r"[A-Za-z0-9+/_=-]{120,}")
_ENCODED_SEGMENT = re.compile(r"(?=.*\d)(?:[A-Za-z0-9+=]{160,}|[A-Fa-f0-9]{130,})")
_LONG_QUERY = 4000
_ENCODED_LABEL = re.compile(r"(?=.*\d)[a-z0-9]{40,63}|[a-f0-9]{30,63}")
_DRESSED = re.compile(r"[\w-]+\.[a-z]{2,}|%2f", re.IGNORECASE)
_SSH = frozenset({"ssh", "git+ssh", "svn+ssh", "sftp", "scp"})
_BODY_LIMIT = 65_536


class HasHosts(Protocol):
    """The part of a policy that this gate reads."""

    @property
    def hosts(self) -> HostLists:
        """Allow and block lists."""


def _finding(
    view: View,
    rule: str,
    reason: str,
    *,
    axes: Axes | None = None,
    decision: Decision | None = None,
    hard: bool = False,
) -> Finding:
    return Finding(
        rule=rule,
        reason=reason,
        gate=GATE,
        axes=axes,
        decision=decision,
        span=view.effect.span,
        target=view.effect.target.value,
        hard=hard,
        via=view.effect.via,
    )


def _ask(view: View, rule: str, reason: str) -> Finding:
    return _finding(view, rule, reason, decision=Decision.ASK)


def _metadata(view: View) -> Finding | None:
    if is_metadata(view.host):
        reason = f"{view.host} is a cloud metadata or link-local address: it hands out the machine's credentials"
        return _finding(view, "fetch.metadata", reason, decision=Decision.DENY, hard=True)
    if view.unknown and view.url.path.lower().startswith(network.hosts().metadata.paths):
        return _ask(view, "fetch.metadata-path", "the path is that of a metadata service and the host is not known")
    return None


def _blocked(view: View) -> Finding | None:
    if listed(view.host, view.hosts.block):
        reason = f"{view.host} is on the block list"
        return _finding(view, "fetch.blocked", reason, decision=Decision.DENY, hard=True)
    return None


def _scheme(view: View) -> Finding | None:
    schemes = network.hosts().schemes
    scheme = view.url.scheme
    if view.plain_host or HOLE in scheme or scheme in schemes.web | schemes.transfer | schemes.database:
        return None
    return _ask(view, "fetch.scheme", f"{scheme}: starts a program or speaks a raw protocol")


def _redirect(view: View) -> Finding | None:
    """A parameter that names a metadata service or a private address as the next hop."""
    for name, value in view.parameters:
        named = name in network.hosts().redirect.parameters
        if not ("://" in value or (named and (value.startswith("//") or is_metadata(value)))):
            continue
        for url in readings(value):
            classes = classify(url.host).classes
            if not METADATA.isdisjoint(classes) or (named and not classes.isdisjoint({"private", "cgnat", "cluster"})):
                return _ask(view, "fetch.redirect", f"parameter {name} leads to {url.host}")
    return None


def _carried(view: View) -> str:
    """What leaves with the request as its content, decoded once."""
    return unquote(f"{view.url.path}?{view.url.query}") + " " + view.body[:_BODY_LIMIT]


def _login(view: View) -> str:
    """What leaves to say who asks."""
    return unquote(f"{view.url.user} {view.url.password}") + " " + view.headers[:_BODY_LIMIT]


def _secret(view: View) -> Finding | None:
    """A token in what is sent; one that logs in where it belongs is what tokens are for."""
    if view.local:
        return None
    strayed = any(not belongs(found[0], view.host) for found in token_pattern().finditer(_login(view)))
    if not strayed and not holds_secret(_carried(view)):
        return None
    return _finding(view, "fetch.secret", f"a secret key or token goes to {view.host}", axes=OUTSIDE)


def _userinfo(view: View) -> Finding | None:
    url = view.url
    if view.local or not url.user or url.scheme in network.hosts().schemes.database:
        return None
    if url.password:
        return _ask(view, "fetch.credentials", f"the URL carries a password for {view.host}")
    if url.scheme not in _SSH and _DRESSED.search(url.user):
        return _ask(view, "fetch.userinfo", f"the text before the @ looks like a host; the real host is {view.host}")
    return None


_PLACES: tuple[tuple[str, str, str], ...] = (
    ("private", "fetch.private", "is a private address of the local network"),
    ("cgnat", "fetch.private", "is a carrier or overlay network address"),
    ("multicast", "fetch.private", "is a multicast or broadcast address"),
    ("reserved", "fetch.private", "is a reserved address"),
    ("cluster", "fetch.cluster", "is an address inside a cluster"),
    ("onion", "fetch.onion", "lies in an anonymous network"),
    ("look-alike", "fetch.look-alike", "imitates another name with letters that look alike"),
)


def _place(view: View) -> Finding | None:
    if view.plain_host:
        return None
    for name, rule, reason in _PLACES:
        if view.has(name) and not (view.trusted and name != "look-alike"):
            return _ask(view, rule, f"{view.host} {reason}")
    return None


def _encoded(view: View) -> Finding | None:
    """Data packed into the address itself, which a GET is enough to send."""
    if view.local or view.trusted or view.plain_host:
        return None
    signed = network.hosts().signed.parameters
    packed = any(_ENCODED.search(value) for name, value in view.parameters if name not in signed)
    if (
        packed
        or any(_ENCODED_SEGMENT.fullmatch(segment) for segment in view.url.path.split("/"))
        or len(view.url.query) > _LONG_QUERY
        or any(_ENCODED_LABEL.fullmatch(label) for label in view.host.split("."))
    ):
        return _finding(view, "fetch.encoded", f"a long encoded text goes to {view.host} in the address", axes=OUTSIDE)
    return None


def _looked_up(view: View) -> Finding | None:
    """Data in front of a domain that is looked up: whoever runs the domain's name server receives it."""
    labels = view.host.rstrip(".").split(".")
    unknown = [index for index, label in enumerate(labels) if HOLE in label]
    if not view.effect.rule.endswith(".lookup") or not unknown or len(labels) - unknown[-1] <= 2:
        return None
    return _finding(
        view, "fetch.lookup", f"looks up a name below {'.'.join(labels[-2:])} that holds data", axes=OUTSIDE
    )


def _catcher(view: View) -> Finding | None:
    """Places whose purpose is that others read what is sent there."""
    if view.trusted or not view.has("sink", "paste", "tunnel", "chat-hook"):
        return None
    if view.sends or (view.has("sink") and view.url.query):
        return _finding(view, "fetch.sink", f"what is sent to {view.host} can be read by others", axes=OUTSIDE)
    return _finding(view, "fetch.paste", f"anyone can put text at {view.host}", axes=NOTED)


def _change(view: View) -> Finding | None:
    """Requests that change something on another machine."""
    if view.local or view.plain_host or not view.sends:
        return None
    where = "a host that is not known before running" if view.unknown else view.host
    if view.effect.rule == "url.upload":
        return _finding(view, "fetch.upload", f"the content of a file is sent to {where}", axes=OUTSIDE)
    if view.has("single-label") and view.effect.action is not Action.DELETE:
        # A name without a dot is answered by the local network only: a service of a compose file, as a rule.
        return _finding(view, "fetch.send-nearby", f"data is sent to {where}", axes=SHARED)
    if view.effect.action is Action.SEND:
        rule = "fetch.send-address" if view.has("public") else "fetch.send"
        return _finding(view, rule, f"data is sent to {where}", axes=OUTSIDE if view.has("public") else SHARED)
    deed = "deletes" if view.effect.action is Action.DELETE else "changes"
    hard = Axes(Reversibility.HARD, Scope.EXTERNAL)
    return _finding(view, f"fetch.{view.effect.action.value}", f"the request {deed} something at {where}", axes=hard)


_OWN_NETWORK = ("registry", "private-name", "single-label", "private", "cgnat", "cluster")


def _installed(view: View) -> Finding | None:
    """Code that is installed from an address: a registry keeps what it published, whoever holds an address can change it."""
    if view.effect.rule != "url.install" or view.local or view.trusted or view.unknown or view.has(*_OWN_NETWORK):
        return None
    reason = f"installs code from {view.host}, where no registry keeps what was published and nobody here has read it"
    return _finding(view, "fetch.install", reason, axes=Axes(Reversibility.HARD, trust=Trust.UNTRUSTED))


def _store(view: View) -> Finding | None:
    """Data that is deleted from a database that answers to HTTP is gone, also on this machine."""
    if not view.local or view.effect.action is Action.RECEIVE or view.url.port not in network.hosts().stores.ports:
        return None
    path = view.url.path
    if view.effect.action is not Action.DELETE and not path.endswith(("/_delete_by_query", "/update")):
        return None
    axes = Axes(Reversibility.IRREVERSIBLE, Scope.LOCAL)
    return _finding(view, "fetch.store-delete", f"deletes {path} from the database at {view.host}", axes=axes)


def _note(view: View) -> Finding | None:
    """Worth a line in the log, not a question."""
    if view.local or view.trusted or view.plain_host:
        return None
    path = view.url.path.lower()
    if view.unknown:
        return _finding(view, "fetch.unknown-host", "the host is not known before running", axes=NOTED)
    if view.has("shortener"):
        return _finding(view, "fetch.shortener", f"{view.host} hides where the link leads", axes=NOTED)
    if view.has("public", "private-name", "single-label"):
        return _finding(view, "fetch.unusual-host", f"{view.host} is no registered public name", axes=NOTED)
    if path.endswith(network.hosts().executable.endings):
        return _finding(view, "fetch.executable", f"a program is downloaded from {view.host}", axes=NOTED)
    if any(name in network.hosts().credential.parameters and value for name, value in view.parameters):
        return _finding(
            view, "fetch.key-parameter", f"a parameter for {view.host} is named like a credential", axes=NOTED
        )
    return None


def _stated(view: View) -> Finding | None:
    """What a reader or the knowledge of a command stated outright; the command gate speaks for hosts with axes."""
    effect = view.effect
    if effect.decision is None and (effect.axes is None or view.plain_host):
        return None
    return _finding(
        view,
        effect.rule,
        effect.reason or f"{effect.command} reaches {view.host}",
        axes=effect.axes,
        decision=effect.decision,
    )


Rule = Callable[[View], Finding | None]
RULES: tuple[Rule, ...] = (
    _stated,
    _metadata,
    _blocked,
    _scheme,
    _redirect,
    _secret,
    _userinfo,
    _place,
    _encoded,
    _looked_up,
    _catcher,
    _change,
    _installed,
    _store,
    _note,
)


def judge(effects: Sequence[Effect], around: Surroundings, policy: HasHosts) -> tuple[Finding, ...]:  # noqa: ARG001
    """Findings on every effect whose target is a URL or a host."""
    views = (
        View(effect, policy.hosts) for effect in effects if effect.target.kind in (TargetKind.URL, TargetKind.HOST)
    )
    found = (rule(view) for view in views for rule in RULES)
    return tuple(finding for finding in found if finding is not None)
