"""Antigravity (agy): every call must be decided, and whatever fails is a denial. Its ask is ``force_ask``."""

from typing import Any

from checkrail.agents.answers import Answers, flat
from checkrail.agents.dialect import Dialect, Told, first
from checkrail.agents.homes import Home, Hook, Presence, command_handler
from checkrail.agents.tools import own


def _unpack(told: Told) -> Told:
    call, root = told.get("toolCall"), first(told.get("workspacePaths"))
    known: dict[str, Any] = {
        **told,
        "session_id": told.get("conversationId"),
        **({"cwd": root, "project": root} if root else {}),
    }
    return {**known, "tool_name": call.get("name"), "tool_input": call.get("args")} if isinstance(call, dict) else known


DIALECT = Dialect(
    NAME="antigravity",
    unpack=_unpack,
    tools={
        "run_command": "Bash",
        **own(
            Agent="invoke_subagent define_subagent",
            AskUserQuestion="notify_user ask_question",
            TaskUpdate="task_boundary manage_task",
            BashOutput="command_status",
        ),
    },  # the others by the shape of their arguments
    answers=Answers(deny=flat("deny"), exit_code=0, stderr=False, ask=flat("force_ask"), quiet={"decision": "allow"}),
)

PRESENCE = Presence(
    title="Antigravity",
    folders=("~/.gemini/antigravity-cli", "~/.gemini/config"),
    programs=("agy",),
    homes=(
        Home(
            form="grouped",
            user="~/.gemini/config/hooks.json",
            project=".agents/hooks.json",
            root=("checkrail",),
            hooks=(Hook(event="PreToolUse", group={"matcher": "*"}),),
            handler=command_handler(),
        ),
    ),
    closed_by="built in",
    lacks=(
        "an allow does not skip its own prompt",
        "a denial was shown as a question that can be approved in version 1.1.2",
        "a denial of invoke_subagent is ignored in version 1.1.4",
        "finished calls and sessions are not told, so there is no heartbeat",
    ),
)
