"""With the official SDK's client and real servers, where they are there; and the whole command line with a daemon."""

import asyncio
import contextlib
import importlib.util
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from checkrail.cli import main
from checkrail.cli.proxy import name_of
from tests.proxy.peers import ADD, POISON, answered, wired
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


async def _over_http(place: Place, url: str, calls: list[tuple[str, dict[str, Any]]]) -> tuple[list[str], list[Any]]:
    from mcp import ClientSession
    from mcp.client.streamable_http import streamable_http_client  # type: ignore[import-not-found,unused-ignore]

    from checkrail.proxy.upstream import library

    token = (place.home / ".local/state/checkrail/proxy/token").read_text().strip()
    async with (
        library().AsyncClient(headers={"authorization": f"Bearer {token}"}, timeout=60) as client,
        streamable_http_client(url, http_client=client) as streams,
        ClientSession(streams[0], streams[1]) as session,
    ):
        await session.initialize()
        tools = (await session.list_tools()).tools
        return [tool.name for tool in tools], [await session.call_tool(name, given) for name, given in calls]


@contextlib.contextmanager
def _listening(place: Place, url: str, name: str) -> Iterator[str]:
    """The proxy's address."""
    process = subprocess.Popen(
        place.words("proxy", "--name", name, "--url", url), env=place.environment(), cwd=place.project, stderr=subprocess.PIPE
    )  # fmt: skip
    try:
        assert process.stderr
        for line in process.stderr:
            if found := re.search(rb"listens on (\S+)", line):
                yield found.group(1).decode()
                return
        raise AssertionError("it does not listen")
    finally:
        process.terminate()
        process.wait(20)
        if process.stderr:
            process.stderr.close()


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


@sdk
def test_over_http(place: Place) -> None:
    """The whole command line before a server of the SDK's own kind of sessions: what is admitted is seen, calls are judged."""
    with wired() as wire:
        wire.answers |= {
            "initialize": lambda _request, told: answered(
                told, {"protocolVersion": told["params"]["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": "x", "version": "1"}},
                {"mcp-session-id": "s-1"},
            ),
            "tools/list": lambda _request, told: answered(told, {"tools": [ADD, POISON]}),
            "tools/call": lambda _request, told: answered(told, {"content": [{"type": "text", "text": "3"}]}),
        }  # fmt: skip
        with _listening(place, wire.server, "far") as url:
            calls: list[tuple[str, dict[str, Any]]] = [("add", {"a": 1}), ("delete_issue", {"id": "1"}), ("fmt", {})]
            names, results = asyncio.run(_over_http(place, url, calls))
        assert names == ["add"]
        assert _text(results[0]) == "3"
        assert "checkrail approve" in _text(results[1]) and "keeps fmt out" in _text(results[2])
        assert [body for _, _, body in wire.seen if b"delete_issue" in body] == []


@sdk
def test_a_real_server_over_http(place: Place) -> None:
    """With sessions, streams and server-sent events of its own."""
    command = _real("mcp-server-everything")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    server = subprocess.Popen(
        [*command, "streamableHttp"], env={**os.environ, "PORT": str(port)}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )  # fmt: skip
    try:
        end = time.monotonic() + 30
        while time.monotonic() < end and _closed(port):
            time.sleep(0.1)
        with _listening(place, f"http://127.0.0.1:{port}/mcp", "everything") as url:
            names, results = asyncio.run(_over_http(place, url, [("get-sum", {"a": 1, "b": 2})]))
    finally:
        server.terminate()
        server.wait(20)
    assert "get-sum" in names
    assert "3" in _text(results[0]) and not _failed(results[0])


def _closed(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return True
    return False


def _real(name: str) -> list[str]:
    """A server's program; skips where it is not there and nobody has asked for it."""
    found = shutil.which(name)
    if not found and not os.environ.get("CHECKRAIL_SERVERS"):
        pytest.skip(f"{name} is not on PATH; run: make test-servers")
    assert found, f"{name} is not on PATH"
    return [found]


@sdk
@pytest.mark.parametrize(
    ("program", "words", "tool", "given"),
    [
        ("mcp-server-everything", ["stdio"], "get-sum", {"a": 1, "b": 2}),
        ("mcp-server-filesystem", ["."], "list_allowed_directories", {}),
        ("mcp-server-memory", [], "read_graph", {}),
        ("mcp-server-time", [], "get_current_time", {"timezone": "Europe/Vienna"}),
        ("mcp-server-git", [], "git_status", {"repo_path": "."}),
    ],
)
def test_real_servers(place: Place, program: str, words: list[str], tool: str, given: dict[str, Any]) -> None:
    """From npm and PyPI: their tools are there, and can be called."""
    command = _real(program)
    subprocess.run(["git", "init", "-q"], cwd=place.project, env=place.environment(), check=True)
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


@pytest.mark.parametrize(
    "words",
    [
        ["--name", "x"],
        ["--url", "https://x.example/mcp", "--", "npx", "x"],
        ["--url", "http://x.example/mcp"],
        ["--url", "ftp://x.example/mcp"],
        ["--url", "https://me:secret@x.example/mcp"],
        ["--url", "https://[/mcp"],
        ["--url", "https://x.example/mcp", "--listen", "0.0.0.0:80"],
        ["--url", "https://x.example/mcp", "--listen", "example.org:80"],
        ["--url", "https://x.example/mcp", "--listen", "127.0.0.1"],
        ["--url", "https://x.example/mcp", "--listen", "127.0.0.1:99999"],
        ["--url", "https://x.example/mcp", "--header-env", "Authorization=NO_SUCH_VARIABLE"],
        ["--url", "https://x.example/mcp", "--header-env", "A b=PATH"],
    ],
)
def test_what_cannot_be_done_is_usage(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """A command or an address; one of this machine to listen on; nothing secret on the command line."""
    assert main(["proxy", *words]) == 2
    assert "secret" not in capsys.readouterr().err
