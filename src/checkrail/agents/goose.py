"""Goose: hooks come in a plugin. It cannot ask; a stray line of output counts as no decision, and ``on_failure`` closes that."""

import json

from checkrail.agents.answers import Answers, flat
from checkrail.agents.dialect import Dialect, Told, renaming
from checkrail.agents.homes import Home, Presence, command_handler, everywhere
from checkrail.agents.tools import own

_names = renaming(hook_event_name="event", cwd="working_dir", tool_use_id="tool_call_id")


def _unpack(told: Told) -> Told:
    """Tools of the built-in extension have a meaning of their own; those of other extensions are MCP tools."""
    known = _names(told)
    name = known.get("tool_name")
    if not isinstance(name, str) or "__" not in name or name in _OWN:
        return known
    server, _, tool = name.partition("__")
    return {**known, "tool_name": tool if server == "developer" and tool in TOOLS else f"mcp__{name}"}


TOOLS = {"shell": "Bash", "write": "Write", "edit": "Edit", "image_processor": "Read"}
_OWN = own(
    Agent="summon__delegate delegate dynamic_task__create_task", Skill="skills__load_skill summon__load load_skill",
    TodoWrite="todo__todo_write todo_write",
)  # fmt: skip

DIALECT = Dialect(
    NAME="goose",
    unpack=_unpack,
    tools={**TOOLS, **_OWN},
    answers=Answers(deny=flat("block"), allow={"decision": "allow"}),
)

_PLUGIN = {"name": "checkrail", "version": "1.0.0", "description": "Asks Checkrail before each tool call."}

PRESENCE = Presence(
    title="Goose",
    activity=("~/.local/share/goose/sessions",),
    folders=("~/.config/goose",),
    programs=("goose",),
    homes=(
        Home(
            form="files",
            user="~/.agents/plugins/checkrail",
            project=".agents/plugins/checkrail",
            texts={"plugin.json": json.dumps(_PLUGIN, indent=2) + "\n"},
            unit="",
        ),
        Home(
            form="grouped",
            user="~/.agents/plugins/checkrail/hooks/hooks.json",
            project=".agents/plugins/checkrail/hooks/hooks.json",
            hooks=everywhere("PreToolUse", "PostToolUse", "SessionStart", matcher=".*", on_failure="block"),
            handler=command_handler(),
        ),
    ),
    closed_by="on_failure",
    lacks=("it cannot ask", "sub-agents are not announced", "a plugin can be switched off in its settings"),
)
