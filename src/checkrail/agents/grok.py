"""Grok Build: only PreToolUse blocks, nothing asks, and its usual time limit is 5 seconds."""

from checkrail.agents.answers import Answers, flat
from checkrail.agents.dialect import POST, PRE, SESSION, Dialect, renaming
from checkrail.agents.homes import Home, Presence, command_handler, everywhere
from checkrail.agents.tools import own

DIALECT = Dialect(
    NAME="grok",
    kinds={"pre_tool_use": PRE, "PreToolUse": PRE, "post_tool_use": POST, "PostToolUse": POST, "session_start": SESSION, "SessionStart": SESSION},
    usual="pre_tool_use",
    unpack=renaming(
        hook_event_name="hookEventName", tool_name="toolName", tool_input="toolInput", session_id="sessionId",
        project="workspaceRoot", tool_response="toolResult",
    ),
    tools={"run_terminal_command": "Bash", **own(Agent="task spawn_subagent", Skill="skill", TodoWrite="todo_write")},
    answers=Answers(deny=flat("deny")),
)  # fmt: skip

PRESENCE = Presence(
    title="Grok Build",
    folders=("~/.grok",),
    programs=("grok",),
    homes=(
        Home(
            form="grouped",
            user="~/.grok/hooks/checkrail.json",
            project=".grok/hooks/checkrail.json",
            hooks=everywhere(
                "PreToolUse", "PostToolUse", "SessionStart", plain=("PreToolUse", "PostToolUse", "SessionStart")
            ),
            handler=command_handler(),
        ),
    ),
    lacks=(
        "it cannot ask",
        "a crash or time-out of the hook lets the call pass, and no switch changes that",
        "a project's hooks run only once the folder is trusted",
    ),
)
