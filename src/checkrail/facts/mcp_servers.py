"""Names of the MCP servers that are configured, for tool names that can be split in more than one place.

Read only then, and only the names: the files hold commands and secrets of which nothing is kept. A project's file may be
anybody's, so its names are told apart from the person's own.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from checkrail.context import Surroundings
from checkrail.facts.host import Host
from checkrail.model import Event

PROJECT_FILES = (".mcp.json", ".cursor/mcp.json", ".vscode/mcp.json", ".gemini/settings.json")
USER_FILES = (
    ".claude.json",
    ".claude/settings.json",
    ".cursor/mcp.json",
    ".gemini/settings.json",
    ".copilot/mcp-config.json",
    ".codeium/windsurf/mcp_config.json",
    ".kiro/settings/mcp.json",
)
MANAGED_FILES = ("/etc/claude-code/managed-mcp.json",)
LARGEST = 4 * 1024 * 1024
"""Bytes of one file; ``~/.claude.json`` holds histories, too."""
MOST = 256
LONGEST = 128

UNNAMED = "mcp__unnamed__"
LAUNCH_FILES = {"cursor": (".cursor/mcp.json",)}
"""Agent that tells no server's name -> its settings, below the home and the project."""

_ODD = re.compile(r"[^A-Za-z0-9_-]")


class Servers(msgspec.Struct, frozen=True):
    """``own`` are the person's (and the administrator's) servers, ``project`` those of the project's files."""

    own: tuple[str, ...] = ()
    project: tuple[str, ...] = ()


def ambiguous(tool: str) -> bool:
    """Whether the name of an MCP tool can be split into server and tool in more than one place."""
    return tool.startswith("mcp__") and tool.removeprefix("mcp__").count("__") > 1


def of_call(event: Event, around: Surroundings) -> Servers:
    """The servers by which a call's tool name is split: the one that the agent names, else those that are configured.

    No file is read for a name that can be split in one place only.
    """
    if event.server:
        return Servers(own=(as_written(event.server),))
    if not ambiguous(event.tool):
        return Servers()
    return known(around.host, (around.workspace, around.cwd))


def named(event: Event, host: Host, folders: tuple[str, ...]) -> Event:
    """The event with the server's name in the tool's, where the agent tells how a server is started instead of its name.

    The person's settings come first. A command that two of them have, or that none has, leaves the server unnamed.
    """
    if not event.launch or not event.tool.startswith(UNNAMED):
        return event
    for roots in ((host.home,), tuple(dict.fromkeys(folders))):
        paths = [f"{root.rstrip('/')}/{file}" for root in roots for file in LAUNCH_FILES.get(event.agent, ())]
        found = {name for path in paths for name in _launched(_object(path, host), event.launch)}
        if len(found) == 1:
            return msgspec.structs.replace(event, tool=f"mcp__{found.pop()}__{event.tool.removeprefix(UNNAMED)}")
    return event


def _launched(document: Mapping[str, Any], launch: str) -> Iterator[str]:
    """The servers of a file that are started by a command line, or reached under an address."""
    table = document.get("mcpServers")
    for name, entry in list(table.items())[:MOST] if isinstance(table, dict) else ():
        if not name or not isinstance(entry, dict):
            continue
        args = entry.get("args")
        words = [entry.get("command"), *(args if isinstance(args, list) else ())]
        line = " ".join(word for word in words if isinstance(word, str))
        if launch in (line, entry.get("command"), entry.get("url")):
            yield as_written(name)


def as_written(name: str) -> str:
    """A server's name as it stands in the names of its tools."""
    return _ODD.sub("_", name[:LONGEST])


def known(host: Host, folders: tuple[str, ...]) -> Servers:
    """The servers that the configuration of the home and of the folders names. Never raises."""
    homes = [f"{host.home.rstrip('/')}/{name}" for name in USER_FILES]
    own = [name for path in (*MANAGED_FILES, *homes) for name in _names(path, host, folders)]
    rooms = [f"{folder.rstrip('/')}/{name}" for folder in dict.fromkeys(folders) for name in PROJECT_FILES]
    project = [name for path in rooms if path not in homes for name in _names(path, host, ())]
    return Servers(tuple(dict.fromkeys(own))[:MOST], tuple(dict.fromkeys(project))[:MOST])


def _names(path: str, host: Host, folders: tuple[str, ...]) -> Iterator[str]:
    found = _object(path, host)
    projects = found.get("projects")
    rooms = [projects.get(folder) for folder in folders] if isinstance(projects, dict) else []
    for table in (found, *rooms):
        for key in ("mcpServers", "servers"):
            named = table.get(key) if isinstance(table, dict) else None
            if isinstance(named, dict):
                yield from (as_written(name) for name in list(named)[:MOST] if name)


def _object(path: str, host: Host) -> dict[str, Any]:
    raw = host.read(path, LARGEST)
    if raw is None:
        return {}
    try:
        found = msgspec.json.decode(raw)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return {}
    return found if isinstance(found, dict) else {}
