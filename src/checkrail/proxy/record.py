"""What was kept out or framed, for a person: a line in the log and one on stderr."""

import sys
import threading
import time
from collections.abc import Iterable

from checkrail.admission import pins
from checkrail.admission.records import Judged
from checkrail.agents.reasons import visible
from checkrail.audit import Log
from checkrail.audit.entries import MAX_FINDINGS, MAX_NAME, kept_text, stamp
from checkrail.proxy.lists import why


def say(text: str) -> None:
    """One line on stderr, which clients keep as the server's log."""
    print(f"checkrail proxy: {visible(text)[:1000]}", file=sys.stderr, flush=True)


class Record:
    """Tells of each outcome once in a session."""

    def __init__(self, log: Log | None, session: str) -> None:
        self._log = log
        self._session = session
        self._told: set[tuple[str, str, str]] = set()

    def tell(self, answers: Iterable[Judged]) -> None:
        """Writes down what is new; a log that cannot be written is told and changes no outcome."""
        for answer in answers:
            known = (answer.label, answer.outcome.value, why(answer))
            if known in self._told or len(self._told) > _MOST:
                continue
            self._told.add(known)
            if answer.outcome in pins.REFUSED:
                say(f"kept out {answer.label}: {why(answer)}")
            with _WRITING:
                problem = self._log.append(self._entry(answer)) if self._log else ""
            if problem:
                say(problem)

    def _entry(self, answer: Judged) -> dict[str, object]:
        refused = answer.outcome in pins.REFUSED
        return {
            "time": stamp(time.time()),
            "kind": "admission",
            "agent": "proxy",
            "session": self._session,
            "tool": kept_text(f"{answer.server}/{answer.label}", MAX_NAME),
            "action": "describe",
            "summary": kept_text(f"{answer.server}/{answer.label}: {answer.outcome.value}: {why(answer)}"),
            "decision": "deny" if refused else "note",
            "authority": "rules",
            "rules": list(dict.fromkeys(found.rule for found in answer.findings))[:MAX_FINDINGS],
        }


_MOST = 10_000
_WRITING = threading.Lock()
"""A log is for one thread at a time, and sessions over HTTP share one."""
