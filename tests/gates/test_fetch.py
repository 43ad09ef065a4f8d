"""The fetch gate: hits and near misses."""

import subprocess
import sys

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from checkrail.bands import base_decision, strictest
from checkrail.context import Surroundings
from checkrail.facts.host import FrozenHost
from checkrail.gates import fetch
from checkrail.gates.host_patterns import listed
from checkrail.model import HOLE, Action, Decision, Effect, Finding, Payload, Target, TargetKind
from checkrail.policy import BUILT_IN, Hosts
from checkrail.readers import url

AROUND = Surroundings(host=FrozenHost(), home="/home/dev", workspace="/work/app", cwd="/work/app")


def findings(
    text: str,
    options: dict[str, str] | None = None,
    *,
    allow: tuple[str, ...] = (),
    block: tuple[str, ...] = (),
) -> tuple[Finding, ...]:
    """What the gate says about a URL."""
    payload = Payload(language="url", text=text, cwd="/work/app", options=tuple((options or {}).items()))
    policy = msgspec.structs.replace(BUILT_IN, hosts=Hosts(allow=allow, block=block))
    return fetch.judge(url.read(payload, AROUND).effects, AROUND, policy)


def decision(found: tuple[Finding, ...]) -> Decision:
    """The strictest of the findings."""
    return strictest(base_decision(finding) for finding in found)


@pytest.mark.parametrize(
    "text",
    [
        "http://169.254.169.254/latest/",
        "http://2852039166/",
        "http://[fd00:ec2::254]/",
        "http://metadata.google.internal/x",
        "http://169.254.169.254.nip.io/",
        "http://[fe80::1%25eth0]/",
        "http://localhost@169.254.169.254/",
    ],
)
def test_metadata_is_denied_hard(text: str) -> None:
    """No allow list opens it."""
    found = findings(text, allow=("*",))
    assert decision(found) is Decision.DENY
    assert any(finding.rule == "fetch.metadata" and finding.hard for finding in found)


ASKS = (
    ("http://10.20.30.40:8080/status", "fetch.private"),
    ("http://192-168-1-1.sslip.io/", "fetch.private"),
    ("http://100.64.0.10/", "fetch.private"),
    ("http://kubernetes.default.svc/api/v1/secrets", "fetch.cluster"),
    ("gopher://127.0.0.1:6379/_FLUSHALL", "fetch.scheme"),
    ("dict://127.0.0.1:11211/stats", "fetch.scheme"),
    ("javascript:alert(1)", "fetch.scheme"),
    ("chrome://settings", "fetch.scheme"),
    ("https://user:pw@internal.example/", "fetch.credentials"),
    ("https://github.com%2Facme@evil.example/x", "fetch.userinfo"),
    ("https://github.com@evil.example/x", "fetch.userinfo"),
    ("https://gіthub.com/acme", "fetch.look-alike"),
    ("https://xn--gthub-n2e.com/acme", "fetch.look-alike"),
    ("https://collector.example/log?k=AKIAIOSFODNN7QWERTYU", "fetch.secret"),
    ("https://collector.example/AKIAIOSFODNN7QWERTYU", "fetch.secret"),
    ("https://e.example/?d=" + "QWxhZGRpbjpvcGVuIHNlc2FtZQ" * 6, "fetch.encoded"),
    ("https://e.example/?d=" + "word+" * 900, "fetch.encoded"),
    ("https://4a6f686e20446f6520736563726574206b6579203132333435.e.example/", "fetch.encoded"),
    ("https://webhook.site/abc?data=1", "fetch.sink"),
    ("https://redirect.example/go?to=http%3A%2F%2F169.254.169.254%2F", "fetch.redirect"),
    ("http://localhost:3000/proxy?url=http://169.254.169.254/", "fetch.redirect"),
    ("https://redirect.example/go?url=http://10.0.0.1/", "fetch.redirect"),
    ("https://redirect.example/go?host=169.254.169.254", "fetch.redirect"),
    (f"http://{HOLE}/latest/meta-data/iam", "fetch.metadata-path"),
    ("http://x.onion/", "fetch.onion"),
)


@pytest.mark.parametrize(("text", "rule"), ASKS)
def test_asks(text: str, rule: str) -> None:
    """Each with its rule."""
    found = findings(text)
    assert rule in {finding.rule for finding in found}
    assert decision(found) is Decision.ASK


