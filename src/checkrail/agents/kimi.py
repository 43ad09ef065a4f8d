"""Kimi Code: Claude Code's tools and form of denial, no ask and no allow; every failure of a hook lets the call pass."""

from checkrail.agents.answers import Answers, claude_form
from checkrail.agents.dialect import Dialect, renaming
from checkrail.agents.homes import COMMAND, TIMEOUT, Home, Hook, Presence

DIALECT = Dialect(
    NAME="kimi",
    unpack=renaming(tool_use_id="tool_call_id"),
    tools={"Shell": "Bash", "WriteFile": "Write", "ReadFile": "Read"},  # the others under Claude Code's names
    answers=Answers(deny=claude_form("deny")),
)

PRESENCE = Presence(
    title="Kimi Code",
    folders=("~/.kimi-code",),
    programs=("kimi",),
    homes=(
        Home(
            form="toml",
            user="~/.kimi-code/config.toml",
            hooks=(Hook(event="PreToolUse"), Hook(event="PostToolUse"), Hook(event="SessionStart")),
            handler={"event": "\0event", "matcher": ".*", "command": COMMAND, "timeout": TIMEOUT},
        ),
    ),
    lacks=(
        "it cannot ask",
        "a crash or time-out of the hook lets the call pass, and no switch changes that",
        "it has no settings of a project",
    ),
)
