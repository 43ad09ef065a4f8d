"""The simplest results of a library function."""

from collections.abc import Callable
from typing import Any

from checkrail.readers.python.values import UNKNOWN


def first(_run: Any, arguments: Any, _scope: int) -> Any:
    """The first argument itself."""
    return arguments.get(0, "", UNKNOWN)


def constant(value: Any) -> Callable[..., Any]:
    """Always one value."""
    return lambda _run, _arguments, _scope: value
