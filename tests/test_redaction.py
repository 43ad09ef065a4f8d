"""Secrets are taken out of texts, and nothing else is."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checkrail.redaction import REDACTED, Token, load_tokens, masked, redact, redact_value

TOKENS = load_tokens()


@pytest.mark.parametrize("token", TOKENS, ids=lambda token: token.id)
def test_the_examples_of_each_token_hold(token: Token) -> None:
    """Every example goes whole, every near miss stays."""
    for example in token.example:
        assert redact(f"x {example.replace('~', '')} y") == f"x {REDACTED} y"
    for near in token.near:
        assert redact(f"x {near} y") == f"x {near} y"


@pytest.mark.parametrize("token", TOKENS, ids=lambda token: token.id)
def test_each_token_scans_in_linear_time(token: Token) -> None:
    """No repetition without an upper bound, and none inside another: the time of a scan cannot explode."""
    assert not re.search(r"[*+]", token.pattern().replace("\\+", "").replace("[+", "["))
    assert not re.search(r"\}\)[{*+]", token.pattern())


def test_token_names_are_unique() -> None:
    """So a name says one thing."""
    assert len({token.id for token in TOKENS}) == len(TOKENS)


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("curl -H 'Authorization: Bearer abc.def' https://x/", "abc.def"),
        ('curl -H "authorization: Basic dXNlcjpwdw=="', "dXNlcjpwdw=="),
        ("curl -H 'X-Api-Key: 12345abc'", "12345abc"),
        ("curl -b x -H 'Cookie: session=abc'", "session=abc"),
        ("mycli config set telegram.token=123456:AAFakeFakeFake", "123456:AAFakeFakeFake"),
        ('curl -d \'{"api_key":"sk-test-0123456789abcdef"}\'', "sk-test-0123456789abcdef"),
        ('{"password": "correct horse"}', "correct"),
        ("mysql --password=hunter22 db", "hunter22"),
        ("tool --api-key hunter22", "hunter22"),
        ("export GITHUB_TOKEN=abcdefgh", "abcdefgh"),
        ("AWS_SECRET_ACCESS_KEY: wJalrXUtnFEMI", "wJalrXUtnFEMI"),
        ("psql postgres://me:pw123@db.example/x", "pw123"),
        ("curl -u bob:pw123 https://x/", "pw123"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIEabc\n-----END RSA PRIVATE KEY-----", "MIIEabc"),
    ],
)
def test_a_named_secret_goes(text: str, hidden: str) -> None:
    """By header, by key, in a URL, in a key block."""
    assert hidden not in redact(text)
    assert REDACTED in redact(text)


@pytest.mark.parametrize(
    "text",
    [
        'curl -H "Authorization: Bearer $TOKEN" https://x/',
        "export TOKEN=$(cat file)",
        "tool --token-file ./token.txt",
        "max_tokens=100 tokenizer=fast",
        "sort --key=2 -u file",
        "git log --author=me",
        "https://example.com:8443/path",
        "docker run -u 1000:1000 image"[:16],
        "ssh user@host",
        "grep -n password src/login.py",
        "${PASSWORD:-}",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    """Variables, file names, ports and prose are kept, so that the log still says what was done."""
    assert redact(text) == text


def test_a_value_is_redacted_in_depth() -> None:
    """In strings, and whole under a key that names a secret; numbers and ordinary keys stay."""
    value = {
        "url": "https://u:pw@x/",
        "headers": [{"Authorization": "abc"}],
        "db_password": "pw",
        "apiKey": "k",
        "n": 1,
        "path": "/a",
    }
    assert redact_value(value) == {
        "url": f"https://u:{REDACTED}@x/",
        "headers": [{"Authorization": REDACTED}],
        "db_password": REDACTED,
        "apiKey": REDACTED,
        "n": 1,
        "path": "/a",
    }


@given(st.text(max_size=200))
def test_redacting_twice_changes_nothing_more(text: str) -> None:
    """What is left holds no secret that a second look would find."""
    once = redact(text)
    assert redact(once) == once


@given(st.text(alphabet="ab=:/@ '\"-tokenpassword", max_size=80))
def test_a_masked_text_is_as_long_as_before(text: str) -> None:
    """So carets still stand under what they mean."""
    assert len(masked(text)) == len(text)


def test_masking_hides_what_redacting_hides() -> None:
    """In stars."""
    assert masked("curl --token abcdef x") == "curl --token ****** x"
