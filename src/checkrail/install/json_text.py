"""Edits JSON as text, so that everything that is not ours keeps its bytes: order, spaces, line ends, comments.

Comments and trailing commas are seen as spaces: :func:`checkrail.jsonc.plain` keeps every offset, so what is found there is edited in
the text itself.
"""

import json
import re
from typing import Any

import msgspec

from checkrail.jsonc import plain

_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()


class SettingsError(ValueError):
    """A settings file that must not be edited; the message says why."""


class Child(msgspec.Struct, frozen=True):
    """A member of an object or an element of an array: its text from ``start`` to ``end``, its value at ``value``."""

    key: str
    start: int
    value: int
    end: int


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise SettingsError("a key stands twice in one object")
    return found


def parse(text: str, path: str, *, comments: bool = False) -> dict[str, Any]:
    """The object in ``text``, which may hold ``comments``. Raises :class:`SettingsError` with file, line and column."""
    try:
        value = json.loads(plain(text) if comments else text, object_pairs_hook=_unique)
    except json.JSONDecodeError as error:
        raise SettingsError(
            f"{path}:{error.lineno}:{error.colno}: not valid JSON ({error.msg}); mend it first, nothing was changed"
        ) from None
    except SettingsError as error:
        raise SettingsError(f"{path}: {error}; mend it first, nothing was changed") from None
    except RecursionError:
        raise SettingsError(f"{path}: nested too deeply; mend it first, nothing was changed") from None
    except ValueError:  # an integer with more digits than Python converts
        raise SettingsError(f"{path}: holds a number that is too long; mend it first, nothing was changed") from None
    if not isinstance(value, dict):
        raise SettingsError(f"{path}: not a JSON object; mend it first, nothing was changed")
    return value


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def children(text: str, at: int) -> list[Child]:
    """The children of the object or array that opens at ``at``, in order. ``text`` must have been parsed before."""
    text = plain(text)
    found: list[Child] = []
    closing = "}" if text[at] == "{" else "]"
    at = _skip(text, at + 1)
    while text[at] != closing:
        start, key = at, ""
        if closing == "}":
            key, at = _DECODER.raw_decode(text, at)
            at = _skip(text, _skip(text, at) + 1)
        _, end = _DECODER.raw_decode(text, at)
        found.append(Child(key, start, at, end))
        at = _skip(text, end)
        at = _skip(text, at + 1) if text[at] == "," else at
    return found


def member(text: str, at: int, key: str) -> Child | None:
    """The member ``key`` of the object that opens at ``at``."""
    return next((child for child in children(text, at) if child.key == key), None)


def closing(text: str, at: int) -> int:
    """Where the object or array that opens at ``at`` closes."""
    return int(_DECODER.raw_decode(plain(text), at)[1]) - 1


def value(text: str, child: Child) -> Any:
    """What a child is."""
    return json.loads(plain(text)[child.value : child.end])


def opening(text: str) -> int:
    """Where the document's object opens."""
    return plain(text).index("{")


def _indent_at(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _unit(text: str) -> str:
    found = re.search(r"(?m)^([ \t]+)\S", text)
    return found[1] if found else "  "


def _rendered(text: str, key: str, value: Any, indent: str, newline: str) -> str:
    unit = _unit(text)
    body = json.dumps(value, indent=unit, ensure_ascii=False).replace("\n", newline + indent)
    return f"{json.dumps(key, ensure_ascii=False)}: {body}" if key else body


def inserted(text: str, at: int, value: Any, *, key: str = "") -> str:
    """``text`` with one more child, the last, in the object (give ``key``) or array that opens at ``at``."""
    newline = "\r\n" if "\r\n" in text else "\n"
    present = children(text, at)
    if not present:
        outer, close = _indent_at(text, at), closing(text, at)
        inner = outer + _unit(text)
        body = _rendered(text, key, value, inner, newline)
        return f"{text[: at + 1]}{newline}{inner}{body}{newline}{outer}{text[close:]}"
    first, end = present[0].start, present[-1].end
    indent = _indent_at(text, first)
    rest = text[end : closing(text, at)].rstrip()
    if rest:  # a comment or a comma of its own, which stay with what they belong to
        comma = "" if "," in plain(rest + " 0") else ","
        body = _rendered(text, key, value, indent, newline)
        return f"{text[:end]}{comma}{rest}{newline}{indent}{body}{text[end + len(rest) :]}"
    alone = not text[text.rfind("\n", 0, first) + 1 : first].strip()
    lead = f",{newline}{indent}" if alone else ", "
    return text[:end] + lead + _rendered(text, key, value, indent, newline) + text[end:]


def _kept(between: str) -> str:
    """The comments between two children, without the comma there; nothing where there is no comment."""
    if "/" not in between:
        return ""
    at = plain(between + "0").find(",")
    return (between if at < 0 else between[:at] + between[at + 1 :]).rstrip()


def removed(text: str, at: int, index: int) -> str:
    """``text`` without the numbered child of the object or array that opens at ``at``; comments around it stay."""
    present = children(text, at)
    close = closing(text, at)
    if len(present) == 1:
        before, after = _kept(text[at + 1 : present[0].start]), _kept(text[present[0].end : close])
        return text[: at + 1] + before + after + ("\n" if before or after else "") + text[close:]
    if index:
        return (
            text[: present[index - 1].end]
            + _kept(text[present[index - 1].end : present[index].start])
            + text[present[index].end :]
        )
    comments = _kept(text[present[0].end : present[1].start]).lstrip()
    indent = _indent_at(text, present[0].start)
    return text[: present[0].start] + (comments + "\n" + indent if comments else "") + text[present[1].start :]
