"""Every entry of the knowledge of code says what its examples say."""

import tomllib
from pathlib import Path

import msgspec
import pytest

from checkrail.knowledge import code
from checkrail.knowledge.code import CodeKnowledgeError, Example, load, read_file
from tests.readers.code_reading import lines, reading

FILES = code.NAMES


def entries(name: str) -> tuple[code.Call | code.Cmdlet, ...]:
    """Every entry of a file."""
    return (*read_file(name).call, *read_file(name).cmdlet)


EXAMPLES = [
    pytest.param(
        (call.language or name).removesuffix("-method"), example, id=f"{name}:{call.language}:{call.names[0]}:{index}"
    )
    for name in FILES
    for call in entries(name)
    for index, example in enumerate(call.examples)
]


@pytest.mark.parametrize(("language", "example"), EXAMPLES)
def test_example(language: str, example: Example) -> None:
    """The reader says exactly what the example expects, no more and no less."""
    assert sorted(lines(reading(language, example.code))) == sorted(example.gives)


@pytest.mark.parametrize("name", FILES)
def test_every_entry_that_does_something_has_an_example(name: str) -> None:
    """An entry without an example is not known to work."""
    assert [entry.names for entry in entries(name) if not entry.examples] == []


def test_a_name_described_twice_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two entries for one name contradict each other, and the error names the second."""
    double = code.CodeFile(call=(code.Call(names=("a.b",)), code.Call(names=("a.b",))))
    monkeypatch.setattr(code, "read_file", lambda _name: double)
    with pytest.raises(CodeKnowledgeError, match=r"\$\.call\[1\]\.names: 'a\.b'"):
        load.__wrapped__("double")


def test_the_compiled_form_says_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is used where it matches its source, and only there."""
    code.compile_code(tmp_path)
    for name in FILES:
        (tmp_path / f"{name}.toml").write_bytes((code.FOLDER / f"{name}.toml").read_bytes())
    expected = {name: read_file(name) for name in FILES}
    monkeypatch.setattr(code, "FOLDER", tmp_path)
    monkeypatch.setattr(tomllib, "loads", lambda _text: {})
    assert {name: read_file.__wrapped__(name) for name in FILES} == expected
    (tmp_path / "python.toml").write_bytes(b"# changed")
    assert read_file.__wrapped__("python") == code.CodeFile()


def test_an_unknown_key_is_refused() -> None:
    """A typing mistake in the data is an error, not an entry without effect."""
    text = '[[call]]\nnames = ["a"]\ntuch = []\n'
    with pytest.raises(msgspec.ValidationError, match="tuch"):
        msgspec.convert(tomllib.loads(text), code.CodeFile)
