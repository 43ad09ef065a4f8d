"""Compound commands: branches are all taken, loops are read twice, so that what one round leaves behind meets the next."""

import itertools
from typing import TYPE_CHECKING

from checkrail.model import HOLE, SOME
from checkrail.readers.shell import assignments, filling, guards, merging, posix, words
from checkrail.readers.shell.grammar import tree
from checkrail.readers.shell.state import NO_TAGS, NOTHING, WAYS_CAP, Field, Value

if TYPE_CHECKING:
    from checkrail.readers.shell.evaluate import Evaluator
    from checkrail.readers.shell.invoke import Body


def compound(node: tree.AnyCommand, evaluator: "Evaluator") -> Value:
    """Evaluate one; what it prints. Its redirections are applied by the caller."""
    match node:
        case tree.Subshell():
            return evaluator.aside(node.body)
        case tree.Group():
            return evaluator.script(node.body)
        case tree.If():
            return _if(node, evaluator)
        case tree.For():
            return _for(node, evaluator)
        case tree.While():
            filling.loop(node, evaluator)
            return _rounds(
                lambda: merging.together([evaluator.script(node.condition), evaluator.script(node.body)]), evaluator
            )
        case tree.ArithFor():
            filling.loop(node, evaluator)
            for word in node.header:
                evaluator.arithmetic(word)
            return _rounds(lambda: evaluator.script(node.body), evaluator)
        case tree.Case():
            return _case(node, evaluator)
        case tree.Function():
            evaluator.state.functions[node.name] = node
            evaluator.state.sources[node.name] = evaluator.text[node.span.start : node.span.end]
        case tree.Test():
            for word in node.words:
                text = words.value(word, evaluator).text
                evaluator.state.compare(text)
                evaluator.number(text, word.span)
            posix.test(node, evaluator)
        case tree.ArithCommand():
            evaluator.arithmetic(node.word)
            posix.subshells(node, evaluator)
        case tree.Coproc():
            evaluator.state.forked = True
            return evaluator.command(node.body)
        case tree.Unsupported():
            evaluator.unread(node.what, node.span)
    return NOTHING


def _if(node: tree.If, evaluator: "Evaluator") -> Value:
    outputs, ends = [], []
    for condition, body in node.arms:
        outputs.append(evaluator.script(condition))
        outer, evaluator.state = evaluator.state, evaluator.state.copy()
        if len(condition.items) == 1:
            evaluator.state.absent |= guards.absent(condition.items[0].pipeline, "&&", evaluator)
        outputs.append(evaluator.script(body))
        ends.append(evaluator.state)
        evaluator.state = outer
    if node.otherwise is not None:
        outputs.append(evaluator.script(node.otherwise))
    evaluator.state.merge(*ends)
    return merging.together(outputs)


def _for(node: tree.For, evaluator: "Evaluator") -> Value:
    items = _items(node, evaluator)
    values = dict.fromkeys(Value(item.text, item.tags) for item in items)
    tags = NO_TAGS.union(*(value.tags for value in values)) if values else NO_TAGS
    many = tuple(values) if 0 < len(values) <= WAYS_CAP else (Value(HOLE if items else SOME, tags),)
    evaluator.state.variables[node.name] = many

    def body() -> Value:
        evaluator.state.variables[node.name] = many
        return evaluator.script(node.body)

    return _rounds(body, evaluator)


def _items(node: tree.For, evaluator: "Evaluator") -> list[Field]:
    """What a loop goes through, once for each combination of the alternative values that it names."""
    if node.words is None:
        return list(evaluator.state.arguments) or [Field(HOLE)]
    used = merging.used(node.words, evaluator.several_valued())
    found: list[Field] = []
    for held in itertools.islice(itertools.product(*(evaluator.state.variables[name] for name in used)), WAYS_CAP):
        with assignments.prefixed(dict(zip(used, held, strict=True)), evaluator):
            found += words.fields(node.words, evaluator)
    return found


def _rounds(body: "Body", evaluator: "Evaluator") -> Value:
    before = evaluator.state.copy()
    output = body()
    if not merging.differs(before, evaluator.state):
        return output
    evaluator.state.merge(before)
    again = body()
    evaluator.state.merge(before)
    return merging.together([output, again])


def _case(node: tree.Case, evaluator: "Evaluator") -> Value:
    words.value(node.word, evaluator)
    outputs, ends = [], []
    for arm in node.arms:
        for pattern in arm.patterns:
            evaluator.state.compare(words.value(pattern, evaluator).text)
        outer, evaluator.state = evaluator.state, evaluator.state.copy()
        outputs.append(evaluator.script(arm.body))
        ends.append(evaluator.state)
        evaluator.state = outer
    evaluator.state.merge(*ends)
    return merging.together(outputs)
