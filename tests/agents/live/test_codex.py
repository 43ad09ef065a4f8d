"""What is Codex's alone: a call runs in a folder of the model's choice, and the project stays where the session began."""

import json

import pytest

from tests.agents.live.clients import CLIENTS
from tests.agents.live.test_clients import World, pytestmark, world

__all__ = ["pytestmark", "world"]


@pytest.mark.parametrize(
    "world", [client for client in CLIENTS if client.name == "codex"], indirect=True, ids=["codex"]
)
def test_a_working_directory_does_not_become_the_project(world: World) -> None:
    """So what is deleted there lies outside of it."""
    place = world.home / "other"
    place.mkdir()
    (place / "kept").write_text("x")
    world.client = world.client._replace(
        shell=lambda command: ("exec_command", {"cmd": command, "workdir": str(world.home)})
    )
    world.run("touch harmless", "rm -rf other")
    assert (world.home / "harmless").exists()
    assert (place / "kept").exists()
    lines = [json.loads(line) for line in world.checkrail("log", "-n", "0", "--json").stdout.splitlines()]
    called = [entry for entry in lines if entry.get("agent") == "codex" and entry.get("session") != "checkrail-canary"]
    assert {entry["project"] for entry in called if "project" in entry} == {str(world.project)}
