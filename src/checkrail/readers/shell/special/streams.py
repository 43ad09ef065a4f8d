"""``socat``: the programs that its addresses start are judged like any other."""

import re
from typing import TYPE_CHECKING

from checkrail.readers.shell import effects

if TYPE_CHECKING:
    from checkrail.knowledge.schema import Entry
    from checkrail.readers.shell.call import Call

_STARTS = re.compile(r"(?i)(?:exec|system|shell):(.*)", re.DOTALL)
_PART = re.compile(r"""(?:\\.|"[^"]*"|'[^']*'|[^,\\"'])*""", re.DOTALL)
"""Up to the first comma that starts options: not one that is escaped or quoted."""
LONGEST = 20_000


def socat(entry: "Entry", call: "Call", path: str) -> None:
    """``socat [option …] address address``; an address is ``type:text[,option …]``."""
    effects.apply(entry, call.parsed, call, path)
    for field in call.parsed.operands:
        found = _STARTS.match(field.text[:LONGEST])
        part = _PART.match(found[1]) if found else None
        if part and part[0].strip():
            text = part[0].replace("\\,", ",").replace("\\:", ":")
            whole = text[1:-1] if text[:1] == text[-1:] == '"' and text.count('"') == 2 else text
            call.run.shell(whole, field.span, "socat")
