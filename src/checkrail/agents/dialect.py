"""An agent as data: how its events are understood and how it wants to be answered. What it does otherwise is one function.

``unpack`` brings an event into the names of Claude Code's envelope (``hook_event_name``, ``tool_name``, ``tool_input``,
``session_id``, ``parent_session_id``, ``cwd``, ``tool_use_id``, ``tool_response``, ``agent_id``, ``agent_type``, ``permission_mode``, ``project``,
``launch``).
"""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from checkrail.agents import answers, json_events, tools
from checkrail.agents.answers import Answers
from checkrail.agents.json_events import Fault, text_field
from checkrail.daemon.protocol import Answer
from checkrail.model import Asking, Event, EventKind, Verdict

Told = dict[str, Any]
Unpack = Callable[[Told], Told]

PRE, POST, SESSION = EventKind.PRE, EventKind.POST, EventKind.SESSION

CLAUDE_KINDS: dict[str, EventKind] = {
    "PreToolUse": PRE,
    "PermissionRequest": PRE,
    "PostToolUse": POST,
    "PostToolUseFailure": POST,
    "SessionStart": SESSION,
    "SessionEnd": SESSION,
}


def renaming(**names: str) -> Unpack:
    """An envelope whose fields have other names: ours = theirs."""

    def unpack(told: Told) -> Told:
        return {**told, **{ours: told[theirs] for ours, theirs in names.items() if theirs in told}}

    return unpack


def first(value: Any) -> str:
    """The first text of a list, as of workspace roots; empty where there is none."""
    return next((entry for entry in value if isinstance(entry, str)), "") if isinstance(value, list) else ""


def mcp_name(server: Any, tool: Any) -> str:
    """Our name of an MCP tool."""
    if not isinstance(server, str) or not isinstance(tool, str) or not tool:
        raise Fault("the MCP call names no server and tool")
    return f"mcp__{server or 'unnamed'}__{tool}"


def _over(told: Told) -> bool:
    """Whether an event carries what came of a call."""
    return told.get("tool_response") is not None or told.get("error") is not None


class Dialect(msgspec.Struct, frozen=True, kw_only=True):
    """What one agent says and hears. ``tools`` maps its tools to ours; ``usual`` is the event of a hook that names none."""

    NAME: str
    kinds: dict[str, EventKind] = msgspec.field(default_factory=lambda: CLAUDE_KINDS)
    usual: str = "PreToolUse"
    finished: str = ""  # the event of a finished call where neither the event nor its hook names one
    unpack: Unpack = dict
    tools: dict[str, str] = {}
    answers: Answers
    swallowing: frozenset[str] = frozenset()  # permission modes in which a question never reaches the person

    def _asking(self, name: str, mode: str) -> Asking:
        """Whether a person would see a question in this event."""
        if name in self.answers.deny_on:
            return Asking.ASKING
        shown = answers.can_ask(self.answers, name) and mode not in self.swallowing
        return Asking.SHOWS if shown else Asking.CANNOT

    def _kind(self, name: str, told: Told, installed: str) -> EventKind:
        """An event of an unknown name is pending where it carries a call, or came to a hook that is there for pending calls."""
        finished = _over(told)
        pending = told.get("tool_name") is not None and not finished
        expected = self.kinds.get(installed) is PRE and not finished
        return self.kinds.get(name, PRE if pending or expected else EventKind.OTHER)

    def _envelope(self, told: Told, cwd: str) -> dict[str, Any]:
        where = text_field(told, "cwd", cwd)
        where = where if where.startswith("/") else cwd
        project = text_field(told, "project", where)
        kind, number = text_field(told, "agent_type"), text_field(told, "agent_id")
        return {
            "cwd": where,
            "project": project if project.startswith("/") else where,
            "session": text_field(told, "session_id"),
            "parent": text_field(told, "parent_session_id"),
            "subagent": f"{kind}/{number}" if kind or number else "",
            "call": text_field(told, "tool_use_id"),
            "mode": text_field(told, "permission_mode"),
        }

    def understand(self, said: Told, *, cwd: str, event: str, environment: Mapping[str, str]) -> Event:  # noqa: ARG002
        """The event; ``fault`` is set where the call cannot be understood. Raises :class:`Fault` for a broken envelope."""
        told = self.unpack(said)
        over = self.finished if _over(told) else ""
        name = text_field(told, "hook_event_name", event or over or self.usual)
        kind = self._kind(name, told, event)
        asking = self._asking(name, text_field(told, "permission_mode"))
        common = Event(agent=self.NAME, name=name, kind=kind, asking=asking, **self._envelope(told, cwd))
        if kind not in (PRE, POST):
            return common
        try:
            tool = text_field(told, "tool_name")
            if not tool:
                raise Fault("the event names no tool")
            call = tools.call(tool, told.get("tool_input"), self.tools, common.cwd)
        except Fault as fault:
            return msgspec.structs.replace(common, tool=str(told.get("tool_name") or ""), fault=str(fault))
        result = told.get("tool_response", told.get("error"))
        launch = text_field(told, "launch")[:4096]
        return msgspec.structs.replace(
            common, tool=call.tool, input=call.given, cwd=call.place, result=result, launch=launch
        )

    def broken(self, fault: Fault, *, cwd: str, event: str) -> Event:
        """An event of which nothing could be understood."""
        name = event or self.usual
        kind = self.kinds.get(name, PRE)
        asking = self._asking(name, "")
        return Event(agent=self.NAME, name=name, kind=kind, cwd=cwd, project=cwd, asking=asking, fault=str(fault))

    def decode(self, raw: bytes, *, cwd: str, event: str, environment: Mapping[str, str]) -> Event:
        """See :class:`checkrail.agents.Agent`."""
        try:
            return self.understand(json_events.read_object(raw), cwd=cwd, event=event, environment=environment)
        except Fault as fault:
            return self.broken(fault, cwd=cwd, event=event)

    def encode(self, event: Event, verdict: Verdict, *, explicit_allow: str) -> Answer:
        """See :class:`checkrail.agents.Agent`."""
        return answers.answer(self.answers, event, verdict, explicit_allow=explicit_allow)
