"""Augment (Auggie and its editors): Claude Code's form, of which only denials count."""

from checkrail.agents.answers import Answers, claude_form
from checkrail.agents.dialect import Dialect, Told, first, mcp_name
from checkrail.agents.homes import Home, Presence, command_handler, everywhere
from checkrail.agents.tools import own


def _unpack(told: Told) -> Told:
    root = first(told.get("workspace_roots"))
    known = {**told, "session_id": told.get("conversation_id"), **({"cwd": root, "project": root} if root else {})}
    known["tool_response"] = told.get("tool_output") if told.get("tool_error") is None else told["tool_error"]
    if told.get("hook_event_name") == "PreToolUse":
        del known["tool_response"]
    if told.get("is_mcp_tool") is True:
        about = told.get("mcp_metadata")
        server = about.get("server_name", about.get("serverName", "")) if isinstance(about, dict) else ""
        known["tool_name"] = mcp_name(server, told.get("tool_name"))
    return known


DIALECT = Dialect(
    NAME="augment",
    unpack=_unpack,
    tools={
        "launch-process": "Bash",
        "save-file": "Write",
        **own(
            LSP="codebase-retrieval git-commit-retrieval",
            BashOutput="read-process list-processes read-terminal",
            KillShell="kill-process",
            TodoWrite="reorganize_tasklist add_tasks update_tasks view_tasklist",
        ),
    },  # the others by the shape of their arguments
    answers=Answers(deny=claude_form("deny")),
)

PRESENCE = Presence(
    title="Augment",
    folders=("~/.augment",),
    programs=("auggie",),
    homes=(
        Home(
            form="grouped",
            user="~/.augment/settings.json",
            project=".augment/settings.local.json",
            managed="/etc/augment/settings.json",
            hooks=everywhere("PreToolUse", "PostToolUse", "SessionStart", matcher=".*"),
            handler=command_handler(),
            unit="ms",
        ),
    ),
    lacks=(
        "it cannot ask",
        "a crash, a kill or a time-out of the hook lets the call pass, and no switch changes that",
        "an editor may offer its user to override a block",
    ),
)
