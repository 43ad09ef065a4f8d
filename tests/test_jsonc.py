"""Comments and trailing commas: gone where they are some, and nowhere else."""

import json

import pytest

from checkrail.jsonc import plain


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1, // one\n "b": /* two */ 2,}', {"a": 1, "b": 2}),
        ('{"a": "// no", "b": "/* no */", "c": ",]"}', {"a": "// no", "b": "/* no */", "c": ",]"}),
        ('["\\"//", "\\\\", // yes\n]', ['"//', "\\"]),
        ("[1, /* a */ // b\n /**/ ]", [1]),
        ("[1,/* , */]", [1]),
        ('{"u": "https://x.example/,}"}', {"u": "https://x.example/,}"}),
        ("[1]/***/", [1]),
    ],
)
def test_what_is_left(text: str, value: object) -> None:
    """The same length, so that places stay."""
    found = plain(text)
    assert json.loads(found) == value
    assert len(found) == len(text) and found.count("\n") == text.count("\n")


@pytest.mark.parametrize("text", ["[1] /* no end", "[1] /*/", '["a', "[1,,]", "[1 / 2]"])
def test_what_is_no_comment_stays_wrong(text: str) -> None:
    """It is not mended into something that can be read."""
    with pytest.raises(json.JSONDecodeError):
        json.loads(plain(text))
