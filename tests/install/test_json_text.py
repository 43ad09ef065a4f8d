"""JSON is edited as text: what is not ours keeps its bytes."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checkrail.install.json_text import SettingsError, children, inserted, member, parse, removed

VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.text(max_size=4), VALUES, max_size=4)
STYLES = st.sampled_from([None, 2, 4, "\t"])


@given(OBJECTS, STYLES)
def test_children_cover_every_value(value: dict[str, Any], style: int | str | None) -> None:
    """In order, each with its exact text."""
    text = json.dumps(value, indent=style)
    found = children(text, 0)
    assert {child.key: json.loads(text[child.value : child.end]) for child in found} == value


@given(OBJECTS, STYLES, VALUES, st.booleans())
def test_what_is_inserted_is_there_and_the_rest_as_before(
    value: dict[str, Any], style: int | str | None, new: Any, windows: bool
) -> None:
    """And taking it out again gives the old meaning, and the old bytes where there were members."""
    text = json.dumps(value, indent=style)
    text = text.replace("\n", "\r\n") if windows else text
    more = inserted(text, 0, new, key="new key")
    assert json.loads(more) == {**value, "new key": new}
    assert list(json.loads(more))[-1] == "new key"
    less = removed(more, 0, len(value))
    assert less == text


@given(st.lists(VALUES, min_size=1, max_size=4), STYLES, st.data())
def test_any_element_can_be_removed(value: list[Any], style: int | str | None, data: st.DataObject) -> None:
    """The others stay."""
    index = data.draw(st.integers(0, len(value) - 1))
    text = json.dumps(value, indent=style)
    assert json.loads(removed(text, 0, index)) == value[:index] + value[index + 1 :]


def test_a_new_child_is_indented_like_its_neighbours() -> None:
    """By tabs, by four spaces, on one line."""
    assert inserted('{\n\t"a": 1\n}', 0, [2], key="b") == '{\n\t"a": 1,\n\t"b": [\n\t\t2\n\t]\n}'
    assert inserted('{\n    "a": {}\n}', 6 + 5, 1, key="b") == '{\n    "a": {\n        "b": 1\n    }\n}'
    assert inserted('{ "a": 1 }', 0, 2, key="b") == '{ "a": 1, "b": 2 }'
    assert inserted("{}", 0, 2, key="b") == '{\n  "b": 2\n}'


def test_members_are_found_by_key() -> None:
    """Keys are compared by meaning, and a key inside a string is none."""
    text = '{"x": "\\"a\\": 1", "\\u0061": [1]}'
    found = member(text, 0, "a")
    assert found is not None
    assert text[found.value : found.end] == "[1]"
    assert member(text, 0, "b") is None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"a": 1,}', "s.json:1:9: not valid JSON"),
        ('{\n  // comment\n  "a": 1}', "s.json:2:3: not valid JSON"),
        ("", "s.json:1:1: not valid JSON"),
        ("[1]", "s.json: not a JSON object"),
        ('{"a": 1, "a": 2}', "s.json: a key stands twice"),
        ('{"a":' * 100_000, "s.json: "),
    ],
)
def test_what_cannot_be_edited_safely_is_refused(text: str, told: str) -> None:
    """With file, line and column, and the word that nothing was changed."""
    with pytest.raises(SettingsError) as caught:
        parse(text, "s.json")
    assert str(caught.value).startswith(told)
    assert "nothing was changed" in str(caught.value)
