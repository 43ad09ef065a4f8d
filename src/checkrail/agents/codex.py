"""Codex CLI: Claude Code's dialect with gaps. It cannot ask (an ask runs the call), and an allow fails its own hook.

Exit code 2 counts only with a text on stderr, a denial only with a reason and without any other key; both are given at once.
"""

from checkrail.agents.answers import REASON, Answers, claude_form
from checkrail.agents.dialect import Dialect
from checkrail.agents.homes import Home, Presence, command_handler, everywhere
from checkrail.agents.tools import own

DIALECT = Dialect(
    NAME="codex",
    tools={
        **dict.fromkeys(("exec_command", "shell", "local_shell", "shell_command"), "Bash"),
        "view_image": "Read",
        "web_search": "WebSearch",
        **own(
            Agent="spawn_agent",
            TaskStop="close_agent",
            TaskOutput="wait_agent wait resume_agent get_goal",
            SendMessage="send_input send_message",
            TaskUpdate="create_goal update_goal",
            TodoWrite="update_plan",
            AskUserQuestion="request_user_input",
        ),
    },
    answers=Answers(
        deny=claude_form("deny"),
        deny_on={
            "PermissionRequest": {
                "hookSpecificOutput": {
                    "hookEventName": "PermissionRequest",
                    "decision": {"behavior": "deny", "message": REASON},
                }
            }
        },
    ),
)

PRESENCE = Presence(
    title="Codex CLI",
    activity=("~/.codex/sessions",),
    runner="login",
    folders=("~/.codex",),
    programs=("codex",),
    homes=(
        Home(
            form="grouped",
            user="~/.codex/hooks.json",
            project=".codex/hooks.json",
            variable=("CODEX_HOME", "~/.codex"),
            hooks=everywhere("PreToolUse", "PostToolUse", "SessionStart", matcher=""),
            handler=command_handler(),
        ),
    ),
    lacks=(
        "it cannot ask",
        "a crash or time-out of the hook lets the call pass, and no switch changes that",
        "hooks run only once you trusted them in its own review",
        "what is typed into a running terminal (write_stdin) is not hooked, so a bare shell or interpreter that would take it is asked about",
        "its hosted web search is not hooked",
        "a call names the folder that it runs in and no project: the project is where the session began",
    ),
)
