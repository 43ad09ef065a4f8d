"""URLs: every reading, and what a request does."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checkrail.context import Surroundings
from checkrail.facts.host import FrozenHost
from checkrail.model import HOLE, Action, Decision, Payload, Reading, TargetKind
from checkrail.readers import url
from checkrail.readers.url_parsing import readings

AROUND = Surroundings(host=FrozenHost(), home="/home/dev", workspace="/work/app", cwd="/work/app")


def read(text: str, **options: str) -> Reading:
    """A reading with options."""
    return url.read(Payload(language="url", text=text, cwd="/work/app", options=tuple(options.items())), AROUND)


def hosts(text: str) -> set[str]:
    """The hosts of all readings."""
    return {entry.host for entry in readings(text)}


@pytest.mark.parametrize(
    ("text", "host"),
    [
        ("https://example.com/x", "example.com"),
        ("HTTP://EXAMPLE.COM", "example.com"),
        ("http:\\\\169.254.169.254\\latest", "169.254.169.254"),
        ("https:169.254.169.254/latest/", "169.254.169.254"),
        ("http:/example.com/", "example.com"),
        ("http:///example.com/", "example.com"),
        (" \thttp://exa\tmple.com/", "example.com"),
        ("http://docs.python.org@169.254.169.254/", "169.254.169.254"),
        ("http://a@b@c/", "c"),
        ("http://a@b@c/", "b"),
        ("http://good.com\\@evil.com/", "good.com"),
        ("http://good.com\\@evil.com/", "evil.com"),
        ("http://good.com#@evil.com/", "good.com"),
        ("http://good.com?@evil.com/", "good.com"),
        ("http://%31%36%39.254.169.254/", "169.254.169.254"),
        ("http://%2531%2536%2539.254.169.254/", "169.254.169.254"),
        ("http://169。254。169。254/", "169.254.169.254"),
        ("http://①⑥⑨.②⑤④.①⑥⑨.②⑤④/", "169.254.169.254"),
        ("http://exa\u00admple.com/", "example.com"),
        ("https://faß.de/", "xn--fa-hia.de"),
        ("https://faß.de/", "fass.de"),
        ("https://münchen.example/", "xn--mnchen-3ya.example"),
        ("http://0177.0.0.1/", "127.0.0.1"),
        ("http://0177.0.0.1/", "177.0.0.1"),
        ("http://[::ffff:127.0.0.1%25eth0]:80/", "::ffff:7f00:1"),
        ("http://evil.example\x00.github.com/", "evil.example"),
        ("view-source:http://example.com/", "example.com"),
        ("example.com/path", "example.com"),
        ("localhost:8080/x", "localhost"),
        ("git@github.com:acme/app.git", "github.com"),
        ("ssh://git@github.com/acme/app", "github.com"),
        ("gopher://127.0.0.1:6379/_X", "127.0.0.1"),
    ],
)
def test_a_reading_reaches_the_host(text: str, host: str) -> None:
    """Browsers', curl's and older parsers' readings are all there."""
    assert host in hosts(text)


@pytest.mark.parametrize(
    "text",
    [
        "http://[::1",
        "http://",
        "http://a:99999/",
        "http://a b/",
        "http://evil%00.com/",
        "http://1.2.3.4.5/",
        "https://exa^mple.com/",
    ],
)
def test_what_strict_parsers_refuse_is_unread(text: str) -> None:
    """A malformed URL is never taken as harmless."""
    assert read(text).unread


@pytest.mark.parametrize(
    "text",
    ["https://example.com/", "https://example.com:8443/a?b=c#d", "http://[::1]:3000/", f"http://localhost:{HOLE}/x"],
)
def test_ordinary_urls_are_whole(text: str) -> None:
    """Near misses of malformed ones."""
    reading = read(text)
    assert not reading.unread
    assert len(reading.effects) == 1


@pytest.mark.parametrize(
    ("options", "action", "rule"),
    [
        ({}, Action.RECEIVE, "url.get"),
        ({"method": "get"}, Action.RECEIVE, "url.get"),
        ({"method": "HEAD"}, Action.RECEIVE, "url.get"),
        ({"data": "literal"}, Action.SEND, "url.send"),
        ({"method": "POST", "data": "literal"}, Action.SEND, "url.send"),
        ({"data": "file"}, Action.SEND, "url.upload"),
        ({"method": "PUT"}, Action.CHANGE, "url.change"),
        ({"method": "PATCH"}, Action.CHANGE, "url.change"),
        ({"method": "DELETE"}, Action.DELETE, "url.delete"),
        ({"method": "PURGE"}, Action.CHANGE, "url.change"),
    ],
)
def test_methods(options: dict[str, str], action: Action, rule: str) -> None:
    """The method and the body say what a request does."""
    (effect,) = read("https://example.com/", **options).effects
    assert (effect.action, effect.rule) == (action, rule)


@pytest.mark.parametrize(
    ("text", "path", "decision"),
    [
        ("file:///home/dev/.ssh/id_rsa", "/home/dev/.ssh/id_rsa", Decision.ASK),
        ("FILE://localhost/etc/passwd", "/etc/passwd", Decision.ASK),
        ("file:/work/app/../../etc/passwd", "/etc/passwd", Decision.ASK),
        ("file:///work/app/dist/index%2ehtml", "/work/app/dist/index.html", None),
    ],
)
def test_file_urls_are_paths(text: str, path: str, decision: Decision | None) -> None:
    """A file URL reads a file; outside the workspace it asks."""
    (effect,) = read(text).effects
    assert (effect.target.kind, effect.target.value, effect.decision) == (TargetKind.PATH, path, decision)


def test_a_file_on_another_machine_is_unread() -> None:
    """A host in a file URL is a network share."""
    assert read("file://server/share/x").unread


@pytest.mark.parametrize("text", ["about:blank", "data:text/plain,x", "mailto:a@example.com"])
def test_inert_schemes_do_nothing(text: str) -> None:
    """They reach no host."""
    assert read(text) == Reading()


def test_a_url_that_is_not_known_stays_open() -> None:
    """A hole for the whole text is an unknown host, not a malformed one."""
    reading = read(HOLE + "/items")
    assert not reading.unread
    assert HOLE in reading.effects[0].target.host


@given(st.text(max_size=200))
def test_any_text_is_read(text: str) -> None:
    """No text raises, and none is silently nothing unless its scheme is inert."""
    assert readings(text)
    read("http://" + text)
