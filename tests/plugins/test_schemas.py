"""The reader and the standard's schemas agree on generated documents, and where they differ the prose says so."""

import os
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from checkrail.plugins import manifest, mcp_config, versions
from tests.plugins.json_schema import load, valid

EXAMPLES = int(os.environ.get("CHECKRAIL_EXAMPLES", "400"))
PLUGIN, MCP = load("plugin.schema.json"), load("mcp.schema.json")

junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
text = st.text(max_size=12)
texts = st.dictionaries(text, text | junk, max_size=3)
names = (
    st.text(alphabet="ab0-.", max_size=8)
    | st.sampled_from(["a\n", "A", "x" * 64, "x" * 65, "a--b", "a.-b", "é"])
    | junk
)
identifiers = st.sampled_from([versions.schema("1.0.0", versions.PLUGIN)] * 6 + ["", "x"]) | junk


def maybe(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Mostly the right kind, sometimes anything."""
    return st.one_of(strategy, strategy, strategy, junk)


manifests = st.fixed_dictionaries(
    {},
    optional={
        "$schema": identifiers, "name": names, "version": maybe(text), "description": maybe(text),
        "homepage": maybe(text), "repository": maybe(text), "license": maybe(text),
        "author": maybe(st.fixed_dictionaries({}, optional={"name": maybe(text), "email": text, "url": text, "x": text})),
        "keywords": maybe(st.lists(maybe(text), max_size=3)),
        "extensions": maybe(st.dictionaries(text, maybe(st.dictionaries(text, junk, max_size=2)), max_size=2)),
        "permissions": junk,
    },
)  # fmt: skip


@settings(max_examples=EXAMPLES, deadline=None)
@given(
    st.one_of(
        manifests,
        manifests.map(lambda m: {"$schema": versions.schema("1.0.0", versions.PLUGIN), "name": "a", **m}),
        junk,
    )
)
def test_manifests(document: Any) -> None:
    """Equal but for the two faults that the prose tolerates."""
    found, problems = manifest.of_document(document, drafts=False)
    bare = document
    if isinstance(document, dict):
        bare = {key: value for key, value in document.items() if key in manifest.FIELDS}
        if "extensions" in bare and not isinstance(bare["extensions"], dict):
            del bare["extensions"]
        tolerated = len(document) - len(bare)
        assert tolerated == sum(problem.requirement in (16, 34) for problem in problems)
    assert (found is not None) == valid(bare, PLUGIN, PLUGIN)
    assert valid(document, PLUGIN, PLUGIN) <= (found is not None)


servers = st.fixed_dictionaries(
    {"type": st.sampled_from(["stdio", "streamable-http", "sse", "http"]) | junk},
    optional={
        "command": maybe(text | st.sampled_from(["node", "./x", "../x", "a/b"])),
        "args": maybe(st.lists(maybe(text), max_size=2)),
        "env": maybe(texts | st.just({"PLUGIN_ROOT": "x"})),
        "cwd": maybe(
            text | st.sampled_from(["./", "./..", "${PLUGIN_ROOT}", "${PLUGIN_DATA}/a", "${PLUGIN_ROOT}\n", "/"])
        ),
        "url": maybe(text | st.sampled_from(["https://a.example", "http://a.example", "https://a.example/#"])),
        "headers": maybe(texts),
        "x": junk,
    },
)
PROSE = {9, 42, 47, 48, 50, 51, 52}
"""Requirements on the form of a value, which the schema leaves to the prose."""


@settings(max_examples=EXAMPLES, deadline=None)
@given(st.one_of(servers, junk))
def test_servers(entry: Any) -> None:
    """Each server: what the reader takes the schema takes, and what it refuses beyond that the prose refuses."""
    document = {"$schema": versions.schema("1.0.0", versions.MCP), "mcpServers": {"x": entry}}
    found, problems = mcp_config.of_document(document, "/nowhere", "1.0.0")
    fits = valid(entry, MCP["$defs"]["server"], MCP)
    if found:
        assert fits
    else:
        reasons = {problem.requirement for problem in problems}
        assert not fits or reasons & PROSE
