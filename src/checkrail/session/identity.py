"""Which session a call belongs to: sub-agents share that of their parent, and a resumed session is the same one."""

import hashlib

import msgspec

from checkrail.model import UNNAMED, Event


def digest(*parts: str | bytes) -> str:
    """Thirty-two hex digits of several texts, which no two lists of texts share."""
    joined = b"\0".join(part if isinstance(part, bytes) else part.encode("utf-8", "surrogatepass") for part in parts)
    return hashlib.sha256(joined).hexdigest()[:32]


def who(event: Event) -> str:
    """The session of an event, as a digest; the agent's own name for it is kept nowhere."""
    return digest(event.agent, event.session)


def parent(event: Event) -> str:
    """The session that started this one, where the agent says so; empty where the two are one, or it is not named."""
    return digest(event.agent, event.parent) if event.parent not in ("", UNNAMED, event.session) else ""


def place(event: Event) -> str:
    """Where an agent works, as a digest: a sub-agent of unknown parent belongs to who last started one there."""
    return digest("place", event.agent, event.project or event.cwd)


def arguments(event: Event) -> bytes:
    """The arguments of a call in one spelling."""
    try:
        return msgspec.json.encode(event.input, order="deterministic")
    except (TypeError, ValueError, RecursionError):
        return repr(event.input).encode("utf-8", "replace")


def call(event: Event) -> str:
    """The call of an event, as a digest: its number, or what is called with what where the agent gives none."""
    return digest("call", event.call) if event.call else digest("like", event.tool, arguments(event))
