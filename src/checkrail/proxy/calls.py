"""A call that goes to the server: judged like any agent's call of an MCP tool, before the server sees it."""

from collections.abc import Mapping
from typing import Any, Protocol

from checkrail.client import Client, Unavailable
from checkrail.facts.mcp_servers import as_written
from checkrail.proxy.messages import Malformed, Message

CALL, READ, PICK, FETCH = "tools/call", "resources/read", "prompts/get", "tasks/result"
JUDGED = frozenset({CALL, READ})
"""Requests that do something: a tool is called, or a resource is read at an address that the caller chose."""


class Judge(Protocol):
    """Who says whether a call may run, and hears that it has."""

    def stops(self, tool: str, given: Mapping[str, Any], call: str, /) -> str:
        """Why a call does not run; empty where it may."""

    def finished(self, tool: str, given: Mapping[str, Any], call: str, result: Any, /) -> str:
        """Takes in what a call brought back; what went wrong, or an empty string."""


class Daemon:
    """The user's daemon as the judge: its rules, its log, its requests."""

    def __init__(self, client: Client, server: str) -> None:
        self._client = client
        self._prefix = f"mcp__{as_written(server)}__"

    def stops(self, tool: str, given: Mapping[str, Any], call: str) -> str:
        """See :class:`Judge`. Without a verdict no call runs."""
        try:
            verdict = self._client.judge(self._prefix + tool, given, call=call)
        except Unavailable as error:
            return f"Checkrail blocked this: {error}"
        return "" if verdict.allowed else verdict.reason

    def finished(self, tool: str, given: Mapping[str, Any], call: str, result: Any) -> str:
        """See :class:`Judge`."""
        try:
            self._client.finished(self._prefix + tool, given, result, call=call)
        except Unavailable as error:
            return str(error)
        return ""


def call_in(message: Message) -> tuple[str, dict[str, Any]]:
    """Tool and arguments of a request in :data:`JUDGED`. Raises :class:`Malformed`."""
    params = message.strictly("params")
    if not isinstance(params, dict):
        raise Malformed("its parameters are no object")
    if message.method.lower() == READ:
        return "read_resource", {"uri": _text(params, "uri")}
    given = params.get("arguments")
    if given is not None and not isinstance(given, dict):
        raise Malformed("its arguments are no object")
    return _text(params, "name"), given or {}


def named(message: Message) -> str:
    """The name in a request's parameters. Raises :class:`Malformed`."""
    params = message.strictly("params")
    return _text(params if isinstance(params, dict) else {}, "name")


def _text(params: Mapping[str, Any], name: str) -> str:
    found = params.get(name)
    if not isinstance(found, str) or not found:
        raise Malformed(f"it has no {name}")
    return found
