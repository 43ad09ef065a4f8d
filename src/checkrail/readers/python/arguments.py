"""What a call is given, and what going through a value gives."""

from collections.abc import Iterator
from typing import Any

import msgspec

from checkrail.readers.locate import known
from checkrail.readers.python.state import MISSING, Run
from checkrail.readers.python.values import UNKNOWN, Made, Name, Ref, Seq, Table, each, unknown


class Arguments(msgspec.Struct, frozen=True):
    """Positional and named arguments. ``open``: there may be others."""

    values: tuple[Any, ...] = ()
    keywords: tuple[tuple[str, Any], ...] = ()
    open: bool = False

    def get(self, at: int, name: str = "", default: Any = MISSING) -> Any:
        """An argument by position or name; UNKNOWN where it may be among those not known."""
        if 0 <= at < len(self.values):
            return self.values[at]
        for keyword, value in self.keywords:
            if keyword == name:
                return value
        return UNKNOWN if self.open else default

    def after(self, value: Any) -> "Arguments":
        """These arguments with another before them."""
        return Arguments((value, *self.values), self.keywords, self.open)

    def all(self) -> Iterator[Any]:
        """Every argument."""
        yield from self.values
        yield from (value for _, value in self.keywords)


def items_of(run: Run, value: Any) -> tuple[tuple[Any, ...], bool]:
    """What iterating over a value gives, and whether there may be more like it."""
    found: list[Any] = []
    options = each(run.content(value))
    open_end = len(options) > 1
    for option in options:
        if isinstance(option, Seq):
            found.extend(option.items)
            open_end = open_end or option.open
        elif isinstance(option, Table):
            found.extend(key for key, _ in option.items)
            open_end = open_end or option.open
        elif (isinstance(option, str) and known(option) and len(option) <= 400) or (
            isinstance(option, bytes) and len(option) <= 400
        ):
            found.extend(option)
        else:
            found.append(_element(option))
            open_end = True
    return tuple(found), open_end


def _element(value: Any) -> Any:
    if isinstance(value, Ref):
        return UNKNOWN
    if isinstance(value, Made):
        return value.fact("element", unknown(value))
    if isinstance(value, Name):
        return UNKNOWN
    return unknown(value)
