"""A real Claude Code, hooked by ``checkrail install``: marker files tell what ran.

Needs ``CHECKRAIL_CLAUDE``, the path of the binary; ``make test-agents`` fetches it and runs this without a network. No
command here does harm should it run.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.agents.live.model import Step, served

CLAUDE = os.environ.get("CHECKRAIL_CLAUDE", "")
METADATA = "curl -s -m 1 http://169.254.169.254/latest/meta-data/"

if not os.access(CLAUDE, os.X_OK):
    pytest.skip("CHECKRAIL_CLAUDE names no Claude Code binary; see make test-agents", allow_module_level=True)


class World:
    """A home with the hook installed, and a project."""

    def __init__(self, root: Path) -> None:
        self.home, self.project = root / "h", root / "p"
        self.home.mkdir(mode=0o700)
        self.project.mkdir()
        (self.project / "notes.txt").write_text("a note\n")
        self.state = self.home / ".local/state/checkrail"

    def environment(self, **more: str) -> dict[str, str]:
        """What programs get: this home and nothing of ours."""
        return {"PATH": os.environ["PATH"], "HOME": str(self.home), "TERM": "dumb", **more}

    def checkrail(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Runs our command line."""
        command = [sys.executable, "-m", "checkrail", *words]
        return subprocess.run(
            command, env=self.environment(), cwd=self.project, capture_output=True, text=True, check=False
        )

    def run(self, *script: Step, mode: str = "bypassPermissions") -> list[str]:
        """One session; what the agent told the model of each call."""
        with served(list(script)) as (model, address):
            environment = self.environment(
                ANTHROPIC_BASE_URL=address, ANTHROPIC_API_KEY="dummy", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1",
                DISABLE_AUTOUPDATER="1", DISABLE_TELEMETRY="1", ENABLE_TOOL_SEARCH="false", IS_SANDBOX="1",
            )  # fmt: skip
            command = [CLAUDE, "-p", "go", "--output-format", "stream-json", "--verbose", "--permission-mode", mode]
            done = subprocess.run(
                command,
                env=environment,
                cwd=self.project,
                capture_output=True,
                timeout=120,
                stdin=subprocess.DEVNULL,
                check=False,
            )
            assert model.offered, done.stderr.decode(errors="replace") + done.stdout.decode(errors="replace")[-2000:]
            return [told for _, told in sorted(model.results.items())]

    def ran(self, marker: str) -> bool:
        """Whether a marker file is there."""
        return (self.project / marker).exists()


@pytest.fixture
def world() -> Iterator[World]:
    """In a directory with a short name, for the socket's sake; its daemon is stopped in the end."""
    root = Path(tempfile.mkdtemp(prefix="cr"))
    made = World(root)
    try:
        done = made.checkrail("install", "claude")
        assert done.returncode == 0, done.stdout + done.stderr
        yield made
    finally:
        made.checkrail("daemon", "stop")
        shutil.rmtree(root, ignore_errors=True)


def bash(command: str) -> tuple[str, dict[str, str]]:
    """A shell call."""
    return "Bash", {"command": command, "description": "d"}


def test_a_harmless_call_runs_and_a_denied_one_does_not(world: World) -> None:
    """In one session, in the mode that skips all prompts; the model reads the reason."""
    told = world.run(bash("touch harmless"), bash(f"touch denied; {METADATA}"), bash("touch harmless2"))
    assert world.ran("harmless")
    assert world.ran("harmless2")
    assert not world.ran("denied")
    assert "floor.metadata" in told[1]


def test_an_ask_does_not_run_where_nobody_answers(world: World) -> None:
    """Even in the mode that skips all prompts."""
    told = world.run(bash("touch asked; git push --force origin main"))
    assert not world.ran("asked")
    assert "git.push" in told[0]


