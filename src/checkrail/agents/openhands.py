"""OpenHands: ``decision: deny`` or exit code 2 stop a call. The first hooks file found wins, so a repository can hide the user's."""

from checkrail.agents.answers import Answers, flat
from checkrail.agents.dialect import CLAUDE_KINDS, POST, PRE, SESSION, Dialect, Told
from checkrail.agents.homes import Home, Presence, command_handler, everywhere
from checkrail.agents.tools import own


def _unpack(told: Told) -> Told:
    known = {**told, "hook_event_name": told.get("event_type"), "cwd": told.get("working_dir")}
    if told.get("tool_response") is None:
        known.pop("tool_response", None)
    return known


DIALECT = Dialect(
    NAME="openhands",
    kinds={**CLAUDE_KINDS, "pre_tool_use": PRE, "post_tool_use": POST, "session_start": SESSION},
    unpack=_unpack,
    tools={
        "terminal": "Bash",
        "execute_bash": "Bash",
        **own(Agent="delegate task", Skill="invoke_skill", StructuredOutput="finish think", TodoWrite="task_tracker"),
    },  # the others by the shape of their arguments
    answers=Answers(deny=flat("deny")),
)

PRESENCE = Presence(
    title="OpenHands",
    folders=("~/.openhands",),
    programs=("openhands",),
    homes=(
        Home(
            form="grouped",
            user="~/.openhands/hooks.json",
            project=".openhands/hooks.json",
            root=(),
            wrapped=True,
            hooks=everywhere("pre_tool_use", "post_tool_use", "session_start", plain=("session_start",)),
            handler=command_handler(),
        ),
    ),
    lacks=(
        "it cannot ask",
        "a crash or time-out of the hook lets the call pass, and no switch changes that",
        "a repository's .openhands/hooks.json hides the user's",
    ),
)