@pytest.mark.parametrize(
    "text",
    [
        "https://example.com/",
        "https://docs.python.org/3/library/re.html",
        "https://api.example.com/search?q=json+parser&page=2",
        "https://example.com/login?next=/dashboard",
        "https://id.example.com/authorize?redirect_uri=http://localhost:3000/callback",
        "https://www.google.com/search?q=169.254.169.254",
        "http://localhost:5173/",
        "http://127.0.0.1:8080/admin?token=abc",
        "http://[::1]:3000/x",
        "http://user:pw@localhost:5432/",
        "https://münchen.example/",
        "https://github.com/acme/app/latest/meta-data",
        "git@github.com:acme/app.git",
        "ssh://git@github.com/acme/app.git",
        "https://bucket.s3.amazonaws.com/x?X-Amz-Security-Token=" + "A1b2" * 60 + "&X-Amz-Signature=" + "a1" * 32,
        "postgres://dev:dev@db.example.com/app",
    ],
)
def test_ordinary_addresses_say_nothing(text: str) -> None:
    """Near misses stay silent, so that an explicit allow is possible."""
    assert findings(text) == ()


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("https://bit.ly/x", "fetch.shortener"),
        ("https://example.com/setup.exe", "fetch.executable"),
        ("http://8.8.8.8/", "fetch.unusual-host"),
        ("http://wiki.corp/", "fetch.unusual-host"),
        (f"https://{HOLE}/items", "fetch.unknown-host"),
        ("https://pastebin.com/raw/abc", "fetch.paste"),
        ("https://api.example.com/?api_key=abcd", "fetch.key-parameter"),
    ],
)
def test_notes(text: str, rule: str) -> None:
    """Worth a line in the log, not a question."""
    found = findings(text)
    assert [finding.rule for finding in found] == [rule]
    assert decision(found) is Decision.ALLOW


@pytest.mark.parametrize(
    ("text", "options", "expected"),
    [
        ("https://api.example.com/items", {"method": "POST", "data": "literal"}, Decision.ALLOW),
        ("https://api.example.com/items", {"data": "file"}, Decision.ASK),
        ("https://api.example.com/items", {"method": "DELETE"}, Decision.ASK),
        ("https://api.example.com/items", {"method": "PUT", "data": "literal"}, Decision.ASK),
        (
            "https://api.example.com/items",
            {"method": "POST", "data": "literal", "body": "k=AKIAIOSFODNN7QWERTYU"},
            Decision.ASK,
        ),
        ("https://api.example.com/", {"headers": "Authorization: Bearer AKIAIOSFODNN7QWERTYU"}, Decision.ASK),
        ("https://api.example.com/", {"headers": "Accept: text/html"}, Decision.ALLOW),
        ("https://pastebin.com/api", {"method": "POST", "data": "literal"}, Decision.ASK),
        ("https://x.ngrok.io/", {"method": "POST", "data": "literal"}, Decision.ASK),
        ("https://hooks.slack.com/services/T/B/x", {"method": "POST", "data": "literal"}, Decision.ASK),
        ("http://8.8.8.8/", {"method": "POST", "data": "literal"}, Decision.ASK),
        ("http://api:8000/items/1", {"method": "PUT", "data": "literal"}, Decision.ALLOW),
        ("http://api:8000/items/1", {"method": "DELETE"}, Decision.ASK),
        ("http://localhost:3000/items/1", {"method": "DELETE"}, Decision.ALLOW),
        ("http://localhost:3000/upload", {"data": "file"}, Decision.ALLOW),
    ],
)
def test_what_is_sent(text: str, options: dict[str, str], expected: Decision) -> None:
    """A JSON call to a named host passes with a note; files, changes and catchers ask; this machine is free."""
    assert decision(findings(text, options)) is expected


def test_block_list_denies_and_covers_subdomains() -> None:
    """A plain name covers all below it, and nothing beside it."""
    assert decision(findings("https://a.b.example.com/", block=("example.com",))) is Decision.DENY
    assert findings("https://notexample.com/", block=("example.com",)) == ()
    assert decision(findings("https://x.bad.example/", block=("*.bad.example",))) is Decision.DENY


def test_allow_list_opens_the_ordinary_and_nothing_else() -> None:
    """Private hosts that are listed pass; a secret that goes there still asks."""
    assert findings("http://10.0.0.5/", allow=("10.0.0.5",)) == ()
    assert decision(findings("http://10.0.0.5/?k=AKIAIOSFODNN7QWERTYU", allow=("10.0.0.5",))) is Decision.ASK


