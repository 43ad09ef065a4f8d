"""Factory Droid: Claude Code's dialect. Its ask does nothing, and among JSON answers the first wins; exit code 2 beats all."""

from checkrail.agents.answers import Answers, claude_form
from checkrail.agents.dialect import Dialect
from checkrail.agents.homes import Home, Presence, command_handler, everywhere
from checkrail.agents.tools import own

DIALECT = Dialect(
    NAME="droid",
    tools={
        "Execute": "Bash",
        "Create": "Write",
        "FetchUrl": "WebFetch",
        "LS": "LS",
        "Read": "Read",
        "Edit": "Edit",
        "Grep": "Grep",
        **own(ExitPlanMode="ExitSpecMode", AskUserQuestion="AskUser"),
    },
    answers=Answers(deny=claude_form("deny"), allow=claude_form("allow")),
)

PRESENCE = Presence(
    title="Factory Droid",
    activity=("~/.factory/sessions",),
    folders=("~/.factory",),
    programs=("droid",),
    homes=(
        Home(
            form="grouped",
            user="~/.factory/hooks.json",
            project=".factory/hooks.json",
            variable=("FACTORY_HOME_OVERRIDE", "~"),
            root=(),
            instead=("settings.json", ("hooks",)),
            hooks=everywhere("PreToolUse", "PostToolUse", "SessionStart"),
            handler=command_handler(),
        ),
    ),
    lacks=(
        "its ask does nothing",
        "a crash or time-out of the hook lets the call pass, and no switch changes that",
        "hooks are skipped while the folder-trust question is open",
    ),
)
