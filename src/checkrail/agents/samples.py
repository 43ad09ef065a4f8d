"""A pending shell command as each agent reports it: what the canaries of ``install`` and ``doctor`` are made of."""

from typing import Any

import msgspec

COMMAND, PLACE = "\0command", "\0place"

_ID = "checkrail-canary"
_CLAUDE: dict[str, Any] = {
    "session_id": _ID,
    "cwd": PLACE,
    "hook_event_name": "PreToolUse",
    "tool_name": "Bash",
    "tool_input": {"command": COMMAND},
    "tool_use_id": _ID,
    "permission_mode": "default",
}

SAMPLES: dict[str, dict[str, Any]] = {
    "claude": _CLAUDE,
    "codex": {**_CLAUDE, "turn_id": _ID, "model": "none", "transcript_path": None},
    "copilot": {"sessionId": _ID, "timestamp": 0, "cwd": PLACE, "toolName": "bash", "toolArgs": {"command": COMMAND}},
    "vscode": {**_CLAUDE, "tool_name": "run_in_terminal"},
    "cursor": {
        "conversation_id": _ID, "generation_id": _ID, "cursor_version": "0", "hook_event_name": "beforeShellExecution",
        "workspace_roots": [PLACE], "command": COMMAND, "cwd": PLACE,
    },
    "gemini": {**_CLAUDE, "hook_event_name": "BeforeTool", "tool_name": "run_shell_command"},
    "qwen": {**_CLAUDE, "tool_name": "run_shell_command", "tool_call_id": _ID},
    "opencode": {"event": "pre", "tool": "bash", "sessionID": _ID, "callID": _ID, "args": {"command": COMMAND}, "directory": PLACE},
    "windsurf": {
        "agent_action_name": "pre_run_command", "trajectory_id": _ID, "execution_id": _ID,
        "tool_info": {"command_line": COMMAND, "cwd": PLACE},
    },
    "cline": {
        "clineVersion": "0", "hookName": "PreToolUse", "taskId": _ID, "workspaceRoots": [PLACE],
        "preToolUse": {"toolName": "execute_command", "parameters": {"command": COMMAND}},
    },
    "kiro": {"hook_event_name": "preToolUse", "cwd": PLACE, "tool_name": "execute_bash", "tool_input": {"command": COMMAND}},
    "droid": {**_CLAUDE, "tool_name": "Execute"},
    "goose": {
        "event": "PreToolUse", "session_id": _ID, "matcher_context": "developer__shell", "tool_name": "developer__shell",
        "tool_input": {"command": COMMAND}, "working_dir": PLACE, "tool_call_id": _ID,
    },
    "augment": {
        "hook_event_name": "PreToolUse", "conversation_id": _ID, "workspace_roots": [PLACE], "tool_name": "launch-process",
        "tool_input": {"command": COMMAND, "cwd": PLACE}, "is_mcp_tool": False,
    },
    "crush": {"event": "PreToolUse", "session_id": _ID, "cwd": PLACE, "tool_name": "bash", "tool_input": {"command": COMMAND}},
    "hermes": {
        "hook_event_name": "pre_tool_call", "tool_name": "terminal", "tool_input": {"command": COMMAND}, "session_id": _ID,
        "cwd": PLACE, "extra": {"tool_call_id": _ID},
    },
    "antigravity": {
        "conversationId": _ID, "workspacePaths": [PLACE], "toolCall": {"name": "run_command", "args": {"CommandLine": COMMAND, "Cwd": PLACE}},
    },
    "grok": {
        "hookEventName": "pre_tool_use", "sessionId": _ID, "cwd": PLACE, "workspaceRoot": PLACE,
        "toolName": "run_terminal_command", "toolInput": {"command": COMMAND},
    },
    "kimi": {**_CLAUDE, "client_type": "cli", "tool_call_id": _ID},
    "vibe": {
        "session_id": _ID, "cwd": PLACE, "hook_event_name": "pre_tool", "tool_name": "file_system.bash", "tool_call_id": _ID,
        "tool_input": {"command": COMMAND},
    },
    "openhands": {
        "event_type": "PreToolUse", "tool_name": "terminal", "tool_input": {"command": COMMAND}, "session_id": _ID, "working_dir": PLACE,
    },
}  # fmt: skip


def _filled(value: Any, known: dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {key: _filled(child, known) for key, child in value.items()}
    if isinstance(value, list):
        return [_filled(child, known) for child in value]
    return known.get(value, value) if isinstance(value, str) else value


def sample(agent: str, command: str, place: str) -> bytes:
    """The event of a pending shell command in ``place``."""
    return msgspec.json.encode(_filled(SAMPLES[agent], {COMMAND: command, PLACE: place}))
