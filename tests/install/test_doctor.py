"""Each thing that can be wrong is found, with its mend."""

import json
import os
import sys
from pathlib import Path

import msgspec
import pytest

from checkrail.admission import pins
from checkrail.admission.records import Definition
from checkrail.audit import Log
from checkrail.install import canary, change, doctor, hook, record
from checkrail.places import Places, secure_directory


@pytest.fixture
def installed(home: Path, where: Places, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installation without a daemon, whose canaries are taken for granted; gives the settings file."""
    for place in (where.config, where.data, where.state):
        secure_directory(place)
    path = home / ".claude/settings.json"
    known = msgspec.structs.replace(record.Record(), python=sys.executable, hook=str(hook.put(where, os.environ)))
    record.save(where, change.apply(change.planned(path, hook.path(where), sys.executable, None), where, known))
    monkeypatch.setattr(canary, "prove", lambda _entry: [canary.Result(True, "stopped")])
    monkeypatch.setenv("PATH", "/nowhere")
    return path


def problems(where: Places) -> list[str]:
    """What the doctor finds, without the daemon, which does not run here."""
    return [check.text for check in doctor.checks(where) if not check.ok and "no daemon answers" not in check.text]


@pytest.mark.usefixtures("installed")
def test_a_sound_installation_has_no_problem(where: Places) -> None:
    """And the missing daemon is found."""
    assert problems(where) == []
    assert any("no daemon answers" in check.text for check in doctor.checks(where))


@pytest.mark.usefixtures("home")
def test_nothing_installed_is_a_problem(where: Places) -> None:
    """With the way to install."""
    assert "no agent's settings hold the hook" in problems(where)


def test_traps_in_the_settings_are_found(installed: Path, where: Places) -> None:
    """Hooks turned off, ours gone, ours doubled, another command, broken JSON."""
    text = installed.read_text()
    settings = json.loads(text)
    installed.write_text(json.dumps({**settings, "disableAllHooks": True}))
    assert any("disableAllHooks" in told for told in problems(where))
    installed.write_text("{}")
    assert any("is gone" in told for told in problems(where))
    doubled = json.loads(text)
    doubled["hooks"]["PreToolUse"] *= 2
    installed.write_text(json.dumps(doubled))
    assert any("holds 2 hooks of Checkrail" in told for told in problems(where))
    installed.write_text(text.replace("--event PreToolUse", "--event PostToolUse"))
    assert any("PreToolUse hook differs" in told for told in problems(where))
    installed.write_text(text + "}")
    assert any("not valid JSON" in told for told in problems(where))


@pytest.mark.usefixtures("installed")
def test_a_project_that_turns_hooks_off_is_found(where: Places, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the directory where the doctor is asked."""
    project = home / "p"
    (project / ".claude").mkdir(parents=True)
    (project / ".claude/settings.json").write_text('{"disableAllHooks": true}')
    monkeypatch.chdir(project)
    assert any("disableAllHooks" in told for told in problems(where))


@pytest.mark.usefixtures("installed")
def test_a_lost_interpreter_or_hook_is_found(where: Places) -> None:
    """As after moving or removing the environment."""
    known = record.load(where)
    record.save(where, msgspec.structs.replace(known, python="/gone/python3"))
    assert any("interpreter /gone/python3 is gone" in told for told in problems(where))
    record.save(where, known)
    hook.path(where).chmod(0o700)
    hook.path(where).write_text("print('other')")
    assert any("of another installation" in told for told in problems(where))
    hook.path(where).unlink()
    assert any("the hook is missing" in told for told in problems(where))


@pytest.mark.usefixtures("installed")
def test_open_directories_and_policy_faults_are_found(where: Places) -> None:
    """With the path and the mode."""
    (where.config / "policy.toml").write_text("profil = 1")
    (where.config / "policy.toml").chmod(0o600)
    assert any("policy.toml:1" in told for told in problems(where))
    where.config.chmod(0o777)
    assert any("mode 0777" in told for told in problems(where))
    where.config.chmod(0o700)


@pytest.mark.usefixtures("installed")
def test_a_broken_log_is_found(where: Places) -> None:
    """And lines that could not be written are counted."""
    log = Log(str(where.state / "audit"))
    log.append({"n": 1})
    assert problems(where) == []
    (where.state / "audit/failures").write_text("3")
    (where.state / "audit/head").unlink()
    told = problems(where)
    assert any("3 verdicts could not be logged" in one for one in told)
    assert any("head is missing" in one for one in told)


@pytest.mark.usefixtures("installed")
def test_a_look_that_fails_is_a_problem_and_the_others_go_on(where: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing makes the doctor fall over."""

    def broken(_entry: object) -> list[canary.Result]:
        raise RuntimeError("x")

    monkeypatch.setattr(canary, "prove", broken)
    assert any("canaries could not be looked at: RuntimeError" in told for told in problems(where))
    assert any("policy is whole" in check.text for check in doctor.checks(where))


@pytest.mark.usefixtures("installed")
def test_calls_without_a_verdict_are_found(where: Places) -> None:
    """Each outcome has to follow the verdict of its call."""
    log = Log(str(where.state / "audit"))
    log.append({"kind": "verdict", "id": "c1"})
    log.append({"kind": "outcome", "id": "c1", "tool": "Bash"})
    log.append({"kind": "outcome", "id": "", "tool": "Bash"})
    assert problems(where) == []
    log.append({"kind": "outcome", "id": "c2", "tool": "Write", "time": "t"})
    assert problems(where) == ["1 calls finished without a verdict, the last at t Write"]


@pytest.mark.usefixtures("installed")
def test_an_agent_too_old_to_block_on_failure_is_found(
    where: Places, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the version that would."""
    program = tmp_path / "claude"
    program.write_text("#!/bin/sh\necho '2.1.200 (Claude Code)'\n")
    program.chmod(0o700)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert any("2.1.200 lets a call pass" in told for told in problems(where))
    program.write_text("#!/bin/sh\necho '2.1.332 (Claude Code)'\n")
    assert not any("lets a call pass" in told for told in problems(where))


@pytest.mark.usefixtures("installed")
def test_servers_that_nobody_has_reviewed_are_a_hint(home: Path, where: Places) -> None:
    """No problem; what follows from a lock is said; reviewed servers and those held back are not named."""
    servers = {name: {"command": "npx", "env": {"TOKEN": "hush"}} for name in ("new", "known", "bad")}
    (home / ".claude.json").write_text(json.dumps({"mcpServers": servers}))

    def hints() -> list[str]:
        return [check.text for check in doctor.checks(where) if check.text.startswith("hint: MCP")]

    (said,) = hints()
    assert "bad, known, new" in said and "checkrail scan" in said
    assert "asked about" not in said and "hush" not in said
    assert problems(where) == []
    lock = pins.with_pins(pins.Lock(), [Definition("known", {"name": "a"})])
    pins.save(where.config / pins.NAME, pins.with_quarantined(lock, {"bad": "why"}))
    (said,) = hints()
    assert "asked about once" in said and "new" in said and "known" not in said and "bad" not in said
    pins.save(where.config / pins.NAME, pins.with_pins(lock, [Definition(name, {"name": "a"}) for name in servers]))
    assert hints() == []


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("key", ["allowManagedHooksOnly", "disableAllHooks"])
def test_managed_settings_that_keep_hooks_from_running_are_found(
    where: Places, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    """Which only an administrator can change."""
    managed = tmp_path / "managed.json"
    monkeypatch.setattr(doctor, "MANAGED", (managed,))
    assert problems(where) == []
    managed.write_text(f'{{"{key}": true}}')
    assert any(key in told for told in problems(where))
