"""Claude Code's settings: ours in, ours out, theirs untouched."""

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from checkrail.install import claude
from checkrail.install.entries import is_ours
from checkrail.install.json_text import SettingsError

HOOK = Path("/home/u/my data/checkrail/hooks/checkrail-hook")
WANTED = claude.entries(HOOK, "/home/u/venv/bin/python3", None)
FOREIGN = {"type": "command", "command": "/opt/other/hook"}

TEXTS = [
    "{}\n",
    '{\n  "model": "x"\n}\n',
    '{ "a": 1 }',
    (
        '{\n\t"hooks": {\n\t\t"PreToolUse": [\n\t\t\t{ "matcher": "Bash", "hooks": [ {"type": "command", "command": "x"} ] }\n'
        '\t\t],\n\t\t"Stop": []\n\t},\n\t"z": [1,2]\n}'
    ),
    '{"permissions": {"allow": ["Bash(ls)",  "x"]}, "q": "é\\u00e9"}',
    '{\r\n    "model": "x",\r\n    "a": {}\r\n}\r\n',
]


@pytest.mark.parametrize("text", TEXTS)
def test_installing_is_idempotent_and_removing_gives_the_bytes_back(text: str) -> None:
    """In any style of writing."""
    once = claude.with_entries(text, "s", WANTED)
    assert claude.with_entries(once, "s", WANTED) == once
    assert set(claude.commands(json.loads(once))) == set(WANTED)
    assert claude.without(once, "s") == text


def test_everything_foreign_is_kept_in_order() -> None:
    """Keys, hooks of others, and their spelling."""
    once = claude.with_entries(TEXTS[3], "s", WANTED)
    settings = json.loads(once)
    assert list(settings) == ["hooks", "z"]
    assert settings["hooks"]["PreToolUse"][0] == {"matcher": "Bash", "hooks": [{"type": "command", "command": "x"}]}
    assert '"z": [1,2]' in once


@pytest.mark.parametrize("text", ["", "  \n", "\ufeff"])
def test_an_empty_file_becomes_settings(text: str) -> None:
    """Nothing was there to keep."""
    assert json.loads(claude.with_entries(text, "s", WANTED))["hooks"].keys() == WANTED.keys()


def test_a_byte_order_mark_stays() -> None:
    """At the front."""
    once = claude.with_entries("\ufeff{}", "s", WANTED)
    assert once.startswith("\ufeff{")
    assert claude.with_entries(once, "s", WANTED) == once


def test_an_older_hook_of_ours_is_replaced_and_not_doubled() -> None:
    """Whatever its form and place."""
    old = {
        "hooks": {
            "PreToolUse": [
                {"matcher": "*", "hooks": [{"type": "command", "command": "/old/py -I -S /old/checkrail-hook --agent claude"}, FOREIGN]},
                {"matcher": "*", "hooks": [{"type": "command", "command": "/old/py", "args": ["-I", "/old/checkrail-hook"]}]},
            ],
            "Stop": [{"hooks": [{"type": "command", "command": "'/old place/checkrail-hook' --agent claude"}]}],
        }
    }  # fmt: skip
    settings = json.loads(claude.with_entries(json.dumps(old), "s", WANTED))
    assert [len(claude.handlers(settings, event)) for event in WANTED] == [1] * len(WANTED)
    assert FOREIGN in settings["hooks"]["PreToolUse"][0]["hooks"]
    assert claude.handlers(settings, "Stop") == []


@pytest.mark.parametrize(
    ("handler", "ours"),
    [
        ({"command": "/x/checkrail-hook --agent claude"}, True),
        ({"command": "'/a b/checkrail-hook'"}, True),
        ({"command": "/py", "args": ["-I", "/x/checkrail-hook"]}, True),
        ({"command": "/x/checkrail-hooks"}, False),
        ({"command": "/x/not-checkrail-hook.sh"}, False),
        ({"command": "/x/my-checkrail-hook"}, False),
        ({"type": "http", "url": "http://x"}, False),
        ({"command": 1, "args": [2]}, False),
    ],
)
def test_only_our_own_handlers_are_ours(handler: Any, ours: bool) -> None:
    """Told by the name of the hook's file."""
    assert is_ours(handler) is ours


