"""What a container would do to folders of this machine that are mounted into it.

Where a command runs is a string (``container:alpine``). A container with mounts carries them in that string, one per
line: path inside, a tab, path outside. :func:`here` turns effects inside such a container into effects on this machine
where they reach a mount, and takes the mounts out of the name otherwise.
"""

import posixpath
from collections.abc import Iterator

import msgspec

from checkrail.model import Action, Effect, Target, TargetKind

_CHANGES = frozenset((Action.DELETE, Action.WRITE, Action.MODE, Action.CHANGE))


def place(name: str, mounts: tuple[tuple[str, str], ...]) -> str:
    """The host string of a container with mounts, given as (inside, outside) pairs of absolute paths."""
    kept = [f"{inside}\t{outside}" for inside, outside in mounts if not set("\n\t") & set(inside + outside)]
    return "\n".join((name, *kept))


def here(effect: Effect) -> Iterator[Effect]:
    """An effect as this machine would see it; several where it covers several mounts."""
    host = effect.target.host
    if "\n" not in host:
        yield effect
        return
    name, *mounts = host.split("\n")
    reached = False
    if effect.target.kind is TargetKind.PATH:
        pairs = sorted((mount.split("\t", 1) for mount in mounts), key=lambda pair: -len(pair[0]))
        for inside, outside in pairs:
            path = _outside(effect, inside.rstrip("/") or "/", outside)
            if path:
                reached = True
                yield msgspec.structs.replace(effect, target=Target(TargetKind.PATH, path))
                if effect.target.value.startswith(inside):
                    break
    if not reached:
        yield msgspec.structs.replace(effect, target=msgspec.structs.replace(effect.target, host=name))


def _outside(effect: Effect, inside: str, outside: str) -> str:
    path = effect.target.value
    if path == inside:
        return outside
    below = inside if inside == "/" else f"{inside}/"
    if path.startswith(below):
        return posixpath.join(outside, path[len(below) :])
    covers = path.rstrip("*").rstrip("/") or "/"
    if (
        effect.action in _CHANGES
        and (effect.recursive or path.endswith("*"))
        and below.startswith(covers if covers == "/" else f"{covers}/")
    ):
        return outside
    return ""
