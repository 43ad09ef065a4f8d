"""Whether an agent that worked was heard: its own files against the daemon's notes."""

import os
import time
from collections.abc import Iterator, Mapping

from checkrail import heartbeat
from checkrail.agents import PRESENCES
from checkrail.install import record
from checkrail.install.targets import expanded
from checkrail.model import EventKind
from checkrail.places import Places

MOST = 5000
"""Entries looked at below one folder."""
SLACK_S = 600.0
"""So much later than its last event may a file of the agent change: a session can end with a long talk."""

_CLAUDE = ("~/.claude/projects",)


def _times(folder: str) -> Iterator[float]:
    seen, pending = 0, [folder]
    while pending and seen < MOST:
        try:
            with os.scandir(pending.pop()) as found:
                for entry in found:
                    seen += 1
                    if entry.is_dir(follow_symlinks=False):
                        pending.append(entry.path)
                    elif entry.is_file(follow_symlinks=False):
                        yield entry.stat(follow_symlinks=False).st_mtime
        except OSError:
            continue


def worked(agent: str, environment: Mapping[str, str]) -> float:
    """When the agent last wrote into its own session files; 0 where nothing tells."""
    presence = PRESENCES.get(agent)
    folders = presence.activity if presence else _CLAUDE
    variable = presence.homes[0].variable if presence and presence.homes else ("CLAUDE_CONFIG_DIR", "~/.claude")
    return max((at for folder in folders for at in _times(str(expanded(folder, environment, variable)))), default=0.0)


def _ago(at: float, now: float) -> str:
    minutes = int((now - at) // 60)
    return f"{minutes} minutes ago" if minutes < 120 else f"{minutes // 60} hours ago"


def silence(
    agent: str, directory: str, where: Places, environment: Mapping[str, str], *, now: float | None = None
) -> str:
    """Why an agent's hooks seem not to run, or an empty string."""
    now = time.time() if now is None else now
    try:
        installed = os.stat(record.place(where)).st_mtime
    except OSError:
        return ""
    active = worked(agent, environment)
    heard = max(heartbeat.last(directory, agent, kind) for kind in EventKind)
    if active <= max(heard, installed) + SLACK_S:
        return ""
    told = f"and was last heard {_ago(heard, now)}" if heard else "and was never heard"
    return f"{agent}: it worked {_ago(active, now)} {told}, so its hooks do not run"
