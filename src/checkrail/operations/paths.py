"""Path arguments of tools as effects, by what the tool's verb does to them."""

from collections.abc import Iterator, Sequence

from checkrail.context import Surroundings
from checkrail.knowledge import network
from checkrail.model import Action, Effect, Event
from checkrail.operations.files import absolute, deletion, effect, write
from checkrail.operations.shapes import PATH, Leaf, beside, plain

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
        content = beside(leaf.beside, known.content - {leaf.key}) or None
        previous = beside(leaf.beside, known.previous) or None
        yield write(path, content, previous)
    else:
        yield effect(action, path, f"file.{action.value}")
