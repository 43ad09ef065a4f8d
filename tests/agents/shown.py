"""What ``docs/agents.md`` takes from the code: what agents lack, and the table of what the tests see. ``python -m tests.agents.shown``.

A cell is the outcome that :mod:`tests.agents.hosts` gives the answer to a recorded event; it is in bold where a test drives the
real agent, too.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from checkrail.agents import PRESENCES, answered, hear
from checkrail.daemon.protocol import Answer
from checkrail.model import Event
from tests.agents.hosts import HOSTS
from tests.agents.live.clients import CLIENTS
from tests.agents.test_table import ALLOW, ASK, BROKEN, DENY, noisy, outcome, shell

DOCS = Path(__file__).parents[2] / "docs/agents.md"
START, END = "<!-- made by tests/agents/shown.py: {} -->", "<!-- end -->"
LIVE = frozenset(client.name for client in CLIENTS)
BLOCKED = Answer(2, b"", b"checkrail: blocked: no daemon\n")
CANCELLED = Answer(0, b'{"cancel":true,"errorMessage":"Checkrail blocked this"}')
"""What the hook says where it has no verdict, and what our file makes of it for Cline: see test_failures."""

Look = Callable[[str, Event], str]


class Column(NamedTuple):
    """A column: what may happen, how it comes out, and the tests that show it by recorded events and with real agents."""

    title: str
    look: Look
    recorded: str
    live: str


def _given(verdict: object) -> Look:
    return lambda agent, event: outcome(agent, event, answered(event, verdict, explicit_allow="reads"))  # type: ignore[arg-type]


def _noise(agent: str, event: Event) -> str:
    return outcome(agent, event, noisy(answered(event, DENY, explicit_allow="reads")))


def _unanswered(agent: str, event: Event) -> str:
    return outcome(agent, event, CANCELLED if agent == "cline" else BLOCKED)


def _garbage(agent: str, _event: Event) -> str:
    events = [hear(agent, raw, cwd="/", event="", environment={}) for raw in BROKEN]
    found = {outcome(agent, event, answered(event, ASK, explicit_allow="auto")) for event in events}
    return " or ".join(sorted(found))


COLUMNS = (
    Column("denial", _given(DENY), "test_table.test_a_denial_stops_even_beside_noise", "test_clients.test_harmless_calls_run_denied_and_asked_ones_do_not"),
    Column("question", _given(ASK), "test_table.test_an_ask_asks_or_stops", "test_clients.test_harmless_calls_run_denied_and_asked_ones_do_not"),
    Column("no opinion", _given(ALLOW), "test_table.test_no_opinion_changes_nothing", "test_clients.test_harmless_calls_run_denied_and_asked_ones_do_not"),
    Column("denial beside a foreign line on stdout", _noise, "test_table.test_a_denial_stops_even_beside_noise", "test_faults.test_a_foreign_line_on_stdout_loosens_nothing"),
    Column("daemon dead", _unanswered, "test_failures.test_nothing_passes_where_no_daemon_answers", "test_clients.test_nothing_runs_without_a_daemon_that_can_start"),
    Column("daemon hangs", _unanswered, "test_failures.test_nothing_passes_where_no_daemon_answers", "test_faults.test_nothing_runs_while_the_daemon_hangs"),
    Column("garbled event", _garbage, "test_table.test_a_garbage_event_does_not_pass", "test_faults.test_a_garbled_event_does_not_pass"),
)  # fmt: skip
WORDS = {"stopped": "stops", "asked": "asks", "own": "silent", "allowed": "allowed"}


def cell(agent: str, column: Column) -> str:
    """What happens, in a word."""
    seen = column.look(agent, shell(agent))
    told = " or ".join(WORDS[word] for word in seen.split(" or "))
    if column.title == "question" and seen == "stopped":
        told = "a request"
    if column.title.startswith("denial beside") and seen == "own":
        told = "lost"
    return f"**{told}**" if agent in LIVE else told


def title(agent: str) -> str:
    """Its name for people."""
    return PRESENCES[agent].title if agent in PRESENCES else "Claude Code"


def table() -> str:
    """The whole table, and the tests behind each column."""
    order = sorted(HOSTS, key=lambda agent: (agent not in LIVE, title(agent).lower()))
    rows = [["agent", *(column.title for column in COLUMNS)], ["---"] * (len(COLUMNS) + 1)]
    rows += [[title(agent), *(cell(agent, column) for column in COLUMNS)] for agent in order]
    lines = [f"| {' | '.join(row)} |" for row in rows]
    proofs = [f"| {column.title} | `{column.recorded}` | `live.{column.live}` |" for column in COLUMNS]
    return "\n".join(
        (*lines, "", "| column | by recorded events | with the real agent (bold) |", "| --- | --- | --- |", *proofs)
    )


def lacks() -> str:
    """What each agent lacks, in the words of its module."""
    return "\n".join(f"- **{one.title}**: {'; '.join(one.lacks)}." for one in PRESENCES.values() if one.lacks)


MADE: dict[str, Callable[[], str]] = {"lacks": lacks, "table": table}


def written(text: str) -> str:
    """The document with what is made for it as it is today."""
    for name, make in MADE.items():
        start = START.format(name)
        assert text.count(start) == 1, start
        text = _between(text, start, make())
    return text


def _between(text: str, start: str, made: str) -> str:
    return re.sub(
        rf"{re.escape(start)}.*?{re.escape(END)}",
        lambda _: f"{start}\n{made}\n{END}",
        text,
        count=1,
        flags=re.DOTALL,
    )


if __name__ == "__main__":
    DOCS.write_text(written(DOCS.read_text()))
