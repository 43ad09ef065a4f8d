"""File tools as effects: which paths a call writes, deletes, moves or reads, and the scripts that it writes.

What written scripts would do later is in :mod:`checkrail.operations.scripts`.
"""

import posixpath
import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from checkrail.context import Surroundings
from checkrail.facts.resolve import normal
from checkrail.model import HOLE, SOME, Action, Effect, Event, Operation, Target, TargetKind, Unread
from checkrail.operations.patch import Change, changes
from checkrail.operations.scripts import written

PATH_KEYS = ("file_path", "path", "notebook_path", "filePath", "filepath", "target_file", "absolute_path")
_SECRET_GLOB = re.compile(
    r"(?:^|/)\.\w|\.(?:pem|key|p12|pfx|jks|kdbx|env)\b|credential|secret|id_rsa|id_ed25519", re.IGNORECASE
)


class BadInput(Exception):
    """A field of a known tool that is missing or of the wrong type."""


def absolute(path: str, cwd: str, home: str) -> str:
    """``path`` against ``cwd``, ``~`` expanded, lexically normal; a path that starts unknown stays as it is."""
    path = path.removeprefix("file://") if path.startswith("file:///") else path
    if path[:1] in (HOLE, SOME):
        return path
    if path == "~" or path.startswith("~/"):
        path = home + path[1:]
    elif path.startswith("~"):
        path = posixpath.join(posixpath.dirname(home), path[1:])
    return normal(path, cwd or "/")


def text(given: Mapping[str, Any], *names: str, needed: bool = True) -> str:
    """The first of the fields that is there, a text. Raises :class:`BadInput`."""
    for name in names:
        if name in given and given[name] is not None:
            if not isinstance(given[name], str):
                raise BadInput(f"{name} is not a text")
            return str(given[name])
    if needed:
        raise BadInput(f"{names[0]} is missing")
    return ""


def _path(event: Event, around: Surroundings, *, needed: bool = True) -> str:
    found = text(event.input, *PATH_KEYS, needed=needed)
    if needed and not found:
        raise BadInput("the path is empty")
    return absolute(found, event.cwd, around.home)


def write(path: str, content: str | None, previous: str | None = None, *, rule: str = "file.write") -> Effect:
    """The effect of writing a file, or of an edit where ``previous`` is given."""
    target = Target(TargetKind.PATH, path)
    return Effect(action=Action.WRITE, target=target, rule=rule, content=content, previous=previous)


def effect(action: Action, path: str, rule: str, *, recursive: bool = False) -> Effect:
    """Any other effect on a path."""
    return Effect(action=action, target=Target(TargetKind.PATH, path), rule=rule, recursive=recursive)


def deletion(path: str, around: Surroundings, *, tree: bool = False) -> Effect:
    """The effect of deleting a file, or all below a directory."""
    entry = around.host.lstat(path)
    return effect(
        Action.DELETE, path, "file.delete", recursive=tree or (entry is not None and entry.kind == "directory")
    )


def _edits(event: Event) -> Iterator[tuple[str, str]]:
    given = event.input.get("edits", [])
    if not isinstance(given, list):
        raise BadInput("edits is not a list")
    for edit in given:
        if not isinstance(edit, dict):
            raise BadInput("an edit is not an object")
        yield text(edit, "new_string", "newText"), text(edit, "old_string", "oldText")


def _of_write(event: Event, around: Surroundings) -> Iterator[Effect]:
    yield write(_path(event, around), text(event.input, "content", "contents", "file_text", needed=False))


def _of_edit(event: Event, around: Surroundings) -> Iterator[Effect]:
    new = text(event.input, "new_string", "new_str", needed=False)
    old = text(event.input, "old_string", "old_str", needed=False)
    yield write(_path(event, around), new, old, rule="file.edit")


def _of_multi_edit(event: Event, around: Surroundings) -> Iterator[Effect]:
    pairs = list(_edits(event))
    path = _path(event, around)
    if not pairs:
        yield write(path, text(event.input, "content", needed=False), rule="file.edit")
    for new, old in pairs:
        yield write(path, new, old, rule="file.edit")


def _of_notebook(event: Event, around: Surroundings) -> Iterator[Effect]:
    source = text(event.input, "new_source", "content", needed=False)
    yield write(_path(event, around), source, "", rule="file.edit")


