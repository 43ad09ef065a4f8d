"""Calls that only compute: their results are worked out, once for each combination of alternative values."""

from typing import Any

from checkrail.model import HOLE
from checkrail.readers.python import calls
from checkrail.readers.python.arguments import Arguments
from checkrail.readers.python.folding import fold_call, fold_method
from checkrail.readers.python.state import Run
from checkrail.readers.python.values import UNKNOWN, WAYS, PathValue, Seq, Unknown, choice, each, texts, unknown


def pure(run: Run, name: str, arguments: Arguments) -> Any:
    """Call a function that only computes."""
    if arguments.open or len(arguments.values) > 8:
        return calls.lost(run, arguments)
    ways: list[tuple[Any, ...]] = [()]
    for value in (*arguments.values, *(value for _, value in arguments.keywords)):
        options = [_plain(option) for option in each(run.content(value))]
        if len(ways) * len(options) > WAYS:
            options = [unknown(value)]
        ways = [(*way, option) for way in ways for option in options]
    results = [fold_call(name, way) for way in ways]
    made = [_wrapped(run, result, way) for result, way in zip(results, ways, strict=True)]
    return choice(made)


def _plain(value: Any) -> Any:
    if isinstance(value, PathValue):
        return value.text
    if isinstance(value, Seq) and not value.open:
        return tuple(value.items)
    if type(value) is Unknown and not value.origin:
        return HOLE
    return value


def _wrapped(run: Run, result: Any, way: tuple[Any, ...]) -> Any:
    if isinstance(result, (list, tuple)):
        return run.cell(Seq(tuple(result)))
    return unknown(*way) if result is UNKNOWN else result


def text_method(run: Run, receiver: Any, name: str, arguments: Arguments) -> Any:
    """Call a method of a text or of bytes."""
    if arguments.open or len(arguments.values) > 20:
        return calls.lost(run, arguments)
    ways: list[tuple[Any, ...]] = [()]
    for value in arguments.values:
        options = [_plain(option) for option in each(run.content(value))]
        if len(ways) * len(options) > WAYS:
            options = [HOLE]
        ways = [(*way, option) for way in ways for option in options]
    keywords = {key: texts(value)[0] if len(each(value)) == 1 else HOLE for key, value in arguments.keywords}
    if name == "join" and ways:
        ways = [_joinable(way) for way in ways]
    results = [fold_method(receiver, name, way, keywords) for way in ways]
    if any(type(option) is Unknown and option.origin for way in ways for option in way):
        results.append(unknown(*(option for way in ways for option in way)))
    return choice([_wrapped(run, result, way) for result, way in zip(results, [*ways, ()], strict=False)])


def _joinable(way: tuple[Any, ...]) -> tuple[Any, ...]:
    if len(way) == 1 and isinstance(way[0], tuple):
        return (tuple(item if isinstance(item, (str, bytes)) else HOLE for item in way[0]),)
    if len(way) == 1 and isinstance(way[0], Seq):
        return ((*(text for item in way[0].items for text in texts(item)[:1]), HOLE),)
    return way
