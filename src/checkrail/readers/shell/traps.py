"""``trap``: texts that the shell runs later, when a signal comes, a command fails, a function returns, or it ends."""

import re
from typing import TYPE_CHECKING

import msgspec

from checkrail.model import Span
from checkrail.readers.shell import flow, merging, nested, words
from checkrail.readers.shell.call import Call
from checkrail.readers.shell.grammar import tree
from checkrail.readers.shell.state import NOTHING, State, Value

if TYPE_CHECKING:
    from checkrail.readers.shell.evaluate import Evaluator

AT_ANY_TIME = frozenset(("DEBUG", "RETURN", "ERR"))
"""Traps that run between commands; the others run when a signal comes or the shell ends."""

_NAME = re.compile(r"[A-Za-z_]\w*")


class Trap(msgspec.Struct):
    """A text and when it runs. ``seen`` are the states, as far as they matter, that it was followed in."""

    text: str
    span: Span
    always: bool
    seen: set[object] = msgspec.field(default_factory=set)
    running: bool = False


def trap(call: Call) -> Value:
    """The builtin: what it sets is followed where it may run, and at the end in any case."""
    fields = [field for field in call.arguments if field.text != "--"]
    if len(fields) > 1 and fields[0].text not in ("", "-", "-l", "-p"):
        run, value = call.run, Value(fields[0].text, fields[0].tags)
        signals = {field.text.removeprefix("SIG").upper() for field in fields[1:]}
        if not value.known or value.tags:
            before = run.state.copy()
            flow.run_code("shell", value, call, "trap", here=True)
            run.state.merge(before)
        new = Trap(value.text, call.span, bool(AT_ANY_TIME & signals) or not value.known)
        run.traps.append(new)
    return NOTHING


def between(run: "Evaluator", node: tree.Simple) -> None:
    """Follow the traps that may run after any command, in each state that may matter to them; after ``kill`` all of them."""
    for held in run.traps:
        if held.always:
            _followed(held, run)
    if node.words and words.literal(node.words[0]) == "kill":
        maybe_now(run)


def maybe_now(run: "Evaluator") -> None:
    """Follow the traps that a signal or ``exit`` runs, unless nothing that they name is set yet."""
    for held in run.traps:
        names = set(re.findall(r"\$\{?([A-Za-z_]\w*)", held.text))
        if not names or names & (run.state.variables.keys() | run.state.arrays.keys()):
            _followed(held, run)


def _followed(held: Trap, run: "Evaluator") -> None:
    key = _matters(held.text, run.state)
    if held.running or key in held.seen:
        return
    held.seen.add(key)
    held.running = True
    before = run.state.copy()
    try:
        nested.here(held.text, run, held.span, "trap")
    finally:
        held.running = False
        run.state.merge(before)
        run.state.dead = before.dead


def _matters(text: str, state: State) -> object:
    """What of a state a text depends on: the variables that it names, or all where it calls functions."""
    names = set(_NAME.findall(text))
    if names & state.functions.keys():
        functions = tuple((name, tuple(map(id, held))) for name, held in state.functions.items())
        return state.cwd, functions, tuple(state.variables.items()), tuple(state.arrays.items())
    known = (state.variables.get(name, state.arrays.get(name)) for name in sorted(names))
    return state.cwd, tuple(known)


def at_end(run: "Evaluator") -> list[Value]:
    """Follow what traps have set aside, as the shell would when it ends; what they print."""
    outputs = []
    waiting, run.traps = run.traps, []
    for held in waiting:
        before = run.state.copy()
        before.dead = run.state.dead = False
        outputs.append(nested.here(held.text, run, held.span, "trap"))
        run.state.merge(before)  # whether it runs, and before which other one, is not known
    if len(outputs) > 1:  # of the same signal the last one counts, of different ones all
        return [merging.either([*outputs, merging.together(outputs)])]
    return outputs
