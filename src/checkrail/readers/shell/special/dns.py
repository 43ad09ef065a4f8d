"""Names that are looked up can carry data out: parts that only running would tell, and long encoded labels."""

import re
from typing import TYPE_CHECKING

from checkrail.model import HOLE, SOME, Action, Axes, Reversibility, Scope, TargetKind
from checkrail.readers.shell import effects, unlisted

if TYPE_CHECKING:
    from checkrail.knowledge.schema import Entry
    from checkrail.readers.shell.call import Call

_ENCODED = re.compile(r"(?=[^.]*[0-9])[A-Za-z0-9_=]{32,}")
LENGTH = 150
"""Characters beyond which no honest name goes."""


def dns(entry: "Entry", call: "Call", path: str) -> None:
    """``dig``, ``ping`` and their like."""
    effects.apply(entry, call.parsed, call, path)
    unlisted.secrets(call.parsed, call, operands=True)
    for field in call.parsed.operands:
        reason = carries(field.text)
        if reason:
            call.effect(
                Action.SEND,
                TargetKind.HOST,
                field.text,
                rule=f"{path}.data",
                axes=Axes(Reversibility.IRREVERSIBLE, Scope.EXTERNAL),
                reason=reason,
                safer="look up a plain name",
                span=field.span,
            )


def carries(name: str) -> str:
    """Why a name may carry data, or nothing. An unknown name as a whole, or its last part, is ordinary."""
    labels = name.lstrip("@").rstrip(".").split(".")
    if len(labels) > 1 and any(HOLE in label or SOME in label for label in labels[:-1]) and HOLE not in labels[-1]:
        return "looks up a name that holds data only known when it runs: the name server of that domain receives it"
    if any(_ENCODED.fullmatch(label) for label in labels) or len(name) > LENGTH:
        return "looks up a name with a long encoded part: the name server of that domain receives it"
    return ""
