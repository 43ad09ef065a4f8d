"""One document, no doubt about what it says."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checkrail.agents.json_events import MAX_BYTES, MAX_DEPTH, Fault, holds_nul, read_object, text_field


@pytest.mark.parametrize(
    ("raw", "word"),
    [
        (b"", "empty"),
        (b" \n", "empty"),
        (b"null", "not a JSON object"),
        (b'"hi"', "not a JSON object"),
        (b"[1,2]", "not a JSON object"),
        (b'{"a":1}XX', "follows"),
        (b'{"a":1}{"a":2}', "follows"),
        (b'{"a":1,"a":2}', "twice"),
        (b'{"x":{"a":1,"a":2}}', "twice"),
        (b'{"a":NaN}', "NaN"),
        (b'{"a":-Infinity}', "Infinity"),
        (b'{"a":"\x00"}', "NUL"),
        (b'{"a":"\n"}', "not JSON"),
        (b"{'a':1}", "not JSON"),
        (b'{"a":1,}', "not JSON"),
        (b'{"a":"\xff"}', "not UTF-8"),
        ('{"a":1}'.encode("utf-16"), "NUL"),
        (b'{"a":' + b"9" * 5000 + b"}", "not usable"),
        (b'{"a":' * 100_000, "nested"),
        (b'{"a":' * (MAX_DEPTH + 1) + b"1" + b"}" * (MAX_DEPTH + 1), "nested"),
        (b'{"a":[' + b"1," * 300_000 + b"1]}", "too many"),
        (b'{"a":"' + b"x" * MAX_BYTES + b'"}', "larger"),
    ],
)
def test_doubtful_bytes_are_a_fault(raw: bytes, word: str) -> None:
    """What two parsers could read differently, or what cannot be read, is refused with the reason."""
    with pytest.raises(Fault, match=word):
        read_object(raw)


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        (b"\xef\xbb\xbf{}", {}),
        (b'  {"a" : 1}\r\n', {"a": 1}),
        (b'{"a":{"b":1},"c":{"b":2}}', {"a": {"b": 1}, "c": {"b": 2}}),
        (b'{"a":"\\ud83d\\ude00"}', {"a": "\U0001f600"}),
        (b'{"a":"\\ud83d"}', {"a": "\ufffd"}),
        (b'{"\\udc00":["\\ud800x"]}', {"\ufffd": ["\ufffdx"]}),
        (b'{"a":"\\u0000"}', {"a": "\0"}),
    ],
)
def test_one_whole_object_is_read(raw: bytes, value: dict[str, Any]) -> None:
    """A byte order mark, blanks around and repeated keys in different objects are fine; lone surrogates are mended."""
    assert read_object(raw) == value


@given(st.binary(max_size=300))
def test_any_bytes_end_in_an_object_or_a_fault(raw: bytes) -> None:
    """Nothing but a Fault ever comes out."""
    try:
        assert isinstance(read_object(raw), dict)
    except Fault:
        pass


@given(
    st.dictionaries(st.text(max_size=5), st.recursive(st.text() | st.booleans(), st.lists, max_leaves=5), max_size=5)
)
def test_what_json_writes_is_read_back(value: dict[str, Any]) -> None:
    """Well-formed objects come through as they are."""
    assert read_object(json.dumps(value).encode()) == value


def test_a_text_field_is_a_string_without_nul() -> None:
    """A missing field has the default; another kind or a NUL is a fault that names the field."""
    assert text_field({}, "cwd", "/") == "/"
    assert text_field({"cwd": "/x"}, "cwd") == "/x"
    with pytest.raises(Fault, match="'cwd' is not a string"):
        text_field({"cwd": ["/x"]}, "cwd")
    with pytest.raises(Fault, match="'cwd' holds a NUL"):
        text_field({"cwd": "/\0"}, "cwd")


def test_a_nul_is_found_at_any_depth() -> None:
    """In values and in keys, and not where there is none."""
    assert holds_nul({"a": [{"b": "x\0"}]})
    assert holds_nul([{"\0": 1}])
    assert not holds_nul({"a": [{"b": "x", "c": 1, "d": None}]})


@pytest.mark.parametrize("inner", ["1", '""', "{}"])
def test_the_depth_counts_wherever_it_is_told_from(inner: str) -> None:
    """The brackets of small events are counted, larger ones are gone through: both refuse at the same level."""
    levels = MAX_DEPTH - 1 - (inner == "{}")
    for padding in ("", "0," * 150_000):
        fits = '{"b": [' + padding + '0], "a": ' + "[" * (levels - 1) + inner + "]" * (levels - 1) + "}"
        assert read_object(fits.encode())["a"]
        deeper = '{"b": [' + padding + '0], "a": ' + "[" * (levels + 1) + inner + "]" * (levels + 1) + "}"
        with pytest.raises(Fault, match="nested"):
            read_object(deeper.encode())
