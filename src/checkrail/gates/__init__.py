"""Gates judge effects. One module each; the tuple is the only list."""

from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module

from checkrail.context import Surroundings
from checkrail.model import Effect, Finding
from checkrail.policy import Policy

Gate = Callable[[Sequence[Effect], Surroundings, Policy], tuple[Finding, ...]]
"""``judge(effects, around, policy)``: findings, in the order of the effects. A gate never sees raw text."""

GATES: tuple[str, ...] = ("command", "file", "fetch", "mcp")


@cache
def gate(name: str) -> Gate:
    """The judge of a gate."""
    judge: Gate = import_module(f"checkrail.gates.{name}").judge
    return judge
