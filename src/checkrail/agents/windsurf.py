"""Windsurf (Cascade): exit code 2 and stderr are all it understands. It knows no time limit, no ask and no fetch event."""

from typing import Any

from checkrail.agents.answers import Answers
from checkrail.agents.dialect import POST, PRE, Dialect, Told, mcp_name
from checkrail.agents.homes import COMMAND, Home, Hook, Presence
from checkrail.agents.json_events import text_field

_TOOLS = {
    "pre_run_command": "Bash",
    "post_run_command": "Bash",
    "pre_write_code": "MultiEdit",
    "post_write_code": "MultiEdit",
    "pre_read_code": "Read",
    "post_read_code": "Read",
}


def _unpack(told: Told) -> Told:
    action, info = text_field(told, "agent_action_name"), told.get("tool_info")
    known: dict[str, Any] = {
        **told,
        "hook_event_name": action or told.get("hook_event_name"),
        "session_id": told.get("trajectory_id"),
        "tool_use_id": told.get("execution_id"),
    }
    if action in ("pre_mcp_tool_use", "post_mcp_tool_use") and isinstance(info, dict):
        name = mcp_name(info.get("mcp_server_name"), info.get("mcp_tool_name"))
        return {
            **known,
            "tool_name": name,
            "tool_input": info.get("mcp_tool_arguments"),
            "tool_response": info.get("mcp_result"),
        }
    if action in _TOOLS:
        where = info.get("cwd") if isinstance(info, dict) else None
        return {**known, "tool_name": _TOOLS[action], "tool_input": info, "cwd": where or told.get("cwd")}
    return known


DIALECT = Dialect(
    NAME="windsurf",
    kinds={
        **dict.fromkeys(("pre_run_command", "pre_write_code", "pre_read_code", "pre_mcp_tool_use"), PRE),
        **dict.fromkeys(("post_run_command", "post_write_code", "post_read_code", "post_mcp_tool_use"), POST),
    },
    usual="pre_run_command",
    unpack=_unpack,
    answers=Answers(deny=None),
)

PRESENCE = Presence(
    title="Windsurf",
    activity=("~/.windsurf/transcripts",),
    folders=("~/.codeium/windsurf",),
    programs=("windsurf",),
    homes=(
        Home(
            form="flat",
            user="~/.codeium/windsurf/hooks.json",
            project=".windsurf/hooks.json",
            managed="/etc/windsurf/hooks.json",
            hooks=tuple(
                Hook(event=event)
                for event in (
                    "pre_run_command",
                    "pre_write_code",
                    "pre_read_code",
                    "pre_mcp_tool_use",
                    "post_run_command",
                )
            ),
            handler={"command": COMMAND, "show_output": True},
            unit="",
        ),
    ),
    lacks=(
        "it cannot ask",
        "a hook that crashes lets the call pass, and no switch changes that",
        "fetches are not hooked",
        "inside JetBrains editors it reads ~/.codeium/hooks.json: copy the entries there",
    ),
)
