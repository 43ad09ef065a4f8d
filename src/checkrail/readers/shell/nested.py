"""Shell text within shell text, followed in the same evaluation: what it defines and changes is known to what comes after.

``here`` is text that this very shell runs (``eval``, ``.``, traps, aliases, what arithmetic expands again); ``child`` is
text that a shell of its own runs (``sh -c``, scripts): variables are handed down, functions only where they are exported,
and nothing comes back but files.
"""

import re
from typing import TYPE_CHECKING

from msgspec.structs import replace

from checkrail.model import Span
from checkrail.readers.shell.grammar import parser
from checkrail.readers.shell.state import UNKNOWN, Field, State, Value

if TYPE_CHECKING:
    from checkrail.readers.shell.evaluate import Evaluator

DEPTH_CAP = 12
"""Texts within texts that are followed."""

COUNT_CAP = 1_000
"""Texts that one program is read with, all rounds of loops counted."""

LENGTH_CAP = 2_000_000
"""Characters of all these texts."""

_EXPORTED = re.compile(r"BASH_FUNC_(.+?)(?:%%|\(\))")


def here(text: str, run: "Evaluator", span: Span, how: str) -> Value:
    """Evaluate a text in the shell at hand; what it prints."""
    run.texts += 1
    run.characters += len(text)
    run.found.texts[text] = None
    if run.depth >= DEPTH_CAP or run.texts > COUNT_CAP or run.characters > LENGTH_CAP:
        run.unread("more shell text within shell text than is read", span)
        return UNKNOWN
    outer_text, outer_payload, mark = run.text, run.payload, len(run.found.effects)
    run.text = text
    run.payload = replace(outer_payload, text=text, via=(*outer_payload.via, how), depth=outer_payload.depth + 1)
    run.depth += 1
    try:
        return _evaluated(text, run)
    finally:
        run.depth -= 1
        run.text, run.payload = outer_text, outer_payload
        effects = run.found.effects
        effects[mark:] = [replace(effect, span=span) for effect in effects[mark:]]


def _evaluated(text: str, run: "Evaluator") -> Value:
    from checkrail.readers.shell import reader  # the second opinion loads its parser when first needed

    parse = parser.parse(text)
    output = run.script(parse.script)
    for node in parse.unsupported:
        run.unread(node.what, node.span)
    reader.second_opinion(text, parse, run)
    return output


def child(
    text: str,
    run: "Evaluator",
    span: Span,
    how: str,
    *,
    arguments: tuple[Field, ...] | None = None,
    zero: tuple[Field, ...] = (),
) -> Value:
    """Evaluate a text in a shell that is started for it; what it prints. ``zero`` is ``$0`` where one is given."""
    from checkrail.readers.shell import frames  # whose functions hold texts again

    def body() -> Value:
        for name, (value, *_) in tuple(run.state.variables.items()):
            exported = _EXPORTED.fullmatch(name)
            if exported and value.text.lstrip().startswith("()"):
                here(f"{exported[1]} {value.text}", run, span, name)
        return here(text, run, span, how)

    outer, run.state = run.state, _started(run.state, arguments)
    run.state.variables.update(("0", (Value(field.text, field.tags),)) for field in zero)
    try:
        return frames.apart(run, body)
    finally:
        outer.keep(run.state)
        outer.links = run.state.links
        run.state = outer


def _started(outer: State, arguments: tuple[Field, ...] | None) -> State:
    state = outer.copy()
    everything = "-a" in state.options
    state.functions = {
        name: function for name, function in state.functions.items() if everything or f"-f {name}" in state.options
    }
    state.aliases = {}
    state.arrays = {}
    state.references = {}
    state.arguments = () if arguments is None else arguments
    state.before_cd = None
    return state
