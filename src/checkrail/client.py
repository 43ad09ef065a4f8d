"""A small client for programs that call tools themselves: agent frameworks, proxies, wrappers.

    from checkrail.client import Client

    checkrail = Client(session="run-7")
    verdict = checkrail.judge("Bash", {"command": "git push --force"})
    if not verdict.allowed:
        raise PermissionError(verdict.reason)

Each call is one question over the daemon's socket; the daemon is started where none runs. Whatever goes wrong is an
:class:`Unavailable`, never an allow. A verdict says what to do and runs nothing.
"""

import os
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from checkrail.daemon.client import ask
from checkrail.daemon.protocol import (
    ANSWER_LIMIT,
    EVENT_LIMIT,
    Answer,
    ProtocolError,
    Request,
    decode_answer,
    encode_request,
)

PASSED = (
    "HOME", "USER", "PATH", "TMPDIR", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "CDPATH",
    "OLDPWD", "GIT_DIR", "KUBECONFIG", "AWS_PROFILE", "DOCKER_HOST", "DOCKER_CONTEXT", "PGHOST", "PGDATABASE", "RAILS_ENV",
    "NODE_ENV", "BASH_ENV",
)  # fmt: skip
"""Variables that travel with a call, as facts about where it would run. Not all: there are secrets among the others."""

MOST_TOLD = 1024 * 1024
"""Characters that are told of a result that is larger than an event may be."""
SECONDS = 9.0


class Unavailable(Exception):
    """No verdict could be had, so the call must not run; the text says why."""


class Verdict(msgspec.Struct, frozen=True):
    """What Checkrail says of one call. ``request`` is the number that a person can approve, 0 where there is none."""

    decision: str
    band: str
    reason: str
    rules: tuple[str, ...] = ()
    request: int = 0

    @property
    def allowed(self) -> bool:
        """Whether the call may run now. An ask is not an allow: a person has to say yes first."""
        return self.decision == "allow"


def _verdict(answer: Answer) -> Verdict:
    try:
        found = msgspec.json.decode(answer.stdout, type=Verdict)
    except msgspec.MsgspecError:
        told = answer.stderr.decode(errors="replace").strip()
        raise Unavailable(told or "the daemon's answer was not understood; run: checkrail doctor") from None
    if found.decision not in ("allow", "ask", "deny") or found.allowed != (answer.exit_code == 0):
        raise Unavailable("the daemon's answer contradicts itself; run: checkrail doctor")
    return found


def _heard(answer: Answer) -> None:
    if answer.exit_code:
        raise Unavailable(answer.stderr.decode(errors="replace").strip() or "the daemon did not take it in")


def _shortened(result: Any) -> str:
    """The beginning of a result that is larger than an event may be."""
    from checkrail.session.links import leaves  # not at the top: few results are so large

    return "\n".join(leaves(result))[:MOST_TOLD]


