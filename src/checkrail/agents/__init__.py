"""One module per coding agent: what it says, and how it wants to be answered."""

from collections.abc import Mapping
from typing import Protocol

from checkrail.agents import claude, generic
from checkrail.daemon.protocol import Answer
from checkrail.model import Event, Verdict


class Agent(Protocol):
    """What each module of this package offers."""

    NAME: str

    def decode(self, raw: bytes, *, cwd: str, event: str, environment: Mapping[str, str]) -> Event:
        """The bytes of a hook as an event; never raises, what is not understood has ``fault`` set."""

    def encode(self, event: Event, verdict: Verdict, *, explicit_allow: str) -> Answer:
        """The verdict as exit code, stdout and stderr in the agent's dialect."""


AGENTS: dict[str, Agent] = {"claude": claude, "generic": generic}
