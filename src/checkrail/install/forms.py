"""One way to look at and edit an agent's settings, whatever they are written in."""

from typing import Any

import msgspec

from checkrail.agents import PRESENCES
from checkrail.agents.homes import Home
from checkrail.install import claude, json_hooks
from checkrail.install.entries import is_ours
from checkrail.install.json_hooks import Entries
from checkrail.install.json_text import SettingsError, parse
from checkrail.install.record import Settings


def home_of(entry: Settings) -> Home:
    """The home that a recorded settings file belongs to."""
    if entry.agent not in PRESENCES:
        return claude.HOME
    homes = PRESENCES[entry.agent].homes
    return msgspec.structs.replace(homes[min(entry.home, len(homes) - 1)], root=entry.root)


def handlers(text: str, path: str, home: Home) -> dict[str, list[dict[str, Any]]]:
    """Event -> our handlers. Raises :class:`SettingsError`."""
    text = text.removeprefix("\ufeff")
    if home.form == "files":
        return {"": [{"text": text}]} if is_ours(text) or text == next(iter(home.texts.values()), "") else {}
    if home.form == "toml":
        from checkrail.install import toml_hooks

        return toml_hooks.handlers(text, path, home)
    if home.form == "yaml":
        from checkrail.install import yaml_hooks

        return yaml_hooks.handlers(text, path, home)
    return json_hooks.handlers(parse(text, path, comments=home.comments), home) if text.strip() else {}


def with_entries(text: str, path: str, home: Home, wanted: Entries) -> str:
    """``text`` with our entries, each once. Raises :class:`SettingsError`."""
    if home.form == "toml":
        from checkrail.install import toml_hooks

        return toml_hooks.with_entries(text, path, home, wanted)
    if home.form == "yaml":
        from checkrail.install import yaml_hooks

        return yaml_hooks.with_entries(text, path, home, wanted)
    return json_hooks.with_entries(text, path, home, wanted)


def without(text: str, path: str, home: Home) -> str | None:
    """``text`` without our entries; None where the whole file was ours. Raises :class:`SettingsError`."""
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    text = text.removeprefix("\ufeff")
    if home.form == "files":
        return None if handlers(text, path, home) else text
    if home.form == "toml":
        from checkrail.install import toml_hooks

        return toml_hooks.without(text, path, home)
    if home.form == "yaml":
        from checkrail.install import yaml_hooks

        return yaml_hooks.without(text, path, home)
    return mark + json_hooks.without(text, path, home)


def command_of(handler: dict[str, Any]) -> str:
    """The command line in a handler, wherever the agent keeps it."""
    action = handler.get("action")
    inner = action.get("command") if isinstance(action, dict) else None
    found = handler.get("command", handler.get("bash", inner))
    return found if isinstance(found, str) else ""


__all__ = ["SettingsError", "command_of", "handlers", "home_of", "with_entries", "without"]
