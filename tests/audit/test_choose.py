"""Which lines are shown."""

import json
from typing import Any

import pytest

from checkrail.audit.choose import Choice, since
from checkrail.audit.records import record
from tests.audit.lines import outcome, verdict


def takes(choice: Choice, entry: dict[str, Any]) -> bool:
    """Whether a choice takes an entry."""
    line = json.dumps({**entry, "number": 1}).encode()
    found = record(line)
    assert found is not None
    return choice.takes(found, line)


@pytest.mark.parametrize(
    ("fields", "hit", "miss"),
    [
        ({"decisions": ("ask", "deny")}, {}, {"decision": "allow"}),
        ({"rule": "git.*"}, {}, {"rules": ["file.write"]}),
        ({"rule": "git.push"}, {}, {"rules": ["git.push.force"]}),
        ({"rule": "git.push"}, {"rules": ["a", "git.push"]}, {"rules": []}),
        ({"agent": "claude"}, {}, {"agent": "codex"}),
        ({"agent": "rev*"}, {"subagent": "reviewer/1"}, {}),
        ({"session": "s1"}, {}, {"session": "s"}),
        ({"since": "2026-11-29T08:00:00.000Z"}, {}, {"time": "2026-11-29T07:59:59.999Z"}),
        ({"literal": "git push"}, {}, {"summary": "git pull", "input": {"command": "git pull"}}),
        ({"literal": "ü[x"}, {"input": {"a": ["ü[x]"]}}, {}),
        ({"literal": "command"}, {"summary": "x", "action": "x"}, {"input": {}, "action": "x", "gates": []}),
    ],
)
def test_every_condition_holds_alone(fields: dict[str, Any], hit: dict[str, Any], miss: dict[str, Any]) -> None:
    """A hit and a near miss each."""
    assert takes(Choice(**fields), verdict(**hit))
    assert not takes(Choice(**fields), verdict(**miss))


def test_outcomes_are_shown_on_request() -> None:
    """They follow each call and would double the list."""
    assert not takes(Choice(), outcome())
    assert takes(Choice(outcomes=True), outcome())


@pytest.mark.parametrize(
    ("text", "stamp"),
    [
        ("90s", "1970-01-01T11:58:30.000Z"),
        ("30m", "1970-01-01T11:30:00.000Z"),
        ("12h", "1970-01-01T00:00:00.000Z"),
        ("2026-11-29", "2026-11-29T00:00:00.000Z"),
        ("2026-11-29T08:15", "2026-11-29T08:15:00.000Z"),
        ("2026-11-29T08:15+02:00", "2026-11-29T06:15:00.000Z"),
    ],
)
def test_times_are_read(text: str, stamp: str) -> None:
    """Relative to now, or absolute."""
    assert since(text, now=12 * 3600) == stamp


@pytest.mark.parametrize("text", ["", "yesterday", "5", "5y", "-5m", "2026-13-01"])
def test_other_times_are_refused(text: str) -> None:
    """With an error, not with the whole log."""
    with pytest.raises(ValueError, match=r"."):
        since(text)


@pytest.mark.parametrize(
    "line", [b"", b"nonsense", b"[]", b"{}", b'{"number":"x"}', b'{"number":1,"rules":5}', b"\xff"]
)
def test_a_damaged_line_is_no_record(line: bytes) -> None:
    """And no crash."""
    assert record(line) is None
