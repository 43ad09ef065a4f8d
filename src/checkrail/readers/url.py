"""Reads a URL: which hosts it would reach by any parser, and whether it fetches, sends or changes something there.

Options: ``method`` (any case; none means GET), ``data`` (``literal``, ``file`` or ``unknown``), ``body`` (the text sent,
where it is known), ``headers`` (likewise), ``scheme`` (what to assume where none is written; ``http``), ``install`` (what is
there will run here).
"""

import posixpath
from collections.abc import Mapping
from urllib.parse import unquote

from checkrail.context import Surroundings
from checkrail.knowledge import network
from checkrail.model import HOLE, SOME, Action, Decision, Effect, Payload, Reading, Target, TargetKind, Unread
from checkrail.readers.url_parsing import LONGEST, Url, readings

_READING_METHODS = frozenset({"", "GET", "HEAD", "OPTIONS", "TRACE", "PROPFIND", "REPORT", "SEARCH", "QUERY"})
_METHODS: Mapping[str, tuple[Action, str]] = {
    "POST": (Action.SEND, "url.send"),
    "PUT": (Action.CHANGE, "url.change"),
    "PATCH": (Action.CHANGE, "url.change"),
    "DELETE": (Action.DELETE, "url.delete"),
}


def deed(method: str, data: str) -> tuple[Action, str]:
    """What a request does and the rule that says so, from its method and where its body comes from."""
    if data == "file":
        return Action.SEND, "url.upload"
    if method in _READING_METHODS:
        return (Action.SEND, "url.send") if data and not method else (Action.RECEIVE, "url.get")
    return _METHODS.get(method, (Action.CHANGE, "url.change"))


def _file(url: Url, payload: Payload, method: str, around: Surroundings) -> Reading:
    """A file URL is a read (or, for an upload, a write) of a path."""
    rest = url.path.partition("#")[0].partition("?")[0].replace("\\", "/")
    host, slash, path = ("", "/", rest)
    if rest.startswith("//"):
        host, slash, path = rest[2:].partition("/")
    if host.lower() not in ("", "localhost", "127.0.0.1", "::1", "[::1]"):
        what = f"file URL on another machine ({host[:80]})"
        return Reading(unread=(Unread(what=what, span=payload.span, via=payload.via),))
    decoded = unquote("/" + path.lstrip("/") if slash else "/" + path)
    action = Action.WRITE if method in ("PUT", "POST") else Action.READ
    target = Target(TargetKind.PATH, posixpath.normpath(decoded.replace("\x00", HOLE)), payload.host)
    place = posixpath.normpath(decoded)
    inside = any(
        (place + "/").startswith(folder.rstrip("/") + "/") for folder in (around.workspace, "/tmp", "/var/tmp")
    )
    effect = Effect(
        action=action,
        target=target,
        rule="url.file",
        decision=None if inside else Decision.ASK,
        reason="" if inside else f"the URL opens a local file outside the workspace: {place}",
        span=payload.span,
        via=payload.via,
    )
    return Reading(effects=(effect,))


def _unread(urls: tuple[Url, ...], payload: Payload) -> tuple[Unread, ...]:
    faults = dict.fromkeys(url.fault for url in urls if url.fault)
    if len(payload.text) > LONGEST:
        faults["longer than any URL"] = None
    return tuple(Unread(what=f"URL: {fault}", span=payload.span, via=payload.via) for fault in faults)


def _message(options: Mapping[str, str]) -> str | None:
    """What is sent, as HTTP would: headers, an empty line, the body. None where neither is known."""
    headers, body = options.get("headers", ""), options.get("body", "")
    return f"{headers.strip()}\n\n{body}" if headers or body else None


def _effect(url: Url, payload: Payload, options: Mapping[str, str]) -> Effect:
    action, rule = deed(options.get("method", "").upper(), options.get("data", ""))
    if options.get("install"):
        rule = "url.install"
    return Effect(
        action=action,
        target=Target(TargetKind.URL, url.canonical(), url.host),
        rule=rule,
        span=payload.span,
        content=_message(options),
        via=payload.via,
    )


def _worth(urls: tuple[Url, ...]) -> tuple[Url, ...]:
    """The readings that matter: each host once, and those that a strict parser refuses only where they add a host."""
    by_host: dict[str, Url] = {}
    for url in urls:
        if url.host and (url.host not in by_host or (by_host[url.host].fault and not url.fault)):
            by_host[url.host] = url
    return tuple(by_host.values())


def _doubtful(urls: tuple[Url, ...]) -> tuple[Url, ...]:
    """The readings whose faults count: a browser's own, the first, has none for most texts that others refuse."""
    return urls[:1] if not urls[0].fault else urls


def read(payload: Payload, around: Surroundings) -> Reading:
    """See :data:`checkrail.readers.Reader`."""
    options = dict(payload.options)
    urls = readings(payload.text, options.get("scheme", "http"))
    first = urls[0]
    if first.scheme == "file":
        return _file(first, payload, options.get("method", "").upper(), around)
    if first.scheme in network.hosts().schemes.inert:
        return Reading()
    if not any(url.host for url in urls):
        return _hostless(first, payload)
    effects = tuple(_effect(url, payload, options) for url in _worth(urls))
    return Reading(effects=effects, unread=_unread(_doubtful(urls), payload))


def _hostless(url: Url, payload: Payload) -> Reading:
    """A text without a host: unknown as a whole, malformed, or of a scheme that starts something."""
    if payload.text.strip()[:1] in (HOLE, SOME):
        return Reading(opaque=("a URL that is not known before running",))
    if url.fault or url.scheme in network.hosts().schemes.web:
        return Reading(unread=(Unread(what=f"URL: {url.fault or 'no host'}", span=payload.span, via=payload.via),))
    target = Target(TargetKind.URL, f"{url.scheme}:{url.path}"[:LONGEST])
    effect = Effect(action=Action.RECEIVE, target=target, rule="url.get", span=payload.span, via=payload.via)
    return Reading(effects=(effect,))
