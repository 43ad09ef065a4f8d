"""The agents that npm ships, hooked by ``checkrail install`` and driven offline: marker files tell what ran.

Needs ``CHECKRAIL_AGENTS``, the folder that ``make test-agents`` fetched them into; no command here does harm should it run.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.agents.live.clients import CLIENTS, Client
from tests.agents.live.wires import Call, served

METADATA = "curl -s -m 1 http://169.254.169.254/latest/meta-data/"
SECONDS = 300  # OpenCode takes minutes to start on a busy machine without a network

pytestmark = pytest.mark.skipif(
    not os.environ.get("CHECKRAIL_AGENTS"), reason="needs CHECKRAIL_AGENTS; see make test-agents"
)


class World:
    """A home with one agent's hook installed, and a project."""

    def __init__(self, root: Path, client: Client) -> None:
        self.client = client
        self.home, self.project = root / "h", root / "p"
        self.home.mkdir(mode=0o700)
        self.project.mkdir()
        subprocess.run(["git", "init", "-q"], cwd=self.project, check=True)
        self.state = self.home / ".local/state/checkrail"
        self.heard: list[str] = []

    def environment(self, **more: str) -> dict[str, str]:
        """What programs get: this home and nothing of ours."""
        return {"PATH": os.environ["PATH"], "HOME": str(self.home), "TERM": "dumb", "SHELL": "/bin/sh", **more}

    def checkrail(self, *words: str) -> "subprocess.CompletedProcess[str]":
        """Runs our command line."""
        command = [sys.executable, "-m", "checkrail", *words]
        return subprocess.run(
            command, env=self.environment(), cwd=self.project, capture_output=True, text=True, check=False
        )

    def run(self, *commands: str) -> str:
        """One session in which the model runs these commands; everything that the model was told."""
        calls: list[Call] = [self.client.shell(command) for command in commands]
        with served(calls) as (script, port):
            more = self.client.prepare(self.home, self.project, port)
            done = subprocess.run(
                self.client.command(str(self.client.program)), env=self.environment(**more), cwd=self.project, capture_output=True,
                timeout=SECONDS, stdin=subprocess.DEVNULL, check=False,
            )  # fmt: skip
            assert script.offered, (
                done.stderr.decode(errors="replace")[-3000:] + done.stdout.decode(errors="replace")[-3000:]
            )
            return "\n".join(script.heard)

    def ran(self, marker: str) -> bool:
        """Whether a marker file is there."""
        return (self.project / marker).exists()


@pytest.fixture(params=CLIENTS, ids=lambda client: client.name)
def world(request: pytest.FixtureRequest) -> Iterator[World]:
    """In a directory with a short name, for the socket's sake; its daemon is stopped in the end."""
    client: Client = request.param
    if not client.there:
        pytest.skip(f"{client.name} was not fetched")
    root = Path(tempfile.mkdtemp(prefix="cr"))
    made = World(root, client)
    try:
        made.client.prepare(made.home, made.project, 1)
        done = made.checkrail("install", client.name)
        assert done.returncode == 0, done.stdout + done.stderr
        yield made
    finally:
        made.checkrail("daemon", "stop")
        shutil.rmtree(root, ignore_errors=True)


def test_harmless_calls_run_denied_and_asked_ones_do_not(world: World) -> None:
    """In the mode that approves everything; the model reads the reasons, and the log and the heartbeat know the agent."""
    told = world.run(
        "touch harmless", f"touch denied; {METADATA}", "touch asked; git push --force origin main", "touch harmless2"
    )
    assert [world.ran(name) for name in ("harmless", "denied", "asked", "harmless2")] == [True, False, False, True], (
        told[-2000:]
    )
    assert "floor.metadata" in told
    assert "checkrail approve" in told
    lines = [json.loads(line) for line in world.checkrail("log", "-n", "0", "--json").stdout.splitlines()]
    assert {entry["agent"] for entry in lines if entry.get("session") != "checkrail-canary" and "agent" in entry} == {
        world.client.name
    }
    assert (world.state / f"heard/{world.client.name}.pre").exists()
    assert (world.state / f"heard/{world.client.name}.post").exists()


def test_nothing_runs_without_a_daemon_that_can_start(world: World) -> None:
    """Stopped, and a file where its socket has to lie."""
    world.checkrail("daemon", "stop")
    shutil.rmtree(world.state / "run")
    (world.state / "run").write_text("in the way")
    told = world.run("touch harmless")
    assert not world.ran("harmless")
    assert "blocked" in told


def test_a_killed_daemon_is_started_again(world: World) -> None:
    """By the next call."""
    world.checkrail("daemon", "stop")
    world.run("touch harmless")
    assert world.ran("harmless")


def test_uninstalled_the_agent_is_as_before(world: World) -> None:
    """So it was the hook that stopped the calls."""
    assert world.checkrail("uninstall").returncode == 0
    world.run("touch asked; git push --force origin main")
    assert world.ran("asked")
