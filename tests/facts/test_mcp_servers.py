"""Configured MCP servers, by name only."""

import json

import pytest

from checkrail.facts.host import FrozenHost
from checkrail.facts.mcp_servers import Servers, ambiguous, as_written, known, named
from checkrail.model import Event, EventKind


def servers(**names: object) -> str:
    """A configuration file that names servers."""
    return json.dumps({"mcpServers": names})


@pytest.mark.parametrize(
    ("tool", "expected"),
    [("mcp__a__b", False), ("mcp__a__b__c", True), ("mcp__a", False), ("a__b__c", False), ("mcp__a___b", False)],
)
def test_only_names_that_can_be_split_twice_are_ambiguous(tool: str, expected: bool) -> None:
    """For all others no file is read."""
    assert ambiguous(tool) is expected


def test_names_of_the_person_and_of_the_project_are_told_apart() -> None:
    """Local servers of the folder are the person's; a project's file may be anybody's."""
    local = {
        "mcpServers": {"mine": {}},
        "projects": {"/work/app": {"mcpServers": {"here": {}}}, "/x": {"mcpServers": {"no": {}}}},
    }
    host = FrozenHost(
        files={
            "/home/dev/.claude.json": json.dumps(local),
            "/work/app/.mcp.json": servers(a__b={"env": {"KEY": "value"}}),
            "/work/app/.vscode/mcp.json": json.dumps({"servers": {"code": {}}}),
        }
    )
    assert known(host, ("/work/app",)) == Servers(("mine", "here"), ("a__b", "code"))


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"mcpServers": []}', '{"mcpServers": {"": {}}}', "[" * 100_000, "\ufffe"]
)
def test_broken_files_name_nothing(text: str) -> None:
    """And raise nothing."""
    assert known(FrozenHost(files={"/work/app/.mcp.json": text}), ("/work/app",)) == Servers()


def test_a_home_as_project_is_the_persons_own() -> None:
    """The same file is not read twice."""
    host = FrozenHost(files={"/home/dev/.cursor/mcp.json": servers(x={})})
    assert known(host, ("/home/dev",)) == Servers(("x",), ())


def test_names_are_written_as_tools_have_them() -> None:
    """Other characters than letters, digits, ``_`` and ``-`` become ``_``; length is bounded."""
    assert as_written("my server.x") == "my_server_x"
    assert len(as_written("x" * 1000)) == 128


@pytest.mark.parametrize(
    ("launch", "tool"),
    [
        ("npx -y tracker", "mcp__tracker__read"), ("https://mcp.example.com/a", "mcp__far_away__read"), ("npx shared", "mcp__unnamed__read"),
        ("npx other", "mcp__unnamed__read"), ("", "mcp__unnamed__read"), ("npx ours", "mcp__ours__read"), ("npx both", "mcp__mine__read"),
    ],
)  # fmt: skip
def test_a_server_is_known_by_how_it_is_started(launch: str, tool: str) -> None:
    """The person's settings before the project's; never by a command that two have."""
    mine = servers(
        tracker={"command": "npx", "args": ["-y", "tracker"]},
        mine={"command": "npx both"},
        one={"command": "npx shared"},
        two={"command": "npx", "args": ["shared"]},
        **{"far away": {"url": "https://mcp.example.com/a"}, "odd": 5, "odder": {"command": 5, "args": 5}},
    )
    theirs = servers(ours={"command": "npx", "args": ["ours"]}, tracker2={"command": "npx both"})
    host = FrozenHost(files={"/home/dev/.cursor/mcp.json": mine, "/work/app/.cursor/mcp.json": theirs})
    event = Event(agent="cursor", kind=EventKind.PRE, tool="mcp__unnamed__read", launch=launch)
    assert named(event, host, ("/work/app",)).tool == tool
    other = Event(agent="cursor", kind=EventKind.PRE, tool="mcp__x__read", launch=launch)
    assert named(other, host, ("/work/app",)) is other
