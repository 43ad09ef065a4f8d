"""What words in code mean in every language: modes of opening, glob patterns, the beginnings of SQL."""

import re
from typing import Any

from checkrail.model import HOLE, SOME, Action
from checkrail.readers.locate import WILD


def opening(mode: Any) -> Action:
    """What opening with a mode or with numeric flags does; anything but plain reading writes."""
    if isinstance(mode, bool | int):
        return Action.READ if mode == 0 else Action.WRITE
    if not isinstance(mode, str) or HOLE in mode or "w" in mode or "+" in mode or mode == "n":
        return Action.WRITE
    if "a" in mode:
        return Action.APPEND
    return Action.CREATE if "x" in mode or mode == "c" else Action.READ


def some(pattern: str, *, deep: bool = False) -> str:
    """What a glob pattern may match, as text: wildcards are :data:`WILD`."""
    text = re.sub(r"\[[^\]/]*\]|[*?]", WILD, pattern)
    return f"{WILD}{WILD}/{text}" if deep and not text.startswith(WILD * 2) else text


def matched(text: str, action: Action) -> str:
    """A path out of a listing as an effect names it: what is deleted is the pattern, all of it; else one of its matches."""
    if WILD not in text:
        return text
    if action is Action.DELETE:
        return text.replace(WILD, "*")
    return re.sub(f"(?:{WILD}{WILD}/)*{WILD}+", SOME, text)


_SQL_WORDS = frozenset(
    [
        "select",
        "insert",
        "update",
        "delete",
        "drop",
        "create",
        "alter",
        "truncate",
        "replace",
        "merge",
        "with",
        "pragma",
        "grant",
        "revoke",
        "vacuum",
        "attach",
        "copy",
        "call",
        "begin",
        "commit",
        "rollback",
        "set",
        "show",
        "explain",
        "analyze",
        "reindex",
        "declare",
        "exec",
    ]
)


def looks_like_sql(text: str) -> bool:
    """Whether a text begins as SQL does."""
    words = text.lstrip(" \t\r\n(;").split(None, 1)
    return bool(words) and words[0].lower() in _SQL_WORDS and len(words) == 2
