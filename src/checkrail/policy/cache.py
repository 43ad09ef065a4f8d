"""The policy in force, read again only when a file changed: one stat a layer and call."""

import os
from pathlib import Path

from checkrail.facts.host import Host
from checkrail.policy import layers as policy_layers
from checkrail.policy.files import MAX_BYTES
from checkrail.policy.layers import MANAGED, PROJECT_NAME, Layer, Loaded

MAX_PROJECTS = 64

Stamp = tuple[int, int, int, int] | None


def _stamp(path: str) -> Stamp:
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino, found.st_mode << 32 | found.st_uid


def usual_layers(config: Path, state: Path | None) -> tuple[Layer, ...]:
    """The user's and the administrator's file. ``state`` is where last good texts are kept (None: nowhere)."""
    kept = [str(state / f"policy-{name}.toml") if state else "" for name in ("user", "managed")]
    user = Layer(str(config / "policy.toml"), (os.geteuid(),), kept[0])
    return user, Layer(MANAGED, (0,), kept[1])


class PolicyCache:
    """Layers that are read once and followed from then on."""

    def __init__(self, layers: tuple[Layer, ...]) -> None:
        self._layers = layers
        self._stamps: list[Stamp] | None = None
        self._loaded = Loaded()
        self._projects: dict[tuple[str, Stamp], Loaded] = {}

    def current(self) -> Loaded:
        """The user's and the administrator's policy as it lies on the disk now."""
        stamps = [_stamp(layer.path) for layer in self._layers]
        if stamps != self._stamps:
            self._loaded = policy_layers.load(self._layers)
            self._stamps = stamps
            self._projects.clear()
        return self._loaded

    def forget(self) -> None:
        """The next look reads the files again."""
        self._stamps = None

    def for_project(self, project: str, host: Host) -> Loaded:
        """:meth:`current`, tightened by the project's own file where it has one."""
        loaded = self.current()
        path = os.path.join(project, PROJECT_NAME) if project.startswith("/") else ""
        stamp = _stamp(path) if path else None
        if stamp is None:
            return loaded
        key = (path, stamp)
        if key not in self._projects:
            if len(self._projects) >= MAX_PROJECTS:
                self._projects.clear()
            self._projects[key] = self._tightened(loaded, path, host)
        return self._projects[key]

    @staticmethod
    def _tightened(loaded: Loaded, path: str, host: Host) -> Loaded:
        raw = host.read(path, MAX_BYTES)
        if raw is None:
            return policy_layers.unusable(loaded, path, f"not a readable file of at most {MAX_BYTES} bytes")
        return policy_layers.for_project(loaded, path, raw)
