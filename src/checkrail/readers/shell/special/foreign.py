"""Code in languages that no reader here knows: what its words and its string literals show.

Not a reading: the code stays opaque. It can only make an answer stricter.
"""

import re
from typing import TYPE_CHECKING

from checkrail.readers.shell import effects, flow, unlisted
from checkrail.readers.shell.state import Field

if TYPE_CHECKING:
    from checkrail.readers.shell.call import Call

LITERAL_CAP = 100
"""String literals of one text that are looked at."""

_HARMFUL = re.compile(
    r"os\.execute|io\.popen|os\.remove|\bunlink\s*\(|file\.remove|\bsystem2?\s*\(|\bshell\s*\(|\brm\s*\(|\brm_rf|rmtree|delete"
    r"|\bexec\b|\bspawn|\.execute\s*\(|\brun\s*\(|deltree|removeDirectory|System\.cmd|\(\s*(?:system|shell|run-shell|delete-file)"
    r"|callCommand|ProcessBuilder|createProcess|\bProcess\s*\(|run-shell-command|run-program"
)
"""Calls that remove or start something."""

_WRITES = re.compile(
    r"""["'][wa]b?\+?["']|\bwrite|writer\b|Writer\b|\bspit\b|\bsave|\bdump|open-output|with-output|\bdownload|\bcopy|\bcp\s*\(|\bmv\s*\(|rename|>\s*/"""
)
"""Calls and modes that write a file."""

_LITERAL = re.compile(r""""((?:[^"\\\n]|\\.){1,400})"|'((?:[^'\\\n]|\\.){1,400})'""")


def code(field: Field, call: "Call", path: str) -> None:
    """Judge code on the line or on the standard input."""
    text = field.text[: flow.SCRIPT_CAP]
    found = _HARMFUL.search(text)
    if found is not None:
        effects.named(
            "runs",
            call,
            rule=f"{path}.code",
            reason=f"{call.name} code that removes or starts something: {found.group()}",
        )
    writes = _WRITES.search(text) is not None
    for index, literal in enumerate(_LITERAL.finditer(text)):
        name = literal.group(1) or literal.group(2)
        if index == LITERAL_CAP:
            break
        if name.startswith("/") and " " not in name:
            at = Field(name, field.span, field.tags)
            unlisted.secret(at, call)
            if writes:
                effects.path("write", at, call, f"{path}.code")
