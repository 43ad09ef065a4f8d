"""Declared bands: a floor, never a grant."""

from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checkrail.bands import band as band_of
from checkrail.context import Surroundings
from checkrail.facts.host import FrozenHost
from checkrail.gates.mcp import judge
from checkrail.model import Action, Band, Decision, Effect, Target, TargetKind
from checkrail.plugins import declarations, standing
from checkrail.plugins import settings as operator
from checkrail.plugins.manifest import of_document
from checkrail.plugins.versions import PLUGIN, schema

GOOD: list[tuple[dict[str, Any], Band]] = [
    ({"reversibility": "reversible", "scope": "local", "trust": "trusted"}, Band.AUTO),
    ({"reversibility": "reversible", "scope": "shared-remote"}, Band.SOFT_ACK),
    ({"trust": "untrusted"}, Band.SOFT_ACK),
    ({"reversibility": "hard-to-reverse"}, Band.ESCALATE),
    ({"scope": "external", "band": "auto"}, Band.ESCALATE),
    ({"scope": "local", "band": "escalate"}, Band.ESCALATE),
    ({"band": "soft-ack"}, Band.SOFT_ACK),
    ({"risk": "low"}, Band.AUTO),
    ({"risk": "medium"}, Band.SOFT_ACK),
    ({"risk": "high"}, Band.ESCALATE),
]


@pytest.mark.parametrize("said,band", GOOD)
def test_bands(said: dict[str, Any], band: Band) -> None:
    """Axes count; what contradicts them only raises."""
    found, problems = declarations.of_list([{"id": "mcp:db/drop", **said}])
    assert [one.band for one in found] == [band]
    assert [one.code for one in problems] == (
        ["declaration.contradiction"] if len(said) == 2 and "band" in said else []
    )


VOID: list[Any] = [
    {"id": "mcp:db/x", "band": "never"},
    {"id": "mcp:db/x", "scope": "galaxy", "band": "escalate"},
    {"id": "mcp:db/x", "band": ["auto"]},
    {"id": "mcp:db/x", "trust": True},
    {"id": "mcp:db/x"},
    {"id": "mcp:db", "band": "auto"},
    {"id": "mcp:/x", "band": "auto"},
    {"id": "skill:", "band": "auto"},
    {"id": "tool:x", "band": "auto"},
    {"id": 1, "band": "auto"},
    {"id": "mcp:db/x\n", "band": "auto"},
    {"id": "mcp:db/x", "band": "auto", "allow": True},
    {"band": "auto"},
    "mcp:db/x",
]


@pytest.mark.parametrize("entry", VOID, ids=str)
def test_an_unknown_value_voids_the_entry_alone(entry: Any) -> None:
    """The other entries, and the plugin, stay."""
    found, problems = declarations.of_list([entry, {"id": "skill:a", "band": "auto"}])
    assert [one.id for one in found] == ["skill:a"]
    assert [one.code for one in problems] == ["declaration.void"]


def test_of_two_the_stricter_counts() -> None:
    """Whatever their order."""
    two = [{"id": "mcp:a/b", "band": "escalate"}, {"id": "mcp:a/b", "band": "auto"}]
    for listed in (two, two[::-1]):
        assert [one.band for one in declarations.of_list(listed)[0]] == [Band.ESCALATE]


def test_where_declarations_are_read() -> None:
    """Our namespace; a top-level field means nothing, and no default is honoured."""
    held = {"operations": [{"id": "mcp:a/b", "risk": "high"}], "default": "auto"}
    document = {
        "$schema": schema("1.0.0", PLUGIN), "name": "x", "permissions": held,
        "extensions": {declarations.NAMESPACE: held, "com.example": held},
    }  # fmt: skip
    manifest, problems = of_document(document)
    assert manifest is not None
    assert [one.code for one in problems] == ["manifest.unknown-field"]
    found, notes = declarations.of_manifest(manifest)
    assert [one.id for one in found] == ["mcp:a/b"]
    assert [one.code for one in notes] == ["declaration.default"]


