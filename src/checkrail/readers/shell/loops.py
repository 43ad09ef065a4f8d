"""Loops: round after round where it is known what they go through, else twice, so that what one round leaves meets the next."""

import itertools
from typing import TYPE_CHECKING

import msgspec

from checkrail.model import HOLE, SOME
from checkrail.readers.shell import assignments, choices, merging, words
from checkrail.readers.shell.grammar import tree
from checkrail.readers.shell.jumps import Jumps
from checkrail.readers.shell.state import NO_TAGS, WAYS_CAP, WORKED, Field, State, Value, one_of

if TYPE_CHECKING:
    from checkrail.readers.shell.evaluate import Evaluator
    from checkrail.readers.shell.invoke import Body

ROUNDS_CAP = 5
"""Rounds that are followed one after the other."""


class Loop(msgspec.Struct):
    """A loop under way: where ``break`` and ``continue`` jump to."""

    breaks: Jumps
    continues: Jumps


def jump(run: "Evaluator", levels: int, *, ends: bool) -> None:
    """``break`` or ``continue``: the loop so many levels out ends, or goes on; the ones within end."""
    if run.loops:
        loop = run.loops[-min(levels, len(run.loops))]
        (loop.breaks if ends else loop.continues).leave(run.state)


def over(node: tree.For, run: "Evaluator") -> Value:
    """Evaluate ``for`` and ``select``."""
    ways = _ways(node, run)
    items = [field for way in ways for field in way]
    values = [Value(item.text, item.tags | ({WORKED} if item.pattern else NO_TAGS)) for item in items]
    if node.name in run.state.references:  # the loop goes through the variables that the name stands for
        return merging.together([_referring(node, item, run) for item in values])
    exact = len(ways) == 1 and not node.select and all(item.known and not item.pattern for item in items)
    if exact and 0 < len(items) <= ROUNDS_CAP:
        return _in_turn(node, values, run)
    values = list(dict.fromkeys(values))
    tags = NO_TAGS.union(*(value.tags for value in values)) if values else NO_TAGS
    many = tuple(values) if 0 < len(values) <= WAYS_CAP else (Value(HOLE if items else SOME, tags),)
    run.state.variables[node.name] = many

    def body() -> Value:
        run.state.variables[node.name] = many
        return run.script(node.body)

    return rounds(body, run)


def _in_turn(node: tree.For, values: list[Value], run: "Evaluator") -> Value:
    loop, outputs = Loop(Jumps([]), Jumps([])), []
    for value in values:
        run.state.set(node.name, value)
        outputs.append(_round(loop, lambda: run.script(node.body), run))
    loop.breaks.land(run.state)
    run.state.dead = False
    return merging.together(outputs) if not loop.breaks.left else merging.either([*outputs, merging.together(outputs)])


def _referring(node: tree.For, item: Value, run: "Evaluator") -> Value:
    run.state.references[node.name] = item.text
    return rounds(lambda: run.script(node.body), run)


def _ways(node: tree.For, run: "Evaluator") -> list[list[Field]]:
    """What a loop goes through, once for each combination of the alternative values that it names."""
    if node.words is None:
        return [list(run.state.arguments) or [Field(HOLE)]]
    return [way for ways in choices.every(run, lambda: _listed(node.words or (), run)) for way in ways]


def _listed(listed: tuple[tree.Word, ...], run: "Evaluator") -> list[list[Field]]:
    used = merging.used(listed, run.several_valued())
    found: list[list[Field]] = []
    for held in itertools.islice(itertools.product(*(run.state.variables[name] for name in used)), WAYS_CAP):
        with assignments.prefixed(dict(zip(used, held, strict=True)), run):
            found.append(words.fields(listed, run))
    return found


def rounds(body: "Body", run: "Evaluator") -> Value:
    """Evaluate the body of a loop of which nobody knows how often it runs."""
    before = run.state.copy()
    loop = Loop(Jumps([]), Jumps([]))
    output = _round(loop, body, run)
    if not loop.breaks.left and not merging.differs(before, run.state):
        run.state.dead = False
        return output
    run.state.merge(before)
    once = dict(run.state.variables)
    again = _round(loop, body, run)
    run.state.merge(before)
    loop.breaks.land(run.state)
    _grown(once, run.state)
    return merging.repeated(output, again)


def _round(loop: Loop, body: "Body", run: "Evaluator") -> Value:
    run.loops = [*run.loops, loop]
    try:
        return body()
    finally:
        run.loops = run.loops[:-1]
        loop.continues.land(run.state)
        loop.continues.left.clear()


def _grown(once: dict[str, tuple[Value, ...]], state: State) -> None:
    """What a second round has changed, a third would change further."""
    for name, values in state.variables.items():
        new = [value for value in values if value not in once.get(name, ())]
        if new and len(values) < WAYS_CAP and all(value.known for value in values):
            state.variables[name] = (*values, one_of(values))


def counted(node: tree.ArithFor, run: "Evaluator") -> Value:
    """Evaluate ``for ((…))``."""
    for word in node.header:
        run.arithmetic(word)
    return rounds(lambda: run.script(node.body), run)


def conditional(node: tree.While, run: "Evaluator") -> Value:
    """Evaluate ``while`` and ``until``."""
    return rounds(lambda: merging.together([run.script(node.condition), run.script(node.body)]), run)
