"""The shell's working directory: ``cd``, and the stack that ``pushd`` and ``popd`` keep.

The stack is bash's own array DIRSTACK, so that ``${DIRSTACK[1]}`` and ``~1`` name what they name in bash.
"""

from typing import TYPE_CHECKING

from checkrail.model import HOLE
from checkrail.readers.shell import redirects
from checkrail.readers.shell.state import NOTHING, UNKNOWN, State, Value

if TYPE_CHECKING:
    from checkrail.readers.shell.call import Call
    from checkrail.readers.shell.evaluate import Evaluator

STACK = "DIRSTACK"

DEPTH_CAP = 32
"""Folders of the stack that are kept."""


def cd(call: "Call") -> Value:
    """``cd [folder]``, ``cd -``."""
    target = _target(call)
    if target is None:
        _enter(_known(call.run.state, "HOME"), call.run)
    elif target == "-":
        _enter(_known(call.run.state, "OLDPWD"), call.run)
    else:
        _go(target, call.run)
    return NOTHING


def pushd(call: "Call") -> Value:
    """``pushd folder`` goes there; alone it changes places with the folder below."""
    state, target = call.run.state, _target(call)
    before = Value(state.cwd[0])
    below = stacked(state)
    if target is None or target.startswith("+"):
        goal = below[0] if below and target in (None, "+1") else UNKNOWN
        state.arrays[STACK] = (goal, before, *below[1:])
        _enter((goal.text,), call.run)
        return NOTHING
    _go(target, call.run)
    state.arrays[STACK] = (Value(state.cwd[0]), before, *below)[:DEPTH_CAP]
    return NOTHING


def popd(call: "Call") -> Value:
    """``popd`` goes back to the folder below."""
    state = call.run.state
    below = stacked(state)
    if call.arguments:
        _enter((HOLE,), call.run)
    elif below:
        state.arrays[STACK] = below
        _enter((below[0].text,), call.run)
    else:
        _enter(_known(state, "OLDPWD"), call.run)
    return NOTHING


def stacked(state: State) -> tuple[Value, ...]:
    """The folders below the one we are in."""
    held = state.arrays.get(STACK, ())
    return held if held == (UNKNOWN,) else held[1:]


def _target(call: "Call") -> str | None:
    operands = [field.text for field in call.arguments if not (field.text.startswith("-") and len(field.text) > 1)]
    return operands[0] if operands else None


def _known(state: State, name: str) -> tuple[str, ...]:
    return tuple(value.text for value in state.variables.get(name, (UNKNOWN,)))


def _go(target: str, run: "Evaluator") -> None:
    state, before = run.state, run.state.cwd[0]
    where = redirects.resolve(target, run)
    _enter((*_searched(target, state), where), run)
    found = run.around.host.lstat(where)
    there = where in state.made or (found is not None and found.kind in ("directory", "link")) or "-e" in state.options
    state.before_cd = None if there else before


def _searched(target: str, state: State) -> tuple[str, ...]:
    """Where CDPATH would lead to."""
    held = state.variables.get("CDPATH", ())
    if len(held) != 1 or target.startswith(("/", ".", HOLE)):
        return ()
    return tuple(f"{folder.rstrip('/')}/{target}" for folder in held[0].text.split(":")[:2] if folder.startswith("/"))


def _enter(folders: tuple[str, ...], run: "Evaluator") -> None:
    run.state.variables["OLDPWD"] = (Value(run.state.cwd[0]),)
    run.state.cwd = folders
