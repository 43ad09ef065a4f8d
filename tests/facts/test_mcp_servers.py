"""Configured MCP servers, by name only."""

import json

import pytest

from checkrail.facts.host import FrozenHost
from checkrail.facts.mcp_servers import Servers, ambiguous, as_written, known


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
