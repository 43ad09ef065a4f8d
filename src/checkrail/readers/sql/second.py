"""A second opinion on a statement that looks like a read: sqlglot's, which can only make the answer stricter."""

import logging
from functools import cache
from typing import Any

_LONGEST = 20_000
_DEEPEST = 60


@cache
def _sqlglot() -> Any:
    import sqlglot

    logging.getLogger("sqlglot").setLevel(logging.CRITICAL)
    return sqlglot


@cache
def _writing() -> tuple[type, ...]:
    from sqlglot import exp

    names = ("Insert", "Update", "Delete", "Merge", "Create", "Drop", "Alter", "AlterTable", "TruncateTable", "Into", "Lock", "Grant", "Kill", "LoadData", "Attach", "Detach")  # fmt: skip
    return tuple(getattr(exp, name) for name in names if hasattr(exp, name))


def _deep(text: str) -> bool:
    depth = deepest = 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        deepest = max(deepest, depth)
    return deepest > _DEEPEST


def objection(text: str, dialect: str) -> str:
    """What sqlglot sees in a text that writes; empty where it sees nothing or cannot read it. Never raises."""
    if len(text) > _LONGEST or _deep(text):
        return "too long or too deep for a second reading"
    try:
        trees = _sqlglot().parse(text, read=dialect or None, error_level=_sqlglot().ErrorLevel.RAISE)
        for tree in trees:
            shown = tree is None or type(tree).__name__ == "Describe"  # a plan that is only shown
            found = None if shown else tree.find(*_writing())
            if found is not None:
                return f"a second reading sees {type(found).__name__.upper()}"
    except Exception:  # a foreign parser may fail in any way, and then has nothing to say
        return ""
    return ""
