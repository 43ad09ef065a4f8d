"""With the official SDK's client and real servers, where they are there; and the whole command line with a daemon."""

import asyncio
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from checkrail.cli import main
from checkrail.cli.proxy import name_of
from tests.shells import Place, places

SERVER = str(Path(__file__).with_name("server.py"))
sdk = pytest.mark.skipif(not importlib.util.find_spec("mcp"), reason="the MCP SDK is not installed: pip install mcp")


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    """One daemon for all."""
    yield from places()


def _proxied(place: Place, *command: str, name: str = "fake") -> list[str]:
    return place.words("proxy", "--name", name, "--", *command)


async def _session(
    place: Place, words: list[str], calls: list[tuple[str, dict[str, Any]]]
) -> tuple[list[str], list[Any]]:
    from mcp import ClientSession, StdioServerParameters  # type: ignore[import-not-found,unused-ignore]
    from mcp.client.stdio import stdio_client  # type: ignore[import-not-found,unused-ignore]

    parameters = StdioServerParameters(
        command=words[0], args=words[1:], env=place.environment(), cwd=str(place.project)
    )
    with open(os.devnull, "w") as silent:  # a test runner's own stderr may be no file
        async with (
            stdio_client(parameters, errlog=silent) as (reading, writing),
            ClientSession(reading, writing) as session,
        ):
            await session.initialize()
            tools = (await session.list_tools()).tools
            return [tool.name for tool in tools], [await session.call_tool(name, given) for name, given in calls]


def _text(result: Any) -> str:
    return "".join(getattr(part, "text", "") for part in result.content)


def _failed(result: Any) -> bool:
    return bool(getattr(result, "is_error", None) or getattr(result, "isError", None))


@sdk
def test_the_sdk_client_sees_what_is_admitted(place: Place) -> None:
    """The poisoned tool is gone; the other one works."""
    names, results = asyncio.run(
        _session(place, _proxied(place, sys.executable, SERVER, "poison"), [("add", {"a": 1})])
    )
    assert names == ["add"]
    assert _text(results[0]) == "call 1" and not _failed(results[0])


def _real(name: str) -> list[str]:
    found = shutil.which(name)
    return [found] if found else []


@sdk
@pytest.mark.parametrize(
    ("program", "words", "tool", "given"),
    [
        ("mcp-server-everything", ["stdio"], "get-sum", {"a": 1, "b": 2}),
        ("mcp-server-filesystem", ["."], "list_allowed_directories", {}),
        ("mcp-server-memory", [], "read_graph", {}),
        ("mcp-server-time", [], "get_current_time", {"timezone": "Europe/Vienna"}),
    ],
)
def test_real_servers(place: Place, program: str, words: list[str], tool: str, given: dict[str, Any]) -> None:
    """From npm and PyPI: their tools are there, and can be called."""
    command = _real(program)
    if not command:
        pytest.skip(f"{program} is not on PATH")
    names, results = asyncio.run(_session(place, _proxied(place, *command, *words, name=program), [(tool, given)]))
    assert tool in names
    assert not _failed(results[0]), _text(results[0])


def test_a_question_becomes_a_request(place: Place) -> None:
    """Judged by the daemon's rules; the reason names the number that a person can approve, and the log has both lines."""
    asked = [
        {"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
        {
            "jsonrpc": "2.0",
            "id": 2,
            "method": "tools/call",
            "params": {"name": "delete_issue", "arguments": {"id": "1"}},
        },
        {
            "jsonrpc": "2.0",
            "id": 3,
            "method": "tools/call",
            "params": {"name": "run", "arguments": {"command": "rm -rf /"}},
        },
        {"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": {"name": "add", "arguments": {"a": 1}}},
    ]
    done = subprocess.run(
        _proxied(place, sys.executable, SERVER, "poison"), env=place.environment(), cwd=place.project, check=True,
        input=b"".join(json.dumps(line).encode() + b"\n" for line in asked), capture_output=True, timeout=60,
    )  # fmt: skip
    answers = {line["id"]: line["result"] for line in map(json.loads, done.stdout.splitlines())}
    assert answers[2]["isError"] and "checkrail approve" in answers[2]["content"][0]["text"]
    assert answers[3]["isError"] and "stopped" in answers[3]["content"][0]["text"]
    assert answers[4]["content"][0]["text"] == "call 1"
    log = place.run("log", "--format", "json", "-n", "0").stdout.decode()
    kinds = [json.loads(line)["kind"] for line in log.splitlines()]
    assert "admission" in kinds and kinds.count("verdict") >= 3


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (["npx", "-y", "@acme/server-files@1.2", "."], "server-files"),
        (["uvx", "mcp-server-git"], "mcp-server-git"),
        (["node", "/opt/dist/index.js"], "index"),
        (["/usr/bin/thing"], "thing"),
        (["npx"], "npx"),
    ],
)
def test_a_server_without_a_name_has_that_of_its_command(words: list[str], name: str) -> None:
    """What a runner runs."""
    assert name_of(words) == name


def test_a_command_is_needed() -> None:
    """Usage."""
    assert main(["proxy", "--name", "x"]) == 2
