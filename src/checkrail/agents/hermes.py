"""Hermes Agent: YAML settings, no shell, and an ask of its own. ``fail_closed`` closes most failures."""

from typing import Any

from checkrail.agents.answers import REASON, Answers
from checkrail.agents.dialect import POST, PRE, SESSION, Dialect, Told
from checkrail.agents.homes import COMMAND, TIMEOUT, Home, Hook, Presence
from checkrail.agents.tools import own


def _call(tool: str, given: Any) -> Told:
    """Tools of which one argument says what they do."""
    if tool == "execute_code" and isinstance(given, dict):
        return {"tool_name": "run_python", "tool_input": {"python": given.get("code")}}
    if tool != "process" or not isinstance(given, dict):
        return {}
    if given.get("action") in ("write", "submit"):  # typed into a running program
        return {"tool_input": {"input": given.get("data")}}
    return {"tool_name": "process.read"}


def _unpack(told: Told) -> Told:
    known, extra = {**told, **_call(str(told.get("tool_name")), told.get("tool_input"))}, told.get("extra")
    if not isinstance(extra, dict):
        return known
    return {
        **known,
        "tool_use_id": extra.get("tool_call_id"),
        **({"tool_response": extra["result"]} if "result" in extra else {}),
    }


DIALECT = Dialect(
    NAME="hermes",
    kinds={"pre_tool_call": PRE, "post_tool_call": POST, "on_session_start": SESSION},
    usual="pre_tool_call",
    unpack=_unpack,
    tools={
        "terminal": "Bash",
        "write_file": "Write",
        **own(
            Agent="delegate_task",
            TodoWrite="todo memory",
            AskUserQuestion="clarify",
            Skill="skill_view skills_list",
            BashOutput="process.read",
        ),
    },  # the others by the shape of their arguments
    answers=Answers(
        deny={"action": "block", "message": REASON}, ask={"action": "approve", "message": REASON}, quiet={}
    ),
)

PRESENCE = Presence(
    title="Hermes",
    activity=("~/.hermes/sessions",),
    runner="split",
    folders=("~/.hermes",),
    programs=("hermes",),
    homes=(
        Home(
            form="yaml",
            user="~/.hermes/config.yaml",
            variable=("HERMES_HOME", "~/.hermes"),
            hooks=(
                Hook(event="pre_tool_call", extra={"fail_closed": True}),
                Hook(event="post_tool_call"),
            ),
            handler={"matcher": ".*", "command": COMMAND, "timeout": TIMEOUT},
        ),
    ),
    closed_by="fail_closed",
    lacks=(
        "a hook runs only once you consented to it (hermes hooks list)",
        "HERMES_SAFE_MODE turns hooks off",
        "it has no settings of a project",
    ),
)