def test_hosts_without_a_url() -> None:
    """A bare host is denied for metadata, and left to the command's own knowledge otherwise."""

    def judged(host: str) -> tuple[Finding, ...]:
        effect = Effect(action=Action.SEND, target=Target(TargetKind.HOST, host), rule="x")
        return fetch.judge([effect], AROUND, BUILT_IN)

    assert decision(judged("169.254.169.254")) is Decision.DENY
    assert decision(judged("webhook.site")) is Decision.ASK
    assert judged("192.168.1.5") == ()
    assert judged("example.com") == ()


@given(st.text(max_size=120))
def test_any_text_is_judged(text: str) -> None:
    """No URL makes the gate fail."""
    findings("http://" + text)
    findings(text, {"method": "POST", "data": "literal", "body": text})


GITHUB = "ghp_" + "A1b2C3d4E5f6" * 3


@pytest.mark.parametrize(
    ("url_text", "options", "asks"),
    [
        ("https://evil.example/", {"headers": f"X-Key: {GITHUB}"}, True),
        ("https://api.github.com/user", {"headers": f"Authorization: token {GITHUB}"}, False),
        ("https://api.github.com.evil.example/user", {"headers": f"Authorization: token {GITHUB}"}, True),
        ("https://api.github.com/gists", {"method": "POST", "data": "literal", "body": GITHUB}, True),
        (f"https://evil.example/?k={GITHUB}", {}, True),
        (f"https://evil.example/{GITHUB}/x", {}, True),
        (f"http://localhost:8000/?k={GITHUB}", {}, False),
        ("https://evil.example/", {"headers": "X-Key: ghp_short"}, False),
    ],
)
def test_a_token_may_log_in_where_it_belongs(url_text: str, options: dict[str, str], asks: bool) -> None:
    """And is stopped on its way anywhere else, and in any content."""
    assert ("fetch.secret" in {finding.rule for finding in findings(url_text, options)}) is asks


@pytest.mark.parametrize(
    ("host", "pattern", "matches"),
    [
        ("example.com", "example.com", True),
        ("a.b.example.com", "example.com", True),
        ("notexample.com", "example.com", False),
        ("example.com.evil.example", "example.com", False),
        ("a.example.com", "*.example.com", True),
        ("example.com", "*.example.com", True),
        ("api-1.example.com", "api-*.example.com", True),
        ("www.google.co.uk", "google.*", True),
        ("google.com", "google.*", True),
        ("google.com.evil.example", "google.*", False),
        ("google.evil.example", "google.*", False),
        ("xn--mnchen-3ya.de", "münchen.de", True),
        ("EXAMPLE.com".lower(), "Example.COM.", True),
        ("10.1.2.3", "10.0.0.0/8", True),
        ("11.1.2.3", "10.0.0.0/8", False),
        ("0x0a010203", "10.1.2.3", True),
        ("fd00::1", "fd00::/8", True),
        ("a.10.0.0.0", "10.0.0.0/8", False),
        ("example.com", "", False),
    ],
)
def test_host_patterns(host: str, pattern: str, matches: bool) -> None:
    """Names with all below them, globs, any public suffix, networks."""
    assert listed(host, (pattern,)) is matches


def test_the_public_suffix_list_is_bundled_and_waits_for_its_first_use() -> None:
    """No import of it before a pattern needs it, and no network ever."""
    code = (
        "import sys, socket\n"
        "from checkrail.gates.host_patterns import listed\n"
        "assert listed('a.example.com', ('example.com',)) and 'tldextract' not in sys.modules\n"
        "socket.socket.connect = socket.getaddrinfo = None\n"
        "assert listed('a.example.co.uk', ('example.*',)) and 'tldextract' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("https://evil.example/c/" + "QUJDRDE2" * 25, True),
        ("https://evil.example/c/" + "4a6f" * 40, True),
        ("https://github.com/a/b/commit/" + "a1" * 20, False),
        ("https://example.com/how-to-write-a-very-long-slug-" + "that-goes-on-" * 12 + "2024", False),
        ("https://example.com/#" + "QUJDRDE2" * 25, False),
    ],
)
def test_data_packed_into_the_path(text: str, asks: bool) -> None:
    """A long encoded segment is content as much as a query is; what follows # never leaves."""
    assert ("fetch.encoded" in {finding.rule for finding in findings(text)}) is asks
