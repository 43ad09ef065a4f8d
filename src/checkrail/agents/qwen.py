"""Qwen Code: Gemini's tools in Claude Code's dialect. On exit code 2 only stderr is read, and an empty one lets the call pass."""

from checkrail.agents.answers import Answers, claude_form
from checkrail.agents.dialect import Dialect, Told
from checkrail.agents.gemini import TOOLS
from checkrail.agents.homes import Home, Presence, command_handler, everywhere
from checkrail.agents.tools import own


def _unpack(told: Told) -> Told:
    """A tool that was looked up first is called through another, and is what it is."""
    given = told.get("tool_input")
    if told.get("tool_name") != "tool_call" or not isinstance(given, dict):
        return told
    return {**told, "tool_name": given.get("name"), "tool_input": given.get("arguments")}


DIALECT = Dialect(
    NAME="qwen",
    unpack=_unpack,
    tools={
        **TOOLS,
        "notebook_edit": "NotebookEdit",
        "monitor": "Monitor",
        **own(
            Agent="agent task",
            Skill="skill",
            TodoWrite="todo_write",
            AskUserQuestion="ask_user_question",
            ExitPlanMode="exit_plan_mode",
            EnterPlanMode="enter_plan_mode",
            ToolSearch="tool_search",
            SendMessage="send_message",
            TaskStop="task_stop",
            TaskList="list_agents",
            TaskOutput="get_goal",
            TaskUpdate="update_goal create_goal",
            CronList="cron_list",
        ),
    },
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
