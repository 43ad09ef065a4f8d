"""install, uninstall, status, log and audit on the command line, without a daemon."""

import json
from pathlib import Path

import pytest

from checkrail.audit import Log
from checkrail.audit.records import Record
from checkrail.cli import main
from checkrail.cli.log import shown
from checkrail.install import claude
from checkrail.places import Places


@pytest.fixture(autouse=True)
def no_programs(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No agent's program is found, only its directory."""
    monkeypatch.setenv("PATH", "/nowhere")
    (home / ".claude").mkdir()


def test_install_and_uninstall(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Twice in, once out, and the bytes are back."""
    path = home / ".claude/settings.json"
    path.write_text('{"model": "x"}\n')
    assert main(["install", "--no-daemon"]) == 0
    assert f"claude: {path} written" in capsys.readouterr().out
    assert claude.commands_in(path.read_bytes())
    assert main(["install", "--no-daemon"]) == 0
    assert "already as it should be" in capsys.readouterr().out
    assert main(["uninstall"]) == 0
    assert path.read_text() == '{"model": "x"}\n'
    assert main(["uninstall"]) == 0


def test_what_only_the_person_can_do_is_said_at_the_end(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Once for each thing to do, and not where there is nothing."""
    (home / ".codex").mkdir()
    assert main(["install", "claude", "--no-daemon"]) == 0
    assert "to do" not in capsys.readouterr().out
    assert main(["install", "codex", "--no-daemon"]) == 0
    told = capsys.readouterr().out
    assert told.count("to do") == 1
    assert "is not trusted yet" in told and "/hooks" in told


def test_a_dry_run_changes_nothing(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """And shows what would change."""
    before = sorted(home.rglob("*"))
    assert main(["install", "--dry-run"]) == 0
    told = capsys.readouterr().out
    assert "would change" in told
    assert "+" in told
    assert sorted(home.rglob("*")) == before


def test_a_project_gets_its_private_settings(home: Path) -> None:
    """Since the paths hold on this machine only."""
    assert main(["install", "claude", "--scope", "project", "--no-daemon"]) == 0
    assert claude.commands_in((home / ".claude/settings.local.json").read_bytes())
    assert not (home / ".claude/settings.json").exists()


def test_what_cannot_be_done_is_said(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An unknown agent, settings that are no JSON."""
    assert main(["install", "nobody"]) == 1
    assert "no agent 'nobody'" in capsys.readouterr().err
    (home / ".claude/settings.json").write_text("{,}")
    assert main(["install", "--no-daemon"]) == 1
    assert "not valid JSON" in capsys.readouterr().err


def test_without_an_agent_only_the_hook_is_put(home: Path, where: Places, capsys: pytest.CaptureFixture[str]) -> None:
    """And it is said how to go on."""
    (home / ".claude").rmdir()
    assert main(["install", "--no-daemon"]) == 0
    assert "no agent was found" in capsys.readouterr().out
    assert (where.data / "hooks/checkrail-hook").is_file()
    assert not (home / ".claude").exists()


def test_purging_removes_state_and_hook(home: Path, where: Places) -> None:
    """But not the policy."""
    main(["install", "--no-daemon"])
    (where.config / "policy.toml").write_text("")
    assert main(["uninstall", "--purge"]) == 0
    assert not where.state.exists()
    assert not (where.data / "hooks").exists()
    assert (where.config / "policy.toml").exists()
    assert not (home / ".claude/settings.json").exists()


def test_status_shows_everything_at_a_glance(where: Places, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 1 while something is missing."""
    assert main(["status"]) == 1
    assert "no hook is installed" in capsys.readouterr().out
    main(["install", "--no-daemon"])
    (where.config / "policy.toml").write_text("profil = 1")
    (where.config / "policy.toml").chmod(0o600)
    assert main(["status"]) == 1
    told = capsys.readouterr().out
    assert "holds the hook" in told
    assert "policy.toml:1" in told


def test_daemon_status_without_one(capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 3."""
    assert main(["daemon", "status"]) == 3
    assert "no daemon answers" in capsys.readouterr().out
    assert main(["daemon", "status", "--json"]) == 3
    assert json.loads(capsys.readouterr().out)["running"] is False
    assert main(["daemon", "stop"]) == 0


def test_the_log_is_shown_and_verified(where: Places, capsys: pytest.CaptureFixture[str]) -> None:
    """The last ones, those of one decision or session, and whether the chain holds."""
    log = Log(str(where.state / "audit"))
    for number, decision in enumerate(["allow", "ask", "deny"]):
        log.append({"kind": "verdict", "time": "2026-11-30T10:00:00.000Z", "agent": "claude", "decision": decision,
                    "summary": f"call {number}", "rules": ["r.x"], "session": f"s{number}"})  # fmt: skip
    log.append({"kind": "outcome", "id": "c"})
    assert main(["log", "-n", "2"]) == 0
    told = capsys.readouterr().out.splitlines()
    assert told == [
        "2026-11-30 10:00:00  ask    claude  call 1  [r.x]",
        "2026-11-30 10:00:00  deny   claude  call 2  [r.x]",
    ]
    main(["log", "--decision", "allow", "--json"])
    assert json.loads(capsys.readouterr().out)["summary"] == "call 0"
    main(["log", "--session", "s2"])
    assert "call 2" in capsys.readouterr().out
    assert main(["audit", "verify"]) == 0
    assert "4 lines, 0 problems" in capsys.readouterr().out
    path = next((where.state / "audit").glob("audit-*.jsonl"))
    path.write_text(path.read_text().replace("call 1", "call 9"))
    assert main(["audit", "verify"]) == 3
    assert ":2: the line was changed" in capsys.readouterr().out


def test_the_log_shows_nothing_that_hides() -> None:
    """Escape sequences of a logged command do not reach the terminal."""
    told = shown(Record(number=1, time="t", decision="ask", agent="claude", summary="echo '\x1b[2K\x1b[1Ahidden'"))
    assert "\x1b" not in told
    assert "\\u001b[2K" in told
