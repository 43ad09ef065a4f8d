"""Every agent's settings, full of other people's entries: in, proved to be in, and out again to the byte."""

import json
import os
import sys
from pathlib import Path

import pytest

from checkrail.agents import PRESENCES
from checkrail.cli import main
from checkrail.install import change, files, forms, hook, record, targets
from checkrail.install.json_text import SettingsError
from checkrail.places import Places

COMMENTED = """{
  // my theme
  "theme": "dark", /* do not touch */
  "hooks": {
    "BeforeTool": [
      { "matcher": "write_file", "hooks": [ { "type": "command", "command": "mine --check" } ] }, // the linter
    ],
    "PreToolUse": [ { "matcher": "write_file", "hooks": [ { "type": "command", "command": "mine" } ] } ],
  },
}
"""
GROUPED = '{\n\t"model": "x",\r\n\t"hooks": {"PreToolUse": [{"matcher": "Write", "hooks": [{"type": "command", "command": "mine"}]}], "Stop": []}}'
FULL: dict[str, str] = {
    ".claude/settings.json": GROUPED,
    ".codex/hooks.json": GROUPED,
    ".codex/config.toml": 'model = "x"\n',
    ".copilot/hooks/mine.json": '{"version": 1, "hooks": {}}',
    ".cursor/hooks.json": '{"version":1,"hooks":{"beforeShellExecution":[{"command":"mine"}],"stop":[{"command":"bell"}]}}\n',
    ".gemini/settings.json": COMMENTED,
    ".qwen/settings.json": COMMENTED,
    ".config/opencode/plugin/mine.js": "export const Mine = async () => ({})\n",
    ".codeium/windsurf/hooks.json": '{"hooks": {"pre_run_command": [{"command": "mine", "show_output": false}]}}',
    "Documents/Cline/Hooks/TaskStart": "#!/bin/sh\nexit 0\n",
    ".kiro/agents/dev.json": '{"name": "dev", "tools": ["*"], "hooks": {"preToolUse": [{"matcher": "fs_*", "command": "mine"}]}}',
    ".kiro/agents/bare.json": '{"name": "bare"}',
    ".factory/hooks.json": '{"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "mine"}]}], "showHookOutput": true}',
    ".config/goose/config.yaml": "GOOSE_MODE: smart\n",
    ".augment/settings.json": GROUPED,
    ".config/crush/crush.json": '{"$schema": "x", "hooks": {"PreToolUse": [{"name": "mine", "command": "mine"}]}}',
    ".hermes/config.yaml": '# mine\nmodel: "x"   # the good one\nhooks:\n  pre_tool_call:\n  - matcher: terminal\n    command: mine\n\nlast: [1, 2]\n',
    ".gemini/config/hooks.json": '{"mine": {"PreToolUse": []}}',
    ".grok/hooks/mine.json": '{"hooks": {}}',
    ".vibe/hooks.toml": '# mine\n[[hooks]]\nname = "mine"   # a linter\ntype = "pre_tool"\ncommand = "mine"\n',
    ".openhands/hooks.json": '{"pre_tool_use": [{"matcher": "*", "hooks": [{"type": "command", "command": "mine"}]}]}',
    ".kimi-code/config.toml": '# mine\ntheme = "dark"\n\n[[hooks]]\nevent = "PreToolUse"   # a linter\ncommand = "mine"\n\n[models.x]\nname = "y"\n',
    ".vscode/argv.json": "{}",
}


@pytest.fixture
def full(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with every agent's settings in it."""
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "CODEX_HOME", "COPILOT_HOME", "HERMES_HOME", "FACTORY_HOME_OVERRIDE"):  # fmt: skip
        monkeypatch.delenv(name, raising=False)
    for name, text in FULL.items():
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    return home


