"""Library functions that a table of effects cannot describe: they reach, make or pass on other values."""

from collections.abc import Callable
from typing import Any

from checkrail.model import HOLE
from checkrail.readers.locate import known
from checkrail.readers.python import attributes, calls, code, files, programs, sequences, services
from checkrail.readers.python.arguments import Arguments, items_of
from checkrail.readers.python.results import constant, first
from checkrail.readers.python.state import MISSING, Run
from checkrail.readers.python.values import (
    UNKNOWN,
    Class,
    Made,
    Name,
    Partial,
    Table,
    Unknown,
    choice,
    each,
    text_of,
    texts,
)


def _getattr(run: Run, arguments: Any, _scope: int) -> Any:
    owner, name = arguments.get(0, "", UNKNOWN), arguments.get(1, "", UNKNOWN)
    default = arguments.get(2, "", MISSING)
    found = [] if default is MISSING else [default]
    for option in each(name):
        if isinstance(option, str) and known(option):
            found.append(attributes.attribute(run, owner, option))
            continue
        for one in each(owner):
            if (isinstance(one, Name) and _matters(run, one.dotted)) or (
                isinstance(one, Unknown) and one.origin == "module"
            ):
                run.note("an attribute chosen by a name that is not known")
            elif isinstance(one, Name) and one.dotted in run.knowledge.owners:
                found.append(Name(f"{one.dotted}.{CHOSEN}"))
        found.append(UNKNOWN)
    return choice(found)


CHOSEN = "?"
"""The last part of a name that only running would tell: harmless as a value, unread where it is called."""


def _matters(run: Run, module: str) -> bool:
    """Whether a module of the standard library holds described calls that do more than look."""
    if module in run.knowledge.modules:
        return True
    return module in run.knowledge.owners and module.partition(".")[0] in attributes.STANDARD - _MILD


_MILD = frozenset(
    ["logging", "time", "datetime", "uuid", "json", "signal", "socket", "pprint", "secrets", "asyncio", "threading"]
)
"""Modules of which something is often chosen by name: a level, a signal, a constant."""


def _setattr(run: Run, arguments: Any, _scope: int) -> Any:
    for name in texts(arguments.get(1, "", UNKNOWN)):
        attributes.set_attribute(run, arguments.get(0, "", UNKNOWN), name, arguments.get(2, "", UNKNOWN))
    return None


def _import(run: Run, arguments: Any, _scope: int) -> Any:
    found: list[Any] = []
    for option in each(arguments.get(0, "name", UNKNOWN)):
        if isinstance(option, str) and option and known(option):
            run.opaque.update(dict.fromkeys(foreign(run, option)))
            found.append(Name(attributes.canonical(run, option)))
        elif isinstance(option, str) and option.partition(HOLE)[0].rstrip(".").isidentifier():
            run.opaque[f"the module {option.partition(HOLE)[0]}…"] = None
            found.append(Unknown("module"))
        else:
            run.opaque["a module that is not known"] = None
            found.append(Unknown("module"))
    return choice(found)


def _dunder_import(run: Run, arguments: Any, scope: int) -> Any:
    found = _import(run, arguments, scope)
    listed = arguments.get(3, "fromlist", None)
    if isinstance(found, Name) and listed is None:
        return Name(found.dotted.partition(".")[0])
    return found


def foreign(run: Run, dotted: str) -> list[str]:
    """What importing a module runs that is not the standard library's: nothing, or a word for it."""
    top = dotted.partition(".")[0]
    if top not in attributes.STANDARD:
        return [f"the module {top}"]
    folder = run.payload.cwd
    shadowed = folder is not None and top not in _BUILT_IN and run.around.host.lstat(f"{folder}/{top}.py") is not None
    return [f"the file {top}.py beside the program"] if shadowed else []


def _eval(run: Run, arguments: Any, scope: int) -> Any:
    return code.run_code(run, arguments.get(0, "", UNKNOWN), scope, "eval")


def _compile(_run: Run, arguments: Any, _scope: int) -> Any:
    source = arguments.get(0, "source", UNKNOWN)
    return choice([Made("code", (("text", option),)) for option in each(source)])


def _namespace(_run: Run, _arguments: Any, scope: int) -> Any:
    return Made("namespace", (("scope", scope),))


def _vars(_run: Run, arguments: Any, scope: int) -> Any:
    given = arguments.get(0, "", MISSING)
    return Made("namespace", (("scope", scope),)) if given is MISSING else given


