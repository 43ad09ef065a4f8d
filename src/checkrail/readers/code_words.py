"""What words in code mean in every language: modes of opening, glob patterns, the beginnings of SQL."""

from typing import Any

from checkrail.model import HOLE, SOME, Action


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
    """What a glob pattern may match, as text: every wildcard part is SOME."""
    parts = []
    for part in pattern.split("/"):
        wild = any(character in part for character in "*?[")
        if wild and part.count("*") == len(part):
            parts.append(SOME)
        elif wild:
            parts.append(SOME + part[max(part.rfind(c) for c in "*?]") + 1 :])
        else:
            parts.append(part)
    whole = "/".join(parts)
    return f"{SOME}/{whole}" if deep and not whole.startswith(SOME) else whole


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
