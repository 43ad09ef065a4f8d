"""VS Code's own agent harness: Claude Code's dialect with VS Code's tools. Everything that fails lets the call pass."""

from checkrail.agents.answers import Answers, claude_form
from checkrail.agents.dialect import Dialect, renaming
from checkrail.agents.homes import Home, Presence, command_handler, everywhere
from checkrail.agents.tools import own

DIALECT = Dialect(
    NAME="vscode",
    unpack=renaming(hook_event_name="hookEventName", session_id="sessionId"),
    tools={
        "run_in_terminal": "Bash",
        **own(
            Agent="runSubagent",
            BashOutput="terminal_last_command get_terminal_output terminal_selection",
            KillShell="kill_terminal",
            TodoWrite="manage_todo_list memory",
            AskUserQuestion="vscode_askQuestions",
        ),
    },  # the others by the shape of their arguments
    answers=Answers(deny=claude_form("deny"), ask=claude_form("ask"), allow=claude_form("allow")),
)

PRESENCE = Presence(
    title="VS Code",
    folders=("~/.vscode",),
    programs=("code",),
    homes=(
        Home(
            form="flat",
            project=".github/hooks/checkrail-vscode.json",
            hooks=everywhere(
                "PreToolUse", "PostToolUse", "SessionStart", plain=("PreToolUse", "PostToolUse", "SessionStart")
            ),
            handler=command_handler(),
        ),
    ),
    lacks=(
        "a crash or time-out of the hook lets the call pass, and no switch changes that",
        "for the whole user it reads Claude Code's settings: install for claude",
        "Copilot, Claude and Codex sessions inside it use their own hooks",
    ),
)
