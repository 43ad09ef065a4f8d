"""Captured definitions: one JSON object a line, ``{"server", "tool": {…}, "instructions"?, "kind"?}``."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, BinaryIO

import msgspec

from checkrail.admission.records import Definition, Finding, Judged, Outcome, Sort
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
    kind: Sort = "tool"


_decode = msgspec.json.Decoder(_Line).decode


def lines(file: BinaryIO) -> Iterator[bytes]:
    """The lines of a file; of one that is too long so much that it shows."""
    while line := file.readline(LINE_LIMIT + 2):
        yield line
        while len(line) > LINE_LIMIT + 1 and not line.endswith(b"\n"):
            if not (line := file.readline(LINE_LIMIT + 2)):
                return


def read(given: Iterable[bytes]) -> Iterator[Read]:
    """The definitions of a file, line by line; blank lines are left out. Never raises for what a line holds."""
    for number, line in enumerate(given):
        if number >= LINES:
            yield Broken(f"there are more than {LINES} lines")
            return
        if not line.strip():
            continue
        if len(line.removesuffix(b"\n")) > LINE_LIMIT:
            yield Broken(f"the line is longer than {LINE_LIMIT} bytes")
            continue
        try:
            found = _decode(line)
        except (msgspec.DecodeError, RecursionError) as error:
            yield Broken(str(error))
            continue
        yield Definition(found.server, found.tool, found.instructions or "", found.kind)


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
        **({"kind": judged.kind} if judged.kind != "tool" else {}),
        "outcome": judged.outcome.value,
        "findings": [msgspec.to_builtins(finding) for finding in judged.findings],
    }
