"""What fills a disk: endless data into a file, a loop without end that adds to one, a size beyond any purpose of a project."""

import re
from typing import TYPE_CHECKING

from checkrail.model import Action, Axes, Effect, Reversibility, Scope, Span, Target, TargetKind
from checkrail.readers.shell.grammar import tree, walk
from checkrail.readers.shell.state import ENDLESS, Value

if TYPE_CHECKING:
    from checkrail.readers.shell.evaluate import Evaluator

SOURCES = frozenset(("/dev/zero", "/dev/urandom", "/dev/random", "/dev/full"))
"""Files that never end."""

LARGEST = 50 << 30
"""Bytes of one file beyond which somebody should say yes."""

_SIZE = re.compile(r"\+?(\d{1,18})(?:\.\d*)?\s*([kmgtpezy]?)(?:i?b)?", re.IGNORECASE)
_POWERS = " kmgtpezy"
_COPIES = frozenset(("cp", "dd", "fallocate", "rsync"))
_WAITS = frozenset(
    ("break", "exit", "return", "sleep", "wait", "read", "exec", "inotifywait", "timeout", "usleep", "continue")
)
"""Commands by which a loop ends or waits."""


def size(text: str) -> int:
    """The bytes that ``10G``, ``512MiB`` or ``4096`` stand for; 0 for what is no size."""
    found = _SIZE.fullmatch(text.strip())
    return int(found[1]) << 10 * _POWERS.index(found[2].lower() or " ") if found else 0


def note(run: "Evaluator", where: str, value: Value, span: Span) -> None:
    """Note endless data that is written to a file."""
    if ENDLESS in value.tags and not where.startswith("/dev/"):
        fills(run, where, span, f"writes to {where} until the disk is full")


def fills(run: "Evaluator", where: str, span: Span, reason: str) -> None:
    """Note that a disk is filled."""
    run.effect(
        Effect(
            action=Action.CONFIGURE,
            target=Target(TargetKind.SYSTEM, where, run.state.host),
            rule="shell.fills-disk",
            axes=Axes(Reversibility.HARD, Scope.LOCAL),
            reason=reason,
            safer="give it an end: head -c, count=, a smaller size",
            span=span,
            via=run.payload.via,
        )
    )


def loop(node: tree.While | tree.ArithFor, run: "Evaluator") -> None:
    """Note a loop without end whose body adds to a file and never waits."""
    if not _endless(node):
        return
    names = {word for command in walk.commands(node.body) if command.words and (word := _literal(command.words[0]))}
    if _WAITS & names:
        return
    if names & _COPIES:
        fills(run, "a folder", node.span, "copies files without end")
        return
    for inner in walk.walk(node.body):
        if isinstance(inner, tree.Redirect) and inner.op == ">>" and not _literal_target(inner).startswith("/dev/"):
            fills(run, _literal_target(inner), inner.span, "adds to a file without end")
            return


def _endless(node: tree.While | tree.ArithFor) -> bool:
    if isinstance(node, tree.ArithFor):
        return not any(_literal(word).strip() for word in node.header)
    first = next(walk.commands(node.condition), None)
    said = [_literal(word) for word in first.words] if first is not None else []
    return said in ([["true"], [":"], ["1"]] if not node.until else [["false"]])


def _literal(word: tree.Word) -> str:
    from checkrail.readers.shell import words

    return words.literal(word) or ""


def _literal_target(node: tree.Redirect) -> str:
    target = getattr(node, "target", None)
    return _literal(target) if isinstance(target, tree.Word) else ""