@pytest.mark.parametrize("text", ['{"hooks": []}', '{"hooks": {"PreToolUse": {}}}', '{"hooks": "x"}', "[]", "{"])
def test_a_shape_that_is_not_known_is_refused(text: str) -> None:
    """Nothing is overwritten."""
    with pytest.raises(SettingsError, match="nothing was changed"):
        claude.with_entries(text, "s", WANTED)


def test_odd_entries_of_others_do_not_disturb() -> None:
    """Groups and handlers of other shapes stay where they are."""
    text = json.dumps({"hooks": {"PreToolUse": [1, {"hooks": "x"}, {"hooks": [2, {"command": 3}]}, {}]}})
    once = claude.with_entries(text, "s", WANTED)
    assert json.loads(once)["hooks"]["PreToolUse"][:4] == [1, {"hooks": "x"}, {"hooks": [2, {"command": 3}]}, {}]
    assert json.loads(claude.without(once, "s")) == json.loads(text)


def test_a_failure_of_the_hook_blocks_and_waits_are_bounded() -> None:
    """For every event before something happens."""
    for event in ("PreToolUse", "PreSkillShellCommand", "ConfigChange"):
        assert WANTED[event]["hooks"][0]["onFailure"] == "block"
    assert all(group["hooks"][0]["timeout"] == claude.TIMEOUT_S for group in WANTED.values())
    assert WANTED["PreToolUse"]["matcher"] == "*"


def test_the_command_is_one_quoted_line() -> None:
    """That a shell takes apart as meant, and that says agent and event."""
    words = shlex.split(WANTED["PreToolUse"]["hooks"][0]["command"])
    assert words == ["/home/u/venv/bin/python3", "-I", "-S", str(HOOK), "--agent", "claude", "--event", "PreToolUse"]


def test_older_versions_get_only_the_events_they_know() -> None:
    """Since an unknown one could cost the whole file."""
    assert set(claude.entries(HOOK, "/py", (2, 0, 0))) == {"PreToolUse", "PostToolUse", "SessionStart"}
    assert "ConfigChange" in claude.entries(HOOK, "/py", (2, 1, 49))
    assert claude.entries(HOOK, "/py", (2, 1, 332)).keys() == WANTED.keys()


def test_the_settings_file_follows_the_scope() -> None:
    """The user's own, another configuration directory, a project's private one."""
    environment = {"HOME": "/h"}
    assert claude.settings_path("user", environment, "/p") == Path("/h/.claude/settings.json")
    assert claude.settings_path("user", {**environment, "CLAUDE_CONFIG_DIR": "/c"}, "/p") == Path("/c/settings.json")
    assert claude.settings_path("user", {**environment, "CLAUDE_CONFIG_DIR": "rel"}, "/p").is_relative_to("/h")
    assert claude.settings_path("project", environment, "/p") == Path("/p/.claude/settings.local.json")


def test_the_version_is_asked_of_the_program(tmp_path: Path) -> None:
    """None where there is no program or it says nothing of use."""
    assert claude.version({"PATH": str(tmp_path)}) is None
    program = tmp_path / "claude"
    program.write_text("#!/bin/sh\necho '2.1.332 (Claude Code)'\n")
    program.chmod(0o700)
    assert claude.version({"PATH": str(tmp_path)}) == (2, 1, 332)
    program.write_text("#!/bin/sh\necho dunno\n")
    assert claude.version({"PATH": str(tmp_path)}) is None
    assert claude.found({"PATH": str(tmp_path), "HOME": "/nowhere"})
    assert not claude.found({"PATH": "/nowhere", "HOME": "/nowhere"})
