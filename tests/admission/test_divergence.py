"""Promises of a description held against the schema beside it: contradictions and near misses of our own."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from checkrail.admission import names
from checkrail.admission.promises import promises
from tests.admission.definitions import judged, rules_of

CASES: dict[str, list[list[str]]] = tomllib.loads(
    Path(__file__).with_name("divergence_cases.toml").read_text(encoding="utf-8")
)


def _diverges(row: list[str]) -> bool:
    name, description, properties, annotations = row
    described: dict[str, Any] = {
        "name": name,
        "description": description,
        "inputSchema": {"type": "object", "properties": json.loads(properties)},
        "annotations": json.loads(annotations),
    }
    return "divergence" in rules_of(judged(described))


@pytest.mark.parametrize(("kind", "expected"), [("divergent", True), ("missed", False), ("honest", False)])
def test_divergence(kind: str, expected: bool) -> None:
    """A miss that is found some day moves up."""
    assert [row[0] for row in CASES[kind] if _diverges(row) is not expected] == []


@pytest.mark.parametrize(
    ("said", "families"),
    [
        ("Does not delete files.", {"delete"}),
        ("Explains it without running it.", {"run"}),
        ("No payments are made.", {"pay"}),
        ("Nothing gets deleted.", {"delete"}),
        ("Does not delete files unless purge is set.", set()),
        ("With dry_run nothing is changed.", set()),
        ("It does not change permissions.", set()),
    ],
)
def test_denials(said: str, families: set[str]) -> None:
    """What a description says that it leaves undone, as a whole and not for a mode or a part."""
    made = promises(f"Checks something. {said}", tuple(names.words("check_it")))
    assert {family for family, _ in made.denied} == families


def test_what_alters_promises_little() -> None:
    """That an editor leaves something alone does not make it a reader."""
    assert promises("Edits a file. Never changes the original.", ("edit", "file")).denied == ()
