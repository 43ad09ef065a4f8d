"""Any caller without a dialect of its own: shell wrappers, proxies, tests, agents not known yet.

It sends ``{"tool": …, "input": {…}, "cwd": …}`` (also accepted: Claude Code's names) and gets one JSON object with
decision, band, rules and reason; exit 0 lets the call through, exit 2 stops it. A caller that can put a question to a person
says so with ``"asks": true``; for any other a question is a denial with the number of a ``request``.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from checkrail.agents import json_events, tools
from checkrail.agents.answers import SILENT
from checkrail.agents.json_events import Fault, text_field
from checkrail.agents.reasons import guidance, reason
from checkrail.daemon.protocol import Answer
from checkrail.model import Asking, Decision, Event, EventKind, Verdict

NAME = "generic"

KINDS = {"pre": EventKind.PRE, "post": EventKind.POST, "session": EventKind.SESSION, "config": EventKind.CONFIG}


def understand(told: dict[str, Any], *, cwd: str, event: str, environment: Mapping[str, str]) -> Event:  # noqa: ARG001
    """The event in a JSON object. Raises :class:`Fault` for one that is broken."""
    event = event or "pre"
    tool = text_field(told, "tool") or text_field(told, "tool_name")
    if not tool:
        raise Fault("the event names no tool")
    where = text_field(told, "cwd", cwd)
    return Event(
        agent=NAME,
        name=event,
        kind=KINDS.get(event, EventKind.PRE),
        tool=tool,
        input=tools.checked(tool, told.get("input", told.get("tool_input"))),
        cwd=where if where.startswith("/") else cwd,
        project=text_field(told, "project", where),
        session=text_field(told, "session") or text_field(told, "session_id"),
        parent=text_field(told, "parent"),
        subagent=text_field(told, "subagent"),
        call=text_field(told, "call") or text_field(told, "tool_use_id"),
        asking=Asking.SHOWS if told.get("asks") is True else Asking.CANNOT,
        result=told.get("result"),
        server=text_field(told, "server"),
    )


def broken(fault: Fault, *, cwd: str, event: str) -> Event:
    """An event of which nothing could be understood."""
    kind = KINDS.get(event, EventKind.PRE)
    return Event(agent=NAME, name=event or "pre", kind=kind, cwd=cwd, project=cwd, fault=str(fault))


def decode(raw: bytes, *, cwd: str, event: str, environment: Mapping[str, str]) -> Event:
    """The event; ``fault`` is set where it cannot be understood. ``event`` is pre (default), post, session or config."""
    try:
        return understand(json_events.read_object(raw), cwd=cwd, event=event, environment=environment)
    except Fault as fault:
        return broken(fault, cwd=cwd, event=event)


def encode(event: Event, verdict: Verdict, *, explicit_allow: str) -> Answer:  # noqa: ARG001
    """One JSON object on stdout; exit 2 with the reason on stderr for ask and deny."""
    if event.kind not in (EventKind.PRE, EventKind.CONFIG):
        return SILENT
    text = reason(verdict)
    body = msgspec.json.encode(
        {
            "decision": verdict.decision,
            "band": verdict.band,
            "rules": [finding.rule for finding in verdict.findings],
            "reason": text,
            **({"request": verdict.approval.request} if verdict.approval else {}),
            **({"guidance": told} if (told := guidance(verdict)) else {}),
        }
    )
    stops = verdict.decision is not Decision.ALLOW
    return Answer(exit_code=2 if stops else 0, stdout=body + b"\n", stderr=text.encode() + b"\n" if stops else b"")
