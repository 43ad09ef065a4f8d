"""Commands that were really run in a throw-away folder: what they did must show in what is read of them."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from checkrail.facts.host import FrozenHost
from checkrail.model import Action, Decision, Effect, Event, EventKind, TargetKind, Verdict
from checkrail.pipeline import decide
from checkrail.policy import BUILT_IN

SHARED = Path(os.environ.get("CHECKRAIL_SHARED", Path(__file__).parents[2] / "shared"))
CASES = SHARED / "cases" / "verified-effects.jsonl"

CWD = "/work/app"
TOUCHES = frozenset((Action.WRITE, Action.APPEND, Action.CREATE, Action.DELETE, Action.MODE, Action.CHANGE))
TAKES = TOUCHES - {Action.CREATE}

BOOKKEEPING = (".git/index", ".npm/")
"""What a tool that only shows keeps for itself: git's cache of file times, npm's logs."""


def _rows() -> list[dict[str, Any]]:
    if not CASES.exists():
        return []
    rows = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]
    return [
        {**row, **{key: _expected(row[key]) for key in ("created", "removed", "changed", "git_dir")}} for row in rows
    ]


def _expected(paths: list[str]) -> list[str]:
    return [path for path in paths if not path.startswith(BOOKKEEPING)]


ROWS = _rows()
pytestmark = pytest.mark.skipif(not ROWS, reason="the shared cases are not here; set CHECKRAIL_SHARED")


def judged(command: str) -> Verdict:
    """The verdict on a command in an ordinary project, nothing of which exists on disk."""
    event = Event(agent="claude", kind=EventKind.PRE, tool="Bash", input={"command": command}, cwd=CWD)
    return decide(event, host=FrozenHost(home="/home/dev"), policy=BUILT_IN)


def _covered_otherwise(verdict: Verdict) -> bool:
    """Whether no explicit allow can follow: something is not read or not judged, or a person is asked."""
    return bool(verdict.reading.opaque or verdict.reading.unread) or verdict.decision is not Decision.ALLOW


def _touches(effect: Effect, path: str, actions: frozenset[Action]) -> bool:
    if effect.action not in actions:
        return False
    if effect.target.kind is not TargetKind.PATH:
        return True
    whole = f"{CWD}/{path}".rstrip("/")
    target = effect.target.value.rstrip("/*")
    return whole.startswith(target) or target.startswith(whole) or "\ufffc" in target or "\ufffb" in target


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["command"][:60])
def test_what_acts_is_never_called_reading(row: dict[str, Any]) -> None:
    """No command that ran foreign code, or created, changed or removed a file, may be allowed as a mere read."""
    acted = row["exec"] or row["created"] or row["removed"] or row["changed"] or row["git_dir"]
    assert not (acted and judged(row["command"]).reads_only)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["command"][:60])
def test_every_change_shows(row: dict[str, Any]) -> None:
    """Each file that was removed or changed is the target of such an effect, each created one of any, unless it is covered otherwise."""
    verdict = judged(row["command"])
    if _covered_otherwise(verdict):
        return
    effects = verdict.reading.effects
    assert not row["exec"] or any(effect.action is Action.EXECUTE for effect in effects)
    wanted = [(path, TAKES) for path in (*row["removed"], *row["changed"])] + [
        (path, TOUCHES) for path in row["created"]
    ]
    assert [path for path, actions in wanted if not any(_touches(effect, path, actions) for effect in effects)] == []
