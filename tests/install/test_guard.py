"""A change of settings that unhooks Checkrail is seen."""

import json
from pathlib import Path
from typing import Any

import pytest

from checkrail.install import change, guard, hook, record
from checkrail.model import Event, EventKind
from checkrail.places import Places


def notice(path: Path, fault: str = "") -> Event:
    """The agent's notice that a settings file changed."""
    return Event(
        agent="claude", kind=EventKind.CONFIG, input={"source": "user_settings", "file_path": str(path)}, fault=fault
    )


@pytest.fixture
def settings(home: Path, where: Places) -> Path:
    """Settings that hold our hooks."""
    path = home / ".claude/settings.json"
    change.apply(change.planned(path, hook.path(where), "/py", None), where, record.Record())
    return path


def edit(path: Path, **fields: Any) -> None:
    """Changes keys of the settings."""
    path.write_text(json.dumps({**json.loads(path.read_text()), **fields}))


def test_a_harmless_change_passes(settings: Path) -> None:
    """The hook is still there."""
    edit(settings, model="y")
    assert guard.config_change(notice(settings)) == ""


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"disableAllHooks": True}, "disableAllHooks"),
        ({"disableAllHooks": "yes"}, "disableAllHooks"),
        ({"env": {"CLAUDE_CODE_SIMPLE": "1"}}, "CLAUDE_CODE_SIMPLE"),
        ({"hooks": {}}, "is gone from this file"),
        ({"hooks": {"PreToolUse": []}}, "is gone from this file"),
        ({"hooks": []}, "is gone from this file"),
    ],
)
def test_an_unhooking_change_is_told(settings: Path, fields: dict[str, Any], told: str) -> None:
    """With the file and the way to do it properly."""
    edit(settings, **fields)
    problem = guard.config_change(notice(settings))
    assert told in problem
    assert "checkrail uninstall" in problem


@pytest.mark.parametrize("content", ["", "{", "[]"])
def test_our_file_emptied_or_broken_is_told(settings: Path, content: str) -> None:
    """The agent would load no hook from it."""
    settings.write_text(content)
    assert "is gone" in guard.config_change(notice(settings))
    settings.unlink()
    assert "is gone" in guard.config_change(notice(settings))


@pytest.mark.usefixtures("settings")
def test_another_file_needs_no_hook_of_ours(home: Path) -> None:
    """But may not turn all hooks off."""
    other = home / "p/.claude/settings.local.json"
    other.parent.mkdir(parents=True)
    for content in ("{}", "{", ""):
        other.write_text(content)
        assert guard.config_change(notice(other)) == ""
    other.write_text('{"disableAllHooks": false}')
    assert guard.config_change(notice(other)) == ""
    other.write_text('{"disableAllHooks": true}')
    assert "disableAllHooks" in guard.config_change(notice(other))


def test_after_uninstalling_the_change_passes(settings: Path, where: Places) -> None:
    """The record goes first, so our own removal is no attack."""
    (entry,) = record.load(where).settings
    change.take_out(change.planned_removal(entry), where, record.load(where))
    assert guard.config_change(notice(settings)) == ""


@pytest.mark.usefixtures("home")
def test_a_notice_without_a_file_or_with_a_fault() -> None:
    """A change of skills names no file; what was not understood is stopped."""
    assert guard.config_change(Event(agent="claude", kind=EventKind.CONFIG)) == ""
    assert "not understood" in guard.config_change(notice(Path("/x"), fault="nonsense"))
