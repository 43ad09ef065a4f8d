"""Other agents' tools under Claude Code's names, which :mod:`checkrail.operations` knows: one meaning, one judge.

What differs between agents is data: which of their tools means which of ours. Names of fields that mean the same in
every agent (``path``, ``filePath``, ``file_path``) are brought together here. A field that stands there twice with
different values is a :class:`Fault`, since nobody knows which of them the agent will take.
"""

import posixpath
from typing import Any

import msgspec

from checkrail.agents.json_events import Fault
from checkrail.agents.shapes import Field, Shape, tool_input

SAME: dict[str, tuple[str, ...]] = {
    "command": ("command", "cmd", "command_line", "CommandLine"),
    "file_path": ("file_path", "path", "filePath", "target_file", "absolute_path"),
    "content": ("content", "contents", "file_text", "file_content"),
    "old_string": ("old_string", "old_str", "oldString", "before"),
    "new_string": ("new_string", "new_str", "newString", "after"),
    "edits": ("edits", "changes"),
    "glob": ("glob", "glob_pattern", "include", "include_pattern"),
    "query": ("query", "search_term"),
    "path": ("path", "dir_path", "directory_path", "folder"),
    "notebook_path": ("notebook_path", "absolute_path", "file_path", "path", "filePath"),
    "prompt": ("prompt", "message", "task"),
}
"""Our name of a field -> the names it has among agents."""

PLACES = ("cwd", "workdir", "working_directory", "dir_path", "directory", "Cwd")
"""Fields of a shell call that say where it runs."""

_COMMAND = (Field("command"),)
_FILE = (Field("file_path"),)

SHAPES: dict[str, Shape] = {
    "Bash": _COMMAND,
    "PowerShell": _COMMAND,
    "Monitor": (Field("command", required=False),),
    "Read": _FILE,
    "Write": (*_FILE, Field("content")),
    "Edit": (*_FILE, Field("old_string"), Field("new_string"), Field("replace_all", (bool,), required=False)),
    "MultiEdit": (*_FILE, Field("edits", (list,))),
    "NotebookEdit": (
        Field("notebook_path"),
        Field("new_source", required=False),
        Field("edit_mode", required=False),
    ),
    "NotebookRead": (Field("notebook_path"),),
    "Glob": (Field("pattern", (str, list), required=False), Field("path", required=False)),
    "Grep": (Field("pattern"), Field("path", required=False), Field("glob", required=False)),
    "LS": (Field("path", required=False),),
    "WebFetch": (Field("url"),),
    "WebSearch": (Field("query"),),
    "Agent": (Field("prompt", required=False),),
    "Task": (Field("prompt", required=False),),
}
"""Our tools and what they take, as far as it matters."""

EDIT: dict[str, Shape] = {"an edit": (Field("old_string"), Field("new_string"))}


def own(**meanings: str) -> dict[str, str]:
    """An agent's tools that talk only to itself, its user and its sub-agents: ``Skill="skill load_skill"`` as theirs -> ours.

    Their names are the agent's alone, so nobody else's tool can take one of them.
    """
    return {theirs: ours for ours, many in meanings.items() for theirs in many.split()}


class Call(msgspec.Struct, frozen=True):
    """A call in our words, and where it runs where the call itself says so."""

    tool: str
    given: dict[str, Any]
    place: str = ""


def _one(tool: str, given: dict[str, Any], names: tuple[str, ...]) -> Any:
    """The value under one of several names, None where there is none."""
    found = [given[name] for name in names if given.get(name) is not None]
    if any(value != found[0] for value in found):
        raise Fault(f"{tool} came with {' and '.join(n for n in names if n in given)}, which differ")
    return found[0] if found else None


def renamed(tool: str, given: Any, shape: Shape) -> Any:
    """The input with its fields under our names; fields that do not matter stay."""
    if not isinstance(given, dict):
        return given
    known = dict(given)
    for field in shape:
        names = SAME.get(field.name, ())
        value = _one(tool, given, names) if len(names) > 1 and any(name in given for name in names[1:]) else None
        if value is not None:
            for name in names:
                known.pop(name, None)
            known[field.name] = value
    return known


def _edit(tool: str, given: Any) -> dict[str, Any]:
    return tool_input(
        f"an edit of {tool}", renamed(tool, given, EDIT["an edit"]), {f"an edit of {tool}": EDIT["an edit"]}
    )


def checked(tool: str, given: Any) -> dict[str, Any]:
    """The input of one of our tools under our names of fields. Raises :class:`Fault` where its shape is not known."""
    found = tool_input(tool, renamed(tool, given, SHAPES.get(tool, ())), SHAPES)
    if tool == "MultiEdit":
        return {**found, "edits": [_edit(tool, edit) for edit in found["edits"]]}
    return found


def place_of(tool: str, given: dict[str, Any], cwd: str) -> str:
    """Where a shell call runs: its own word for it, against the agent's working directory."""
    if tool not in ("Bash", "PowerShell"):
        return cwd
    told = _one(tool, given, PLACES)
    if told is None or told == "":
        return cwd
    if not isinstance(told, str) or "\0" in told:
        raise Fault(f"{tool} came with a working directory of an unknown kind")
    return posixpath.normpath(posixpath.join(cwd or "/", told))


def call(tool: str, given: Any, known: dict[str, str], cwd: str) -> Call:
    """A call of another agent in our words. A tool that ``known`` does not name keeps its name and is judged by its arguments."""
    ours = known.get(tool, tool)
    if ours == "Edit" and isinstance(given, dict) and isinstance(_one(tool, given, SAME["edits"]), list):
        ours = "MultiEdit"
    if ours == tool and tool not in SHAPES:
        return Call(tool, tool_input(tool, given, {}), cwd)
    found = checked(ours, given)
    return Call(ours, found, place_of(ours, found, cwd))
