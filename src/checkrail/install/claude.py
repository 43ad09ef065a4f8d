"""Claude Code's settings: which hooks are ours, how they are put in and taken out."""

import json
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from checkrail.daemon.shim import NAME, invocation
from checkrail.install.json_text import SettingsError, children, inserted, member, parse, removed

TIMEOUT_S = 15
"""The host waits so long; the hook itself gives up well before."""
WAITING = frozenset(("PreToolUse", "PreSkillShellCommand"))
"""Events in which a person may be waited for, where the policy says so."""

Version = tuple[int, ...]

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
    program = shutil.which("claude", path=environment.get("PATH"))
    if program is None:
        return None
    try:
        told = subprocess.run(
            [program, "--version"], capture_output=True, timeout=10, stdin=subprocess.DEVNULL, text=True, check=False
        ).stdout
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
        return None
    numbers = re.search(r"(\d+)\.(\d+)\.(\d+)", told)
    return tuple(map(int, numbers.groups())) if numbers else None


def entries(hook: Path, python: str, known: Version | None, *, wait: int = 0) -> dict[str, dict[str, Any]]:
    """Event -> the group that we add. One quoted command line, because older versions ignore ``args``.

    ``wait`` is how long a person may take to answer inside a call: host and hook then wait so much longer.
    """
    found = {}
    for event, since, matched, blocks in EVENTS:
        if known is not None and known < since:
            continue
        more = wait if event in WAITING else 0
        command = shlex.join(invocation(hook, agent="claude", event=event, python=python, wait=more))
        handler: dict[str, Any] = {"type": "command", "command": command, "timeout": TIMEOUT_S + more}
        handler |= {"onFailure": "block"} if blocks else {}
        found[event] = {**({"matcher": "*"} if matched else {}), "hooks": [handler]}
    return found


def is_ours(handler: Any) -> bool:
    """Whether a handler runs our hook, in whatever form and from whatever place."""
    if not isinstance(handler, dict):
        return False
    command, args = handler.get("command"), handler.get("args")
    words = [command] if isinstance(command, str) else []
    words += [word for word in args if isinstance(word, str)] if isinstance(args, list) else []
    return any(re.search(rf"(?:^|[/\s'\"]){NAME}(?:$|[\s'\"])", word) for word in words)


def handlers(settings: Mapping[str, Any], event: str) -> list[dict[str, Any]]:
    """Our handlers of one event."""
    hooks = settings.get("hooks")
    groups = hooks.get(event) if isinstance(hooks, dict) else None
    inner = [group.get("hooks") for group in groups if isinstance(group, dict)] if isinstance(groups, list) else []
    return [handler for many in inner if isinstance(many, list) for handler in many if is_ours(handler)]


def commands(settings: Mapping[str, Any]) -> dict[str, str]:
    """Event -> our command line in these settings."""
    events = settings["hooks"] if isinstance(settings.get("hooks"), dict) else {}
    return {event: str(many[0].get("command")) for event in events if (many := handlers(settings, event))}


def _without_in_event(text: str, event: str) -> tuple[str, bool]:
    """One of our handlers less in an event, and whether there was one."""
    hooks = member(text, text.index("{"), "hooks")
    array = member(text, hooks.value, event) if hooks else None
    if hooks is None or array is None or text[array.value] != "[":
        return text, False
    for index, group in enumerate(children(text, array.value)):
        inner = member(text, group.value, "hooks") if text[group.value] == "{" else None
        if inner is None or text[inner.value] != "[":
            continue
        present = children(text, inner.value)
        ours = [i for i, child in enumerate(present) if is_ours(parse_value(text, child.value, child.end))]
        if ours and len(present) == 1:
            return removed(text, array.value, index), True
        if ours:
            return removed(text, inner.value, ours[0]), True
    return text, False


def parse_value(text: str, start: int, end: int) -> Any:
    """The JSON value in a stretch of text."""
    return json.loads(text[start:end])


def _without_empty(text: str, event: str) -> str:
    """Without the event where nothing is left in it, and without ``hooks`` where nothing is left there."""
    root = text.index("{")
    hooks = member(text, root, "hooks")
    if hooks is None:
        return text
    names = [child.key for child in children(text, hooks.value)]
    array = member(text, hooks.value, event)
    if array is not None and not children(text, array.value):
        text = removed(text, hooks.value, names.index(event))
    hooks = member(text, root, "hooks")
    if hooks is not None and not children(text, hooks.value):
        text = removed(text, root, [child.key for child in children(text, root)].index("hooks"))
    return text


def without(text: str, path: str) -> str:
    """``text`` with all our handlers taken out. Raises :class:`SettingsError`."""
    settings = parse(text, path)
    hooks = settings.get("hooks")
    for event in list(hooks) if isinstance(hooks, dict) else []:
        if not handlers(settings, event):
            continue
        more = True
        while more:
            text, more = _without_in_event(text, event)
        text = _without_empty(text, event)
    return text


def _check_shape(settings: Mapping[str, Any], path: str) -> None:
    hooks = settings.get("hooks", {})
    if not isinstance(hooks, dict):
        raise SettingsError(f"{path}: 'hooks' is not an object; mend it first, nothing was changed")
    wrong = [event for event, groups in hooks.items() if not isinstance(groups, list)]
    if wrong:
        raise SettingsError(f"{path}: 'hooks.{wrong[0]}' is not a list; mend it first, nothing was changed")


def with_entries(text: str, path: str, wanted: Mapping[str, dict[str, Any]]) -> str:
    """``text`` with our groups in it, each once; unchanged where they are there already. Raises SettingsError."""
    text = text if text.strip(" \t\r\n\ufeff") else "{}\n"
    settings = parse(text.removeprefix("\ufeff"), path)
    _check_shape(settings, path)
    present = {event: handlers(settings, event) for event in settings.get("hooks", {})}
    if {event: many for event, many in present.items() if many} == {e: g["hooks"] for e, g in wanted.items()}:
        return text
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    text = without(text.removeprefix("\ufeff"), path)
    for event, group in wanted.items():
        text = _with_group(text, event, group)
    return mark + text


def _with_group(text: str, event: str, group: dict[str, Any]) -> str:
    root = text.index("{")
    hooks = member(text, root, "hooks")
    if hooks is None:
        return inserted(text, root, {event: [group]}, key="hooks")
    array = member(text, hooks.value, event)
    if array is None:
        return inserted(text, hooks.value, [group], key=event)
    return inserted(text, array.value, group)


def commands_in(content: bytes) -> bool:
    """Whether our hook stands anywhere in a settings file."""
    return NAME.encode() in content
