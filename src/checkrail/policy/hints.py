"""What could have been written instead, for the messages about a policy file: the keys or values that are known at a place."""

import re
import types
import typing
from typing import Any

import msgspec

_STEP = re.compile(r"\.([A-Za-z0-9_-]+)")


def _plain(kind: Any) -> Any:
    """The type of one entry: without ``| None`` and without the tuple around it."""
    if isinstance(kind, types.UnionType) or typing.get_origin(kind) is typing.Union:
        return _plain(next(part for part in typing.get_args(kind) if part is not type(None)))
    return _plain(typing.get_args(kind)[0]) if typing.get_origin(kind) is tuple else kind


def _at(kind: Any, where: str) -> Any:
    """The type that stands at a msgspec path such as ``$.rule[2].decision``."""
    for name in _STEP.findall(where):
        if not _is_table(kind):
            return None
        kind = _plain({field.encode_name: field.type for field in msgspec.structs.fields(kind)}.get(name))
    return kind


def _is_table(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)


def hint(kind: Any, where: str) -> str:
    """The keys of the table at ``where``, or the words that may stand there; empty where there are no few."""
    found = _at(kind, where)
    if _is_table(found):
        return f"known keys: {', '.join(field.encode_name for field in msgspec.structs.fields(found))}"
    if typing.get_origin(found) is typing.Literal:
        return f"write one of {', '.join(map(str, typing.get_args(found)))}"
    if isinstance(found, type) and issubclass(found, str) and hasattr(found, "__members__"):
        return f"write one of {', '.join(found)}"  # type: ignore[arg-type]
    return ""
