"""Compound commands: branches are all taken, loops are read twice, so that what one round leaves behind meets the next."""

from typing import TYPE_CHECKING

from checkrail.readers.shell import filling, frames, guards, loops, merging, posix, words
from checkrail.readers.shell.grammar import tree
from checkrail.readers.shell.state import NOTHING, Value

if TYPE_CHECKING:
    from checkrail.readers.shell.evaluate import Evaluator


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
            return loops.over(node, evaluator)
        case tree.While():
            filling.loop(node, evaluator)
            return loops.conditional(node, evaluator)
        case tree.ArithFor():
            filling.loop(node, evaluator)
            return loops.counted(node, evaluator)
        case tree.Case():
            return _case(node, evaluator)
        case tree.Function():
            evaluator.state.functions[node.name] = (node,)
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
            return _coproc(node, evaluator)
        case tree.Unsupported():
            evaluator.unread(node.what, node.span)
    return NOTHING


def _coproc(node: tree.Coproc, evaluator: "Evaluator") -> Value:
    outer, evaluator.state = evaluator.state, evaluator.state.copy()
    evaluator.state.forked = True
    output = frames.apart(evaluator, lambda: evaluator.command(node.body))
    outer.keep(evaluator.state)
    evaluator.state = outer
    outer.files["/dev/fd/97"] = output
    outer.arrays[node.name] = (Value("97"), Value("98"))
    return NOTHING


def _if(node: tree.If, evaluator: "Evaluator") -> Value:
    outputs, ends, said = [], [], [NOTHING]
    for condition, body in node.arms:
        said.append(evaluator.script(condition))
        outer, evaluator.state = evaluator.state, evaluator.state.copy()
        if len(condition.items) == 1:
            evaluator.state.absent |= guards.absent(condition.items[0].pipeline, "&&", evaluator)
        outputs.append(merging.together([*said, evaluator.script(body)]))
        ends.append(evaluator.state)
        evaluator.state = outer
    outputs.append(merging.together([*said, evaluator.script(node.otherwise) if node.otherwise else NOTHING]))
    evaluator.state.merge(*ends)
    return merging.either(outputs)


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
    return merging.either([*outputs, NOTHING])
