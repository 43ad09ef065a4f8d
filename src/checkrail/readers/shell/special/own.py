"""Checkrail's own command line: ``exec`` and ``sh`` run what they are given, so it is judged like anything else."""

from typing import TYPE_CHECKING

from checkrail.model import HOLE, SOME
from checkrail.readers.shell import effects
from checkrail.readers.shell.state import Field

if TYPE_CHECKING:
    from checkrail.knowledge.schema import Entry
    from checkrail.readers.shell.call import Call

_ONLY_JUDGE = ("--judge", "--judge-only")


def own(entry: "Entry", call: "Call", path: str) -> None:
    """What the subcommand itself does, and what it runs."""
    effects.apply(entry, call.parsed, call, path)
    verb = call.arguments[0].text if call.arguments else ""
    rest = call.arguments[1:]
    if verb == "exec":
        while rest and rest[0].text in ("--ask", "--"):
            last, rest = rest[0].text, rest[1:]
            if last == "--":
                break
        if rest:
            call.invoke(rest)
    elif verb == "plugin":
        action = next((word for word in rest if not word.text.startswith("-")), None)
        if action is not None and (HOLE in action.text or SOME in action.text):
            call.run.unread("what to do with a plugin", action.span)
    elif verb == "sh" and not (rest and rest[0].text in _ONLY_JUDGE):
        call.invoke((Field("bash", call.span), *rest))
