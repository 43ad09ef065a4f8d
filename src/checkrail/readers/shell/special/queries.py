"""``jq``, ``bc``, ``dc``: programs that mostly compute, and the few words that do more."""

import re
from typing import TYPE_CHECKING

from checkrail.model import HOLE
from checkrail.readers.shell import effects, flow
from checkrail.readers.shell.state import SECRET, Field, Value

if TYPE_CHECKING:
    from checkrail.knowledge.schema import Entry
    from checkrail.readers.shell.call import Call

_STRING = re.compile(r'"(?:[^"\\]|\\[^(])*"')
_ENVIRONMENT = re.compile(r"(?<![.\w$])(?:\$ENV|env)\b(?!\s*:)(?!\s*\.\s*\w)(?!\s*\[\s*\"?\w)")
_TWO = {"--arg": "text", "--argjson": "text", "--rawfile": "read", "--slurpfile": "read"}
_ONE = frozenset(("--indent", "-L", "--library-path"))


def jq(entry: "Entry", call: "Call", path: str) -> None:
    """``jq filter file…``; ``env`` and ``$ENV`` are the whole environment."""
    pending = list(call.arguments)
    operands: list[Field] = []
    from_file = literal = False
    while pending:
        field = pending.pop(0)
        text = field.text
        if text in _TWO and len(pending) > 1:
            if _TWO[text] == "read":
                effects.path("read", pending[1], call, path)
            del pending[:2]
        elif text in _ONE and pending:
            pending.pop(0)
        elif text in ("-f", "--from-file") and pending:
            effects.path("read", pending.pop(0), call, path)
            from_file = True
        elif text in ("--args", "--jsonargs"):
            literal = True
        elif text.startswith("-") and len(text) > 1:
            continue
        elif not literal or not operands:
            operands.append(field)
    program = None if from_file or not operands else operands.pop(0)
    for field in operands:
        effects.path("read", field, call, path)
    flow.standard_input(entry, call)
    if program is not None and _ENVIRONMENT.search(_STRING.sub('""', program.text[:20_000]).replace('"".', "x.")):
        call.output = Value(HOLE, frozenset((SECRET, "environment")))


_ESCAPE = re.compile(r"!(?![<>=])(.*)")


def calculator(entry: "Entry", call: "Call", path: str) -> None:
    """``bc``, ``dc``: a line of dc that starts with ``!`` is a shell command."""
    effects.apply(entry, call.parsed, call, path)
    if call.name not in ("dc", "gdc"):
        return
    texts = [field.text for field in call.arguments if "!" in field.text]
    if call.run.stdin.known:
        texts.append(call.run.stdin.text)
    for text in texts:
        for match in _ESCAPE.finditer(text[:20_000]):
            call.run.shell(match.group(1), call.span, "dc !")


_MACRO = re.compile(r"\b(?:e?syscmd|mkstemp)\s*\(\s*([^)]*)")


def macros(entry: "Entry", call: "Call", path: str) -> None:
    """``m4``: ``syscmd`` and ``esyscmd`` run shell lines; a file of macros is the project's own code."""
    effects.apply(entry, call.parsed, call, path)
    if call.parsed.operands:
        call.run.opaque(f"expands the macros in {call.parsed.operands[0].text[:60]}")
    texts = [value.text for value in call.reads if value.known]
    if call.run.stdin.known and (not call.parsed.operands or "-" in [field.text for field in call.parsed.operands]):
        texts.append(call.run.stdin.text)
    for text in texts:
        for match in _MACRO.finditer(text[:50_000]):
            call.run.shell(match.group(1).strip("`'\" "), call.span, "m4 syscmd")
