"""One module per coding agent: what it says, how it wants to be answered, and where it keeps its hooks."""

from collections.abc import Mapping
from typing import Any, Protocol

import msgspec

from checkrail.agents import (
    antigravity,
    augment,
    claude,
    cline,
    codex,
    copilot,
    crush,
    cursor,
    droid,
    gemini,
    generic,
    goose,
    grok,
    hermes,
    json_events,
    kimi,
    kiro,
    opencode,
    openhands,
    qwen,
    vibe,
    vscode,
    windsurf,
)
from checkrail.agents.homes import Presence
from checkrail.agents.json_events import Fault
from checkrail.agents.sniff import speaker
from checkrail.daemon.protocol import Answer
from checkrail.model import Asking, Event, Verdict


class Agent(Protocol):
    """What each dialect offers."""

    @property
    def NAME(self) -> str:
        """The name under which it is listed and installed."""

    def understand(self, said: dict[str, Any], *, cwd: str, event: str, environment: Mapping[str, str]) -> Event:
        """The event in a JSON object. Raises :class:`Fault` for an envelope that is broken."""

    def broken(self, fault: Fault, *, cwd: str, event: str) -> Event:
        """An event of which nothing could be understood."""

    def decode(self, raw: bytes, *, cwd: str, event: str, environment: Mapping[str, str]) -> Event:
        """The bytes of a hook as an event; never raises, what is not understood has ``fault`` set."""

    def encode(self, event: Event, verdict: Verdict, *, explicit_allow: str) -> Answer:
        """The verdict as exit code, stdout and stderr in the agent's dialect."""


_DIALECTS = (
    codex, copilot, vscode, cursor, gemini, qwen, opencode, windsurf, cline, kiro, droid, goose, augment, crush, hermes,
    antigravity, grok, vibe, openhands, kimi,
)  # fmt: skip

AGENTS: dict[str, Agent] = {
    "claude": claude,
    **{one.DIALECT.NAME: one.DIALECT for one in _DIALECTS},
    "generic": generic,
}
"""Name -> dialect."""

PRESENCES: dict[str, Presence] = {one.DIALECT.NAME: one.PRESENCE for one in _DIALECTS}
"""Name -> where it keeps its hooks; Claude Code has an installer of its own."""


_STRANGE = frozenset({"exec"})
"""Shell tools that Claude Code does not have: Devin's, which reads its settings and of whose ask nothing is known."""


def _safe(event: Event, installed: str) -> Event:
    """An event that only looks like Claude Code's came to another agent's hook, and may be a new form of that agent's: its
    denial stops most of them, its question few. The same goes for Claude Code's hook in an agent that runs it as its own."""
    doubted = event.agent == claude.NAME and (installed != claude.NAME or event.tool in _STRANGE)
    return msgspec.structs.replace(event, asking=Asking.CANNOT) if doubted else event


def hear(agent: str, raw: bytes, *, cwd: str, event: str, environment: Mapping[str, str]) -> Event:
    """What a hook said. The shape of the event decides whose dialect it is; ``agent`` is the name in the settings."""
    installed = AGENTS.get(agent, generic)
    try:
        told = json_events.read_object(raw)
        name = speaker(told, installed.NAME)
        known = AGENTS[name]
        usual = event if name == installed.NAME else ""
        try:
            return _safe(known.understand(told, cwd=cwd, event=usual, environment=environment), installed.NAME)
        except Fault as fault:
            return known.broken(fault, cwd=cwd, event=usual)
        except (TypeError, ValueError, AttributeError, LookupError) as error:
            return known.broken(Fault(f"the event has an unknown shape ({error})"), cwd=cwd, event=usual)
    except Fault as fault:
        return installed.broken(fault, cwd=cwd, event=event)


def answered(event: Event, verdict: Verdict, *, explicit_allow: str) -> Answer:
    """The answer in the dialect that the event was in."""
    return AGENTS.get(event.agent, generic).encode(event, verdict, explicit_allow=explicit_allow)
