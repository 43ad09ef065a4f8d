"""Cursor and cursor-agent: an event of its own per kind of call. With ``failClosed`` an empty answer blocks, so it always answers."""

import json
from typing import Any

from checkrail.agents.answers import REASON, Answers
from checkrail.agents.dialect import POST, PRE, SESSION, Dialect, Told, first, mcp_name
from checkrail.agents.homes import COMMAND, TIMEOUT, Home, Hook, Presence
from checkrail.agents.json_events import Fault
from checkrail.agents.tools import own


def _mcp(told: Told) -> dict[str, Any]:
    given = told.get("tool_input")
    if isinstance(given, str):
        try:
            given = json.loads(given or "{}")
        except (ValueError, RecursionError):
            raise Fault("the arguments of the MCP call are not JSON") from None
    launch = told.get("command") or told.get("url")
    return {"tool_name": mcp_name("", told.get("tool_name")), "tool_input": given, "launch": launch}


def _call(event: Any, told: Told) -> dict[str, Any]:
    """Tool and input of the events that carry a call in their own fields."""
    if event in ("beforeShellExecution", "afterShellExecution"):
        return {
            "tool_name": "Shell",
            "tool_input": {"command": told.get("command")},
            "tool_response": told.get("output"),
        }
    if event in ("beforeMCPExecution", "afterMCPExecution"):
        return _mcp(told)
    if event in ("beforeReadFile", "beforeTabFileRead"):
        return {"tool_name": "Read", "tool_input": {"file_path": told.get("file_path")}}
    if event == "subagentStart":
        return {"tool_name": "Task", "tool_input": {"prompt": told.get("task")}}
    return {}


def _unpack(told: Told) -> Told:
    root = first(told.get("workspace_roots"))
    own = _call(told.get("hook_event_name"), told)
    return {
        **told,
        **own,
        "session_id": told.get("conversation_id"),
        "cwd": told.get("cwd") or root or None,
        **({"project": root} if root else {}),
        "tool_response": own.get("tool_response", told.get("tool_output")),
    }


_BEFORE = (
    "beforeShellExecution",
    "beforeMCPExecution",
    "beforeReadFile",
    "beforeTabFileRead",
    "preToolUse",
    "subagentStart",
)
_AFTER = (
    "afterShellExecution",
    "afterMCPExecution",
    "afterFileEdit",
    "afterTabFileEdit",
    "postToolUse",
    "postToolUseFailure",
)
_OTHER_TOOLS = "Write|StrReplace|ApplyPatch|Delete|EditNotebook|WebFetch|Task"

DIALECT = Dialect(
    NAME="cursor",
    kinds={**dict.fromkeys(_BEFORE, PRE), **dict.fromkeys(_AFTER, POST), "sessionStart": SESSION},
    usual="beforeShellExecution",
    unpack=_unpack,
    tools={
        "Shell": "Bash",
        "Read": "Read",
        "Write": "Write",
        "StrReplace": "Edit",
        "WebFetch": "WebFetch",
        "Grep": "Grep",
        "Glob": "Glob",
        **own(Agent="Task", TaskOutput="Await", AskUserQuestion="AskQuestion", LSP="ReadLints SemanticSearch"),
    },
    answers=Answers(
        deny={"permission": "deny", "user_message": REASON, "agent_message": REASON},
        ask={"permission": "ask", "user_message": REASON, "agent_message": REASON},
        ask_on=frozenset({"beforeShellExecution", "beforeMCPExecution"}),
        quiet={"permission": "allow"},
    ),
)

PRESENCE = Presence(
    title="Cursor",
    folders=("~/.cursor",),
    programs=("cursor", "cursor-agent"),
    homes=(
        Home(
            form="flat",
            user="~/.cursor/hooks.json",
            project=".cursor/hooks.json",
            managed="/etc/cursor/hooks.json",
            head={"version": 1},
            hooks=(
                Hook(event="beforeShellExecution", extra={"failClosed": True}),
                Hook(event="beforeMCPExecution", extra={"failClosed": True}),
                Hook(event="beforeReadFile", extra={"failClosed": True}),
                Hook(event="preToolUse", extra={"failClosed": True, "matcher": _OTHER_TOOLS}),
                Hook(event="subagentStart", extra={"failClosed": True}),
                Hook(event="afterShellExecution"),
                Hook(event="postToolUse"),
                Hook(event="sessionStart"),
            ),
            handler={"command": COMMAND, "timeout": TIMEOUT},
        ),
    ),
    closed_by="failClosed",
    lacks=(
        "it can ask about commands and MCP calls only",
        "cloud agents run no hooks of the user",
        "an allow does not skip its own prompt",
        "an MCP server's name is not told, and is looked up in its settings by the command or address",
    ),
)
