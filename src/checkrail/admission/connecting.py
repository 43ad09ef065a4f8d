"""Asking a server what it says of itself, through the official MCP SDK, which is an extra (``checkrail[mcp]``).

The server is started as a client would start it, yet with next to no environment, in an empty folder, for a limited time; or
asked at its address. Starting it runs its code, and asking it shows it this machine, so who calls this has a person's consent.
"""

import contextlib
import os
import tempfile
from collections.abc import AsyncIterator
from typing import Any

from checkrail.admission.configured import Launch
from checkrail.admission.records import Definition, Sort

SECONDS = 30.0
PAGES = 100
"""Pages of one list."""
PASSED = ("PATH", "HOME", "LANG", "TMPDIR")
"""What a server gets of the environment; caches of npx and uvx lie in the home."""


class Unreachable(Exception):
    """A server could not be asked; the text says why."""


def definitions(launch: Launch, *, secrets: bool = False, seconds: float = SECONDS) -> list[Definition]:
    """What the server lists: its tools, each with its instructions; then its prompts and resources. Raises :class:`Unreachable`.

    With ``secrets`` it gets the variables or headers of its settings.
    """
    try:
        import asyncio

        import mcp  # noqa: F401
    except ImportError:
        raise Unreachable("the MCP SDK is not installed; run: pip install 'checkrail[mcp]'") from None
    with tempfile.TemporaryDirectory(prefix="checkrail-") as folder:
        try:
            carrier = _reached(launch, secrets) if launch.url else _started(launch, secrets, folder)
            return asyncio.run(_asked(launch.server.name, carrier, seconds))
        except TimeoutError:
            raise Unreachable(f"it did not answer within {seconds:g} seconds") from None
        except Exception as error:  # whatever a server and the SDK make of each other
            first = _first(error)
            # An address may hold a secret, which the library's texts repeat.
            raise Unreachable(
                type(first).__name__ if launch.url else f"{type(first).__name__}: {first}"[:300]
            ) from None


Carrier = contextlib.AbstractAsyncContextManager[tuple[Any, Any]]
"""Two streams of messages: from the server, and to it."""


@contextlib.asynccontextmanager
async def _started(launch: Launch, secrets: bool, folder: str) -> AsyncIterator[tuple[Any, Any]]:
    from mcp import StdioServerParameters
    from mcp.client.stdio import stdio_client

    bare = {name: os.environ[name] for name in PASSED if name in os.environ}
    given = bare | (launch.environment if secrets else {})
    start = StdioServerParameters(command=launch.words[0], args=list(launch.words[1:]), env=given, cwd=folder)
    with open(os.devnull, "w") as silent:
        async with stdio_client(start, errlog=silent) as (reading, writing):
            yield reading, writing


@contextlib.asynccontextmanager
async def _reached(launch: Launch, secrets: bool) -> AsyncIterator[tuple[Any, Any]]:
    from mcp.client import streamable_http

    transport: Any = streamable_http
    headers = launch.headers if secrets else {}
    if not hasattr(transport, "streamable_http_client"):  # in older versions of the SDK
        async with transport.streamablehttp_client(launch.url, headers=headers) as (reading, writing, _):
            yield reading, writing
        return
    library: Any = vars(transport).get("httpx2") or vars(transport)["httpx"]
    async with (
        library.AsyncClient(headers=headers) as client,
        transport.streamable_http_client(launch.url, http_client=client) as (reading, writing, *_),
    ):
        yield reading, writing


async def _asked(server: str, carrier: Carrier, seconds: float) -> list[Definition]:
    import asyncio

    from mcp import ClientSession

    async with (
        asyncio.timeout(seconds),
        carrier as (reading, writing),
        ClientSession(reading, writing) as session,
    ):
        hello = await session.initialize()
        said = hello.instructions or ""
        found = [Definition(server, _plain(tool), said) async for tool in _pages(session.list_tools, "tools")]
        if not found and said:
            found = [Definition(server, {"name": "instructions"}, said)]
        others: tuple[tuple[Any, str, Sort], ...] = (
            (session.list_prompts, "prompts", "prompt"),
            (session.list_resources, "resources", "resource"),
            (session.list_resource_templates, "resource_templates", "template"),
        )
        for ask, field, kind in others:
            with contextlib.suppress(Exception):  # few servers have them, and not all say so
                found += [Definition(server, _plain(entry), kind=kind) async for entry in _pages(ask, field)]
    return found


async def _pages(ask: Any, field: str) -> AsyncIterator[Any]:
    answer = await ask()
    for _ in range(PAGES):
        for entry in getattr(answer, field, None) or getattr(answer, _older(field)):
            yield entry
        cursor = getattr(answer, "next_cursor", None) or getattr(answer, "nextCursor", None)
        if not cursor:
            return
        answer = await _next(ask, cursor)
    raise Unreachable(f"its list of {field} has more than {PAGES} pages")


def _older(field: str) -> str:
    """The name of a field as older versions of the SDK have it."""
    first, *rest = field.split("_")
    return first + "".join(map(str.capitalize, rest))


async def _next(ask: Any, cursor: str) -> Any:
    """The next page; how the SDK takes a cursor has changed."""
    try:
        return await ask(cursor=cursor)
    except TypeError:
        from mcp.types import PaginatedRequestParams

        return await ask(params=PaginatedRequestParams(cursor=cursor))


def _plain(entry: Any) -> dict[str, Any]:
    found: dict[str, Any] = entry.model_dump(mode="json", by_alias=True, exclude_none=True)
    return found


def _first(error: BaseException) -> BaseException:
    """The error that a group of errors is about."""
    while isinstance(error, BaseExceptionGroup) and error.exceptions:
        error = error.exceptions[0]
    return error
