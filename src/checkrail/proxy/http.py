"""The streamable HTTP transport: an HTTP server on this machine before a server behind a URL."""

import contextlib
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

import anyio
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from checkrail.proxy import events, messages, posted
from checkrail.proxy.door import Door, Refused
from checkrail.proxy.exchange import Exchange
from checkrail.proxy.messages import Message
from checkrail.proxy.record import say
from checkrail.proxy.upstream import Unreachable, Upstream, kind

PATH = "/mcp"
SESSION = "mcp-session-id"
JSON = "application/json"
MOST_SESSIONS = 1024
"""Sessions that are known at a time; the one that was used longest ago is forgotten, and its client begins anew."""

Begin = Callable[[], Exchange]
"""Makes what judges the messages of a new session."""


class Relay:
    """Takes requests of clients to the server and brings back what may pass. Runs in one event loop."""

    def __init__(self, upstream: Upstream, door: Door, begin: Begin) -> None:
        self._upstream, self._door, self._begin = upstream, door, begin
        self._sessions: dict[str, Exchange] = {}
        self._without = begin()
        """For servers that know no sessions."""

    def app(self) -> Starlette:
        """The application to serve."""

        @contextlib.asynccontextmanager
        async def life(_app: Starlette) -> AsyncIterator[None]:
            yield
            await self._upstream.close()

        return Starlette(routes=[Route(PATH, self.answer, methods=["GET", "POST", "DELETE"])], lifespan=life)

    async def answer(self, request: Request) -> Response:
        """The response to any request. What goes wrong is an error in it."""
        try:
            self._door.check(request.headers)
            if request.method == "POST":
                return await self._posted(request)
            if request.method == "GET":
                return await self._listened(request)
            return await self._ended(request)
        except Refused as error:
            return _error(error.status, str(error))
        except Unreachable as error:
            return _error(502, str(error))
        except Exception as error:
            say(f"a request failed: {type(error).__name__}: {error}")
            return _error(500, f"Checkrail failed ({type(error).__name__})")

    # Sessions ------------------------------------------------------------------------------------------------------

    def _session(self, headers: Mapping[str, str]) -> Exchange:
        """Raises :class:`Refused` with the status that makes a client begin anew."""
        name = headers.get(SESSION)
        if name is None:
            return self._without.alone()
        if (found := self._sessions.pop(name, None)) is None:
            raise Refused(404, "this session is not known; initialize anew")
        self._sessions[name] = found
        return found

    def _entered(self, response: Any, exchange: Exchange) -> None:
        """Keeps a session that the server has named; one that names none knows no sessions."""
        name = response.headers.get(SESSION)
        if not name:
            self._without = exchange
            return
        self._sessions[name] = exchange
        while len(self._sessions) > MOST_SESSIONS:
            self._sessions.pop(next(iter(self._sessions)))

    # POST: a message of the client ---------------------------------------------------------------------------------

    async def _posted(self, request: Request) -> Response:
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != JSON:
            raise Refused(415, f"a message is sent as {JSON}")
        body = await posted.body(request)
        try:
            message = messages.read(body, within_line=False)
        except messages.Malformed as error:
            unread = messages.with_error(b"", messages.BROKEN, f"Checkrail could not read this: {error}")
            return Response(unread, 400, media_type=JSON)
        posted.agree(message, request.headers)
        begins = SESSION not in request.headers and message.method == "initialize"
        exchange = self._begin() if begins else self._session(request.headers)
        said: list[bytes] = []
        if not await anyio.to_thread.run_sync(lambda: exchange.outgoing(body, said.append, within_line=False)):
            return Response(said[0], 200, media_type=JSON) if said else Response(status_code=202)
        stack = contextlib.AsyncExitStack()
        try:
            response = await stack.enter_async_context(self._upstream.asked("POST", request.headers, body))
            if begins and response.status_code < 300:
                self._entered(response, exchange)
            streams = response.status_code < 300 and kind(response) == events.TYPE
            if streams:
                stream = self._streamed(response, request, exchange, message, stack.pop_all())
                return StreamingResponse(stream, media_type=events.TYPE, headers=_headers(response))
            return await self._whole(response, request, exchange, message)
        except Exception as error:  # whatever it is; with a status of its own some clients would wait on
            why = str(error) if isinstance(error, Unreachable) else f"Checkrail failed ({type(error).__name__})"
            exchange.abandon(message.asked, why)
            failed = messages.with_error(message.key, messages.DEAD, why)
            return Response(failed, 200 if message.asks else 502, media_type=JSON)
        finally:
            await stack.aclose()

    async def _whole(self, response: Any, request: Request, exchange: Exchange, message: Message) -> Response:
        """An answer that is no stream."""
        if not message.asks and response.status_code < 300:
            return Response(status_code=202, headers=_headers(response))
        if response.status_code in (401, 403):
            raise Unreachable("the server wants credentials; give them with --header-env")
        body = await self._upstream.body(response)
        said = await self._fed(body, request, exchange) if kind(response) == JSON else []
        if response.status_code == 404:
            self._sessions.pop(request.headers.get(SESSION, ""), None)
        why = f"the server gave no answer that could be read (status {response.status_code})"
        said = said or [exchange.abandon(message.asked, why)]
        status = response.status_code if response.status_code >= 400 else 200
        if len(said) > 1 and status == 200:
            return Response(_as_events(said), status, media_type=events.TYPE, headers=_headers(response))
        return Response(said[-1], status, media_type=JSON, headers=_headers(response))

    async def _fed(self, data: bytes, request: Request, exchange: Exchange) -> list[bytes]:
        """What the client gets for a message of the server, further pages of a list asked for."""
        said: list[bytes] = []
        further = await anyio.to_thread.run_sync(lambda: exchange.incoming(data, said.append, within_line=False))
        while further:
            number = messages.read(further).number
            asked, further = further, b""
            try:
                async with self._upstream.asked("POST", request.headers, asked) as response:
                    async for part in self._messages(response):
                        further = await anyio.to_thread.run_sync(exchange.incoming, part, said.append)
                        if further:
                            break
            except Unreachable as error:
                said.append(exchange.abandon(number, str(error)))
                further = b""
            if not further and (error_ := exchange.abandon(number, "a page of the list was not answered")):
                said.append(error_)
        return said

    async def _messages(self, response: Any) -> AsyncIterator[bytes]:
        if kind(response) == events.TYPE:
            async for event in self._upstream.events(response):
                if event.data and event.name in _PLAIN:
                    yield event.data
        elif kind(response) == JSON:
            yield await self._upstream.body(response)

    # Streams -------------------------------------------------------------------------------------------------------

    async def _streamed(
        self,
        response: Any,
        request: Request,
        exchange: Exchange,
        message: Message | None,
        stack: contextlib.AsyncExitStack,
    ) -> AsyncIterator[bytes]:
        """The events of a response as they may pass. One that breaks off without a number to go on from ends in an error."""
        resumable = False
        async with stack:
            try:
                async for event in self._upstream.events(response):
                    resumable = resumable or bool(event.number)
                    for part in await self._shown(event, request, exchange):
                        yield part
                why = "the server's answer ended too early"
            except Unreachable as error:
                why, resumable = str(error), False
            if message is not None and not resumable and (error_ := exchange.abandon(message.asked, why)):
                yield events.Event(data=error_).encoded()

    async def _shown(self, event: events.Event, request: Request, exchange: Exchange) -> list[bytes]:
        if event.name not in _PLAIN:
            return []
        if not event.data:
            return [event.encoded()]  # tells a number to go on from, or when
        said = await self._fed(event.data, request, exchange)
        if not said:
            return [events.number_only(event)] if event.number else []
        *before, last = said
        return [*(events.Event(data=part).encoded() for part in before), event.encoded(last)]

    async def _listened(self, request: Request) -> Response:
        """GET: what the server says unasked, or the rest of a stream that broke off."""
        exchange = self._session(request.headers)
        async with contextlib.AsyncExitStack() as stack:
            response = await stack.enter_async_context(self._upstream.asked("GET", request.headers))
            if response.status_code < 300 and kind(response) == events.TYPE:
                stream = self._streamed(response, request, exchange, None, stack.pop_all())
                return StreamingResponse(stream, media_type=events.TYPE, headers=_headers(response))
            status = response.status_code if response.status_code >= 400 else 405
            return _error(502 if status in (401, 403) else status, "the server offers no stream")

    async def _ended(self, request: Request) -> Response:
        """DELETE: the session is over."""
        self._session(request.headers)
        async with self._upstream.asked("DELETE", request.headers) as response:
            if response.status_code < 300:
                self._sessions.pop(request.headers.get(SESSION, ""), None)
            return Response(status_code=response.status_code if response.status_code not in (401, 403) else 502)


_PLAIN = (b"", b"message")


def _headers(response: Any) -> dict[str, str]:
    kept = {"cache-control": "no-store"}
    return {**kept, SESSION: response.headers[SESSION]} if SESSION in response.headers else kept


def _error(status: int, why: str) -> Response:
    return Response(messages.with_error(b"", messages.REFUSED, why), status, media_type=JSON)


def _as_events(said: list[bytes]) -> bytes:
    return b"".join(events.Event(data=data).encoded() for data in said)
