"""When each agent was last heard: one empty file per agent and kind of event, whose time of change is the answer.

A hook that stands in the settings need not run: an agent skips hooks in silence for many reasons. So the doctor compares
when an agent was last heard with when it last worked.
"""

import contextlib
import os
import time

from checkrail.model import Event, EventKind

KINDS = (EventKind.PRE, EventKind.POST, EventKind.SESSION)
CANARY = "checkrail-canary"
EVERY_S = 30.0

_noted: dict[str, float] = {}


def _path(directory: str, agent: str, kind: EventKind) -> str:
    return os.path.join(directory, f"{agent}.{kind}")


def note(directory: str, event: Event) -> None:
    """Notes that an agent was heard, at most every EVERY_S seconds; never raises, never matters to a decision."""
    if not directory or event.kind not in KINDS or event.session == CANARY or event.fault:
        return
    path, now = _path(directory, event.agent, event.kind), time.monotonic()
    if now - _noted.get(path, float("-inf")) < EVERY_S:
        return
    _noted[path] = now
    with contextlib.suppress(OSError):
        os.makedirs(directory, mode=0o700, exist_ok=True)
        with open(path, "a"):
            os.utime(path)


def last(directory: str, agent: str, kind: EventKind) -> float:
    """When an agent was last heard with an event of this kind, in seconds since the epoch; 0 for never."""
    try:
        return os.stat(_path(directory, agent, kind)).st_mtime
    except OSError:
        return 0.0
