"""What a client posts: a body that is bounded in size and time, and headers that say what it says."""

import base64
import contextlib
from collections.abc import Mapping

import anyio
from starlette.requests import ClientDisconnect, Request

from checkrail.proxy.door import Refused
from checkrail.proxy.lines import LIMIT
from checkrail.proxy.messages import Message

SECONDS = 30.0
"""What a client gets to send a whole message."""


def agree(message: Message, headers: Mapping[str, str]) -> None:
    """Headers that repeat what the message says, for servers that look at them alone. Raises :class:`Refused`."""
    params = message.loosely("params")
    named = (params.get("name"), params.get("uri")) if isinstance(params, dict) else ()
    if headers.get("mcp-method", message.method) != message.method:
        raise Refused(400, "the header Mcp-Method contradicts the message")
    if "mcp-name" in headers and _unwrapped(headers["mcp-name"]) not in named:
        raise Refused(400, "the header Mcp-Name contradicts the message")


def _unwrapped(value: str) -> str:
    """A header's text, which is wrapped where it is not plain ASCII."""
    if not (value.startswith("=?base64?") and value.endswith("?=")):
        return value
    with contextlib.suppress(ValueError):
        return base64.b64decode(value[9:-2], validate=True).decode()
    return ""


async def body(request: Request) -> bytes:
    """Raises :class:`Refused` for what is too long or comes too slowly."""
    parts, size = [], 0
    try:
        with anyio.fail_after(SECONDS):
            async for part in request.stream():
                parts.append(part)
                size += len(part)
                if size > LIMIT:
                    raise Refused(413, f"a message is longer than {LIMIT} bytes")
    except TimeoutError:
        raise Refused(408, f"the message did not come within {SECONDS:g} seconds") from None
    except ClientDisconnect:
        raise Refused(400, "the client left") from None
    return b"".join(parts)
