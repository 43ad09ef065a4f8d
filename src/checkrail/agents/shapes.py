"""What the tools of an agent take, as far as it matters for a judgement.

A known tool whose input has another shape than the one known here cannot be judged: that is a fault. Fields not
named here do not matter and may hold anything.
"""

import shlex
from typing import Any

import msgspec

from checkrail.agents.json_events import Fault, holds_nul


class Field(msgspec.Struct, frozen=True):
    """One field of a tool's input: the kinds it may have, and whether the tool works without it."""

    name: str
    kinds: tuple[type, ...] = (str,)
    required: bool = True


Shape = tuple[Field, ...]

FREE_TEXT = frozenset({"content", "old_string", "new_string", "new_source", "prompt", "description"})
"""Fields whose text is stored or shown, never run or resolved: a NUL in them changes nothing."""


def _command_line(value: Any) -> Any:
    """A command given as an argument list, as the one line that runs the same arguments."""
    if isinstance(value, list) and value and all(isinstance(word, str) for word in value):
        return shlex.join(value)
    return value


def _check_field(tool: str, given: dict[str, Any], field: Field) -> None:
    value = given.get(field.name)
    if value is None:
        if field.required:
            raise Fault(f"{tool} came without its field {field.name!r}")
        return
    if not isinstance(value, field.kinds) or (isinstance(value, bool) and bool not in field.kinds):
        raise Fault(f"{tool} came with a field {field.name!r} of an unknown kind ({type(value).__name__})")


def _check_nul(tool: str, given: dict[str, Any]) -> None:
    for name, value in given.items():
        if name not in FREE_TEXT and holds_nul(value):
            raise Fault(f"{tool} came with a NUL in its field {name!r}")


def tool_input(tool: str, value: Any, shapes: dict[str, Shape]) -> dict[str, Any]:
    """The input of a tool call, checked against ``shapes``. Raises :class:`Fault`."""
    shape = shapes.get(tool, ())
    if value is None and not shape:
        return {}
    if not isinstance(value, dict):
        raise Fault(f"the input of {tool} is not an object")
    given = {**value, "command": _command_line(value["command"])} if "command" in value and shape else value
    for field in shape:
        _check_field(tool, given, field)
    _check_nul(tool, given)
    return given
