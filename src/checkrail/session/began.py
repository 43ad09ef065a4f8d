"""Where a session began: the project of agents whose calls name the folder that they run in, and no project.

Without it the model would choose what counts as the project, by the folder that it has a command run in. What is remembered
are symbolic links whose targets are the folders: written and read in one step each.
"""

import contextlib
import os
import secrets

import msgspec

from checkrail.model import Event, EventKind
from checkrail.session import identity

ROAMING = frozenset({"codex"})
"""The agents that tell it so."""

MOST = 500
"""Sessions that are remembered; the oldest go first."""


def _note(path: str, event: Event) -> None:
    """Remembers where a session starts. A sub-agent's start moves nothing."""
    if event.subagent or event.fault:
        return
    directory, fresh = os.path.dirname(path), f"{path}.{secrets.token_hex(4)}"
    with contextlib.suppress(OSError, ValueError):
        os.makedirs(directory, mode=0o700, exist_ok=True)
        os.symlink(event.cwd, fresh)
        os.replace(fresh, path)
        _sweep(directory)


def _sweep(directory: str) -> None:
    with os.scandir(directory) as found:
        entries = sorted(found, key=lambda entry: entry.stat(follow_symlinks=False).st_mtime)
    for entry in entries[:-MOST]:
        os.unlink(entry.path)


def placed(remembered: str, event: Event) -> Event:
    """The event with the project of its session, below a directory; as it is where nothing is known. Never raises."""
    if not remembered or event.agent not in ROAMING or not event.session:
        return event
    path = os.path.join(remembered, "began", identity.who(event))
    if event.kind is EventKind.SESSION:
        _note(path, event)
    if event.kind not in (EventKind.PRE, EventKind.POST):
        return event
    try:
        project = os.readlink(path)
    except (OSError, ValueError):
        return event
    return msgspec.structs.replace(event, project=project) if project.startswith("/") else event
