"""Everything else that client and server say to one another, by the official SDK's client."""

import asyncio
import base64
import importlib.util
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

SERVER = str(Path(__file__).with_name("server.py"))
pytestmark = pytest.mark.skipif(
    not importlib.util.find_spec("mcp"), reason="the MCP SDK is not installed: pip install mcp"
)

# The proxy without a daemon: what is said is looked at here, not what is decided.
PROXY = """
import sys
from checkrail.proxy.exchange import Exchange
from checkrail.proxy.lists import Lists
from checkrail.proxy.record import Record
from checkrail.proxy.stdio import Proxy

class Judge:
    def stops(self, tool, given, call):
        return ""
    def finished(self, tool, given, call, result):
        return ""

sys.exit(Proxy(Exchange(Lists("fake"), Judge(), Record(None, "s"))).run(sys.argv[1:]))
"""


async def _with(how: str, talk: Callable[[Any], Awaitable[None]], **options: Any) -> None:
    from mcp import ClientSession, StdioServerParameters  # type: ignore[import-not-found,unused-ignore]
    from mcp.client.stdio import stdio_client  # type: ignore[import-not-found,unused-ignore]

    parameters = StdioServerParameters(
        command=sys.executable, args=["-c", PROXY, sys.executable, SERVER, how], env=dict(os.environ)
    )
    with open(os.devnull, "w") as silent:
        async with asyncio.timeout(60):
            async with (
                stdio_client(parameters, errlog=silent) as (reading, writing),
                ClientSession(reading, writing, **options) as session,
            ):
                await session.initialize()
                await talk(session)


def _run(talk: Callable[[Any], Awaitable[None]], how: str = "honest", **options: Any) -> None:
    asyncio.run(_with(how, talk, **options))


def _text(result: Any) -> str:
    return str(result.content[0].text)


def test_progress() -> None:
    """Each step arrives before the answer."""
    steps: list[float] = []

    async def heard(progress: float, _total: float | None, _message: str | None) -> None:
        steps.append(progress)

    async def talk(session: Any) -> None:
        assert _text(await session.call_tool("progress", {}, progress_callback=heard)) == "call 1"
        assert steps == [1, 2, 3]

    _run(talk)


def test_cancellation() -> None:
    """A call that is given up holds nothing up, and its late answer harms nothing."""

    async def talk(session: Any) -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.5):
                await session.call_tool("waits", {})
        assert _text(await session.call_tool("add", {})) == "call 2"

    _run(talk)


def test_the_server_asks_the_client() -> None:
    """Sampling and elicitation are the client's to decide, and pass both ways."""
    from mcp import types  # type: ignore[attr-defined,unused-ignore]

    async def sampled(_context: Any, _params: Any) -> Any:
        return types.CreateMessageResult(role="assistant", content=types.TextContent(type="text", text="2"), model="m")

    async def elicited(_context: Any, _params: Any) -> Any:
        return types.ElicitResult(action="accept", content={"x": "this"})

    async def talk(session: Any) -> None:
        assert '"2"' in _text(await session.call_tool("samples", {}))
        assert "this" in _text(await session.call_tool("elicits", {}))

    _run(talk, sampling_callback=sampled, elicitation_callback=elicited)


def test_binary_and_large_results() -> None:
    """All bytes, and ten mebibytes of them."""

    async def talk(session: Any) -> None:
        found = await session.read_resource("file:///x")
        assert base64.b64decode(found.contents[0].blob) == bytes(range(256))
        assert len(_text(await session.call_tool("large", {}))) == 10 << 20

    _run(talk)


def test_a_flood_of_notifications() -> None:
    """None is lost, and the answer comes behind them."""
    seen: list[Any] = []

    async def logged(params: Any) -> None:
        seen.append(params.data)

    async def talk(session: Any) -> None:
        assert _text(await session.call_tool("flood", {})) == "call 1"
        async with asyncio.timeout(20):
            while len(seen) < 3000:
                await asyncio.sleep(0.01)
        assert seen[-1] == "2999"

    _run(talk, logging_callback=logged)


def test_pages() -> None:
    """The client gets the whole list at once."""

    async def talk(session: Any) -> None:
        found = await session.list_tools()
        assert [tool.name for tool in found.tools] == ["store_row", "add", "send_row"]

    _run(talk, "pages")


def test_a_crash() -> None:
    """The call that was on its way fails; nobody waits."""

    async def talk(session: Any) -> None:
        with pytest.raises(Exception, match=r"ended|[Cc]losed"):
            await session.call_tool("add", {})

    _run(talk, "dies")
