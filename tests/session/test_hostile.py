"""Whatever comes in, the session's reading of it ends soon and raises nothing."""

import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from checkrail.session import decoded, links, prints, secrets
from tests.session.test_remember import PAGE, Story

KEYS = secrets.keys(bytes(range(32)))
SEEN = [secrets.secret("SECRET", "Qm83kPz01LxVw72R", KEYS)]


@given(st.binary(max_size=4000))
@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
def test_any_bytes(raw: bytes) -> None:
    """Decoding, searching, printing."""
    assert secrets.find([raw], SEEN, KEYS) == []
    text = raw.decode("utf-8", "surrogateescape")
    list(links.exact(text))
    list(secrets.values(text))
    prints.of_source(text, KEYS.by)


@pytest.mark.parametrize(
    "text",
    [
        "A" * 2_000_000,
        "/" * 500_000,
        "a." * 500_000,
        "%41" * 300_000,
        "\\u0041" * 200_000,
        "key=" * 300_000,
        "a1b2c3d4e5f6" * 100_000,
        "x@" * 500_000,
        "- " * 500_000,
        "4532 " * 200_000,
        "https://" * 200_000,
        "-----BEGIN PRIVATE KEY-----" * 40_000,
        " = '" * 400_000,
    ],
)
def test_long_runs_take_no_time(text: str) -> None:
    """Seconds would be a way to stop the daemon; each has a generous second of a busy machine's."""
    started = time.process_time()
    list(secrets.values(text))
    list(links.exact(text))
    list(links.hosts(text[:65_536]))
    prints.of_source(text, KEYS.by)
    secrets.find([text.encode()[: links.MOST_TEXT]], SEEN, KEYS)
    assert time.process_time() - started < 2.0


def test_layers_on_layers_are_bounded() -> None:
    """Each reading may hold another, and each only counts once."""
    import base64

    raw = b"x" * 20_000
    for _ in range(6):
        raw = base64.b64encode(raw) + b" " + raw.hex().encode()[:20_000]
    started = time.process_time()
    assert sum(map(len, decoded.readings(raw))) <= 2 * decoded.MOST
    assert time.process_time() - started < 2.0


def test_a_huge_call_after_many_pages(tmp_path: Path) -> None:
    """A hundred sources and an upload of a megabyte."""
    story = Story(tmp_path)
    for number in range(30):
        story.run(
            (PAGE[0], {"url": f"https://forum{number}.example.org/", "prompt": "x"}),
            f"page {number} says something " * 300,
        )
    body = "".join(f"line {number} of the report; " for number in range(40_000))
    started = time.process_time()
    story.announce(("mcp__tracker__create_issue", {"title": "x", "body": body}))
    assert time.process_time() - started < 2.0
