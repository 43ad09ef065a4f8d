"""Captured definitions: one JSON object a line, ``{"server", "tool": {…}, "instructions"?}``."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from checkrail.admission.records import Definition, Finding, Judged, Outcome
from checkrail.knowledge.speech import rules

LINE_LIMIT = 8 * 1024 * 1024
"""Bytes of one line."""
LINES = 200_000
"""Lines of one file."""


class Broken(msgspec.Struct, frozen=True):
    """A line that is no definition, and why."""

    reason: str


Read = Definition | Broken


class _Line(msgspec.Struct):
    tool: dict[str, Any]
    server: str = ""
    instructions: str | None = None


_decode = msgspec.json.Decoder(_Line).decode


def read(lines: Iterable[bytes]) -> Iterator[Read]:
    """The definitions of a file, line by line; blank lines are left out. Never raises for what a line holds."""
    for number, line in enumerate(lines):
        if number >= LINES:
            yield Broken(f"there are more than {LINES} lines")
            return
        if not line.strip():
            continue
        if len(line) > LINE_LIMIT:
            yield Broken(f"the line is longer than {LINE_LIMIT} bytes")
            continue
        try:
            found = _decode(line)
        except (msgspec.DecodeError, RecursionError) as error:
            yield Broken(str(error))
            continue
        yield Definition(found.server, found.tool, found.instructions or "")


def refused(broken: Broken) -> Judged:
    """What becomes of a line that cannot be read: it is held back."""
    entry = rules()["admission.unread"]
    finding = Finding(
        rule=entry.id, field="", start=0, end=0, text="", reason=f"cannot be read: {broken.reason}", fix=entry.fix
    )
    return Judged("", "", Outcome.QUARANTINE, (finding,))


def as_json(judged: Judged) -> Mapping[str, Any]:
    """An answer line."""
    return {
        "server": judged.server,
        "tool": judged.tool,
        "outcome": judged.outcome.value,
        "findings": [msgspec.to_builtins(finding) for finding in judged.findings],
    }
