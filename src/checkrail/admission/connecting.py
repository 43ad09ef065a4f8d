"""Asking a server what it says of itself, through the official MCP SDK, which is an extra (``checkrail[mcp]``).

The server is started as a client would start it, yet with next to no environment, in an empty folder, for a limited time.
Starting it runs its code, so who calls this has a person's consent.
"""

import contextlib
import os
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from checkrail.admission.records import Definition, Sort

SECONDS = 30.0
PAGES = 100
"""Pages of one list."""
PASSED = ("PATH", "HOME", "LANG", "TMPDIR")
"""What a server gets of the environment; caches of npx and uvx lie in the home."""


class Unreachable(Exception):
    """A server could not be asked; the text says why."""


def definitions(
    server: str, words: Sequence[str], environment: Mapping[str, str], *, seconds: float = SECONDS
) -> list[Definition]:
    """What the server lists: its tools, each with its instructions; then its prompts and resources. Raises :class:`Unreachable`."""
    try:
        import asyncio

        import mcp  # noqa: F401
    except ImportError:
        raise Unreachable("the MCP SDK is not installed; run: pip install 'checkrail[mcp]'") from None
    bare = {name: os.environ[name] for name in PASSED if name in os.environ} | dict(environment)
    with tempfile.TemporaryDirectory(prefix="checkrail-") as folder:
        try:
            return asyncio.run(_asked(server, words, bare, folder, seconds))
        except TimeoutError:
            raise Unreachable(f"it did not answer within {seconds:g} seconds") from None
        except Exception as error:  # whatever a server and the SDK make of each other
            raise Unreachable(_first(error)) from None


async def _asked(
    server: str, words: Sequence[str], environment: dict[str, str], folder: str, seconds: float
) -> list[Definition]:
    import asyncio

    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    start = StdioServerParameters(command=words[0], args=list(words[1:]), env=environment, cwd=folder)
    with open(os.devnull, "w") as silent:
        async with asyncio.timeout(seconds):
            async with (
                stdio_client(start, errlog=silent) as (reading, writing),
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


def _first(error: BaseException) -> str:
    """The error that a group of errors is about."""
    while isinstance(error, BaseExceptionGroup) and error.exceptions:
        error = error.exceptions[0]
    return f"{type(error).__name__}: {error}"[:300]