def _of_delete(event: Event, around: Surroundings) -> Iterator[Effect]:
    yield deletion(_path(event, around), around)


def _of_move(event: Event, around: Surroundings) -> Iterator[Effect]:
    source = text(event.input, "source", "source_path", "from", "old_path", *PATH_KEYS)
    target = text(event.input, "destination", "destination_path", "to", "new_path", "target")
    yield effect(Action.DELETE, absolute(source, event.cwd, around.home), "file.move.source")
    yield write(absolute(target, event.cwd, around.home), None, rule="file.move.target")


def _of_patch(event: Event, around: Surroundings) -> Iterator[Effect]:
    given = event.input.get("command")
    if isinstance(given, list):
        patch = "\n".join(part for part in given if isinstance(part, str))
    else:
        patch = text(event.input, "input", "patch", "diff", "patchText", "command")
    found = False
    for change in changes(patch):
        found = True
        path = absolute(change.path, event.cwd, around.home)
        if change.moved:
            yield effect(Action.DELETE, path, "file.move.source")
            path = absolute(change.moved, event.cwd, around.home)
        if change.deletes:
            yield effect(Action.DELETE, path, "file.delete")
        else:
            yield from _patched(path, change)
    if not found:
        raise BadInput("the patch names no file")


_HUNK_CAP = 200


def _patched(path: str, change: Change) -> Iterator[Effect]:
    """A new file, or one edit for each place that a patch changes."""
    if change.creates or not change.hunks:
        yield write(path, change.added, None if change.creates else "", rule="file.patch")
        return
    for hunk in change.hunks[:_HUNK_CAP]:
        yield write(path, "\n".join(hunk.after), "\n".join(hunk.before), rule="file.patch")
    if len(change.hunks) > _HUNK_CAP:
        rest = change.hunks[_HUNK_CAP:]
        before, after = (line for hunk in rest for line in hunk.before), (line for hunk in rest for line in hunk.after)
        yield write(path, "\n".join(after), "\n".join(before), rule="file.patch")


def _of_read(event: Event, around: Surroundings) -> Iterator[Effect]:
    yield effect(Action.READ, _path(event, around), "file.read")


def _of_search(event: Event, around: Surroundings) -> Iterator[Effect]:
    """A search shows lines of files: it reads the file it names, and secret files that its glob or folder names."""
    path = _path(event, around, needed=False) if any(key in event.input for key in PATH_KEYS) else event.cwd or "/"
    entry = around.host.lstat(path)
    if entry is None or entry.kind != "directory" or "/." in path:
        yield effect(Action.READ, path, "file.search", recursive=True)
    wanted = text(event.input, "glob", needed=False)
    if wanted and _SECRET_GLOB.search(wanted):
        yield effect(Action.READ, posixpath.join(path, wanted.removeprefix("**/").lstrip("/")), "file.search")


def _of_list(event: Event, around: Surroundings) -> Iterator[Effect]:
    """Only names are shown."""
    _path(event, around, needed=False)
    return iter(())


FILE_TOOLS = {
    "Write": _of_write,
    "Edit": _of_edit,
    "MultiEdit": _of_multi_edit,
    "NotebookEdit": _of_notebook,
    "Delete": _of_delete,
    "Move": _of_move,
    "apply_patch": _of_patch,
    "ApplyPatch": _of_patch,
    "Read": _of_read,
    "NotebookRead": _of_read,
    "Grep": _of_search,
    "Glob": _of_list,
    "LS": _of_list,
}


def file_operation(event: Event, around: Surroundings) -> Operation:
    """A call of one of :data:`FILE_TOOLS`; a field of the wrong type is unread."""
    try:
        effects = tuple(FILE_TOOLS[event.tool](event, around))
    except BadInput as fault:
        return Operation(kind="file", summary=event.tool, unread=(Unread(what=f"{event.tool}: {fault}"),))
    paths = ", ".join(dict.fromkeys(entry.target.value for entry in effects))
    kind = "search" if event.tool in ("Glob", "Grep", "LS") else "file"
    operation = Operation(kind=kind, summary=f"{event.tool} {paths}".strip(), effects=effects)
    return msgspec.structs.replace(operation, payloads=written(effects, around))
