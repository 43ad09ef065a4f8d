"""Claude Code's settings: which hooks are ours, how they are put in and taken out."""

import os
import shlex
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from checkrail.agents.homes import Home
from checkrail.daemon.shim import NAME, invocation
from checkrail.install import json_hooks, versions
from checkrail.install.entries import Words
from checkrail.install.json_text import SettingsError

TIMEOUT_S = 15
"""The host waits so long; the hook itself gives up well before."""
WAITING = frozenset(("PreToolUse", "PreSkillShellCommand"))
"""Events in which a person may be waited for, where the policy says so."""

HOME = Home(form="grouped")

Version = versions.Version

EVENTS: tuple[tuple[str, Version, bool, bool], ...] = (
    ("PreToolUse", (0,), True, True),
    ("PostToolUse", (0,), True, False),
    ("SessionStart", (0,), False, False),
    ("ConfigChange", (2, 1, 49), False, True),
    ("PostToolUseFailure", (2, 1, 49), True, False),
    ("PreSkillShellCommand", (2, 1, 295), False, True),
)
"""Event, the version that knows it, whether it takes a matcher, whether a failure of the hook must block.

An older version could refuse a whole settings file over an event it does not know.
"""


def settings_path(scope: str, environment: Mapping[str, str], project: str) -> Path:
    """The settings file of a scope. A project's is the private one, since our paths hold on this machine only."""
    if scope == "project":
        return Path(project) / ".claude" / "settings.local.json"
    chosen = environment.get("CLAUDE_CONFIG_DIR", "")
    home = Path(environment.get("HOME") or os.path.expanduser("~"))
    return (Path(chosen) if os.path.isabs(chosen) else home / ".claude") / "settings.json"


def found(environment: Mapping[str, str]) -> bool:
    """Whether Claude Code seems to be there."""
    home = settings_path("user", environment, "").parent
    return home.is_dir() or shutil.which("claude", path=environment.get("PATH")) is not None


def version(environment: Mapping[str, str]) -> Version | None:
    """The installed version, None where it cannot be told."""
    return versions.of("claude", environment)


def entries(
    hook: Path, python: str, known: Version | None, *, wait: int = 0, words: Words | None = None
) -> dict[str, dict[str, Any]]:
    """Event -> the group that we add. One quoted command line, because older versions ignore ``args``.

    ``wait`` is how long a person may take to answer inside a call: host and hook then wait so much longer.
    """
    found = {}
    for event, since, matched, blocks in EVENTS:
        if known is not None and known < since:
            continue
        more = wait if event in WAITING else 0
        ours = invocation(hook, agent="claude", event=event, python=python, wait=more)
        command = shlex.join(words("claude", event, more) if words else ours)
        handler: dict[str, Any] = {"type": "command", "command": command, "timeout": TIMEOUT_S + more}
        handler |= {"onFailure": "block"} if blocks else {}
        found[event] = {**({"matcher": "*"} if matched else {}), "hooks": [handler]}
    return found


def handlers(settings: Mapping[str, Any], event: str) -> list[dict[str, Any]]:
    """Our handlers of one event."""
    try:
        return json_hooks.handlers(settings, HOME).get(event, [])
    except SettingsError:
        return []


def commands(settings: Mapping[str, Any]) -> dict[str, str]:
    """Event -> our command line in these settings."""
    events = settings["hooks"] if isinstance(settings.get("hooks"), dict) else {}
    return {event: str(many[0].get("command")) for event in events if (many := handlers(settings, event))}


def without(text: str, path: str) -> str:
    """``text`` with all our handlers taken out. Raises :class:`SettingsError`."""
    return json_hooks.without(text, path, HOME)


def with_entries(text: str, path: str, wanted: Mapping[str, dict[str, Any]]) -> str:
    """``text`` with our groups in it, each once; unchanged where they are there already. Raises SettingsError."""
    return json_hooks.with_entries(text, path, HOME, wanted)


def commands_in(content: bytes) -> bool:
    """Whether our hook stands anywhere in a settings file."""
    return NAME.encode() in content
