"""Claude Code: decodes what its hooks send, encodes the answer so that it holds even beside a stray line of output.

A denial is written three ways at once (JSON, the reason on stderr, exit 2), since JSON alone is ignored as soon
as anything else stands on stdout.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from checkrail.agents import json_events, tools
from checkrail.agents.answers import SILENT, explicit, held_reason
from checkrail.agents.json_events import Fault, text_field
from checkrail.agents.reasons import guidance, reason
from checkrail.daemon.protocol import Answer
from checkrail.model import Asking, Decision, Event, EventKind, Verdict

NAME = "claude"

KINDS: dict[str, EventKind] = {
    "PreToolUse": EventKind.PRE,
    "PermissionRequest": EventKind.PRE,
    "PreSkillShellCommand": EventKind.PRE,
    "PostToolUse": EventKind.POST,
    "PostToolUseFailure": EventKind.POST,
    "SessionStart": EventKind.SESSION,
    "SessionEnd": EventKind.SESSION,
    "ConfigChange": EventKind.CONFIG,
}


def _kind(name: str, told: Mapping[str, Any], installed: str) -> EventKind:
    """An event of an unknown name is pending where it carries a call, or came to a hook that is there for pending calls."""
    finished = bool({"tool_response", "error"} & told.keys())
    pending = "tool_name" in told or KINDS.get(installed) is EventKind.PRE
    return KINDS.get(name, EventKind.PRE if pending and not finished else EventKind.OTHER)


def _call(told: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    tool = text_field(told, "tool_name")
    if not tool:
        raise Fault("the event names no tool")
    return tool, tools.checked(tool, told.get("tool_input"))


def _subagent(told: dict[str, Any]) -> str:
    """``type/id`` of the sub-agent that speaks, empty for the main one."""
    kind, number = text_field(told, "agent_type"), text_field(told, "agent_id")
    return f"{kind}/{number}" if kind or number else ""


SWALLOWING = frozenset(("bypassPermissions", "dontAsk"))
"""Modes in which a question is answered by itself (no, or in some versions yes) and never reaches the person."""


def _asking(name: str, told: dict[str, Any], environment: Mapping[str, str]) -> Asking:
    """Whether a person would see a question: only the prompt before a call shows one, and only where somebody attends."""
    if name == "PermissionRequest":
        return Asking.ASKING
    headless = (
        environment.get("CLAUDE_CODE_ENTRYPOINT") == "sdk-cli"
        or environment.get("CLAUDE_CODE_SESSION_ATTENDED", "1") != "1"
    )
    swallowed = text_field(told, "permission_mode") in SWALLOWING
    return Asking.CANNOT if name != "PreToolUse" or headless or swallowed else Asking.SHOWS


def _server(told: Mapping[str, Any]) -> str:
    """The MCP server whose tool is called, where the event says so."""
    server = told.get("mcp_server")
    name = server.get("name") if isinstance(server, dict) else None
    return name[:128] if isinstance(name, str) else ""


def _plugin(tool: str) -> str:
    """The plugin whose MCP server a tool belongs to: ``mcp__plugin_<plugin>_<server>__<tool>``."""
    return tool.split("__")[1].removeprefix("plugin_").split("_")[0] if tool.startswith("mcp__plugin_") else ""


def _envelope(told: dict[str, Any], cwd: str, event: str, environment: Mapping[str, str]) -> dict[str, Any]:
    where = text_field(told, "cwd", cwd)
    where = where if where.startswith("/") else cwd
    project = environment.get("CLAUDE_PROJECT_DIR", "")
    return {
        "cwd": where,
        "project": project if project.startswith("/") else where,
        "session": text_field(told, "session_id"),
        "subagent": _subagent(told),
        "call": text_field(told, "tool_use_id"),
        "mode": text_field(told, "permission_mode"),
        "asking": _asking(text_field(told, "hook_event_name", event or "PreToolUse"), told, environment),
    }


def understand(told: dict[str, Any], *, cwd: str, event: str, environment: Mapping[str, str]) -> Event:
    """The event in a JSON object. Raises :class:`Fault` for an envelope that is broken."""
    name = text_field(told, "hook_event_name", event or "PreToolUse")
    kind = _kind(name, told, event)
    common = Event(agent=NAME, name=name, kind=kind, **_envelope(told, cwd, event, environment))
    if kind is EventKind.CONFIG:
        return msgspec.structs.replace(
            common, input={"source": text_field(told, "source"), "file_path": text_field(told, "file_path")}
        )
    if kind not in (EventKind.PRE, EventKind.POST):
        return common
    try:
        tool, given = _call(told)
    except Fault as fault:
        return msgspec.structs.replace(common, tool=str(told.get("tool_name") or ""), fault=str(fault))
    result = told.get("tool_response", told.get("error"))
    return msgspec.structs.replace(
        common, tool=tool, input=given, plugin=_plugin(tool), server=_server(told), result=result
    )


def broken(fault: Fault, *, cwd: str, event: str) -> Event:
    """An event of which nothing could be understood."""
    kind, name = KINDS.get(event, EventKind.PRE), event or "PreToolUse"
    asking = _asking(name, {}, {})
    return Event(agent=NAME, name=name, kind=kind, cwd=cwd, project=cwd, asking=asking, fault=str(fault))


def decode(raw: bytes, *, cwd: str, event: str, environment: Mapping[str, str]) -> Event:
    """What the hook said. Never raises: what cannot be understood has ``fault`` set.

    ``event`` is the name of the event the hook was installed for, used where the payload names none.
    """
    try:
        return understand(json_events.read_object(raw), cwd=cwd, event=event, environment=environment)
    except Fault as fault:
        return broken(fault, cwd=cwd, event=event)


def _specific(event: Event, fields: dict[str, Any]) -> bytes:
    return msgspec.json.encode({"hookSpecificOutput": {"hookEventName": event.name, **fields}})


def _permission(event: Event, decision: str, text: str) -> bytes:
    return _specific(event, {"permissionDecision": decision, "permissionDecisionReason": text})


def _stop(stdout: bytes, text: str) -> Answer:
    return Answer(exit_code=2, stdout=stdout, stderr=text.encode() + b"\n")


def _pre_tool_use(event: Event, verdict: Verdict, aloud: bool) -> Answer:
    text = reason(verdict)
    if verdict.decision is Decision.DENY:
        return _stop(_permission(event, "deny", text), text)
    if verdict.decision is Decision.ASK:
        return Answer(exit_code=0, stdout=_permission(event, "ask", text), stderr=b"")
    if aloud:
        return Answer(exit_code=0, stdout=_permission(event, "allow", text), stderr=b"")
    told = guidance(verdict)
    return Answer(exit_code=0, stdout=_specific(event, {"additionalContext": told}), stderr=b"") if told else SILENT


def _permission_request(event: Event, verdict: Verdict) -> Answer:
    """The user is being asked already, so only a denial adds anything."""
    if verdict.decision is not Decision.DENY:
        return SILENT
    text = reason(verdict)
    return _stop(_specific(event, {"decision": {"behavior": "deny", "message": text}}), text)


def _without_ask(event: Event, verdict: Verdict) -> Answer:
    """Where nobody would see a question: a skill's own shell command, a mode that answers itself, any event we do not know."""
    if verdict.decision is Decision.ALLOW:
        return SILENT
    text = reason(verdict) if verdict.decision is Decision.DENY else held_reason(verdict)
    return _stop(_permission(event, "deny", text), text)


def _config(verdict: Verdict) -> Answer:
    if verdict.decision is Decision.ALLOW:
        return SILENT
    text = reason(verdict)
    return _stop(msgspec.json.encode({"decision": "block", "reason": text}), text)


def encode(event: Event, verdict: Verdict, *, explicit_allow: str) -> Answer:
    """The answer in Claude Code's dialect. ``explicit_allow`` is off, reads or auto (see ``docs/configuration.md``)."""
    if event.kind is EventKind.CONFIG:
        return _config(verdict)
    if event.kind is not EventKind.PRE:
        return SILENT
    if event.name == "PreToolUse":
        return _pre_tool_use(event, verdict, explicit(verdict, explicit_allow))
    if event.name == "PermissionRequest":
        return _permission_request(event, verdict)
    return _without_ask(event, verdict)