class Client:
    """Asks the user's daemon. One client may be shared by threads and tasks: it holds no connection.

    ``server``: the MCP server whose tools are called, where it is always the same. ``asks``: this program shows a question to a person itself; else an ask comes as a denial with the number of a request.
    """

    def __init__(
        self, *, socket: Path | None = None, cwd: str = "", project: str = "", session: str = "", subagent: str = "",
        server: str = "", asks: bool = False, seconds: float = SECONDS,
    ) -> None:  # fmt: skip
        self._socket = socket
        self._cwd, self._project = cwd, project
        self._session, self._subagent = session, subagent
        self._asks = asks
        self._server = server
        self._seconds = seconds

    def judge(self, tool: str, given: Mapping[str, Any], *, cwd: str = "", call: str = "") -> Verdict:
        """The verdict on a pending call. Raises :class:`Unavailable`."""
        return _verdict(self._send(self._request("pre", self._told(tool, given, cwd, call), cwd)))

    def finished(self, tool: str, given: Mapping[str, Any], result: Any, *, cwd: str = "", call: str = "") -> None:
        """Tells of a finished call, so that later ones are judged by what it brought in. Raises :class:`Unavailable`."""
        _heard(self._send(self._finished(tool, given, result, cwd, call)))

    async def judge_async(self, tool: str, given: Mapping[str, Any], *, cwd: str = "", call: str = "") -> Verdict:
        """:meth:`judge` without blocking the loop."""
        return _verdict(await self._send_async(self._request("pre", self._told(tool, given, cwd, call), cwd)))

    async def finished_async(
        self, tool: str, given: Mapping[str, Any], result: Any, *, cwd: str = "", call: str = ""
    ) -> None:
        """:meth:`finished` without blocking the loop."""
        _heard(await self._send_async(self._finished(tool, given, result, cwd, call)))

    def _finished(self, tool: str, given: Mapping[str, Any], result: Any, cwd: str, call: str) -> Request:
        told = self._told(tool, given, cwd, call)
        whole = self._request("post", {**told, "result": result}, cwd)
        if len(whole.raw) <= EVENT_LIMIT:
            return whole
        return self._request("post", {**told, "result": _shortened(result)}, cwd)

    def _told(self, tool: str, given: Mapping[str, Any], cwd: str, call: str) -> dict[str, Any]:
        where = cwd or self._cwd or os.getcwd()
        known = {
            "tool": tool,
            "input": dict(given),
            "cwd": where,
            "project": self._project or where,
            "asks": self._asks,
        }
        if self._server:
            known["server"] = self._server
        return {**known, "session": self._session, "subagent": self._subagent, "call": call}

    def _request(self, event: str, told: Mapping[str, Any], cwd: str) -> Request:
        environment = {name: os.environ[name] for name in PASSED if name in os.environ}
        try:
            raw = msgspec.json.encode(told)
        except (TypeError, ValueError, RecursionError) as error:
            raise Unavailable(f"the call cannot be told in JSON: {error}") from None
        where = cwd or self._cwd or os.getcwd()
        return Request(agent="generic", event=event, cwd=where, environment=environment, raw=raw)

    def _place(self) -> Path:
        if self._socket is None:
            from checkrail import places

            self._socket = places.find().socket
        return self._socket

    def _start(self) -> None:
        from checkrail.daemon import lifecycle
        from checkrail.places import PlacesError

        try:
            lifecycle.start(self._place(), seconds=self._seconds)
        except (lifecycle.DaemonError, PlacesError, OSError) as error:
            raise Unavailable(f"{error}; run: checkrail doctor") from None

    def _send(self, request: Request) -> Answer:
        try:
            try:
                return ask(self._place(), request, seconds=self._seconds)
            except (FileNotFoundError, ConnectionRefusedError, ProtocolError):
                self._start()
                return ask(self._place(), request, seconds=self._seconds)
        except (OSError, ProtocolError, ValueError) as error:
            raise Unavailable(
                f"no answer from the daemon ({type(error).__name__}: {error}); run: checkrail doctor"
            ) from None

    async def _send_async(self, request: Request) -> Answer:
        try:
            try:
                return await self._ask_async(request)
            except (FileNotFoundError, ConnectionRefusedError, ProtocolError):
                import asyncio

                await asyncio.to_thread(self._start)
                return await self._ask_async(request)
        except (OSError, TimeoutError, ProtocolError, ValueError) as error:
            raise Unavailable(
                f"no answer from the daemon ({type(error).__name__}: {error}); run: checkrail doctor"
            ) from None

    async def _ask_async(self, request: Request) -> Answer:
        import asyncio  # not at the top: a wrapper that asks once does without

        async with asyncio.timeout(self._seconds):
            reader, writer = await asyncio.open_unix_connection(str(self._place()))
            try:
                writer.write(encode_request(request))
                await writer.drain()
                data = bytearray()
                while len(data) <= ANSWER_LIMIT and (part := await reader.read(1 << 18)):
                    data += part
            finally:
                writer.close()
        return decode_answer(bytes(data))


Approve = Callable[[str, Mapping[str, Any], Verdict], bool | Awaitable[bool]]
"""Puts a question to a person: tool, arguments, and what Checkrail says. True runs the call."""


class Guard:
    """What a framework's tools ask before they run: the text for the model where a call may not run, empty where it may.

    ``means``: the names that Checkrail knows tools by, where they are others (``{"run_shell": "Bash"}``). ``approve`` is asked
    where a person has to say yes; the client then needs ``asks=True``. Without it the model is told how a person can agree.
    """

    def __init__(
        self, client: Client, *, means: Mapping[str, str] | None = None, approve: Approve | None = None
    ) -> None:
        self._client, self._means, self._approve = client, dict(means or {}), approve

    def refusal(self, tool: str, given: Mapping[str, Any], *, call: str = "") -> str:
        """Why a call may not run, empty where it may. Never raises: without a verdict nothing runs."""
        try:
            verdict = self._client.judge(self._name(tool), given, call=call)
        except Unavailable as error:
            return f"Not run: {error}"
        answer = self._answer(tool, given, verdict)
        if isinstance(answer, Awaitable):
            with suppress(AttributeError):
                answer.close()  # type: ignore[attr-defined]  # of a coroutine, which nobody will wait for
            raise TypeError("approve is asynchronous; use refusal_async")
        return _refused(verdict, answer is True)

    async def refusal_async(self, tool: str, given: Mapping[str, Any], *, call: str = "") -> str:
        """:meth:`refusal` without blocking the loop; ``approve`` may be asynchronous."""
        try:
            verdict = await self._client.judge_async(self._name(tool), given, call=call)
        except Unavailable as error:
            return f"Not run: {error}"
        answer = self._answer(tool, given, verdict)
        return _refused(verdict, (await answer if isinstance(answer, Awaitable) else answer) is True)

    def finished(self, tool: str, given: Mapping[str, Any], result: Any, *, call: str = "") -> None:
        """Tells of a call that ran. It has run, so that nobody hears of it is no error."""
        with suppress(Unavailable):
            self._client.finished(self._name(tool), given, result, call=call)

    async def finished_async(self, tool: str, given: Mapping[str, Any], result: Any, *, call: str = "") -> None:
        """:meth:`finished` without blocking the loop."""
        with suppress(Unavailable):
            await self._client.finished_async(self._name(tool), given, result, call=call)

    def _name(self, tool: str) -> str:
        return self._means.get(tool, tool)

    def _answer(self, tool: str, given: Mapping[str, Any], verdict: Verdict) -> bool | Awaitable[bool]:
        if verdict.decision == "ask" and self._approve is not None:
            return self._approve(tool, given, verdict)
        return verdict.allowed


def _refused(verdict: Verdict, allowed: bool) -> str:
    return "" if allowed else f"Not run: {verdict.reason}"
