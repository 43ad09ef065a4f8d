"""Crush: hooks the main agent only, before a call. Exit code 2 with stderr denies; an ask is no opinion there."""

from checkrail.agents.answers import REASON, Answers
from checkrail.agents.dialect import Dialect, renaming
from checkrail.agents.homes import COMMAND, TIMEOUT, Home, Hook, Presence
from checkrail.agents.tools import own

DIALECT = Dialect(
    NAME="crush",
    unpack=renaming(hook_event_name="event"),
    tools={
        "bash": "Bash",
        "write": "Write",
        "edit": "Edit",
        "multiedit": "MultiEdit",
        "view": "Read",
        "ls": "LS",
        "glob": "Glob",
        "grep": "Grep",
        "sourcegraph": "WebSearch",
        **own(Agent="agent", TodoWrite="todos", BashOutput="job_output", KillShell="job_kill"),
    },  # the others by the shape of their arguments
    answers=Answers(deny=None, allow={"version": 1, "decision": "allow", "reason": REASON}),
)

PRESENCE = Presence(
    title="Crush",
    folders=("~/.config/crush", "~/.local/share/crush"),
    programs=("crush",),
    homes=(
        Home(
            form="flat",
            user="~/.config/crush/crush.json",
            project=".crush.json",
            variable=("XDG_CONFIG_HOME", "~/.config"),
            hooks=(Hook(event="PreToolUse"),),
            handler={"name": "checkrail", "matcher": "", "command": COMMAND, "timeout": TIMEOUT},
        ),
    ),
    lacks=(
        "it cannot ask",
        "calls of sub-agents are not hooked",
        "nothing tells of finished calls",
        "a crash or time-out of the hook lets the call pass, and no switch changes that",
    ),
)
