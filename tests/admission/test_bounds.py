"""Whatever a definition holds, it is judged in bounded time, and never crashes."""

import json
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checkrail.admission import captured
from checkrail.admission.outcomes import judge
from checkrail.admission.records import Definition, Outcome
from tests.admission.definitions import judged, tool

SECONDS = 10.0
"""Far above what it takes, far below what a quadratic pattern would."""


@pytest.mark.parametrize(
    "unit",
    [
        "a",
        "a ",
        "a.",
        "a-",
        "1",
        "%41",
        "~/",
        "/",
        "<",
        "[",
        '"a"',
        ".-",
        "A",
        "<!--",
        "you must ",
        "\n",
        "@",
        "a@",
        "0x",
        "0",
        "0x4, ",
        "=41",
        "12 ",
        "a_",
        "a*",
        "a|",
        "aaaaaaaa ",
        "<b></b>e",
        "your passwords ",
        "the user's ",
    ],
)
def test_repeated(unit: str) -> None:
    """No pattern goes wild on a repeated piece."""
    start = time.process_time()
    judged(tool("big", (unit * 262_144)[:250_000]))
    assert time.process_time() - start < SECONDS


def test_a_megabyte_is_held_back() -> None:
    """What nobody reads whole is not admitted."""
    start = time.process_time()
    assert judged(tool("big", "Reads a file. " * 80_000)).outcome is Outcome.QUARANTINE
    assert time.process_time() - start < SECONDS


def test_depth_is_bounded() -> None:
    """A schema nested without end."""
    schema: dict[str, Any] = {}
    for _ in range(400):
        schema = {"properties": {"a": schema}}
    assert judged({"name": "deep", "inputSchema": schema}).outcome is Outcome.QUARANTINE


def test_count_is_bounded() -> None:
    """A schema with values without number."""
    assert judged({"name": "wide", "inputSchema": {"enum": ["x"] * 30_000}}).outcome is Outcome.QUARANTINE


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=40),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["properties", "description", "enum", "name", "annotations", "x"]), inner, max_size=4
        )
    ),
    max_leaves=20,
)


@settings(max_examples=150, deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(["name", "description", "inputSchema", "annotations", "_meta", "title"]), _JSON, max_size=5
    )
)
def test_any_shape(described: dict[str, Any]) -> None:
    """Fields of any kind."""
    assert judge([Definition("s", described)])[0].outcome in tuple(Outcome)


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=80))
def test_any_line(line: bytes) -> None:
    """A line that is no definition is held back."""
    for found in captured.read([line]):
        assert isinstance(found, (Definition, captured.Broken))


def test_lines_keep_their_order() -> None:
    """Definitions and broken lines stay where they were."""
    lines = [
        json.dumps({"server": "s", "tool": {"name": "a"}}).encode(),
        b"{",
        json.dumps({"tool": {"name": "b"}}).encode(),
        b"  ",
    ]
    found = list(captured.read(lines))
    assert [type(entry).__name__ for entry in found] == ["Definition", "Broken", "Definition"]
    assert captured.refused(captured.Broken("x")).outcome is Outcome.QUARANTINE
