"""Classes of hosts by spelling."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checkrail.facts.hosts import classify, is_local, is_metadata, registered_domain, suffixes

METADATA = (
    "169.254.169.254", "2852039166", "0xA9FEA9FE", "025177524776", "0251.0376.0251.0376", "0xA9.0xFE.0xA9.0xFE", "169.254.43518",
    "169.16689662", "425.510.425.510", "::ffff:169.254.169.254", "[::ffff:a9fe:a9fe]", "::169.254.169.254", "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::a9fe:a9fe", "2002:a9fe:a9fe::", "fd00:ec2::254", "[fe80::1%25eth0]", "100.100.100.200", "1684300900", "168.63.129.16",
    "169.254.170.2", "metadata.google.internal", "METADATA.google.internal.", "metadata", "169.254.169.254.nip.io",
    "x.169-254-169-254.sslip.io", "a9fea9fe.nip.io", "fe80--1.sslip.io", "169。254。169。254", "①⑥⑨.②⑤④.①⑥⑨.②⑤④",
)  # fmt: skip
NOT_METADATA = (
    "169.253.169.254",
    "example.com",
    "10.0.0.1",
    "metadata.example.com",
    "localhost",
    "a9fea9fe.example.com",
    "nip.io",
    "::1",
    "",
)


@pytest.mark.parametrize("host", METADATA)
def test_metadata_is_known_in_every_spelling(host: str) -> None:
    """Decimal, octal, hex, short, wrapped, inside IPv6 and inside names."""
    assert is_metadata(host)
    assert not is_local(host)


@pytest.mark.parametrize("host", NOT_METADATA)
def test_what_only_looks_like_metadata_is_not(host: str) -> None:
    """Neighbours in number and in name."""
    assert not is_metadata(host)


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "LOCALHOST.",
        "127.0.0.1",
        "127.1",
        "0x7f.1",
        "2130706433",
        "::1",
        "[::1]",
        "::ffff:127.0.0.1",
        "0.0.0.0",
        "app.localhost",
        "host.docker.internal",
    ],
)
def test_this_machine_is_local(host: str) -> None:
    """Loopback in any spelling, and the names that lead there."""
    assert is_local(host)


@pytest.mark.parametrize(
    "host",
    ["0177.0.0.1", "localhost.example.com", "127.0.0.1.example.com", "10.0.0.1", "128.0.0.1", "64:ff9b::8.8.8.8"],
)
def test_what_another_parser_takes_elsewhere_is_not_local(host: str) -> None:
    """An octal loopback is a public address to a decimal parser."""
    assert not is_local(host)


@pytest.mark.parametrize(
    ("host", "name"),
    [
        ("10.1.2.3", "private"),
        ("192.168.1.1", "private"),
        ("fd12::1", "private"),
        ("192-168-1-1.sslip.io", "private"),
        ("100.64.0.10", "cgnat"),
        ("224.0.0.1", "multicast"),
        ("8.8.8.8", "public"),
        ("bit.ly", "shortener"),
        ("abc.ngrok-free.app", "tunnel"),
        ("webhook.site", "sink"),
        ("x.oast.fun", "sink"),
        ("pastebin.com", "paste"),
        ("hooks.slack.com", "chat-hook"),
        ("kubernetes.default.svc", "cluster"),
        ("db.prod.svc.cluster.local", "cluster"),
        ("expyuzz4wqqyqhjn.onion", "onion"),
        ("redis", "single-label"),
        ("wiki.corp", "private-name"),
        ("gіthub.com", "look-alike"),
        ("xn--gthub-n2e.com", "look-alike"),
        ("gïthub.com", "look-alike"),
        ("github.com", "code-host"),
        ("ssh.dev.azure.com", "code-host"),
        ("files.pythonhosted.org", "registry"),
        ("registry.npmjs.org", "registry"),
    ],
)
def test_classes(host: str, name: str) -> None:
    """One host of each class."""
    assert name in classify(host).classes


@pytest.mark.parametrize(
    "host",
    [
        "example.com",
        "münchen.example",
        "日本語.jp",
        "notwebhook.site",
        "mybit.ly",
        "xn--mnchen-3ya.example",
        "mygithub.com",
        "pypi.org.example.net",
        "пример.рф",
    ],
)
def test_ordinary_names_have_no_class(host: str) -> None:
    """Near misses: honest international names, names that end alike."""
    assert classify(host).classes <= {"punycode"}


def test_registered_domain_uses_the_bundled_list() -> None:
    """Public suffixes of two labels count as one; an address stays itself."""
    assert registered_domain("a.b.example.co.uk") == "example.co.uk"
    assert registered_domain("10.0.0.1") == "10.0.0.1"
    assert registered_domain("localhost") == "localhost"


def test_suffixes_are_bounded() -> None:
    """A name of thousands of labels is cut to what a name can have."""
    assert len(suffixes("a." * 5000 + "com")) == 32


@given(st.text(max_size=80))
def test_any_text_is_classified(text: str) -> None:
    """No text raises."""
    assert isinstance(classify(text).classes, frozenset)
