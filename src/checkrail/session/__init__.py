"""What a session has done so far, beyond the single call."""

from collections.abc import Sequence
from typing import Protocol

from checkrail.model import Decision, Event, Finding, Operation, Reading
from checkrail.policy import Policy


class Memory(Protocol):
    """What the session did before, as the pipeline asks for it: one object for each call."""

    def weigh(
        self,
        event: Event,
        operation: Operation,
        reading: Reading,
        findings: Sequence[Finding],
        policy: Policy,
    ) -> list[Finding]:
        """Findings on a pending call in the light of what came before it."""

    def keep(self, event: Event, decision: Decision) -> None:
        """Remembers what the call will have done, unless it was denied. Raises OSError."""


class Acquaintance(Protocol):
    """About which MCP servers a person was asked in a session."""

    def met(self, event: Event, server: str) -> bool:
        """Whether there was such a question about this server. Raises OSError."""