def test_nothing_runs_without_a_daemon_that_can_start(world: World) -> None:
    """Killed, and a file where its socket has to lie."""
    world.checkrail("daemon", "stop")
    shutil.rmtree(world.state / "run")
    (world.state / "run").write_text("in the way")
    told = world.run(bash("touch harmless"), ("Read", {"file_path": str(world.project / "notes.txt")}))
    assert not world.ran("harmless")
    assert all("blocked" in one for one in told)
    assert "a note" not in told[1]


def test_a_killed_daemon_is_started_again(world: World) -> None:
    """By the next call."""
    world.checkrail("daemon", "stop")
    world.run(bash("touch harmless"))
    assert world.ran("harmless")


def test_checkrail_makes_nothing_looser(world: World) -> None:
    """What the agent would ask its user about is still not run where nobody answers; plain reads are."""
    told = world.run(
        bash("touch asked-by-the-agent"), ("Read", {"file_path": str(world.project / "notes.txt")}), mode="default"
    )
    assert not world.ran("asked-by-the-agent")
    assert "a note" in told[1]


def test_a_sub_agent_is_guarded_too(world: World) -> None:
    """Its calls come by with its name."""
    world.run(
        ("Agent", {"description": "d", "prompt": "p", "subagent_type": "general-purpose"}),
        bash("touch harmless"),
        bash(f"touch denied; {METADATA}"),
    )
    assert world.ran("harmless")
    assert not world.ran("denied")
    log = [json.loads(line) for line in world.checkrail("log", "-n", "0", "--json").stdout.splitlines()]
    assert any(entry["subagent"].startswith("general-purpose") for entry in log)


def test_files_and_settings_are_guarded_through_every_tool(world: World) -> None:
    """The agent cannot take the hook out of its settings, nor turn hooks off."""
    settings, local = world.home / ".claude/settings.json", world.project / ".claude/settings.local.json"
    before = settings.read_bytes()
    world.run(
        ("Write", {"file_path": str(local), "content": '{"disableAllHooks": true}'}),
        bash(f"mkdir -p .claude; echo '{{\"disableAllHooks\": true}}' > {local}"),
        bash(f"cp /dev/null {settings}"),
        bash(f"python3 -c \"open('{settings}', 'w')\""),
    )
    assert settings.read_bytes() == before
    assert not local.exists()


def test_a_change_of_settings_from_outside_does_not_unhook_a_running_session(world: World) -> None:
    """The agent tells us, and we block the change."""
    local = world.project / ".claude/settings.local.json"

    def unhook() -> tuple[str, dict[str, str]]:
        local.parent.mkdir(exist_ok=True)
        local.write_text('{"disableAllHooks": true}')
        time.sleep(5)
        return bash(f"touch denied; {METADATA}")

    world.run(bash("touch harmless"), unhook)
    assert world.ran("harmless")
    assert not world.ran("denied")


def test_every_call_is_logged_with_its_outcome(world: World) -> None:
    """Verdict and outcome share the id, and the chain holds."""
    world.run(bash("touch harmless"), bash("false"))
    directory = world.state / "audit"
    lines = [json.loads(line) for path in sorted(directory.glob("*.jsonl")) for line in path.read_text().splitlines()]
    calls = [entry for entry in lines if entry.get("session") != "checkrail-canary"]
    verdicts = {entry["id"]: entry["decision"] for entry in calls if entry["kind"] == "verdict"}
    outcomes = {entry["id"]: entry["outcome"] for entry in calls if entry["kind"] == "outcome"}
    assert list(verdicts.values()) == ["allow", "allow"]
    assert sorted(outcomes.values()) == ["done", "failed"]
    assert verdicts.keys() == outcomes.keys()
    assert world.checkrail("audit", "verify").returncode == 0


def test_uninstalling_gives_the_settings_back(world: World) -> None:
    """And the agent is as before."""
    world.checkrail("uninstall")
    assert not (world.home / ".claude/settings.json").exists()
    world.run(bash("touch harmless"))
    assert world.ran("harmless")
