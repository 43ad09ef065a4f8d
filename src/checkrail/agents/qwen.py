"""Qwen Code: Gemini's tools in Claude Code's dialect. On exit code 2 only stderr is read, and an empty one lets the call pass."""

from checkrail.agents.answers import Answers, claude_form
from checkrail.agents.dialect import Dialect
from checkrail.agents.gemini import TOOLS
from checkrail.agents.homes import Home, Presence, command_handler, everywhere

DIALECT = Dialect(
    NAME="qwen",
    tools={**TOOLS, "notebook_edit": "NotebookEdit", "agent": "Agent"},
    answers=Answers(deny=claude_form("deny"), ask=claude_form("ask")),
    swallowing=frozenset({"yolo"}),
)

PRESENCE = Presence(
    title="Qwen Code",
    activity=("~/.qwen/projects",),
    folders=("~/.qwen",),
    programs=("qwen",),
    homes=(
        Home(
            form="grouped",
            user="~/.qwen/settings.json",
            project=".qwen/settings.json",
            managed="/etc/qwen-code/settings.json",
            hooks=everywhere("PreToolUse", "PostToolUse", "SessionStart"),
            handler=command_handler(),
            unit="ms",  # older versions know no other, newer ones read 1000 and more so
            comments=True,
        ),
    ),
    lacks=("a crash or time-out of the hook lets the call pass, and no switch changes that",),
)
