"""Gemini CLI. Its ask hangs where nobody watches and turns its own denials into questions, so an ask is a denial here."""

from checkrail.agents.answers import Answers, flat
from checkrail.agents.dialect import POST, PRE, SESSION, Dialect, Told, mcp_name
from checkrail.agents.homes import Home, Hook, Presence, command_handler
from checkrail.agents.tools import own


def _unpack(told: Told) -> Told:
    """MCP tools have single underscores in their names; who serves them stands beside."""
    server = told.get("mcp_context")
    if not isinstance(server, dict):
        return told
    return {**told, "tool_name": mcp_name(server.get("server_name"), server.get("tool_name"))}


TOOLS = {
    "run_shell_command": "Bash",
    "write_file": "Write",
    "replace": "Edit",
    "edit": "Edit",
    "read_file": "Read",
    "list_directory": "LS",
    "glob": "Glob",
    "grep_search": "Grep",
    "search_file_content": "Grep",
    "google_web_search": "WebSearch",
}
"""Shared with Qwen Code. ``web_fetch`` has its address inside a prompt too, and is judged by its arguments."""

DIALECT = Dialect(
    NAME="gemini",
    kinds={"BeforeTool": PRE, "AfterTool": POST, "SessionStart": SESSION, "SessionEnd": SESSION},
    usual="BeforeTool",
    unpack=_unpack,
    tools={
        **TOOLS,
        **own(
            Agent="invoke_agent codebase_investigator",
            Skill="activate_skill",
            TodoWrite="write_todos update_topic",
            AskUserQuestion="ask_user",
            EnterPlanMode="enter_plan_mode",
            ExitPlanMode="exit_plan_mode complete_task",
            BashOutput="list_background_processes read_background_output",
        ),
    },
    answers=Answers(deny=flat("deny")),
)

PRESENCE = Presence(
    title="Gemini CLI",
    activity=("~/.gemini/tmp",),
    folders=("~/.gemini/settings.json",),
    programs=("gemini",),
    homes=(
        Home(
            form="grouped",
            user="~/.gemini/settings.json",
            project=".gemini/settings.json",
            managed="/etc/gemini-cli/settings.json",
            hooks=(
                Hook(event="BeforeTool", group={"matcher": "*"}),
                Hook(event="AfterTool", group={"matcher": "*"}),
                Hook(event="SessionStart"),
            ),
            handler=command_handler(name="checkrail"),
            unit="ms",
            comments=True,
        ),
    ),
    lacks=(
        "its ask hangs where nobody watches",
        "a time-out, a kill or exit code 1 of the hook lets the call pass, and no switch changes that",
        "an allow does not skip its own prompt",
    ),
)
