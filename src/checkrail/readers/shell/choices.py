"""Texts of which one is meant: a command whose words hold such is followed once for each.

``$(a || b)`` prints one thing or the other, ``${x+y}`` is ``y`` or nothing. Whoever meets such a choice takes the way that
:class:`Choices` names; the command is then followed again until every combination was taken.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from checkrail.readers.shell import merging
from checkrail.readers.shell.grammar import tree
from checkrail.readers.shell.state import WAYS_CAP, Value, one_of

if TYPE_CHECKING:
    from checkrail.readers.shell.evaluate import Evaluator


Result = TypeVar("Result")
Command = TypeVar("Command", bound=tree.Command)


class Choices:
    """Which way is taken at each choice, in the order in which they are met."""

    __slots__ = ("_at", "_sizes", "_taken", "_ways")

    def __init__(self) -> None:
        self._taken: list[int] = []
        self._sizes: list[int] = []
        self._at = 0
        self._ways = 1

    def pick(self, options: tuple[Value, ...]) -> Value:
        """The one of these that is meant this time; none of them but any, where there are too many combinations."""
        if self._ways > WAYS_CAP:
            return one_of(options)
        if self._at == len(self._taken):
            self._taken.append(0)
            self._sizes.append(len(options))
        self._at += 1
        return options[min(self._taken[self._at - 1], len(options) - 1)]

    def more(self) -> bool:
        """Go to the next combination, if there is one."""
        if self._ways > WAYS_CAP:
            return False
        self._at = 0
        while self._taken:
            if self._taken[-1] + 1 < self._sizes[-1]:
                self._taken[-1] += 1
                self._ways += 1
                return True
            self._taken.pop()
            self._sizes.pop()
        return False


def each(node: Command, run: "Evaluator", follow: Callable[[Command], Value]) -> Value:
    """Follow a command once for each combination of what is meant in it."""
    if not _may_choose(node):
        return follow(node)
    state, start = run.state, run.state.copy()
    outer, run.choices = run.choices, Choices()
    try:
        outputs = [follow(node)]
        ends = [run.state]
        while run.choices.more():
            run.state = start.copy()
            outputs.append(follow(node))
            ends.append(run.state)
    finally:
        run.choices = outer
    if len(ends) == 1:
        return outputs[0]
    run.state = state
    state.become(*ends)
    return merging.alternatives(outputs)


def every(run: "Evaluator", follow: Callable[[], Result]) -> list[Result]:
    """What comes out for each combination of what is meant; the state goes on from one to the next."""
    outer, run.choices = run.choices, Choices()
    try:
        found = [follow()]
        while run.choices.more():
            found.append(follow())
        return found
    finally:
        run.choices = outer


def _may_choose(node: tree.Command) -> bool:
    if isinstance(node, tree.Simple) and (
        any(map(_open, node.words)) or any(map(_assigns, node.assignments)) or any(map(_assigns, node.declared))
    ):
        return True
    return any(
        (redirect.target is not None and _open(redirect.target))
        or (redirect.heredoc is not None and _open(redirect.heredoc.word))
        for redirect in node.redirects
    )


def _assigns(node: tree.Assignment) -> bool:
    if isinstance(node.value, tree.Array):
        return any(_open(word) for _, word in node.value.elements)
    return _open(node.value)


def _open(word: tree.Word) -> bool:
    """Whether what a word comes to may be one of several."""
    return any(
        type(part) is tree.CommandSub or (type(part) is tree.Parameter and bool(part.args or part.indirect))
        for part in word.parts
    )
