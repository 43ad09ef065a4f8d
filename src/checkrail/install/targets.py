"""Which files an installation touches: per agent and scope, where its hooks belong on this machine."""

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from checkrail.agents import PRESENCES
from checkrail.agents.homes import Home, Presence
from checkrail.daemon.code import PACKAGE
from checkrail.daemon.shim import NAME
from checkrail.install import claude, files
from checkrail.install.json_text import SettingsError, parse

AGENTS: tuple[str, ...] = ("claude", *PRESENCES)

MANAGED = {"claude": Path("/etc/claude-code/managed-settings.json")}


class Target(msgspec.Struct, frozen=True, kw_only=True):
    """One file. ``number`` and ``root`` tell the home again later; ``text`` is what a file of our own holds."""

    agent: str
    path: Path
    home: Home
    number: int = 0
    text: str = ""


def _home_folder(environment: Mapping[str, str]) -> Path:
    return Path(environment.get("HOME") or os.path.expanduser("~"))


def expanded(path: str, environment: Mapping[str, str], variable: tuple[str, str] = ("", "")) -> Path:
    """A path with ``~`` put in, or with the folder that an environment variable names."""
    name, folder = variable
    chosen = environment.get(name, "") if name else ""
    if os.path.isabs(chosen) and path.startswith(folder + "/"):
        return Path(chosen) / path[len(folder) + 1 :]
    return _home_folder(environment) / path[2:] if path.startswith("~/") else Path(path)


def found(agent: str, environment: Mapping[str, str]) -> bool:
    """Whether an agent seems to be there."""
    if agent not in PRESENCES:
        return claude.found(environment)
    known = PRESENCES[agent]
    search = environment.get("PATH")
    return any(_exists(folder, known, environment) for folder in known.folders) or any(
        shutil.which(program, path=search) for program in known.programs
    )


def _exists(folder: str, known: Presence, environment: Mapping[str, str]) -> bool:
    variable = known.homes[0].variable if known.homes else ("", "")
    name, stands_for = variable
    chosen = environment.get(name, "") if name else ""
    if folder == stands_for and os.path.isabs(chosen):
        return Path(chosen).exists()
    return expanded(folder, environment, variable).exists()


def shipped(name: str) -> str:
    """A text of ``hooks/`` as shipped; a JSON text stands for itself. Raises :class:`SettingsError`."""
    return name if name.startswith("{") else place(name).read_text()


def place(name: str) -> Path:
    """A file of ``hooks/``, in the package or in the checkout it is run from. Raises :class:`SettingsError`."""
    for candidate in (PACKAGE / "hooks" / name, PACKAGE.parent.parent / "hooks" / name):
        if candidate.is_file():
            return candidate
    raise SettingsError(f"hooks/{name} is missing from {PACKAGE}; install Checkrail again")


def _place(home: Home, scope: str, environment: Mapping[str, str], project: str) -> Path | None:
    if scope == "managed":
        return Path(home.managed) if home.managed else None
    if scope == "project":
        return Path(project) / home.project if home.project else None
    return expanded(home.user, environment, home.variable) if home.user else None


def _has_hooks(path: Path, root: tuple[str, ...]) -> bool:
    try:
        return bool(root) and root[0] in parse((files.read(path) or b"{}").decode("utf-8-sig") or "{}", str(path))
    except (OSError, UnicodeDecodeError, SettingsError):
        return False


def _of_home(agent: str, number: int, home: Home, at: Path) -> Iterator[Target]:
    if home.form == "files":
        for name, text in home.texts.items():
            yield Target(agent=agent, path=at / name, home=home, number=number, text=shipped(text))
    elif "*" in at.name:
        for path in sorted(at.parent.glob(at.name)):
            yield Target(agent=agent, path=path, home=home, number=number)
    else:
        other, root = home.instead
        if other and not at.exists() and _has_hooks(at.with_name(other), root):
            at, home = at.with_name(other), msgspec.structs.replace(home, root=root)
        yield Target(agent=agent, path=at, home=home, number=number)


def managed_file(agent: str) -> Path | None:
    """The agent's managed settings where they hold our hook already; a second hook would use up an approval twice."""
    presence = PRESENCES.get(agent)
    known = [Path(home.managed) for home in presence.homes if home.managed] if presence else [MANAGED[agent]]
    for path in known:
        try:
            if NAME.encode() in (files.read(path) or b""):
                return path
        except OSError:
            continue
    return None


def targets(agent: str, scope: str, environment: Mapping[str, str], project: str) -> list[Target]:
    """The files for one agent. Raises :class:`SettingsError` where it has none in this scope."""
    if agent not in PRESENCES:
        path = MANAGED[agent] if scope == "managed" else claude.settings_path(scope, environment, project)
        return [Target(agent=agent, path=path, home=claude.HOME)]
    told: list[Target] = []
    places = [
        (number, home, _place(home, scope, environment, project)) for number, home in enumerate(PRESENCES[agent].homes)
    ]
    for number, home, place in places:
        if place is not None:
            told += _of_home(agent, number, home, place)
    if not any(place for _, _, place in places):
        raise SettingsError(f"{PRESENCES[agent].title} has no {scope} settings for hooks")
    return told


def script_words(words: list[str]) -> str:
    """The words of a command as a JavaScript or JSON array."""
    return json.dumps(words)
