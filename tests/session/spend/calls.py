"""Calls written short, as in the examples of ``spend.toml``: a command line, or ``server/tool {json}``."""

import json
import re

from checkrail.facts.host import FrozenHost
from checkrail.model import Event, EventKind, Verdict
from checkrail.pipeline import decide
from checkrail.policy import BUILT_IN, Policy
from checkrail.session.spend import Ledger
from checkrail.session.spend.moves import Move, moves

_TOOL = re.compile(r"([\w.-]+)/([\w.-]+) (\{.*\})", re.DOTALL)


def event(call: str, *, session: str = "s", number: str = "", agent: str = "claude") -> Event:
    """The pending call."""
    found = _TOOL.fullmatch(call)
    tool, given = (f"mcp__{found[1]}__{found[2]}", json.loads(found[3])) if found else ("Bash", {"command": call})
    return Event(
        agent=agent, kind=EventKind.PRE, name="PreToolUse", tool=tool, input=given, cwd="/work/app", project="/work/app",
        session=session, call=number,
    )  # fmt: skip


def judged(call: str | Event, policy: Policy = BUILT_IN, ledger: Ledger | None = None) -> Verdict:
    """The verdict on a call in an ordinary project."""
    told = event(call) if isinstance(call, str) else call
    return decide(told, host=FrozenHost(home="/home/dev"), policy=policy, ledger=ledger)


def moved(call: str) -> tuple[Move, ...]:
    """The moves of money in a call."""
    verdict = judged(call)
    assert verdict.operation is not None
    return moves(event(call), verdict.operation, verdict.reading)
