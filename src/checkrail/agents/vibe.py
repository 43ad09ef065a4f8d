"""Mistral Vibe: a denial is JSON with exit code 0; any other exit code is a failure of the hook, which ``strict`` closes."""

from checkrail.agents.answers import Answers, flat
from checkrail.agents.dialect import POST, PRE, SESSION, Dialect, Told
from checkrail.agents.homes import COMMAND, TIMEOUT, Home, Hook, Presence
from checkrail.agents.tools import own

_OWN = frozenset({"file_system", "process", "agents"})


def _unpack(told: Told) -> Told:
    """Built-in tools stand in a few groups; a name in any other group is an MCP server's."""
    name = told.get("tool_name")
    known = {**told, "tool_use_id": told.get("tool_call_id")}
    if not isinstance(name, str) or "." not in name or name.split(".")[0] in _OWN:
        return known
    server, _, tool = name.partition(".")
    return {**known, "tool_name": f"mcp__{server}__{tool}"}


DIALECT = Dialect(
    NAME="vibe",
    kinds={"pre_tool": PRE, "post_tool": POST, "session_start": SESSION},
    usual="pre_tool",
    unpack=_unpack,
    tools={
        "file_system.bash": "Bash",
        "file_system.write_file": "Write",
        "file_system.read_file": "Read",
        **own(
            Agent="agents.spawn",
            BashOutput="process.read",
            KillShell="process.stop process.kill",
            TodoWrite="todo todo.write",
        ),
    },
    answers=Answers(deny=flat("deny"), exit_code=0, stderr=False),
)

PRESENCE = Presence(
    title="Mistral Vibe",
    folders=("~/.vibe",),
    programs=("vibe",),
    homes=(
        Home(
            form="toml",
            user="~/.vibe/hooks.toml",
            project=".vibe/hooks.toml",
            hooks=(Hook(event="pre_tool", extra={"strict": True}), Hook(event="post_tool")),
            handler={"name": "\0name", "type": "\0event", "command": COMMAND, "timeout": TIMEOUT},
        ),
    ),
    closed_by="strict",
    lacks=("it cannot ask", "a project can shadow a user's hook of the same name, so ours has a name nobody guesses"),
)
