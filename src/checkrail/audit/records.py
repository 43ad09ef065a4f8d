"""The lines of a log as typed data, for who reads it: display, report, suggestions, export."""

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec


class Weighed(msgspec.Struct, frozen=True, kw_only=True):
    """A finding that asks or denies, as it is logged (:func:`checkrail.audit.entries.weighed`)."""

    rule: str
    decision: str = ""
    target: str = ""
    reason: str = ""
    safer: str = ""
    floor: bool = False
    hard: bool = False


class Given(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a question outside the agent (:class:`checkrail.model.Approval`)."""

    state: str = ""
    request: int = 0
    uid: int | None = None
    user: str = ""
    tty: str = ""
    time: str = ""
    after: int = 0


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """One line; see ``docs/cli.md``. The input stays in the line."""

    number: int
    mark: str = ""
    time: str = ""
    kind: str = ""
    id: str = ""
    agent: str = ""
    subagent: str = ""
    session: str = ""
    mode: str = ""
    event: str = ""
    tool: str = ""
    plugin: str = ""
    action: str = ""
    summary: str = ""
    cwd: str = ""
    project: str = ""
    cut: bool = False
    signature: str = ""
    band: str = ""
    decision: str = ""
    judged: str | None = None
    authority: str = ""
    approval: Given | None = None
    rules: tuple[str, ...] = ()
    gates: tuple[str, ...] = ()
    findings: tuple[Weighed, ...] = ()
    left_out: int = 0
    errors: tuple[str, ...] = ()
    latency_ms: float = 0.0
    policy: str = ""
    outcome: str = ""

    @property
    def asked(self) -> bool:
        """Whether this was a question, whoever was to answer it."""
        return self.kind == "verdict" and "ask" in (self.decision, self.judged)


_DECODER = msgspec.json.Decoder(Record)


def record(line: bytes) -> Record | None:
    """One line; None for what is no line of a log."""
    try:
        return _DECODER.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def records(paths: Iterable[str]) -> Iterator[Record]:
    """The records of some files, in order; damaged lines are passed over, ``audit verify`` names them."""
    for path in paths:
        with open(path, "rb") as handle:
            yield from filter(None, map(record, handle))


def whole(line: bytes) -> dict[str, Any] | None:
    """A line as plain data; None for what is no line of a log."""
    try:
        found = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
