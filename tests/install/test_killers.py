"""What keeps installed hooks from running without a word is found, with its mend."""

import json
import os
from pathlib import Path

import pytest

from checkrail import heartbeat
from checkrail.cli import main
from checkrail.install import doctor, killers, pulse, record
from checkrail.model import Event, EventKind
from checkrail.places import Places
from tests.install.test_every_agent import full

__all__ = ["full"]


def told(where: Places, agent: str, project: str = "/nowhere", **environment: str) -> list[str]:
    """The problems of one agent."""
    around = {**os.environ, **environment}
    problems = [problem for problem, mend in killers.found(record.load(where), around, project) if mend]
    return [problem for problem in problems if problem.startswith(f"{agent}: ")]


def install(*agents: str) -> Places:
    """In, without a daemon; the places that then count."""
    from checkrail import places

    assert main(["install", "--no-daemon", *agents]) == 0
    return places.find()


def test_codex_skips_what_is_not_trusted(full: Path) -> None:
    """By a digest of event, matcher and handler, in the form that Codex 0.171 was seen to use."""
    where = install("codex")
    assert len(told(where, "codex")) == 3
    hooks = json.loads((full / ".codex/hooks.json").read_text())["hooks"]
    lines = []
    for event, snake in (
        ("PreToolUse", "pre_tool_use"),
        ("PostToolUse", "post_tool_use"),
        ("SessionStart", "session_start"),
    ):
        number = len(hooks[event]) - 1
        group = hooks[event][number]
        digest = killers.codex_hash(snake, group, group["hooks"][0])
        lines.append(f'[hooks.state."{full}/.codex/hooks.json:{snake}:{number}:0"]\ntrusted_hash = "{digest}"\n')
    (full / ".codex/config.toml").write_text("".join(lines))
    assert told(where, "codex") == []
    (full / ".codex/config.toml").write_text("".join(lines).replace("sha256:", "sha256:0"))
    assert "changed since you trusted it" in told(where, "codex")[0]
    (full / ".codex/config.toml").write_text("".join(lines) + "[features]\nhooks = false\n")
    assert told(where, "codex") == ["codex: features.hooks is false in its config.toml"]


def test_the_digest_of_codex_is_over_compact_sorted_json() -> None:
    """A matcher counts only where there is one."""
    handler = {"type": "command", "command": "x", "timeout": 15}
    bare = killers.codex_hash("pre_tool_use", {}, handler)
    assert bare.startswith("sha256:") and len(bare) == 71
    assert bare != killers.codex_hash("pre_tool_use", {"matcher": ""}, handler)


def test_switches_that_turn_hooks_off(full: Path, tmp_path: Path) -> None:
    """Of the user and of the project where the doctor is asked."""
    where = install("qwen", "copilot", "droid", "goose")
    for agent in ("qwen", "copilot", "droid", "goose"):
        assert told(where, agent) == []
    (tmp_path / ".qwen").mkdir()
    (tmp_path / ".qwen/settings.json").write_text('{"disableAllHooks": true} // off')
    assert "disableAllHooks" in told(where, "qwen", str(tmp_path))[0]
    (full / ".copilot/settings.json").write_text('{"disableAllHooks": true}')
    assert "disableAllHooks" in told(where, "copilot")[0]
    (full / ".factory/settings.json").write_text('{"hooksDisabled": true}')
    assert "hooksDisabled" in told(where, "droid")[0]
    (full / ".config/goose/settings.json").write_text('{"disabledPlugins": ["checkrail"]}')
    assert "switches our plugin off" in told(where, "goose")[0]


def test_consent_of_hermes(full: Path) -> None:
    """For exactly this event and command, or for all."""
    where = install("hermes")
    assert len(told(where, "hermes")) == 2
    assert told(where, "hermes", HERMES_ACCEPT_HOOKS="1") == []
    assert "HERMES_SAFE_MODE" in told(where, "hermes", HERMES_SAFE_MODE="1")[0]
    from checkrail.install import forms

    entry = record.load(where).settings[0]
    ours = forms.handlers(Path(entry.path).read_text(), entry.path, forms.home_of(entry))
    agreed = [{"event": event, "command": many[0]["command"]} for event, many in ours.items()]
    (full / ".hermes/shell-hooks-allowlist.json").write_text(json.dumps({"approvals": agreed}))
    assert told(where, "hermes") == []


def test_a_project_that_hides_the_user_s_hooks(full: Path, tmp_path: Path) -> None:
    """OpenHands takes the first file found, Vibe the project's entry of the same name."""
    where = install("openhands", "vibe")
    (tmp_path / ".openhands").mkdir()
    (tmp_path / ".openhands/hooks.json").write_text("{}")
    assert "hides your own hooks" in told(where, "openhands", str(tmp_path))[0]
    (tmp_path / ".vibe").mkdir()
    name = killers._toml(full / ".vibe/hooks.toml")["hooks"][1]["name"]
    (tmp_path / ".vibe/hooks.toml").write_text(f'[[hooks]]\nname = "{name}"\ntype = "pre_tool"\ncommand = "true"\n')
    assert "shadows our hook" in told(where, "vibe", str(tmp_path))[0]


def test_new_agent_files_of_kiro(full: Path) -> None:
    """Its hooks belong to one agent file each."""
    where = install("kiro")
    assert told(where, "kiro") == []
    (full / ".kiro/agents/new.json").write_text('{"name": "new"}')
    assert "new.json has no hook of ours" in told(where, "kiro")[0]