def test_lowered_bands() -> None:
    """Lower or gone is breaking, higher and new are not."""
    before = {"a": Band.ESCALATE, "b": Band.SOFT_ACK, "c": Band.AUTO, "d": Band.ESCALATE}
    after = {"a": Band.AUTO, "b": Band.ESCALATE, "c": Band.AUTO, "e": Band.AUTO}
    assert [name for name, _, _ in declarations.lowered(before, after)] == ["a", "d"]


def _around(index: standing.Index | bytes | None = None, overlay: str = "") -> Surroundings:
    files: dict[str, str | None] = {}
    if index is not None:
        raw = index if isinstance(index, bytes) else msgspec.json.encode(index)
        files["/own/data/plugins/index.json"] = raw.decode()
    if overlay:
        files["/own/config/plugins.toml"] = overlay
    return Surroundings(
        host=FrozenHost(files=files),
        home="/home/dev",
        workspace="/work/app",
        cwd="/work/app",
        own=("/own/config", "/own/data"),
    )


def _call(target: str, rule: str = "mcp.read") -> Effect:
    return Effect(action=Action.READ, target=Target(TargetKind.TOOL, target), rule=rule)


def _decisions(
    around: Surroundings, target: str, rule: str = "mcp.read"
) -> list[tuple[str, Band | None, Decision | None]]:
    found = judge([_call(target, rule)], around, None)
    return [(one.rule, band_of(one.axes) if one.axes else None, one.decision) for one in found]


@pytest.mark.parametrize("band", list(Band))
def test_a_declared_band_is_the_floor_of_a_call(band: Band) -> None:
    """It adds a finding of that band, and takes none away."""
    index = standing.Index(operations={"db": {"drop": standing.Operation(band, None, "demo")}})
    plain = _decisions(_around(), "db/drop", "mcp.delete")
    said = _decisions(_around(index), "db/drop", "mcp.delete")
    assert said == [*plain, ("mcp.declared-band", band, None)]
    assert _decisions(_around(index), "db/list") == _decisions(_around(), "db/list") == []


def test_a_server_that_nobody_enabled_asks() -> None:
    """By the name that clients give it; a server of one's own of the same name does not."""
    around = _around(standing.Index(disabled={"plugin_demo_db": "demo"}))
    assert _decisions(around, "plugin_demo_db/list") == [("mcp.plugin-disabled", None, Decision.ASK)]
    assert _decisions(around, "db/list") == []


def test_the_operators_overlay_counts_at_once() -> None:
    """For the server, and for the same server in a plugin."""
    around = _around(overlay='[[operation]]\nid = "mcp:my.db/drop"\nrisk = "high"\n')
    for server in ("my_db", "plugin_demo_my_db"):
        assert _decisions(around, f"{server}/drop") == [("mcp.declared-band", Band.ESCALATE, None)]
    assert _decisions(around, "other/drop") == []


@pytest.mark.parametrize(
    "around", [_around(b"{"), _around(b'{"operations": 1}'), _around(overlay="x = 1"), _around(overlay="[[")]
)
def test_what_cannot_be_read_asks(around: Surroundings) -> None:
    """Doubt is a question."""
    assert [(rule, decision) for rule, _, decision in _decisions(around, "db/list")] == [
        ("mcp.plugins-unreadable", Decision.ASK)
    ]


@pytest.mark.parametrize("text", ['drafts = "no"', "x = 1", '[[operation]]\nid = "mcp:a/b"\nband = "never"', "\ufeff["])
def test_an_operators_mistake_is_told(text: str) -> None:
    """Unlike an author's."""
    with pytest.raises(operator.SettingsError):
        operator.parse(text.encode())


values = st.sampled_from(["auto", "soft-ack", "escalate", "reversible", "hard-to-reverse", "irreversible", "local", "shared-remote", "external", "trusted", "untrusted", "low", "medium", "high"])  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.dictionaries(st.sampled_from(sorted(declarations.KEYS)), values | st.none() | st.just("mcp:a/b"), max_size=7)
    )
)
def test_no_entry_lowers_another(listed: list[dict[str, Any]]) -> None:
    """Adding entries never lowers a band."""
    found = {one.id: one.band for one in declarations.of_list(listed)[0]}
    fewer = {one.id: one.band for one in declarations.of_list(listed[:-1])[0]}
    assert all(found[named].rank >= band.rank for named, band in fewer.items())
