"""Answers the agent's own notice that its settings change: a change that unhooks Checkrail is blocked."""

from pathlib import Path
from typing import Any

from checkrail import places
from checkrail.install import claude, record
from checkrail.install.json_text import SettingsError, parse
from checkrail.model import Event

MAX_BYTES = 4 * 1024 * 1024

_SWITCHES = ("CLAUDE_CODE_SIMPLE",)
"""Variables that a settings file could set and that turn hooks off."""


def _text(path: Path) -> str | None:
    """The file's text; None where it is not there or cannot be read."""
    try:
        with open(path, "rb") as handle:
            return handle.read(MAX_BYTES).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return None


def unhooks(settings: dict[str, Any], *, ours: bool) -> str:
    """Why these settings turn our hooks off, or an empty string. ``ours``: our hooks belong into this file."""
    if settings.get("disableAllHooks") not in (None, False):
        return "disableAllHooks would turn all hooks off, Checkrail's too"
    variables = settings.get("env")
    switched = [name for name in _SWITCHES if isinstance(variables, dict) and variables.get(name)]
    if switched:
        return f"the variable {switched[0]} would turn all hooks off, Checkrail's too"
    if ours and not claude.handlers(settings, "PreToolUse"):
        return "Checkrail's hook is gone from this file"
    return ""


def problem_in(path: Path, *, ours: bool) -> str:
    """Why the settings file at ``path`` turns our hooks off, or an empty string."""
    text = _text(path)
    if text is None:
        return "Checkrail's hook is gone: the file cannot be read" if ours else ""
    try:
        settings = parse(text, str(path)) if text.strip() else {}
    except SettingsError as error:
        return f"Checkrail's hook is gone: {error}" if ours else ""
    return unhooks(settings, ours=ours)


def config_change(event: Event) -> str:
    """Why the settings as they lie on the disk now take Checkrail out of the way, or an empty string."""
    if event.fault:
        return f"the notice of a settings change was not understood: {event.fault}"
    path = str(event.input.get("file_path") or "")
    if not path.startswith("/"):
        return ""
    real = Path(path).resolve()
    known = record.load(places.find()).settings
    ours = any(Path(entry.path).resolve() == real for entry in known)
    problem = problem_in(Path(path), ours=ours)
    return f"{path}: {problem}. To take Checkrail out, run checkrail uninstall in a terminal" if problem else ""