def snapshot(home: Path) -> dict[str, bytes]:
    """Every file but Checkrail's own, with its bytes."""
    own = (".local/", ".config/checkrail", "Library/")
    found = {str(path.relative_to(home)): path for path in sorted(home.rglob("*")) if path.is_file()}
    return {name: path.read_bytes() for name, path in found.items() if not name.startswith(own)}


def folders(home: Path) -> set[str]:
    """Every folder but Checkrail's own."""
    return {
        str(path.relative_to(home))
        for path in home.rglob("*")
        if path.is_dir() and ".local" not in path.parts and path.name != "checkrail"
    }


def installed(home: Path) -> None:
    """Everything in, without a daemon."""
    assert main(["install", "--no-daemon"]) == 0, home


def test_all_in_and_out_again_to_the_byte(full: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Files and folders; installing twice changes nothing more."""
    before, around = snapshot(full), folders(full)
    installed(full)
    told = capsys.readouterr().out
    once = snapshot(full)
    changed = {name for name, text in once.items() if before.get(name) != text}
    for agent in set(PRESENCES) - {"vscode"}:
        assert f"{agent}: " in told
    assert len(changed) >= 20
    installed(full)
    assert snapshot(full) == once
    assert main(["uninstall"]) == 0
    assert snapshot(full) == before
    assert folders(full) - {".config"} <= around | {".config"}


def test_others_entries_and_comments_stay(full: Path) -> None:
    """Byte for byte around ours, in every language."""
    installed(full)
    text = (full / ".gemini/settings.json").read_text()
    for piece in ("// my theme", "/* do not touch */", "// the linter", '"command": "mine --check"'):
        assert piece in text
    assert "# the good one" in (full / ".hermes/config.yaml").read_text()
    assert "# a linter" in (full / ".vibe/hooks.toml").read_text()
    assert json.loads((full / ".factory/hooks.json").read_text())["PreToolUse"][0]["hooks"][0]["command"] == "mine"


@pytest.mark.parametrize("name", sorted(FULL))
def test_a_foreign_change_after_us_is_kept(full: Path, name: str) -> None:
    """Then our entries alone are taken out, and what is left says the same as before."""
    installed(full)
    path = full / name
    changed = path.read_bytes() == FULL[name].encode()
    path.write_bytes(path.read_bytes() + b"\n")
    assert main(["uninstall"]) == 0
    left = path.read_text()
    assert "checkrail" not in left
    if changed:
        assert left == FULL[name] + "\n"
    elif "//" not in left and name.endswith(".json"):
        assert json.loads(left) == json.loads(FULL[name])
    for piece in ("// my theme", "/* do not touch */", "// the linter", "# a linter", "# the good one"):
        assert (piece in left) is (piece in FULL[name])


def test_each_entry_has_its_switches(full: Path, where: Places) -> None:  # noqa: ARG001
    """The time limit in the agent's own unit, and what makes a failing hook block."""
    installed(full)
    read = {name: (full / name).read_text() for name in FULL}
    assert json.loads(read[".claude/settings.json"])["hooks"]["PreToolUse"][1]["hooks"][0]["onFailure"] == "block"
    cursor = json.loads(read[".cursor/hooks.json"])["hooks"]
    assert all(
        cursor[event][-1]["failClosed"]
        for event in ("beforeShellExecution", "beforeMCPExecution", "beforeReadFile", "preToolUse")
    )
    assert '"timeout": 15000' in read[".gemini/settings.json"]
    assert '"timeout": 15000' in read[".qwen/settings.json"]
    assert '"timeout": 15000' in read[".augment/settings.json"]
    assert json.loads(read[".kiro/agents/dev.json"])["hooks"]["preToolUse"][1]["timeout_ms"] == 15000
    assert "fail_closed: true" in read[".hermes/config.yaml"]
    assert "strict = true" in read[".vibe/hooks.toml"]
    goose = json.loads((full / ".agents/plugins/checkrail/hooks/hooks.json").read_text())
    assert goose["hooks"]["PreToolUse"][0]["hooks"][0]["on_failure"] == "block"
    assert goose["hooks"]["PreToolUse"][0]["matcher"] == ".*"
    assert os.access(full / "Documents/Cline/Hooks/PreToolUse", os.X_OK)


def test_droid_s_hooks_go_where_its_hooks_are(full: Path) -> None:
    """A new hooks.json would hide those in its settings."""
    (full / ".factory/hooks.json").unlink()
    (full / ".factory/settings.json").write_text(GROUPED.replace("\t", ""))
    installed(full)
    assert not (full / ".factory/hooks.json").exists()
    assert "--agent droid" in (full / ".factory/settings.json").read_text()


def test_a_foreign_hook_of_cline_is_not_replaced(full: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It takes one file per event, so the person has to decide; the other agents are installed for all the same."""
    mine = full / "Documents/Cline/Hooks/PreToolUse"
    mine.write_text("#!/bin/sh\nexit 0\n")
    assert main(["install", "--no-daemon"]) == 1
    assert "not ours" in capsys.readouterr().err
    assert mine.read_text() == "#!/bin/sh\nexit 0\n"
    assert "checkrail" in (full / ".codex/hooks.json").read_text()


def test_broken_settings_of_one_agent_stop_only_that_one(full: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """And they stay as they are."""
    for name, text in ((".codex/hooks.json", "{"), (".vibe/hooks.toml", "[["), (".hermes/config.yaml", "a: [")):
        (full / name).write_text(text)
    assert main(["install", "--no-daemon"]) == 1
    told = capsys.readouterr().err
    assert told.count("mend it first, nothing was changed") == 3
    assert (full / ".codex/hooks.json").read_text() == "{"
    assert "checkrail" in (full / ".qwen/settings.json").read_text()


def test_projects(full: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Agents that know settings of a project get them there; the others say so when named."""
    project = tmp_path / "p"
    project.mkdir()
    monkeypatch.chdir(project)
    assert main(["install", "--scope", "project", "--no-daemon"]) == 0
    assert (project / ".codex/hooks.json").exists()
    assert (project / ".github/hooks/checkrail.json").exists()
    assert (project / ".github/hooks/checkrail-vscode.json").exists()
    assert main(["uninstall"]) == 0
    assert list(project.iterdir()) == []
    assert main(["install", "hermes", "--scope", "project", "--no-daemon"]) == 1
    assert snapshot(full).keys() == FULL.keys()


def test_a_dry_run_shows_everything_and_changes_nothing(full: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As a diff per file."""
    before = snapshot(full)
    assert main(["install", "--dry-run"]) == 0
    told = capsys.readouterr().out
    assert told.count("would change") >= 20
    assert "+++" in told
    assert snapshot(full) == before


def test_managed_settings_run_a_hook_that_finds_each_user_s_own(where: Places) -> None:
    """By one command that is the same for all users."""
    words = ("/usr/local/lib/checkrail/checkrail-hook", "--agent", "cursor")
    (target,) = targets.targets("cursor", "managed", os.environ, "")
    planned = change.planned_for(target, lambda agent, event, wait: (*words, "--event", event))  # noqa: ARG005
    assert str(planned.path) == "/etc/cursor/hooks.json"
    assert json.loads(planned.after or b"")["hooks"]["preToolUse"][0]["command"].startswith(words[0])
    with pytest.raises(SettingsError, match="no managed settings"):
        targets.targets("grok", "managed", os.environ, "")
    assert record.load(where) == record.Record()


def test_the_recorded_home_is_found_again(full: Path, where: Places) -> None:
    """So that uninstalling and the doctor look in the right form."""
    installed(full)
    for entry in record.load(where).settings:
        home = forms.home_of(entry)
        text = (files.read(Path(entry.path)) or b"").decode()
        assert forms.handlers(text, entry.path, home), entry
    assert hook.path(where).exists() and sys.executable == record.load(where).python
