"""An operation as a person reads it before saying yes: whole, line for line, with nothing hidden and nothing that acts on the terminal."""

import json
import time
import unicodedata
from collections.abc import Iterator
from typing import Any

from checkrail.agents.reasons import visible
from checkrail.approvals.rows import Request

_BLANK = frozenset("\u115f\u1160\u3164\uffa0\u2800")
"""Characters that count as printable and show nothing."""
MOST_NAMED = 8


def exact(line: str) -> str:
    """One line, blank for blank, with every character that does not show as itself written out."""
    if line.isascii() and line.isprintable() and not line.endswith(" "):
        return line
    shown = "".join(map(_written, line))
    kept = shown.rstrip(" ")
    return kept + "\\x20" * (len(shown) - len(kept))


def _written(character: str) -> str:
    if character == "\t":
        return "\\t"
    if character == " " or (character.isprintable() and not _shows_nothing(character)):
        return character
    code = ord(character)
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 65536 else f"\\U{code:08x}"


def _shows_nothing(character: str) -> bool:
    return character in _BLANK or unicodedata.category(character) in ("Mn", "Me", "Cf", "Co", "Cn", "Zs", "Zl", "Zp")


def foreign(text: str) -> str:
    """What to know about characters that look like others: each that is not ASCII, by its name. Empty for none."""
    found = list(dict.fromkeys(character for character in text if not character.isascii()))
    names = [f"U+{ord(character):04X} {unicodedata.name(character, '?')}" for character in found[:MOST_NAMED]]
    more = [f"and {len(found) - MOST_NAMED} more"] if len(found) > MOST_NAMED else []
    return ", ".join((*names, *more))


def _value(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1)


def arguments(whole: str) -> Iterator[str]:
    """The arguments of a call, each line of a value behind a bar, so that no text can pass for one of ours."""
    for name, value in json.loads(whole).items():
        yield f"{visible(name)}:"
        yield from (f"  │ {exact(line)}" for line in _value(value).split("\n"))


def whole(request: Request, *, now: float) -> list[str]:
    """Everything about a request, line by line."""
    asked = request.asked
    speaker = f"{asked.agent} ({visible(asked.subagent)})" if asked.subagent else asked.agent
    minutes = max(0, int(request.expires - now)) // 60
    lines = [
        f"request {request.number}, {age(now - request.created)} ago, for {minutes} more minutes",
        f"agent:     {visible(speaker)}, session {visible(asked.session) or '(none)'}",
        f"directory: {exact(asked.cwd)}",
        f"tool:      {visible(asked.tool)}",
        *arguments(asked.whole),
        *(f"finding:   {visible(finding)}" for finding in asked.findings),
    ]
    named = foreign(json.dumps(json.loads(asked.whole), ensure_ascii=False))
    return [*lines, *([f"not ASCII: {named}"] if named else [])]


def age(seconds: float) -> str:
    """Seconds, minutes or hours."""
    number = max(0, int(seconds))
    return f"{number} s" if number < 120 else f"{number // 60} min" if number < 7200 else f"{number // 3600} h"


def line(request: Request, *, now: float) -> str:
    """A request in one line, secrets taken out."""
    asked = request.asked
    when = time.strftime("%H:%M:%S", time.localtime(request.created))
    return f"{request.number}  {when} ({age(now - request.created)})  {visible(asked.agent)}  {visible(asked.summary)[:160]}"