def test_a_command_line_that_cannot_start(full: Path) -> None:
    """Wrong quoting, and an interpreter that is gone."""
    where = install("cursor")
    path = full / ".cursor/hooks.json"
    whole = path.read_text()
    path.write_text(whole.replace(" --agent", " '--agent"))
    assert "not quoted" in told(where, "cursor")[0]
    settings = json.loads(whole)
    for many in settings["hooks"].values():
        many[-1]["command"] = "/gone/python3 -I -S /x/checkrail-hook --agent cursor"
    path.write_text(json.dumps(settings))
    assert "/gone/python3 cannot be run" in told(where, "cursor")[0]


def test_the_doctor_tells_what_differs(full: Path) -> None:
    """A wrong unit of the time limit, a lost switch, an event that is gone."""
    where = install("gemini", "vibe", "cline")

    def problems() -> list[str]:
        known = record.load(where)
        return [check.text for entry in known.settings for check in doctor.foreign(where, known, entry) if not check.ok]

    assert problems() == []
    for name, old, new in (
        (".gemini/settings.json", "15000", "15"), (".vibe/hooks.toml", "strict = true", "strict = false"),
        ("Documents/Cline/Hooks/PreToolUse", "exit 0", "exit 1"),
    ):  # fmt: skip
        path = full / name
        text = path.read_text()
        path.write_text(text.replace(old, new))
        assert len(problems()) == 1 and "differs" in problems()[0]
        path.write_text(text)
    (full / "Documents/Cline/Hooks/PreToolUse").chmod(0o600)
    assert "differs" in problems()[0]


@pytest.mark.usefixtures("full")
def test_an_agent_that_works_unheard_is_found(tmp_path: Path) -> None:
    """Not one that was just installed, nor one that was heard."""
    where = install("codex")
    heard, now = str(tmp_path / "heard"), 2_000_000_000.0
    assert pulse.silence("codex", heard, where, os.environ, now=now) == ""
    session = Path(os.environ["HOME"]) / ".codex/sessions/2026/s.jsonl"
    session.parent.mkdir(parents=True)
    session.write_text("{}")
    os.utime(session, (now, now))
    assert "was never heard" in pulse.silence("codex", heard, where, os.environ, now=now + 300)
    heartbeat.note(heard, Event(agent="codex", kind=EventKind.POST, session="s"))
    os.utime(f"{heard}/codex.post", (now - 7300, now - 7300))
    assert "last heard 2 hours ago" in pulse.silence("codex", heard, where, os.environ, now=now)
    os.utime(f"{heard}/codex.post", (now - 60, now - 60))
    assert pulse.silence("codex", heard, where, os.environ, now=now) == ""


def test_canaries_and_faults_are_no_heartbeat(tmp_path: Path) -> None:
    """Only what an agent really did."""
    for event in (
        Event(agent="codex", kind=EventKind.PRE, session=heartbeat.CANARY),
        Event(agent="codex", kind=EventKind.PRE, fault="x"),
        Event(agent="codex", kind=EventKind.OTHER),
    ):
        heartbeat.note(str(tmp_path / "h"), event)
    assert not (tmp_path / "h").exists()
    assert heartbeat.last(str(tmp_path / "h"), "codex", EventKind.PRE) == 0


def test_hooks_that_gemini_is_told_to_leave_out(full: Path, tmp_path: Path) -> None:
    """All of them, or ours by its name or its command."""
    where = install("gemini")
    path = tmp_path / ".gemini/settings.json"
    path.parent.mkdir()
    for rules, word in (
        ({"enabled": False}, "hooksConfig.enabled is false"), ({"disabled": ["checkrail"]}, "names our hook"),
        ({"disabled": ["/x/checkrail-hook --agent gemini"]}, "names our hook"), ({"enabled": True, "disabled": ["mine"]}, ""), ("odd", ""),
    ):  # fmt: skip
        path.write_text(json.dumps({"hooksConfig": rules}))
        problems = told(where, "gemini", str(tmp_path))
        assert [word in problem for problem in problems] == ([True] if word else []), rules
    assert full


@pytest.mark.parametrize(("agent", "name"), [("claude", "CLAUDE_CODE_SIMPLE"), ("opencode", "OPENCODE_PURE")])
@pytest.mark.usefixtures("full")
def test_variables_that_turn_hooks_off(agent: str, name: str) -> None:
    """Where they are set to something that counts."""
    where = install(agent)
    assert told(where, agent) == [] == told(where, agent, **{name: "0"})
    assert [name in problem for problem in told(where, agent, **{name: "1"})] == [True]


def test_a_byte_order_mark_is_found_where_it_hurts(full: Path) -> None:
    """Grok reads no file that starts with one."""
    where = install("grok")
    path = full / ".grok/hooks/checkrail.json"
    assert told(where, "grok") == []
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert "byte order mark" in told(where, "grok")[0]


def test_a_sandbox_without_the_socket_is_found(full: Path) -> None:
    """Droid runs its hooks inside."""
    where = install("droid")
    path = full / ".factory/settings.json"
    for box, found in (({"enabled": True}, 1), ({"enabled": True, "network": {"allowUnixSockets": True}}, 0), ({"enabled": False}, 0), ("odd", 0)):  # fmt: skip
        path.write_text(json.dumps({"sandbox": box}))
        assert sum("sandbox" in problem for problem in told(where, "droid")) == found
