"""The words of a package: what was read, and each thing that was wrong with it, by requirement and fatality."""

import enum
from typing import Any

import msgspec


class Fatality(enum.StrEnum):
    """What a fault costs, as the standard says it."""

    FATAL = "fatal"  # the whole plugin
    TYPE = "type"  # skills or MCP servers as a whole
    ENTRY = "entry"  # one skill or one server
    DENY = "deny"  # one path
    NOTE = "note"  # reported only


class Problem(msgspec.Struct, frozen=True):
    """One fault. ``requirement`` is its number in the table of requirements; values of a package are never quoted whole."""

    requirement: int
    code: str
    fatality: Fatality
    subject: str
    reason: str


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """``plugin.json`` as it counts. ``release`` is the version of the standard, ``version`` the plugin's own."""

    release: str
    name: str
    version: str = ""
    description: str = ""
    author: dict[str, str] = {}
    homepage: str = ""
    repository: str = ""
    license: str = ""
    keywords: tuple[str, ...] = ()
    extensions: dict[str, dict[str, Any]] = {}


class Server(msgspec.Struct, frozen=True, kw_only=True):
    """One entry of ``mcp.json``; nothing in it is expanded."""

    name: str
    transport: str
    command: str = ""
    args: tuple[str, ...] = ()
    env: dict[str, str] = {}
    cwd: str | None = None
    url: str = ""
    headers: dict[str, str] = {}


class Skill(msgspec.Struct, frozen=True, kw_only=True):
    """One skill. ``allowed_tools`` is its author's wish and grants nothing."""

    name: str
    description: str
    path: str
    body: str = ""
    allowed_tools: str = ""
    license: str = ""
    compatibility: str = ""
    metadata: dict[str, str] = {}


class Package(msgspec.Struct, frozen=True, kw_only=True):
    """All that the standard loads from a directory. Without a manifest there is nothing else."""

    root: str
    manifest: Manifest | None = None
    skills: tuple[Skill, ...] = ()
    servers: tuple[Server, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def loads(self) -> bool:
        """Whether a conforming client would load it."""
        return self.manifest is not None
