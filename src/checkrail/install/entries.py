"""The entries that belong into an agent's settings, and how our own are told from others."""

import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from checkrail.agents.homes import COMMAND, TIMEOUT, Home, Hook
from checkrail.daemon.shim import NAME

Words = Callable[[str, str, int], Sequence[str]]
"""Agent, event and the seconds that a person may take inside a call -> the words of the hook's command line."""

_PENDING = ("pre", "Pre", "before", "Before", "subagentStart")

EVENT, UNGUESSED = "\0event", "\0name"
_OURS = re.compile(rf"(?:^|[/\s'\"]){NAME}(?:$|[\s'\"])")


def is_ours(value: Any) -> bool:
    """Whether an entry runs our hook, in whatever form and from whatever place."""
    if isinstance(value, str):
        return _OURS.search(value) is not None
    if isinstance(value, Mapping):
        return any(is_ours(child) for child in value.values())
    return isinstance(value, list) and any(is_ours(child) for child in value)


def _filled(value: Any, known: Mapping[str, Any]) -> Any:
    if isinstance(value, dict):
        return {key: _filled(child, known) for key, child in value.items()}
    return known.get(value, value) if isinstance(value, str) else value


def _handler(home: Home, agent: str, hook: Hook, words: Words, *, name: str, wait: int) -> dict[str, Any]:
    """Our handler of one event. A person is waited for only before a call, and where the host can be told to wait too."""
    more = wait if home.unit and hook.event.startswith(_PENDING) else 0
    limit = home.timeout + more * (1000 if home.unit == "ms" else 1)
    command = shlex.join(words(agent, hook.event, more))
    known = {COMMAND: command, TIMEOUT: limit, EVENT: hook.event, UNGUESSED: name}
    return {**_filled(home.handler, known), **hook.extra}


def wanted(home: Home, agent: str, words: Words, *, name: str = "", wait: int = 0) -> dict[str, dict[str, Any]]:
    """Event -> the entry that we add to it: a group with our handler, or the handler itself."""
    found = {}
    for hook in home.hooks:
        ours = _handler(home, agent, hook, words, name=name, wait=wait)
        found[hook.event] = {**hook.group, "hooks": [ours]} if home.form == "grouped" else ours
    return found
