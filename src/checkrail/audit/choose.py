"""Which lines of a log somebody wants to see."""

import re
import time
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from typing import Any

import msgspec

from checkrail.audit.entries import stamp
from checkrail.audit.records import Record, whole

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}


def since(text: str, now: float | None = None) -> str:
    """A stamp from ``30m``, ``12h``, ``7d``, ``2w`` ago, or from an ISO date or time (UTC unless it says otherwise).

    Raises ValueError.
    """
    ago = re.fullmatch(r"(\d{1,6})([smhdw])", text)
    if ago:
        return stamp((time.time() if now is None else now) - int(ago[1]) * _UNITS[ago[2]])
    found = datetime.fromisoformat(text)
    found = found if found.tzinfo else found.replace(tzinfo=UTC)
    return stamp(found.timestamp())


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """Every condition that is given must hold. ``rule`` and ``agent`` are globs, ``literal`` is found as it stands."""

    decisions: tuple[str, ...] = ()
    rule: str = ""
    agent: str = ""
    session: str = ""
    since: str = ""
    literal: str = ""
    outcomes: bool = False

    def takes(self, found: Record, line: bytes) -> bool:
        """Whether a record is wanted. ``line`` is what it was read from."""
        return (
            (self.outcomes or found.kind != "outcome")
            and (not self.decisions or found.decision in self.decisions)
            and (not self.rule or any(fnmatchcase(rule, self.rule) for rule in found.rules))
            and (not self.agent or fnmatchcase(found.agent, self.agent) or fnmatchcase(found.subagent, self.agent))
            and (not self.session or found.session == self.session)
            and found.time >= self.since
            and (not self.literal or _holds(whole(line), self.literal))
        )


def _holds(value: Any, literal: str) -> bool:
    if isinstance(value, str):
        return literal in value
    if isinstance(value, dict):
        return any(literal in key or _holds(child, literal) for key, child in value.items())
    return isinstance(value, list) and any(_holds(child, literal) for child in value)
