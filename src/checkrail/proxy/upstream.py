"""The server behind a URL: requests that go to it, and the messages that come back, bounded."""

import contextlib
from collections.abc import AsyncIterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from checkrail.proxy import events
from checkrail.proxy.door import is_loopback
from checkrail.proxy.events import Event
from checkrail.proxy.lines import LIMIT, TooLong

CONNECT_S, SEND_S = 10.0, 60.0
"""How long a connection and each part of a request may take. Answers may take long, as tools do; who waits for one may leave."""
PASSED = ("accept", "content-type", "last-event-id", "user-agent")
"""Headers of the client that go to the server, beside those of the protocol, which begin with ``mcp-``."""


class Unreachable(Exception):
    """The server gave no answer that could be used; the text says why."""


class Upstream:
    """One server. ``own`` are headers that it gets from us, such as its credentials, whatever the client sends."""

    def __init__(self, url: str, own: Mapping[str, str]) -> None:
        self._url = url
        self._own = {**own, "accept-encoding": "identity"}
        self._http = library()
        timeout = self._http.Timeout(CONNECT_S, read=None, write=SEND_S)
        limits = self._http.Limits(max_connections=None)  # the door bounds how many there are
        near = is_loopback(urlsplit(url).hostname or "")  # what is on this machine is reached by no other's proxy
        self._client = self._http.AsyncClient(
            timeout=timeout, limits=limits, follow_redirects=False, trust_env=not near
        )

    @contextlib.asynccontextmanager
    async def asked(self, method: str, headers: Mapping[str, str], body: bytes | None = None) -> AsyncIterator[Any]:
        """The server's response, its body unread. Raises :class:`Unreachable`."""
        passed = {
            name: value for name, value in headers.items() if name.lower() in PASSED or name.lower().startswith("mcp-")
        }
        request = self._client.build_request(method, self._url, headers={**passed, **self._own}, content=body)
        try:
            response = await self._client.send(request, stream=True)
        except (self._http.HTTPError, OSError) as error:
            raise Unreachable(f"the server cannot be reached ({type(error).__name__})") from None
        try:
            if response.headers.get("content-encoding", "identity") != "identity":
                raise Unreachable("the server's answer is compressed, which nobody asked for")
            yield response
        finally:
            await response.aclose()

    async def body(self, response: Any) -> bytes:
        """The whole body of a response. Raises :class:`Unreachable`."""
        parts, size = [], 0
        async for part in self._parts(response):
            parts.append(part)
            size += len(part)
            if size > LIMIT:
                raise Unreachable(f"the server's answer is longer than {LIMIT} bytes")
        return b"".join(parts)

    async def events(self, response: Any) -> AsyncIterator[Event]:
        """The events of a response. Raises :class:`Unreachable`."""
        try:
            async for event in events.events(self._parts(response), LIMIT):
                yield event
        except TooLong as error:
            raise Unreachable(str(error)) from None

    async def _parts(self, response: Any) -> AsyncIterator[bytes]:
        try:
            async for part in response.aiter_raw():
                yield part
        except (self._http.HTTPError, OSError) as error:
            raise Unreachable(f"the server's answer broke off ({type(error).__name__})") from None

    async def close(self) -> None:
        """Closes the connections."""
        await self._client.aclose()


def kind(response: Any) -> str:
    """The media type of a response, without its parameters."""
    return str(response.headers.get("content-type", "")).partition(";")[0].strip().lower()


def library() -> Any:
    """The HTTP client that came with the MCP SDK."""
    try:
        import httpx2

        return httpx2
    except ImportError:
        import httpx

        return httpx
