"""MCP servers that were never reviewed: each is asked about once in a session, where the user keeps a lock.

A question that the agent shows counts when it is asked; one that it cannot show when a person has approved the call, else the
next try would pass unseen. What is remembered are empty files with the digest of session and server for a name.
"""

import contextlib
import os
import time
from collections.abc import Iterator, Sequence

from checkrail.admission import standing
from checkrail.context import Surroundings
from checkrail.model import Asking, Decision, Effect, Event, Finding, TargetKind, Verdict
from checkrail.places import PlacesError, secure_directory
from checkrail.session import Acquaintance, identity

RULE = "mcp.not-admitted"
KEEP_S = 7 * 86400
MOST = 4000


def findings(
    event: Event, effects: Sequence[Effect], around: Surroundings, known: Acquaintance | None
) -> Iterator[Finding]:
    """A finding for each server that the session calls for the first time and that nobody has reviewed. Raises OSError."""
    if known is None:
        return
    asked: set[str] = set()
    for effect in effects:
        server, slash, _ = effect.target.value.partition("/")
        if effect.target.kind is not TargetKind.TOOL or not slash or server in asked:
            continue
        asked.add(server)
        if _strange(server, around) and not known.met(event, server):
            yield Finding(
                rule=RULE,
                reason=f"the MCP server {server} is not among those whose descriptions you have reviewed",
                gate="mcp",
                decision=Decision.ASK,
                span=effect.span,
                target=effect.target.value,
                via=effect.via,
                safer="checkrail scan --connect --save FILE, then checkrail pin --review FILE: then nobody asks again",
            )


def _strange(server: str, around: Surroundings) -> bool:
    try:
        return standing.stranger(server, around)
    except standing.Unreadable:
        return False  # the gate asks about that itself


class Met:
    """The servers asked about, below ``directory``, which is made when first needed. Safe among many processes."""

    def __init__(self, directory: str) -> None:
        self.directory = directory

    def _mark(self, event: Event, server: str) -> str:
        session = identity.parent(event) or identity.who(event)
        return os.path.join(self.directory, identity.digest(session, server))

    def met(self, event: Event, server: str) -> bool:
        """See :class:`~checkrail.session.Acquaintance`."""
        try:
            return os.stat(self._mark(event, server)).st_mtime > time.time() - KEEP_S
        except FileNotFoundError:
            return False

    def settled(self, event: Event, verdict: Verdict) -> str:
        """Remembers about which servers a person was asked with this verdict; why it could not, or an empty string."""
        shown = verdict.decision is Decision.ASK and event.asking is Asking.SHOWS
        approved = verdict.approval is not None and verdict.approval.state == "used"
        servers = {found.target.partition("/")[0] for found in verdict.findings if found.rule == RULE}
        if not servers or not (shown or approved):
            return ""
        try:
            from pathlib import Path

            secure_directory(Path(self.directory))
            self._sweep()
            for server in servers:
                with open(self._mark(event, server), "wb"):
                    pass
        except (OSError, PlacesError) as error:
            return f"that {', '.join(sorted(servers))} was asked about could not be remembered: {error}"
        return ""

    def _sweep(self) -> None:
        """Forgets the oldest half once there are too many."""
        names = os.listdir(self.directory)
        if len(names) < MOST:
            return
        paths = sorted((os.path.join(self.directory, name) for name in names), key=_age)
        for path in paths[: MOST // 2]:
            with contextlib.suppress(OSError):
                os.unlink(path)


def _age(path: str) -> float:
    with contextlib.suppress(OSError):
        return os.stat(path).st_mtime
    return 0.0
