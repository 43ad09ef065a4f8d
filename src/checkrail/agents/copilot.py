"""GitHub Copilot CLI, in its own (camelCase) events. A hook that fails blocks; one that is late lets the call pass.

Its desktop app runs the same hooks, ignores an ask and executes the call, and nothing tells the two apart, so an ask is a
denial.
"""

import json
from collections.abc import Mapping
from typing import Any

from checkrail.agents.answers import REASON, Answers
from checkrail.agents.dialect import POST, PRE, SESSION, Dialect, Told
from checkrail.agents.homes import COMMAND, TIMEOUT, Home, Hook, Presence


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
        "tool_response": "toolResult",
    }
    found = {**told, **{ours: told[theirs] for ours, theirs in names.items() if theirs in told}}
    return {**found, "tool_input": _arguments(told)} if "toolArgs" in told else found


DIALECT = Dialect(
    NAME="copilot",
    kinds={"preToolUse": PRE, "permissionRequest": PRE, "postToolUse": POST, "sessionStart": SESSION},
    usual="preToolUse",
    unpack=_unpack,
    tools={
        "bash": "Bash",
        "powershell": "PowerShell",
        "create": "Write",
        "edit": "Edit",
        "view": "Read",
        "web_fetch": "WebFetch",
        "task": "Agent",
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
