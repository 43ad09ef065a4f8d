"""Real commands, where a collection of them lies beside the checkout."""

import json
import os
from pathlib import Path

import pytest

from checkrail.readers.shell.grammar.parser import parse

SHARED = Path(os.environ.get("CHECKRAIL_SHARED", Path(__file__).parents[4] / "shared"))


@pytest.mark.parametrize("name", ["agent-commands", "dangerous-commands"])
def test_real_commands_are_read_whole(name: str) -> None:
    """At least 999 of 1,000 valid commands have nothing unsupported in them."""
    path = SHARED / "corpora" / f"{name}.jsonl"
    if not path.exists():
        pytest.skip(f"no collection of commands at {path}")
    rows = [json.loads(line) for line in path.read_text().split("\n") if line]
    valid = [row["command"] for row in rows if row.get("bash_n", "ok") == "ok"]
    unread = sum(1 for command in valid if parse(command).unsupported)
    assert unread <= len(valid) / 1000
