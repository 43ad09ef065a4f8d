"""The project of a session, for an agent whose calls name only where they run."""

from pathlib import Path

import msgspec
import pytest

from checkrail.model import Event, EventKind
from checkrail.session import began

START = Event(agent="codex", kind=EventKind.SESSION, session="s1", cwd="/work/app", project="/work/app")
CALL = Event(
    agent="codex", kind=EventKind.PRE, session="s1", tool="Bash", cwd="/home/dev/other", project="/home/dev/other"
)


def test_the_folder_of_the_start_is_the_project_wherever_a_call_runs(tmp_path: Path) -> None:
    """A session that starts anew elsewhere moves it; a sub-agent does not."""
    where = str(tmp_path)
    assert began.placed(where, CALL) is CALL
    began.placed(where, START)
    assert began.placed(where, CALL) == msgspec.structs.replace(CALL, project="/work/app")
    began.placed(where, msgspec.structs.replace(START, cwd="/elsewhere", subagent="x/1"))
    assert began.placed(where, CALL).project == "/work/app"
    began.placed(where, msgspec.structs.replace(START, cwd="/work/two"))
    assert began.placed(where, CALL).project == "/work/two"
    assert began.placed(where, CALL).cwd == "/home/dev/other"


def test_only_agents_that_need_it_and_only_their_own_session(tmp_path: Path) -> None:
    """Claude Code names its project; another session, an event without one and a fault tell nothing."""
    where = str(tmp_path)
    for event in (
        msgspec.structs.replace(START, agent="claude"), msgspec.structs.replace(START, session=""), msgspec.structs.replace(START, fault="x"),
    ):  # fmt: skip
        began.placed(where, event)
    assert not (tmp_path / "began").exists()
    began.placed(where, START)
    for event in (msgspec.structs.replace(CALL, session="s2"), msgspec.structs.replace(CALL, agent="claude"), START):
        assert began.placed(where, event) is event


def test_what_cannot_be_kept_or_read_changes_nothing(tmp_path: Path) -> None:
    """A file in the way, a folder whose name no link can hold, something else in its place."""
    blocked = tmp_path / "file"
    blocked.write_text("")
    began.placed(str(blocked), START)
    assert began.placed(str(blocked), CALL) is CALL
    where = tmp_path / "r"
    began.placed(str(where), msgspec.structs.replace(START, cwd="/" + "x" * 9000))
    assert began.placed(str(where), CALL) is CALL
    began.placed(str(where), START)
    (kept,) = (where / "began").iterdir()
    kept.unlink()
    kept.write_text("/work/app")
    assert began.placed(str(where), CALL) is CALL


def test_old_sessions_are_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that the folder does not grow."""
    monkeypatch.setattr(began, "MOST", 3)
    for number in range(6):
        began.placed(str(tmp_path), msgspec.structs.replace(START, session=f"s{number}"))
    assert len(list((tmp_path / "began").iterdir())) == 3
