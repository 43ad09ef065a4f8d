"""Calls of functions, and how they are left: what is local to them, and where ``return`` jumps to.

A jump leaves behind the state that it jumps with; where it lands, that is one of the ways there.
"""

import contextlib
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

import msgspec

from checkrail.model import Span
from checkrail.readers.shell import invoke, merging
from checkrail.readers.shell.grammar import tree
from checkrail.readers.shell.jumps import Jumps
from checkrail.readers.shell.state import UNKNOWN, Field, State, Value

if TYPE_CHECKING:
    from checkrail.readers.shell.evaluate import Evaluator

CALL_CAP = 12
"""Nested function calls that are followed."""

ATTRIBUTES = "Ailrux"
"""Letters of ``declare`` that stay with a variable."""


class Outside(msgspec.Struct, frozen=True):
    """What a variable was outside of the function that has one of its own: by table, its elements by key, its attributes."""

    tables: dict[str, object]
    elements: dict[str, tuple[Value, ...]]
    options: frozenset[str]


class Frame(msgspec.Struct):
    """A call of a function, or a file that is sourced. ``local`` is what its local variables were outside."""

    jumps: Jumps
    local: dict[str, Outside]
    function: bool


def call(run: "Evaluator", function: tree.Function, arguments: tuple[Field, ...]) -> Value:
    """Evaluate a function's body with its arguments; recursion is followed to CALL_CAP."""
    state, which = run.state, f"{function.name}@{id(function)}"  # another body: another function
    if which in state.stack:
        if state.forked:
            run.effect(invoke.fork_bomb(function, state))
        return UNKNOWN
    if len(state.stack) >= CALL_CAP:
        run.unread("functions nested deeper than are read", function.span)
        return UNKNOWN
    kept = state.arguments, state.stack, state.forked
    state.arguments, state.stack, state.forked = arguments, (*state.stack, which), False
    try:
        with entered(run, function=True):
            return run.command(function.body)
    finally:
        run.state.arguments, run.state.stack, run.state.forked = kept


def apart(run: "Evaluator", body: Callable[[], Value]) -> Value:
    """Evaluate what runs in a subshell: with traps of its own, and out of reach of the functions and loops around it."""
    from checkrail.readers.shell import traps  # which call functions

    around = run.traps, run.frames, run.loops
    run.traps, run.frames, run.loops = [], [], []
    try:
        return merging.together([body(), *traps.at_end(run)])
    finally:
        run.traps, run.frames, run.loops = around


@contextlib.contextmanager
def entered(run: "Evaluator", *, function: bool = False) -> Iterator[None]:
    """A function's body, or a sourced file: ``return`` ends it, and loops outside of it are out of reach."""
    frame = Frame(Jumps([]), {}, function)
    loops, run.loops = run.loops, [] if function else run.loops
    run.frames.append(frame)
    try:
        yield
    finally:
        run.frames.pop()
        run.loops = loops
        frame.jumps.land(run.state)
        run.state.dead = False
        for name, held in frame.local.items():
            _restore(name, held, run.state)


def leave(run: "Evaluator") -> None:
    """``return``: outside of functions and sourced files it does nothing."""
    if run.frames:
        run.frames[-1].jumps.leave(run.state)


def localize(run: "Evaluator", names: Iterable[str]) -> bool:
    """Let variables be the function's own until it ends; whether there is a function to which one of them is new."""
    frame = next((frame for frame in reversed(run.frames) if frame.function), None)
    new = [name for name in names if frame is not None and name not in frame.local]
    for name in new:
        if frame is not None:
            frame.local[name] = _held(name, run.state)
    return bool(new)


def _held(name: str, state: State) -> Outside:
    tables = {table: getattr(state, table).get(name) for table in ("variables", "arrays", "references", "exported")}
    state.references.pop(name, None)
    elements = {other: value for other, value in state.variables.items() if other.startswith(f"{name}[")}
    return Outside(tables, elements, _options(name) & state.options)


def _restore(name: str, held: Outside, state: State) -> None:
    for table, value in held.tables.items():
        if value is None:
            getattr(state, table).pop(name, None)
        else:
            getattr(state, table)[name] = value
    for other in [other for other in state.variables if other.startswith(f"{name}[")]:
        del state.variables[other]
    state.variables.update(held.elements)
    state.options = (state.options - _options(name)) | held.options


def _options(name: str) -> frozenset[str]:
    return frozenset(f"-{letter} {name}" for letter in ATTRIBUTES)


def each(ways: list[Callable[[], Value]], run: "Evaluator") -> Value:
    """Follow each of several ways from the state at hand; what one of them prints, and the state after one of them."""
    if len(ways) == 1:
        return ways[0]()
    state, outputs, ends = run.state, [], []
    for way in ways:
        run.state = state.copy()
        outputs.append(way())
        ends.append(run.state)
    run.state = state
    state.become(*ends)
    return merging.alternatives(outputs)


@contextlib.contextmanager
def hidden(name: str, run: "Evaluator") -> Iterator[None]:
    """For the time of one command a name is neither a function nor an alias."""
    function, alias = run.state.functions.pop(name, None), run.state.aliases.pop(name, None)
    try:
        yield
    finally:
        if function is not None:
            run.state.functions.setdefault(name, function)
        if alias is not None:
            run.state.aliases.setdefault(name, alias)


def named(
    name: str, fields: tuple[Field, ...], run: "Evaluator", span: Span, program: Callable[[], Value]
) -> Value | None:
    """What a command does whose name is a function's or an alias; None where it is neither.

    An alias counts only in some shells, and not on its own line: the program of that name may run as well.
    """
    state = run.state
    functions, aliases = state.functions.get(name), state.aliases.get(name, ())
    if functions is None and not aliases:
        return None
    ways: list[Callable[[], Value]] = [
        lambda text=text: invoke.aliased(text, fields, run, span)  # type: ignore[misc]
        for text in aliases
    ]
    for function in functions or (None,):
        if function is not None:
            ways.append(lambda function=function: call(run, function, fields[1:]))  # type: ignore[misc]
        else:
            ways.append(program)
    return each(ways, run)
