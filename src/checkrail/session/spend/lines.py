"""The commands of a shell text that surely run at most once each, as words: loops, functions and the like give none at all."""

from collections.abc import Iterator

import msgspec

from checkrail.model import HOLE
from checkrail.readers.shell.grammar import tree
from checkrail.readers.shell.grammar.parser import parse

_EXPANDS = frozenset("*?[{")
_RUNS_TEXT = frozenset(
    {"alias", "eval", "trap", "source", ".", "exec", "command", "builtin", "enable", "unalias", "shopt", "set"}
)


class Line(msgspec.Struct, frozen=True):
    """One simple command. A part that is not known is a HOLE; ``loose`` tells that it may be more words than these."""

    words: tuple[str, ...]
    loose: bool = False


class Uncounted(Exception):
    """Nobody can tell from the text how often its commands run."""


def lines(text: str) -> tuple[Line, ...] | None:
    """Each simple command once; None where some may run several times, or where that cannot be told."""
    parsed = parse(text)
    if parsed.unsupported:
        return None
    try:
        found = tuple(_script(parsed.script))
    except Uncounted:
        return None
    return (
        None if any(not line.words or HOLE in line.words[0] or line.words[0] in _RUNS_TEXT for line in found) else found
    )


def _script(script: tree.Script) -> Iterator[Line]:
    for item in script.items:
        for command in item.pipeline.commands:
            yield from _command(command)


def _command(command: tree.AnyCommand) -> Iterator[Line]:
    for redirect in command.redirects:
        yield from _nested(redirect.target) if redirect.target else ()
        yield from _nested(redirect.heredoc.word) if redirect.heredoc else ()
    if isinstance(command, tree.Simple):
        yield from _simple(command)
    elif isinstance(command, tree.Subshell | tree.Group):
        yield from _script(command.body)
    elif isinstance(command, tree.If):
        for condition, body in command.arms:
            yield from (*_script(condition), *_script(body))
        yield from _script(command.otherwise) if command.otherwise else ()
    elif isinstance(command, tree.Test):
        for word in command.words:
            yield from _nested(word)
    else:
        raise Uncounted


def _simple(command: tree.Simple) -> Iterator[Line]:
    for assignment in (*command.assignments, *command.declared):
        if not isinstance(assignment.value, tree.Word) or assignment.subscript is not None:
            raise Uncounted
        yield from _nested(assignment.value)
    for word in command.words:
        yield from _nested(word)
    if command.words:
        yield Line(tuple(_text(word) for word in command.words), any(_loose(word) for word in command.words))


def _nested(word: tree.Word) -> Iterator[Line]:
    """The commands of substitutions in a word."""
    for part in word.parts:
        if isinstance(part, tree.CommandSub | tree.ProcessSub):
            yield from _script(part.body)
        elif isinstance(part, tree.Arithmetic) or (
            isinstance(part, tree.Parameter) and (part.args or part.indirect or part.op or part.subscript)
        ):
            raise Uncounted


def _text(word: tree.Word) -> str:
    return "".join(part.value if isinstance(part, tree.Text) else HOLE for part in word.parts)


def _loose(word: tree.Word) -> bool:
    """Whether expansion may make several words of it."""
    return any(
        not part.quoted and not _EXPANDS.isdisjoint(part.value)
        if isinstance(part, tree.Text)
        else isinstance(part, tree.ProcessSub)
        or not part.quoted
        or (isinstance(part, tree.Parameter) and part.name in ("@", "*"))
        for part in word.parts
    )
