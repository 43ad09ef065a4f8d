"""Path arguments of tools as effects, by what the tool's verb does to them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from checkrail.context import Surroundings
from checkrail.knowledge import network
from checkrail.model import Action, Effect, Event
from checkrail.operations.files import absolute, deletion, effect, write
from checkrail.operations.shapes import PATH, Leaf, beside, leaves, lists, plain

_LONGEST = 4096
_TOPS = ("/home/", "/Users/", "/root", "/etc/", "/var/", "/tmp/", "/usr/", "/opt/", "/private/", "/dev/", "/proc/", "/mnt/", "/srv/", "/boot/")  # fmt: skip
_READING = frozenset(
    {"read", "compute", "secret", "execute", "unknown", "send", "publish", "merge", "deploy", "browse", "stop"}
)


def _elsewhere(leaf: Leaf, said: Sequence[str]) -> bool:
    """Whether a path names something in a service or repository, not on this machine."""
    if not network.tools().names.remote_files.isdisjoint(said):
        return True
    keys = {plain(str(name)) for name in leaf.beside}
    return not network.tools().arguments.hosts_remote.isdisjoint(keys)


def is_path(leaf: Leaf, said: Sequence[str], around: Surroundings) -> bool:
    """Whether a text argument names a path on this machine."""
    known = network.tools().arguments
    value = leaf.value
    if len(value) > _LONGEST or "\n" in value or ("://" in value and not value.startswith("file://")):
        return False
    shaped = PATH.fullmatch(value) is not None
    if value.startswith(("~/", *_TOPS, around.workspace + "/", "file:///")) or value in ("~", around.workspace):
        return leaf.key not in known.prose or leaf.key in known.maybe_path
    if _elsewhere(leaf, said):
        return False
    if leaf.key in known.path or leaf.key.endswith(("path", "file", "dir", "folder", "directory")):
        return True
    return shaped and leaf.key in known.maybe_path | known.cwd


def edits(group: str, own: Sequence[str]) -> bool:
    """Whether what is deleted is a part inside a file, so that the file is edited."""
    return group == "delete" and not network.tools().names.inner.isdisjoint(own)


def _own_action(leaf: Leaf, group: str, own: Sequence[str]) -> Action:
    """What happens to the path under this argument's name."""
    known = network.tools().arguments
    if leaf.key in known.output and (group != "delete"):
        return Action.WRITE
    if group == "delete" and not edits(group, own):
        return Action.DELETE
    return Action.READ if group in _READING else Action.WRITE


_EDITS_CAP = 500


def _written(leaf: Leaf, given: Mapping[str, Any]) -> list[tuple[str | None, str | None]]:
    """(new text, text that it replaces) of each write or edit of a path: beside it, in a list of edits, or anywhere else."""
    found = _texts(leaf.beside, leaf.key)
    if found:
        return [found]
    edits = [
        pair
        for _, values, _ in lists(leaf.beside)
        for entry in values[:_EDITS_CAP]
        if isinstance(entry, dict) and (pair := _texts(entry, leaf.key))
    ]
    if edits:
        return list(edits)
    known = network.tools().arguments
    elsewhere = [other.value for other in leaves(given) if other.key in known.content - {leaf.key, "value"}]
    return [(max(elsewhere, key=len, default=None), None)]


def _texts(within: Mapping[str, Any], key: str) -> tuple[str | None, str | None] | None:
    """The new text in an object, and the old one; None where it has none of them."""
    known = network.tools().arguments
    content, previous = beside(within, known.content - {key}), beside(within, known.previous)
    return (content, previous or None) if content or previous else None


def path_effects(leaf: Leaf, group: str, said: Sequence[str], event: Event, around: Surroundings) -> Iterator[Effect]:
    """The effects on one path argument."""
    known = network.tools().arguments
    path = absolute(leaf.value, beside(leaf.beside, known.cwd - {leaf.key}) or event.cwd, around.home)
    moving = not {"move", "rename", "mv"}.isdisjoint(said)
    if moving and (leaf.key in known.source or leaf.key == "path"):
        yield effect(Action.DELETE, path, "file.move.source")
        return
    if not {"copy", "cp", "duplicate"}.isdisjoint(said) and leaf.key in known.source:
        yield effect(Action.READ, path, "file.read", recursive=True)
        return
    action = _own_action(leaf, group, said)
    if action is Action.WRITE and leaf.key in known.cwd and leaf.key not in known.output:
        action = Action.CREATE if leaf.key in ("dir", "directory") and group == "create" else Action.READ
    if action is Action.DELETE:
        trees = not {"directory", "directories", "folder", "folders", "dir", "tree", "recursive"}.isdisjoint(said)
        yield deletion(path, around, tree=trees or leaf.beside.get("recursive") is True)
    elif action is Action.WRITE:
        texts = _written(leaf, event.input)
        if texts == [(None, None)] and leaf.key not in known.output:
            yield effect(Action.READ, path, "file.read")  # nothing to write is given, so the file may be what is taken
        for content, previous in texts:
            yield write(path, content, previous)
    else:
        yield effect(action, path, f"file.{action.value}")
