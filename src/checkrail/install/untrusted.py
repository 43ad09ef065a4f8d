"""Hooks of a project that an agent skips in silence, because nobody told it that the folder can be trusted."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from checkrail.agents import PRESENCES
from checkrail.install.record import Settings

Read = Callable[[str], dict[str, Any]]
"""The settings in a file of the user's."""


def root_of(entry: Settings) -> str:
    """The project whose settings an entry stands in; empty for the user's own."""
    presence = PRESENCES.get(entry.agent)
    for home in presence.homes if presence else ():
        end = "/" + home.project.partition("*")[0].rstrip("/")
        if home.project and (entry.path + "/").find(end + "/") > 0 and not _is_users(entry.path, home.user):
            return entry.path[: (entry.path + "/").find(end + "/")]
    return ""


def _is_users(path: str, user: str) -> bool:
    """Whether a path is the one below the home: both may end alike, as ``~/.codex/hooks.json`` does."""
    start = user.partition("*")[0].removeprefix("~").rstrip("/")
    return bool(start) and path.startswith(str(Path.home()) + start)


def _above(root: str) -> list[str]:
    return [root, *map(str, Path(root).parents)]


def _codex(root: str, read: Read) -> bool:
    projects = read("~/.codex/config.toml").get("projects")
    known = projects.get(root) if isinstance(projects, dict) else None
    return isinstance(known, dict) and known.get("trust_level") == "trusted"


def _copilot(root: str, read: Read) -> bool:
    found = [read(f"~/.copilot/{name}").get(key) for name in ("config.json", "settings.json") for key in ("trusted_folders", "trustedFolders")]  # fmt: skip
    return any(place in many for many in found if isinstance(many, list) for place in _above(root))


def _gemini(root: str, read: Read) -> bool:
    security = read("~/.gemini/settings.json").get("security")
    rule = security.get("folderTrust") if isinstance(security, dict) else None
    if not (isinstance(rule, dict) and rule.get("enabled") is True):
        return True
    known = read("~/.gemini/trustedFolders.json")
    return any(known.get(place) in ("TRUST_FOLDER", "TRUST_PARENT") for place in _above(root))


def _grok(root: str, read: Read) -> bool:
    return json.dumps(root) in json.dumps(read("~/.grok/trusted_folders.toml"))


TRUSTED: dict[str, Callable[[str, Read], bool]] = {
    "codex": _codex, "copilot": _copilot, "gemini": _gemini, "grok": _grok,
}  # fmt: skip
"""Agent -> whether it takes hooks of a project."""


def found(entry: Settings, read: Read) -> Iterator[tuple[str, str]]:
    """Problem and mend for settings of a project that its agent does not trust."""
    root, trusted = root_of(entry), TRUSTED.get(entry.agent)
    if root and trusted is not None and not trusted(root, read):
        yield (
            f"{entry.agent}: it does not trust the folder {root}, so the hooks in {entry.path} are skipped without a word",
            f"start {entry.agent} there and trust the folder, or run: checkrail install {entry.agent}",
        )