def _from_namespace(run: Run, arguments: Any, _scope: int) -> Any:
    return attributes.item(run, arguments.get(0), arguments.get(1, "", UNKNOWN))


def _partial(_run: Run, arguments: Any, _scope: int) -> Any:
    return Partial(arguments.get(0, "", UNKNOWN), arguments.values[1:], arguments.keywords)


def _attrgetter(_run: Run, arguments: Any, _scope: int) -> Any:
    return Partial(Name("builtins.getattr.dotted"), (arguments.get(0, "", UNKNOWN),))


def _dotted_getattr(run: Run, arguments: Any, _scope: int) -> Any:
    path, value = arguments.get(0, "", UNKNOWN), arguments.get(1, "", UNKNOWN)
    for part in text_of(path).split("."):
        value = _getattr(run, Arguments((value, part if known(part) else UNKNOWN)), 0)
    return value


def _methodcaller(_run: Run, arguments: Any, _scope: int) -> Any:
    return Partial(Name("operator.methodcaller.call"), arguments.values, arguments.keywords)


def _call_method(run: Run, arguments: Any, scope: int) -> Any:
    if len(arguments.values) < 2:
        return calls.lost(run, arguments)
    owner = arguments.values[-1]
    callee = _getattr(run, Arguments((owner, arguments.values[0])), scope)
    return calls.call(run, callee, Arguments(arguments.values[1:-1], arguments.keywords), scope)


def _called(run: Run, arguments: Any, scope: int) -> Any:
    rest = Arguments(arguments.values[1:], arguments.keywords, arguments.open)
    return calls.call(run, arguments.get(0, "", UNKNOWN), rest, scope)


def _itemgetter(_run: Run, arguments: Any, _scope: int) -> Any:
    return Partial(Name("builtins.getitem.swapped"), arguments.values[:1])


def _swapped_item(run: Run, arguments: Any, _scope: int) -> Any:
    return attributes.item(run, arguments.get(1, "", UNKNOWN), arguments.get(0, "", UNKNOWN))


def _type(run: Run, arguments: Any, _scope: int) -> Any:
    if len(arguments.values) != 3:
        return UNKNOWN
    scope = run.number()
    run.parents[scope] = 0
    for option in each(run.content(arguments.values[2])):
        for key, value in option.items if isinstance(option, Table) else ():
            run.store[scope, text_of(key)] = value
    return Class(text_of(arguments.values[0]), scope, items_of(run, arguments.values[1])[0])


_BUILT_IN = frozenset(
    [
        "sys",
        "builtins",
        "posix",
        "time",
        "os",
        "io",
        "codecs",
        "abc",
        "stat",
        "site",
        "_thread",
        "marshal",
        "gc",
        "itertools",
    ]
)


REACH: dict[str, Callable[..., Any]] = {
    "builtins.getattr": _getattr,
    "builtins.staticmethod": first,
    "builtins.classmethod": first,
    "builtins.setattr": _setattr,
    "builtins.getattr.dotted": _dotted_getattr,
    "builtins.getitem.swapped": _swapped_item,
    "builtins.__import__": _dunder_import,
    "importlib.import_module": _import,
    "importlib.__import__": _dunder_import,
    "importlib.reload": first,
    "builtins.eval": _eval,
    "builtins.exec": _eval,
    "builtins.compile": _compile,
    "builtins.globals": constant(Made("namespace", (("scope", 0),))),
    "builtins.locals": _namespace,
    "builtins.vars": _vars,
    "namespace.get": _from_namespace,
    "namespace.__getitem__": _from_namespace,
    "builtins.type": _type,
    "functools.partial": _partial,
    "operator.attrgetter": _attrgetter,
    "operator.call": _called,
    "operator.methodcaller": _methodcaller,
    "operator.methodcaller.call": _call_method,
    "operator.itemgetter": _itemgetter,
    "operator.getitem": _from_namespace,
    "contextlib.closing": first,
    "contextlib.ExitStack": constant(UNKNOWN),
    "sqlalchemy.text": first,
    "copy.copy": first,
    "copy.deepcopy": first,
    "typing.cast": lambda _run, arguments, _scope: arguments.get(1, "", UNKNOWN),
    "asyncio.run": first,
}

SPECIAL: dict[str, Callable[..., Any]] = {
    **REACH,
    **sequences.SEQUENCES,
    **files.FILES,
    **services.SERVICES,
    **programs.PROGRAMS,
}
"""Every library function with a reading of its own, by full name."""

__all__ = ["SPECIAL", "foreign"]
