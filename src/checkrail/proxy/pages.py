"""A list of tools that comes in pages: fetched whole, because a tool on one page may steer a tool on another."""

import secrets
from collections.abc import Mapping
from typing import Any

import msgspec

from checkrail.proxy import messages
from checkrail.proxy.lists import MOST
from checkrail.proxy.messages import Malformed, Message

LISTED = "tools/list"
PAGES = 100
"""Pages of one list that are fetched; those beyond are left out."""


class Gathering:
    """The pages of one request so far. ``number`` is that under which the server is asked for the next one."""

    def __init__(self, asked: Message, params: Mapping[str, Any]) -> None:
        self.number = ""
        self._asked = asked
        self._params = params
        self._first: Message | None = None
        self._entries: list[Any] = []
        self._pages = 0

    @classmethod
    def begun(cls, asked: Message, params: Any) -> "Gathering | None":
        """For a request of the whole list; None for anything else, a single page too."""
        given = {} if params is None else params
        whole = asked.method == LISTED and isinstance(given, dict) and given.get("cursor") is None
        return cls(asked, given) if whole else None

    def take(self, message: Message) -> bytes:
        """Takes in a page; the request for the next one, nothing where this was the last. Never raises."""
        self._pages += 1
        try:
            result = message.strictly("result") if "nextCursor" in message.names("result") else None
        except Malformed:
            return b""
        cursor = result.get("nextCursor") if isinstance(result, dict) else None
        tools = result.get("tools") if isinstance(result, dict) else None
        if not isinstance(cursor, str) or not isinstance(tools, list):
            return b""
        self._first = self._first or message
        self._entries += tools
        if self._pages >= PAGES or len(self._entries) >= MOST:
            return b""
        own = f"checkrail-{secrets.token_hex(8)}"
        self.number = messages.number_in(own)
        return msgspec.json.encode(
            {"jsonrpc": "2.0", "id": own, "method": LISTED, "params": _further(self._params, cursor)}
        )

    def whole(self, last: Message) -> Message:
        """The answer that holds every page, under the number of the request; an error or a single page as it came."""
        if self._first is None:
            return last
        named = {**last.fields, "id": self._asked.fields["id"]}
        try:
            result = last.strictly("result")
        except Malformed:
            result = None
        if not isinstance(result, dict):
            return messages.of(named)
        mine = result.get("tools") if last is not self._first and "nextCursor" not in result else None
        kept = {name: value for name, value in self._first.strictly("result").items() if name != "nextCursor"}
        kept["tools"] = [*self._entries, *(mine if isinstance(mine, list) else [])]
        return messages.of({**named, "result": msgspec.Raw(msgspec.json.encode(kept))})


def _further(params: Mapping[str, Any], cursor: str) -> dict[str, Any]:
    """The parameters for the next page; progress of it would be told to nobody."""
    meta = params.get("_meta")
    kept = {name: value for name, value in meta.items() if name != "progressToken"} if isinstance(meta, dict) else None
    return {**params, "cursor": cursor, **({"_meta": kept} if kept is not None else {})}
