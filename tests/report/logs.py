"""Small logs, as records."""

import itertools
import json
from typing import Any

from checkrail.audit.records import Record, record
from checkrail.report.questions import Question, Questions
from tests.audit.lines import outcome, verdict, weighed

_numbers = itertools.count(1)


def as_record(entry: dict[str, Any]) -> Record:
    """An entry as it is read back."""
    found = record(json.dumps({**entry, "number": next(_numbers)}).encode())
    assert found is not None
    return found


def asked(
    *findings: dict[str, Any], said: str = "yes", session: str = "s1", signature: str = "", **fields: Any
) -> list[Record]:
    """A question and what was said: yes or no at the agent's prompt; approved, refused or waiting at Checkrail's; or unknown."""
    found = findings or (weighed(),)
    call = f"call-{next(_numbers)}"
    usual = {
        "id": "" if said == "unknown" else call,
        "session": session,
        "signature": signature or call,
        "summary": f"touch {found[0]['target']}",
        "findings": list(found),
        "rules": [one["rule"] for one in found],
        "judged": "ask",
    }
    if said in ("yes", "no", "unknown"):
        lines = [verdict(**usual, **fields)]
        return [as_record(entry) for entry in (*lines, *([outcome(call, session=session)] if said == "yes" else []))]
    state = {"approved": "used"}.get(said, said)
    approval = {
        "state": state,
        "request": next(_numbers),
        "uid": 1000,
        "user": "dev",
        "tty": "/dev/pts/1",
        "time": "2026-11-29T08:01:00.000Z",
    }
    decision = "allow" if state == "used" else "deny"
    return [as_record(verdict(**usual, decision=decision, approval=approval, authority="approval", **fields))]


def questions(*parts: list[Record]) -> list[Question]:
    """The questions of a log."""
    found = Questions()
    for part in parts:
        for line in part:
            found.add(line)
    return list(found)
