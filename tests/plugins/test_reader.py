"""The reader against whatever lies in a directory: bounded, never failing, never reaching out."""

import contextlib
import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checkrail.plugins import assessment, expansion, front_matter, package, strict_json
from tests.plugins.make import STDIO
from tests.plugins.make import package as make

DEEP = b"[" * 100_000
STRANGE = [
    b"", b"\xff\xfe{\x00}\x00", "{}".encode("utf-16"), b"\xef\xbb\xbf{}", DEEP, b'{"a":' * 100_000, b"[" * 70 + b"]" * 70, b"9" * 10_000,
    b'{"a": Infinity}', b'{"a": -Infinity}', b'{"a": 1, "a": 1}', b'{"a": {"b": 1, "b": 2}}', b'"\\udc00"', b'{"\\ud800": 1}', b"{} {}", b"{}\0",
    b"nul", b"'a'", b"{a: 1}", b"[1,]", b"/**/{}", b" " * (strict_json.LIMIT + 1), b"\xc0\x80",
]  # fmt: skip


@pytest.mark.parametrize("raw", STRANGE, ids=range(len(STRANGE)))
def test_strict_json(raw: bytes) -> None:
    """What parsers read differently is not read at all."""
    with pytest.raises(strict_json.Malformed):
        strict_json.decode(raw)


@pytest.mark.parametrize(
    "raw", [b"{}", b' {"a": [1, "\\ud83d\\ude00", {"a": null}]}\n', b"1e999", b'{"$schema": "https:\\/\\/x"}']
)
def test_plain_json(raw: bytes) -> None:
    """Everything else is."""
    strict_json.decode(raw)


PLACES = ("plugin.json", "mcp.json", "skills/notes/SKILL.md", "hooks/hooks.json", "AGENTS.md", "run.sh")
SEEDS = [
    make_text.encode()
    for make_text in (
        '{"$schema": "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json", "name": "a", "extensions": {"x.y": {}}}',
        json.dumps({"$schema": "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json", "mcpServers": {"x": STDIO}}),
        "---\nname: notes\ndescription: >-\n  a: b\nmetadata: {a: [b]}\n---\n!`ls`\n",
    )
]


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from(PLACES),
    st.one_of(st.binary(max_size=200), st.sampled_from(SEEDS)),
    st.integers(0, 120),
    st.binary(max_size=6),
)
def test_any_bytes_anywhere(
    tmp_path_factory: pytest.TempPathFactory, place: str, raw: bytes, at: int, more: bytes
) -> None:
    """A package with garbage in one place is judged all the same."""
    root = make(tmp_path_factory.mktemp("p"), servers={"x": STDIO})
    (root / place).parent.mkdir(exist_ok=True)
    (root / place).write_bytes(raw[:at] + more + raw[at:])
    found = assessment.assess(str(root))
    json.dumps(assessment.as_data(found))
    if place != "plugin.json":
        assert found.package.loads
    if place not in ("plugin.json", "mcp.json"):
        assert [server.name for server in found.package.servers] == ["x"]


LONG = [
    "a: " + "[" * 16_000,
    "{" * 16_000,
    "- " * 8_000,
    "? " * 8_000,
    "a: " + "x " * 8_000,
    "a:\n" + "  - b\n" * 2_700,
    "{a: " * 4_000,
    "a: |\n" + " x\n" * 5_000,
    "[a, " * 4000,
]


@pytest.mark.parametrize("text", LONG, ids=range(len(LONG)))
def test_front_matter_takes_bounded_time(text: str) -> None:
    """Also where the library that reads it is slow."""
    started = time.process_time()
    with contextlib.suppress(front_matter.Unreadable):
        front_matter.fields(text)
    assert time.process_time() - started < 2


def test_a_directory_that_is_not_there(tmp_path: Path) -> None:
    """Is no plugin."""
    assert not package.read(str(tmp_path / "none")).loads


def test_reading_cannot_reach_out() -> None:
    """What the reader imports holds no network and starts no program."""
    code = "import sys, checkrail.plugins.package as p; p.read('/nowhere'); print(sorted(set(sys.modules) & {'socket', 'subprocess', 'urllib.request', 'http.client', 'ssl', 'multiprocessing'}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


texts = st.lists(
    st.sampled_from(["${PLUGIN_ROOT}", "${PLUGIN_DATA}", "$", "{", "}", "PLUGIN_ROOT", "a", "\\"]), max_size=8
).map("".join)


@settings(max_examples=200, deadline=None)
@given(texts, texts, texts)
def test_expansion_is_one_pass(text: str, root: str, data: str) -> None:
    """Inserted text is not looked at again, whatever it holds."""
    pieces = text.split("${PLUGIN_ROOT}")
    wanted = root.join(piece.replace("${PLUGIN_DATA}", data) for piece in pieces)
    assert expansion.expand(text, root=root, data=data) == wanted


def test_environment_sets_its_own_last() -> None:
    """A name that another platform takes for ours does not stay."""
    found = expansion.environment(
        {"A": "${PLUGIN_DATA}/a", "plugin_root": "x", "${PLUGIN_ROOT}": "k"}, root="/R", data="/D"
    )
    assert found == {"A": "/D/a", "${PLUGIN_ROOT}": "k", "PLUGIN_ROOT": "/R", "PLUGIN_DATA": "/D"}
