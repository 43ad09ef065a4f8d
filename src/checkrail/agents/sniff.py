"""Whose event this is, by its shape. Agents run one another's hooks, so the shape says more than the name in the settings."""

from collections.abc import Callable
from typing import Any

Told = dict[str, Any]


def _lower(value: Any) -> bool:
    return isinstance(value, str) and value.islower()


MARKS: tuple[tuple[str, Callable[[Told], bool]], ...] = (
    ("antigravity", lambda told: isinstance(told.get("toolCall"), dict)),
    ("windsurf", lambda told: "agent_action_name" in told),
    ("cursor", lambda told: "cursor_version" in told or {"conversation_id", "generation_id"} <= told.keys()),
    ("cline", lambda told: "hookName" in told and bool({"clineVersion", "tool_call"} & told.keys())),
    ("vscode", lambda told: {"hookEventName", "tool_name"} <= told.keys()),
    ("grok", lambda told: _lower(told.get("hookEventName")) or {"toolName", "workspaceRoot"} <= told.keys()),
    ("grok", lambda told: {"hookEventName", "toolName"} <= told.keys()),
    ("copilot", lambda told: {"toolName", "toolArgs"} <= told.keys()),
    ("codex", lambda told: {"turn_id", "model"} <= told.keys()),
    ("gemini", lambda told: told.get("hook_event_name") in ("BeforeTool", "AfterTool")),
    ("kimi", lambda told: {"client_type", "tool_name"} <= told.keys()),
    ("qwen", lambda told: {"tool_call_id", "tool_use_id"} <= told.keys()),
    ("augment", lambda told: {"conversation_id", "is_mcp_tool"} <= told.keys()),
    ("openhands", lambda told: "event_type" in told),
    ("goose", lambda told: "event" in told and bool({"matcher_context", "working_dir", "tool_call_id"} & told.keys())),
    ("crush", lambda told: {"event", "tool_name"} <= told.keys()),
    ("hermes", lambda told: told.get("hook_event_name") in ("pre_tool_call", "post_tool_call")),
    ("vibe", lambda told: told.get("hook_event_name") in ("pre_tool", "post_tool")),
    ("kiro", lambda told: told.get("hook_event_name") in ("preToolUse", "postToolUse")),
    ("opencode", lambda told: {"tool", "sessionID", "callID"} <= told.keys()),
)
"""Name -> what only its events have; the first that fits counts."""

ALIKE = frozenset({"claude", "vscode", "droid", "codex", "qwen", "augment", "kiro", "copilot", "kimi"})
"""Agents whose events can look like Claude Code's, so that the name in the settings decides between them."""

_CLAUDE = frozenset({"hook_event_name", "tool_name", "tool_input"})
_CLAUDE_TOO = frozenset({"tool_use_id", "permission_mode", "transcript_path"})
_COPILOT = frozenset({"hook_event_name", "tool_name", "timestamp"})


def speaker(told: Told, installed: str) -> str:
    """The agent whose dialect an event is in; ``installed`` where the event does not tell. ``generic`` is never overruled."""
    if installed == "generic":
        return installed
    for name, fits in MARKS:
        if fits(told):
            return name
    if installed == "claude":  # Copilot CLI runs Claude Code's hooks, with an envelope of its own
        return "copilot" if told.keys() >= _COPILOT and not told.keys() & _CLAUDE_TOO else installed
    claude = told.keys() >= _CLAUDE and bool(told.keys() & _CLAUDE_TOO)
    return "claude" if claude and installed not in ALIKE else installed
