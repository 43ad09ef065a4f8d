"""Cline: hooks are executable files named after their event. A denial stops the whole task, and only JSON is understood."""

from typing import Any

from checkrail.agents.answers import REASON, Answers
from checkrail.agents.dialect import POST, PRE, SESSION, Dialect, Told, first, mcp_name
from checkrail.agents.homes import Home, Presence
from checkrail.agents.json_events import Fault
from checkrail.agents.tools import own


def _mcp(given: Any) -> dict[str, Any]:
    """An MCP call, whose arguments are a JSON text."""
    import json

    if not isinstance(given, dict):
        raise Fault("the MCP call has no parameters")
    try:
        arguments = json.loads(given.get("arguments") or "{}")
    except (ValueError, TypeError, RecursionError):
        raise Fault("the arguments of the MCP call are not JSON") from None
    return {"tool_name": mcp_name(given.get("server_name"), given.get("tool_name")), "tool_input": arguments}


def _root(told: Told) -> dict[str, Any]:
    """The session at the root of a sub-agent's, where the event names it."""
    context = told.get("sessionContext")
    root = context.get("rootSessionId") if isinstance(context, dict) else None
    return {"parent_session_id": root} if isinstance(root, str) else {}


def _unpack(told: Told) -> Told:
    root = first(told.get("workspaceRoots"))
    known: dict[str, Any] = {
        **told,
        "hook_event_name": told.get("hookName"),
        "session_id": told.get("taskId"),
        **_root(told),
        **({"cwd": root, "project": root} if root else {}),
    }
    call = told.get("preToolUse") or told.get("postToolUse") or told.get("tool_call")
    if not isinstance(call, dict):
        return known
    tool, given = call.get("toolName", call.get("name")), call.get("parameters", call.get("input"))
    known |= {
        "tool_name": tool,
        "tool_input": given,
        "tool_use_id": call.get("id"),
        "tool_response": call.get("result"),
    }
    return {**known, **_mcp(given)} if tool == "use_mcp_tool" else known


DIALECT = Dialect(
    NAME="cline",
    kinds={"PreToolUse": PRE, "tool_call": PRE, "PostToolUse": POST, "tool_result": POST, "TaskStart": SESSION},
    unpack=_unpack,
    tools={
        "execute_command": "Bash",
        "write_to_file": "Write",
        "read_file": "Read",
        "web_fetch": "WebFetch",
        "list_files": "LS",
        **own(
            Agent="new_task use_subagents",
            Skill="use_skill",
            ReadMcpResource="access_mcp_resource",
            TodoWrite="focus_chain condense summarize_task",
            AskUserQuestion="ask_followup_question plan_mode_respond",
        ),
    },
    answers=Answers(
        deny={"cancel": True, "errorMessage": REASON, "contextModification": ""},
        exit_code=0,
        stderr=False,
        quiet={"cancel": False},
    ),
)

PRESENCE = Presence(
    title="Cline",
    runner="file",
    folders=("~/Documents/Cline", "~/.cline"),
    programs=("cline",),
    homes=(
        Home(
            form="files",
            user="~/Documents/Cline/Hooks",
            project=".clinerules/hooks",
            texts={"PreToolUse": "cline/PreToolUse", "PostToolUse": "cline/PostToolUse"},
            executable=True,
            unit="",
        ),
    ),
    lacks=(
        "it cannot ask, and a denial stops the whole task",
        "a crash, a time-out or anything beside the JSON lets the call pass, and no switch changes that",
        "hooks have to be switched on in its settings",
        "it takes one hook file per event: one that is there already is kept, and has to call Checkrail's itself",
    ),
)
