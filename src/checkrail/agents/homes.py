"""Where an agent keeps its hooks, and what an entry looks like there, as data that :mod:`checkrail.install` works on."""

from typing import Any

import msgspec

COMMAND, TIMEOUT = "\0command", "\0timeout"
"""Stand in an entry for the hook's command line and the host's time limit."""

TIMEOUT_S = 15
"""The host waits so long; the hook itself gives up well before."""


class Hook(msgspec.Struct, frozen=True, kw_only=True):
    """One event that we are hooked to. ``group`` stands beside the list of handlers, ``extra`` inside our handler."""

    event: str
    group: dict[str, Any] = {}
    extra: dict[str, Any] = {}
    since: tuple[int, ...] = ()  # the version that knows the event, where an older one minds


class Home(msgspec.Struct, frozen=True, kw_only=True):
    """One place for hooks. A path starts with ``~`` (user) or ``/`` (managed), else it lies in the project.

    ``form`` is ``grouped`` (event -> groups -> handlers, as Claude Code has it), ``flat`` (event -> handlers),
    ``listed`` (one list of entries that name their event), ``toml`` and ``yaml`` (the same in those languages), or
    ``files`` (files of our own, from ``texts``).
    """

    form: str
    user: str = ""
    project: str = ""
    managed: str = ""
    variable: tuple[str, str] = ("", "")  # an environment variable, and the folder that it stands for
    root: tuple[str, ...] = ("hooks",)  # keys that lead to the events
    instead: tuple[str, tuple[str, ...]] = ("", ())  # another file of the same folder, where hooks stand there already
    wrapped: bool = False  # the events may also stand below a key ``hooks``
    head: dict[str, Any] = {}  # what a new file holds besides
    hooks: tuple[Hook, ...] = ()
    handler: dict[str, Any] = {}
    unit: str = "s"  # of the timeout: s, ms, or empty where there is none to set
    comments: bool = False  # whether the file may hold comments and trailing commas
    texts: dict[str, str] = {}  # for ``files``: path below the folder -> name of the text in hooks/, or a JSON text
    executable: bool = False

    @property
    def timeout(self) -> int:
        """The host's limit in its own unit."""
        return TIMEOUT_S * (1000 if self.unit == "ms" else 1)


class Presence(msgspec.Struct, frozen=True, kw_only=True):
    """An agent to the installer: its name for people, how it shows, its homes, how it fails, and what it lacks."""

    title: str
    folders: tuple[str, ...]
    programs: tuple[str, ...] = ()
    homes: tuple[Home, ...] = ()
    closed_by: str = ""  # the switch that makes a failing hook block; empty where there is none
    lacks: tuple[str, ...] = ()
    activity: tuple[str, ...] = ()  # folders whose files change while it works, to hold against what the daemon heard
    runner: str = "sh"  # how it runs a hook: sh, login (the user's shell with -lc), split (no shell), file, plugin


def command_handler(**more: Any) -> dict[str, Any]:
    """The handler that most agents have."""
    return {"type": "command", "command": COMMAND, "timeout": TIMEOUT, **more}


def everywhere(
    *events: str, matcher: str = "*", plain: tuple[str, ...] = ("SessionStart",), **extra: Any
) -> tuple[Hook, ...]:
    """Hooks for all tools; events in ``plain`` take no matcher, and ``extra`` belongs to the first event only."""
    return tuple(
        Hook(event=event, group={} if event in plain else {"matcher": matcher}, extra=extra if number == 0 else {})
        for number, event in enumerate(events)
    )
