"""Assignments: plain variables, arrays, and what a prefix changes for one command.

The elements of an array that follow one another stand in ``State.arrays``; any other element is a variable of its own
under the name ``array[key]``.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

import msgspec

from checkrail.model import HOLE
from checkrail.readers.shell import arithmetic, environment, parameters, words
from checkrail.readers.shell.grammar import tree
from checkrail.readers.shell.state import NOTHING, WORKED_OUT, State, Value

if TYPE_CHECKING:
    from checkrail.readers.shell.evaluate import Evaluator

ELEMENTS_CAP = 256
"""Elements of one array that are kept apart."""

TABLES = frozenset(("BASH_ALIASES", "BASH_CMDS"))
"""Arrays in which bash keeps what the names of commands stand for."""

EXPORTED_ANYWAY = frozenset(("PATH", "PROMPT_COMMAND", "LD_PRELOAD", "PS0", "PS1", "PS2", "PS4", *environment.HISTORY))
"""Variables that are in the environment already, or that the shell itself uses, so that a plain assignment changes what follows."""


class Elements(msgspec.Struct, frozen=True):
    """What ``(a b [k]=c)`` holds: values in order, each with its key where one is written."""

    held: tuple[tuple[Value | None, Value], ...]


def assigned(node: tree.Assignment, run: "Evaluator") -> Value | Elements:
    """The value that an assignment gives: one, or the elements of an array."""
    if node.subscript is not None:
        run.arithmetic(node.subscript, subscript=True)
    if not isinstance(node.value, tree.Array):
        return words.value(node.value, run)
    held: list[tuple[Value | None, Value]] = []
    for subscript, word in node.value.elements:
        if subscript is None:
            held.extend((None, Value(field.text, field.tags)) for field in words.fields((word,), run))
        else:
            run.arithmetic(subscript, subscript=True)
            held.append((words.value(subscript, run, tildes=False), words.value(word, run)))
    return Elements(tuple(held))


def take_effect(node: tree.Assignment, value: Value | Elements, run: "Evaluator") -> None:
    """Let an assignment take effect."""
    state = run.state
    name = state.named(node.name)
    if isinstance(value, Elements):
        _fill(name, value, state, append=node.append)
    elif node.subscript is not None:
        key = words.value(node.subscript, run, tildes=False)
        before = parameters.element(name, key, state) if node.append else NOTHING
        put(name, key, Value(before.text + value.text, before.tags | value.tags), state)
    else:
        before = parameters.lookup(name, state) if node.append else NOTHING
        _set(node, Value(before.text + value.text, before.tags | value.tags), run)


def _set(node: tree.Assignment, held: Value, run: "Evaluator") -> None:
    state = run.state
    state.set(node.name, held)
    if f"-i {node.name}" in state.options:
        run.number(held.text, node.span)
    if node.name in EXPORTED_ANYWAY or node.name in state.exported:
        environment.note({node.name: held}, run, node.span, "later commands")


def _fill(name: str, given: Elements, state: State, *, append: bool) -> None:
    if not append:
        state.arrays[name] = ()
        for other in [other for other in state.variables if other == name or other.startswith(f"{name}[")]:
            del state.variables[other]
    elif name in state.variables:
        state.arrays[name] = state.variables.pop(name)
    state.arrays.setdefault(name, ())
    held = given.held
    if f"-A {name}" in state.options and held and held[0][0] is None:  # (key value key value)
        values = [value for _, value in held]
        held = tuple(zip(values[::2], [*values[1::2], NOTHING][: len(values[::2])], strict=True))
    following: int | None = len(state.arrays[name])
    for key, value in held:
        if key is None and following == len(state.arrays[name]):
            state.arrays[name] = (*state.arrays[name], value)[:ELEMENTS_CAP]
            following += 1
        else:
            key = Value(HOLE if following is None else str(following)) if key is None else key
            put(name, key, value, state)
            index = arithmetic.worked_out(key.text, state)
            following = None if index is None else index + 1


def put(name: str, key: Value, value: Value, state: State) -> None:
    """Give one element of an array its value. Under a key that is not known it may be any."""
    if name in TABLES:
        state.aliases[key.text] = (value.text,)
        return
    index = None if f"-A {name}" in state.options else arithmetic.worked_out(key.text, state)
    elements = state.arrays.get(name, ())
    if index is not None and -len(elements) <= index < len(elements):
        index %= len(elements)
        state.arrays[name] = (*elements[:index], value, *elements[index + 1 :])
    elif index == len(elements) < ELEMENTS_CAP:
        state.arrays[name] = (*elements, value)
    elif key.known and (index is not None or f"-A {name}" in state.options):
        state.arrays.setdefault(name, ())
        state.variables[f"{name}[{key.text if index is None else index}]"] = (value,)
    else:
        state.arrays[name] = (WORKED_OUT,)


@contextmanager
def prefixed(given: Mapping[str, Value], run: "Evaluator") -> Iterator[None]:
    """Variables that have these values for the time of one command."""
    with in_turn(run) as give:
        for name, value in given.items():
            give(name, value)
        yield


@contextmanager
def in_turn(run: "Evaluator") -> Iterator[Callable[[str, Value], None]]:
    """Gives a variable a value, one after the other, for the time of this context."""
    kept: dict[str, tuple[Value, ...] | None] = {}

    def give(name: str, value: Value) -> None:
        kept.setdefault(name, run.state.variables.get(name))
        run.state.variables[name] = (value,)

    try:
        yield give
    finally:
        for name, held in kept.items():
            if held is None:
                run.state.variables.pop(name, None)
            else:
                run.state.variables[name] = held
