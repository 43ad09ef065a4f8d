"""What a test right before a command tells: ``[ -f x ] || cp y x`` writes x only where it is not there.

Only the plain form counts: one test of one path, first in its list, followed at once by what it guards.
"""

from typing import TYPE_CHECKING

from checkrail.model import HOLE, SOME
from checkrail.readers.shell import redirects, words
from checkrail.readers.shell.grammar import tree

if TYPE_CHECKING:
    from checkrail.readers.shell.evaluate import Evaluator

_EXISTS = ("-e", "-f", "-a")
_MOST_WORDS = 5


def absent(pipeline: tree.Pipeline, op: str, run: "Evaluator") -> frozenset[str]:
    """The path that is known not to exist where what follows ``op`` runs."""
    texts = _tested(pipeline, run)
    turned = texts[:1] == ["!"]
    if len(texts) != 2 + turned or texts[-2] not in _EXISTS or turned != (op == "&&"):
        return frozenset()
    path = texts[-1]
    if not path or HOLE in path or SOME in path or any(char in path for char in "*?["):
        return frozenset()
    return frozenset((redirects.resolve(path, run),))


def missed(items: tuple[tree.Item, ...], at: int, run: "Evaluator") -> frozenset[str]:
    """The path that is known not to exist where one item of a list runs: after the test, or after a message that the test allowed."""
    if at == 1:
        return absent(items[0].pipeline, items[1].op, run)
    said = at == 2 and (items[1].op, items[2].op) == ("&&", "||") and _only_says(items[1].pipeline, run)
    return absent(items[0].pipeline, "||", run) if said else frozenset()


def _only_says(pipeline: tree.Pipeline, run: "Evaluator") -> bool:
    """Whether a pipeline is one ``echo``, which does not fail."""
    node = pipeline.commands[0]
    if (
        len(pipeline.commands) != 1
        or pipeline.negated
        or type(node) is not tree.Simple
        or node.redirects
        or node.assignments
    ):
        return False
    name = words.literal(node.words[0]) if node.words else None
    return name in ("echo", "true", ":") and name not in run.state.functions and name not in run.state.aliases


def _tested(pipeline: tree.Pipeline, run: "Evaluator") -> list[str]:
    """The words between the brackets."""
    if len(pipeline.commands) != 1 or getattr(pipeline, "negated", False) or run.state.host or len(run.state.cwd) != 1:
        return []
    node = pipeline.commands[0]
    if type(node) is tree.Test and len(node.words) <= _MOST_WORDS:
        return [words.value(word, run).text for word in node.words]
    if type(node) is not tree.Simple or node.assignments or not 3 <= len(node.words) <= _MOST_WORDS:
        return []
    texts = [words.value(word, run).text for word in node.words]
    if texts[0] in run.state.functions or texts[0] in run.state.aliases:
        return []
    if texts[0] == "test":
        return texts[1:]
    return texts[1:-1] if texts[0] == "[" and texts[-1] == "]" else []
