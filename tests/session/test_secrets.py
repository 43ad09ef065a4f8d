"""Secrets are recognised in what comes back, and found again in every spelling; what only looks like one is left alone."""

import base64
import gzip
import json
import zlib
from collections.abc import Callable

import pytest

from checkrail.session import decoded, secrets

KEYS = secrets.keys(bytes(range(7, 39)))
VALUES = ("wJalrXUtnFEMI/K7MDENG/bPxRfiCYqVx3kPz01L", "Qm83kPz01LxVw72R", "Tr0ub4dor&3xyz!")
LONG = VALUES[0]


def hidden(text: bytes, value: str) -> bool:
    """Whether the value is found in the text."""
    return bool(secrets.find([b"send " + text + b" to them"], [secrets.secret("SECRET", value, KEYS)], KEYS))


SPELLINGS: dict[str, Callable[[bytes], bytes]] = {
    "plain": lambda raw: raw,
    "base64": base64.b64encode,
    "base64 after one byte": lambda raw: base64.b64encode(b"x" + raw + b"tail"),
    "base64 after two bytes": lambda raw: base64.b64encode(b"xy" + raw + b"tail"),
    "base64 of URLs without padding": lambda raw: base64.urlsafe_b64encode(raw).rstrip(b"="),
    "base64 twice": lambda raw: base64.b64encode(base64.b64encode(raw)),
    "base64 reversed": lambda raw: base64.b64encode(raw)[::-1],
    "base32": base64.b32encode,
    "base32 in labels": lambda raw: (
        base64.b32encode(raw).lower().rstrip(b"=")[:20]
        + b"."
        + base64.b32encode(raw).lower().rstrip(b"=")[20:]
        + b".t.example"
    ),
    "hex": lambda raw: raw.hex().encode(),
    "hex with colons": lambda raw: b":".join(b"%02x" % byte for byte in raw),
    "hex escapes": lambda raw: b"".join(b"\\x%02X" % byte for byte in raw),
    "URL": lambda raw: b"".join(b"%%%02X" % byte for byte in raw),
    "JSON in JSON": lambda raw: json.dumps(json.dumps({"a": raw.decode()})).encode(),
    "Unicode escapes": lambda raw: b"".join(b"\\u%04x" % byte for byte in raw),
    "entities": lambda raw: b"".join(b"&#%d;" % byte for byte in raw),
    "reversed": lambda raw: raw[::-1],
    "gzip and base64": lambda raw: base64.b64encode(gzip.compress(raw)),
    "zlib and base64": lambda raw: base64.b64encode(zlib.compress(raw)),
    "quoted apart": lambda raw: raw[:5] + b'"' + b'"' + raw[5:],
    "added together": lambda raw: b"'" + raw[:6] + b"' + '" + raw[6:] + b"'",
}


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_found_in_every_spelling(spelling: str, value: str) -> None:
    """However it is written."""
    assert hidden(SPELLINGS[spelling](value.encode()), value)


def test_split_over_two_arguments() -> None:
    """In whatever order, with other words between."""
    half = len(LONG) // 2
    assert hidden(b"-d a=" + LONG[:half].encode() + b" -d b=" + LONG[half:].encode(), LONG)
    assert hidden(b"-d b=" + LONG[half:].encode() + b" -d a=" + LONG[:half].encode(), LONG)


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_another_value_is_not_found(spelling: str) -> None:
    """Of the same shape."""
    assert not hidden(SPELLINGS[spelling](b"wKbmsYVuoGFNJ.L8NEFOH.cQySgjDZrWy4lQ"), LONG)


def test_a_piece_is_not_enough() -> None:
    """Less than three quarters of it."""
    assert not hidden(LONG[: len(LONG) // 2].encode(), LONG)


def test_nothing_of_the_value_is_kept() -> None:
    """No run of its letters, in bytes or as a number."""
    kept = secrets.secret("SECRET", LONG, KEYS)
    assert not any(LONG[at : at + 4] in repr(kept) for at in range(len(LONG) - 4))
    assert all(bits < 1 << 36 for _, bits in kept.pieces)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("DB_PASSWORD=Tr0ub4dor&3xyz!\nDEBUG=1\n", "Tr0ub4dor&3xyz!"),
        ("export SHOP_TOKEN='Qm83kPz01LxVw72R'\n", "Qm83kPz01LxVw72R"),
        ('{"token": "Qm83kPz01LxVw72R"}', "Qm83kPz01LxVw72R"),
        ("postgres://app:h4ck3rPassw0rd9@db.internal/x", "h4ck3rPassw0rd9"),
        ("Authorization: Bearer abcDEF123456ghiJKL7", "abcDEF123456ghiJKL7"),
    ],
)
def test_what_is_a_secret(text: str, value: str) -> None:
    """Values that are named one and look like one."""
    assert value in [found for _, found in secrets.values(text)]


@pytest.mark.parametrize(
    "text",
    [
        "token = get_token(user1, foo2)",
        "password: changeme-please",
        "API_KEY=your-api-key-here",
        "the token is described in section 4.2.1 of the manual",
        "commit 9f8e7d6c5b4a39281706f5e4d3c2b1a0deadbeef",
        "key = 2026-11-30T19:15:51",
        "secret_name: projects/app/secrets",
    ],
)
def test_what_is_none(text: str) -> None:
    """Words, calls, placeholders, digests and dates."""
    assert list(secrets.values(text)) == []


def test_hostile_input_is_bounded() -> None:
    """Layers on layers, and much of it."""
    text = b"A" * 3_000_000
    assert sum(len(reading) for reading in decoded.readings(text)) <= decoded.MOST * 2
    bomb = base64.b64encode(zlib.compress(b"\0" * 50_000_000))
    assert max(len(reading) for reading in decoded.readings(bomb)) <= 300_000
    assert len(list(secrets.values("API_TOKEN=Qm83kPz01LxVw72R%d\n" * 20_000))) <= secrets.MOST_PER_TEXT
