"""What a Python expression may be worth, as far as reading alone can tell.

Constants stand for themselves (a text may hold HOLEs). Everything that can change lives in the store,
so that branches can be followed apart and joined again.
"""

from collections.abc import Iterable
from typing import Any

import msgspec

from checkrail.model import HOLE, SOME

WAYS = 24
"""How many alternatives a value may have before it counts as unknown."""


class Unknown(msgspec.Struct, frozen=True, gc=False):
    """Any value. ``origin``: empty, ``remote``, ``environment``, ``secret``, ``file``, ``decoded`` or ``module`` (some module).

    ``source`` is the path of the file, or the name of the variable, whose whole content it is.
    """

    origin: str = ""
    source: str = ""


class Name(msgspec.Struct, frozen=True, gc=False):
    """A module or something in one, by its full name: ``os.remove``, ``builtins.open``."""

    dotted: str


class Ref(msgspec.Struct, frozen=True, gc=False):
    """A list, a mapping or an object whose content lies in the store under its number."""

    kind: str
    number: int


class Seq(msgspec.Struct, frozen=True):
    """Values in order. ``open``: there may be more, like the last one (or unknown)."""

    items: tuple[Any, ...] = ()
    open: bool = False


class Table(msgspec.Struct, frozen=True):
    """Known keys and their values. ``open``: there may be others."""

    items: tuple[tuple[Any, Any], ...] = ()
    open: bool = False


class PathValue(msgspec.Struct, frozen=True, gc=False):
    """A ``pathlib.Path``."""

    text: str


class Made(msgspec.Struct, frozen=True):
    """An object made by a known call: its type's full name, and what it was made from."""

    kind: str
    facts: tuple[tuple[str, Any], ...] = ()

    def fact(self, key: str, default: Any = None) -> Any:
        """What is known under a key."""
        return next((value for name, value in self.facts if name == key), default)


def fact(value: Any, key: str, default: Any = None) -> Any:
    """What is known under a key of a made object; the default for any other value."""
    return value.fact(key, default) if isinstance(value, Made) else default


class Function(msgspec.Struct, frozen=True):
    """A function or lambda of the program: its node, the scope it closes over, what it is bound to."""

    node: Any
    scope: int
    bound: tuple[Any, ...] = ()


class Class(msgspec.Struct, frozen=True):
    """A class of the program: its name, the scope of its body, its bases."""

    name: str
    scope: int
    bases: tuple[Any, ...] = ()


class Method(msgspec.Struct, frozen=True):
    """An attribute of a value, not yet called."""

    receiver: Any
    name: str


class Partial(msgspec.Struct, frozen=True):
    """A callable with some arguments given already."""

    callee: Any
    arguments: tuple[Any, ...] = ()
    keywords: tuple[tuple[str, Any], ...] = ()


class Choice(msgspec.Struct, frozen=True):
    """One of several values."""

    options: tuple[Any, ...]


UNKNOWN = Unknown()
CONSTANTS = (str, bytes, int, float, bool, type(None), complex)
CALLABLE = (Name, Function, Method, Partial, Class)


def each(value: Any) -> tuple[Any, ...]:
    """The alternatives of a value."""
    return value.options if type(value) is Choice else (value,)


def choice(values: Iterable[Any]) -> Any:
    """One of these values; too many constants become unknown, but no callable is lost."""
    found = {(type(option), option): option for value in values for option in each(value)}
    if len(found) < 2:
        return next(iter(found.values()), UNKNOWN)
    options = list(found.values())
    if (str, HOLE) in found:
        options = [option for option in options if not (isinstance(option, str) and HOLE in option and option != HOLE)]
    if len(options) > WAYS:
        options = [*[option for option in options if not isinstance(option, CONSTANTS)][:WAYS], UNKNOWN]
    return options[0] if len(options) == 1 else Choice(tuple(options))


def same(one: Any, other: Any) -> bool:
    """Equal and of one type (1, 1.0 and True are three values)."""
    return type(one) is type(other) and bool(one == other)


def text_of(value: Any) -> str:
    """The value as text would show it; a HOLE where it is not known."""
    if isinstance(value, str):
        return value
    if isinstance(value, PathValue):
        return value.text
    if isinstance(value, bytes):
        return value.decode("utf-8", "surrogateescape")
    if value is None or isinstance(value, (bool, int, float)):
        return str(value)
    return SOME if isinstance(value, Name) and value.dotted.endswith(".pid") else HOLE


def merged(text: str) -> str:
    """A text in which unknown parts that touch are one."""
    while HOLE + HOLE in text:
        text = text.replace(HOLE + HOLE, HOLE)
    return text


def texts(value: Any) -> list[str]:
    """Every text that a value may be."""
    return list(dict.fromkeys(text_of(option) for option in each(value)))


def origin(*values: Any) -> str:
    """Where data comes from, as far as it matters: the strongest origin among the values."""
    options = (owner(option) for value in values for option in each(value))
    found = {option.origin for option in options if type(option) is Unknown}
    for name in ("remote", "environment", "secret", "decoded", "file", "cloud", "processes"):
        if name in found:
            return name
    return ""


def owner(value: Any) -> Any:
    """What an attribute that is used as data belongs to; any other value is itself."""
    return value.receiver if type(value) is Method and type(value.receiver) is Unknown else value


def unknown(*values: Any) -> Unknown:
    """An unknown value computed from others: it keeps where they came from."""
    name = origin(*values)
    return Unknown(name) if name else UNKNOWN


def join_paths(one: str, other: str) -> str:
    """``one / other`` as pathlib joins."""
    if other.startswith("/"):
        return other
    if one in ("", "."):
        return other
    return f"{one.rstrip('/')}/{other}" if one != "/" else f"/{other}"
