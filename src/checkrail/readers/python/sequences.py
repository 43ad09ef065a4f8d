"""Builtins that make, order and call over sequences."""

from collections.abc import Callable
from typing import Any

from checkrail.model import HOLE
from checkrail.readers.python import calls, containers
from checkrail.readers.python.arguments import Arguments, items_of
from checkrail.readers.python.state import MISSING, Run
from checkrail.readers.python.values import (
    UNKNOWN,
    Name,
    Ref,
    Seq,
    Table,
    Unknown,
    choice,
    each,
    origin,
    texts,
    unknown,
)


def _map(run: Run, arguments: Any, scope: int) -> Any:
    function = arguments.get(0, "", UNKNOWN)
    columns = [items_of(run, value) for value in arguments.values[1:]]
    if not columns:
        return calls.lost(run, arguments)
    exact = not any(more for _, more in columns) and len(columns[0][0]) <= 24
    rows = (
        list(zip(*(items for items, _ in columns), strict=False))
        if exact
        else [tuple(choice(items) for items, _ in columns)]
    )
    results = [calls.call(run, function, Arguments(row), scope) for row in rows]
    return run.cell(Seq(tuple(results), open=not exact))


def _filter(run: Run, arguments: Any, scope: int) -> Any:
    function, values = arguments.get(0, "", UNKNOWN), arguments.get(1, "", UNKNOWN)
    items, _ = items_of(run, values)
    if function is not None:
        for value in items[:24]:
            calls.call(run, function, Arguments((value,)), scope)
    return run.cell(Seq(items, open=True))


def _reduce(run: Run, arguments: Any, scope: int) -> Any:
    items, _ = items_of(run, arguments.get(1, "", UNKNOWN))
    both = choice((*items, UNKNOWN))
    return calls.call(run, arguments.get(0, "", UNKNOWN), Arguments((both, both)), scope)


def _copied(run: Run, arguments: Any, scope: int) -> Any:
    given = arguments.get(0, "", MISSING)
    if arguments.keywords:
        for name, value in arguments.keywords:
            if name == "key":
                mixed = choice(items_of(run, given)[0])
                calls.call(run, value, Arguments((mixed,)), scope)
    if given is MISSING:
        return run.cell(Seq())
    if isinstance(given, Unknown) and given.origin in ("environment", "secret", "remote"):
        return given
    items, more = items_of(run, given)
    return run.cell(Seq(items, open=more))


def _sorted(run: Run, arguments: Any, scope: int) -> Any:
    ref = _copied(run, arguments, scope)
    if isinstance(ref, Ref):
        run.update(ref, containers.shuffled)
    return ref


def _reversed(run: Run, arguments: Any, _scope: int) -> Any:
    items, more = items_of(run, arguments.get(0, "", UNKNOWN))
    return run.cell(Seq(items if more else items[::-1], open=more))


def _dict(run: Run, arguments: Any, _scope: int) -> Any:
    given = arguments.get(0, "", MISSING)
    if (isinstance(given, Name) and given.dotted == "os.environ") or (
        isinstance(given, Unknown) and given.origin == "environment"
    ):
        return run.cell(Table(((UNKNOWN, Unknown("environment")), *arguments.keywords), open=True))
    items: list[tuple[Any, Any]] = []
    open_end = arguments.open
    for option in each(run.content(given)) if given is not MISSING else ():
        if isinstance(option, Table):
            items.extend(option.items)
            open_end = open_end or option.open
        elif isinstance(option, Seq):
            pairs = [items_of(run, pair)[0] for pair in option.items]
            items.extend((pair[0], pair[1]) for pair in pairs if len(pair) == 2)
            open_end = open_end or option.open or any(len(pair) != 2 for pair in pairs)
        else:
            open_end = True
    return run.cell(Table((*items, *arguments.keywords), open=open_end))


def _enumerate(run: Run, arguments: Any, _scope: int) -> Any:
    items, more = items_of(run, arguments.get(0, "", UNKNOWN))
    start = arguments.get(1, "start", 0)
    numbers = [start + index if isinstance(start, int) else UNKNOWN for index in range(len(items))]
    return run.cell(
        Seq(
            tuple(
                run.cell(Seq((number if not more else UNKNOWN, item)))
                for number, item in zip(numbers, items, strict=True)
            ),
            open=more,
        )
    )


def _zip(run: Run, arguments: Any, _scope: int) -> Any:
    columns = [items_of(run, value) for value in arguments.values]
    more = any(open_end for _, open_end in columns)
    if more:
        return run.cell(
            Seq((run.cell(Seq(tuple(choice(items) if items else UNKNOWN for items, _ in columns))),), open=True)
        )
    return run.cell(Seq(tuple(run.cell(Seq(row)) for row in zip(*(items for items, _ in columns), strict=False))))


def _next(run: Run, arguments: Any, _scope: int) -> Any:
    items, _ = items_of(run, arguments.get(0, "", UNKNOWN))
    return choice((*items, *([arguments.values[1]] if len(arguments.values) > 1 else [])))


def _range(run: Run, arguments: Any, _scope: int) -> Any:
    bounds = [value for value in arguments.values if isinstance(value, int)]
    if len(bounds) != len(arguments.values) or not bounds or len(bounds) > 3 or 0 in bounds[2:]:
        return run.cell(Seq((UNKNOWN,), open=True))
    numbers = range(*bounds)
    return run.cell(Seq(tuple(numbers)) if len(numbers) <= 24 else Seq((*numbers[:2], UNKNOWN), open=True))


def _text(_run: Run, arguments: Any, _scope: int) -> Any:
    value = arguments.get(0, "", "")
    if origin(value):
        return unknown(value)
    if isinstance(value, (Ref, Seq)):
        return HOLE
    return choice(list(texts(value)))


SEQUENCES: dict[str, Callable[..., Any]] = {
    "builtins.map": _map,
    "builtins.filter": _filter,
    "functools.reduce": _reduce,
    "builtins.list": _copied,
    "builtins.tuple": _copied,
    "builtins.set": _sorted,
    "builtins.frozenset": _sorted,
    "builtins.iter": _copied,
    "builtins.sorted": _sorted,
    "builtins.reversed": _reversed,
    "builtins.dict": _dict,
    "builtins.enumerate": _enumerate,
    "builtins.zip": _zip,
    "builtins.next": _next,
    "builtins.min": _next,
    "builtins.max": _next,
    "builtins.range": _range,
    "builtins.str": _text,
}
