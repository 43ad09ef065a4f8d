"""GitHub Copilot CLI, in its own (camelCase) events. A hook that fails blocks; one that is late lets the call pass.

Its desktop app runs the same hooks, ignores an ask and executes the call, and nothing tells the two apart, so an ask is a
denial.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

from checkrail.agents.answers import REASON, Answers
from checkrail.agents.dialect import CLAUDE_KINDS, POST, PRE, SESSION, Dialect, Told
from checkrail.agents.homes import COMMAND, TIMEOUT, Home, Hook, Presence
from checkrail.agents.tools import own
from checkrail.model import UNNAMED


def _arguments(told: Told) -> Any:
    """The tool's arguments: an object, in older versions a JSON text, for apply_patch a bare text."""
    given = told.get("toolArgs")
    if not isinstance(given, str):
        return given
    if told.get("toolName") == "apply_patch" and not given.lstrip().startswith("{"):
        return {"input": given}
    try:
        return json.loads(given)
    except (ValueError, RecursionError):
        return given  # not an object, which is a fault of its own


def _unpack(told: Told) -> Told:
    names: Mapping[str, str] = {
        "tool_name": "toolName",
        "session_id": "sessionId",
        "agent_id": "agentId",
        "agent_type": "agentType",
        "parent_session_id": "parentAgentId",
        "tool_response": "toolResult",
    }
    # A sub-agent has a session of its own, and its parent's is not always told.
    parent = {"parent_session_id": UNNAMED} if told.get("agentId") else {}
    found = {**told, **parent, **{ours: told[theirs] for ours, theirs in names.items() if theirs in told}}
    return {**found, **_known(str(told.get("toolName")), _arguments(told))} if "toolArgs" in told else found


_KEYS = re.compile(r"\{(?:enter|up|down|left|right|backspace)\}")
_AWAY = re.compile(r"\b(?:attach|vacuum|load_extension|readfile|writefile|edit)\b", re.IGNORECASE)
"""What leads out of the database of the session."""


def _known(tool: str, given: Any) -> Told:
    """Tools whose arguments need a word of their own."""
    if not isinstance(given, dict):
        return {"tool_input": given}
    if tool == "sql" and not _AWAY.search(
        str(given.get("query"))
    ):  # tasks that the agent notes in a database of its session
        return {"tool_name": "update_todo", "tool_input": given}
    if tool == "write_bash" and isinstance(given.get("input"), str):
        return {"tool_input": {**given, "input": _KEYS.sub("\n", given["input"])}}
    paths = given.get("paths")
    if tool in ("rg", "grep", "glob") and paths:
        if isinstance(paths, list) and len(paths) != 1:
            return {"tool_name": "search_files", "tool_input": given}  # judged by its arguments, path for path
        return {"tool_input": {**given, "path": paths[0] if isinstance(paths, list) else paths}}
    return {"tool_input": given}


DIALECT = Dialect(
    NAME="copilot",
    kinds={
        **CLAUDE_KINDS,
        "preToolUse": PRE,
        "permissionRequest": PRE,
        "postToolUse": POST,
        "postToolUseFailure": POST,
        "sessionStart": SESSION,
        "sessionEnd": SESSION,
    },
    finished="postToolUse",
    usual="preToolUse",
    unpack=_unpack,
    tools={
        "bash": "Bash",
        "powershell": "PowerShell",
        "create": "Write",
        "edit": "Edit",
        "view": "Read",
        "web_fetch": "WebFetch",
        "rg": "Grep",
        "grep": "Grep",
        "glob": "Glob",
        **own(
            Agent="task",
            Skill="skill",
            BashOutput="read_bash list_bash read_powershell list_powershell",
            KillShell="stop_bash stop_powershell",
            TaskOutput="read_agent",
            TaskList="list_agents",
            SendMessage="write_agent",
            TodoWrite="update_todo report_intent",
            AskUserQuestion="ask_user",
            ExitPlanMode="exit_plan_mode task_complete",
            LSP="fetch_copilot_cli_documentation",
        ),
    },
    answers=Answers(
        deny={"permissionDecision": "deny", "permissionDecisionReason": REASON},
        allow={"permissionDecision": "allow"},
        deny_on={"permissionRequest": {"behavior": "deny", "message": REASON}},
    ),
)

PRESENCE = Presence(
    title="Copilot CLI",
    activity=("~/.copilot/session-state",),
    folders=("~/.copilot",),
    programs=("copilot",),
    homes=(
        Home(
            form="flat",
            user="~/.copilot/hooks/checkrail.json",
            project=".github/hooks/checkrail.json",
            variable=("COPILOT_HOME", "~/.copilot"),
            head={"version": 1},
            hooks=(Hook(event="preToolUse"), Hook(event="postToolUse"), Hook(event="sessionStart")),
            handler={"type": "command", "bash": COMMAND, "timeoutSec": TIMEOUT},
        ),
    ),
    closed_by="built in for crashes; none for time-outs",
    lacks=(
        "a late hook lets the call pass",
        "its desktop app ignores an ask and executes the call, so nothing is asked here",
        "a repository's hooks load only in a trusted folder",
        "the name of an MCP server cannot be told from the tool's name",
    ),
)
