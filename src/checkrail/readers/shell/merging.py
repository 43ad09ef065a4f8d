"""How outputs and states of several ways come together, and which variables a command names."""

import itertools
import math

from checkrail.model import HOLE
from checkrail.readers.shell import words
from checkrail.readers.shell.grammar import tree
from checkrail.readers.shell.state import EITHER, NO_TAGS, NOTHING, WAYS_CAP, WORKED, State, Value

LONGEST_WAY = 4096
"""Characters of an output that is kept as one of several."""


def together(outputs: list[Value]) -> Value:
    """What commands print one after the other."""
    if len(outputs) == 1:
        return outputs[0]
    if not outputs:
        return NOTHING
    tags = NO_TAGS.union(*(output.tags for output in outputs))
    text = "".join(output.text for output in outputs)[:100_000]
    if not any(output.ways for output in outputs):
        return Value(text, tags)
    count = math.prod(len(output.ways) or 1 for output in outputs)
    if count > WAYS_CAP:
        return _one_of_many(text, tags)
    combined = itertools.product(*(output.ways or (output.text,) for output in outputs))
    return _ways(text, tags, ["".join(parts) for parts in combined])


def either(outputs: list[Value]) -> Value:
    """What one of several lists prints, of which one runs: of the text nothing is lost, and each may be meant."""
    if len(outputs) == 1:
        return outputs[0]
    text = "".join(output.text for output in outputs)[:100_000]
    tags = NO_TAGS.union(*(output.tags for output in outputs))
    return _ways(text, tags, [way for output in outputs for way in output.ways or (output.text,)])


def alternatives(outputs: list[Value]) -> Value:
    """What a command prints that was judged in several ways."""
    tags = NO_TAGS.union(*(output.tags for output in outputs))
    ways = dict.fromkeys(way for output in outputs for way in output.ways or (output.text,))
    if len(ways) == 1:
        return Value(next(iter(ways)), tags)
    return _ways(HOLE, tags, list(ways))


def _ways(text: str, tags: frozenset[str], ways: list[str]) -> Value:
    different = tuple(dict.fromkeys(ways))
    if len(different) == 1:
        return Value(different[0], tags)
    if len(different) > WAYS_CAP or any(len(way) > LONGEST_WAY for way in different):
        return _one_of_many(text, tags)
    return Value(text, tags, different)


def _one_of_many(text: str, tags: frozenset[str]) -> Value:
    return Value(text, tags | {WORKED}, (HOLE,))


def meant(output: Value) -> tuple[Value, ...]:
    """What a substitution of this output may be; an output that may be empty is taken for one that is not."""
    ways = dict.fromkeys(way.rstrip("\n") for way in output.ways)
    if len(ways) > 1:
        ways.pop("", None)
    return tuple(Value(way, output.tags) for way in ways)


def repeated(once: Value, again: Value) -> Value:
    """What a loop prints: as much in each round, or less and more."""
    if not once.text and not again.text:
        return Value("", once.tags | again.tags)
    if once.ways or again.ways:  # rounds that differ
        return Value(together([once, again]).text, once.tags | again.tags | {WORKED}, (HOLE,))
    return either([once, together([once, again])])


def looked_up(items: tuple[tree.Item, ...], output: Value) -> Value:
    """What ``which a || which b`` prints: one of the lines, not all of them."""
    first = items[0].pipeline.commands[0]
    if type(first) is not tree.Simple or any(item.op != "||" for item in items[1:]):
        return output
    names = [words.literal(word) for word in first.words[:2]]
    if names[:1] == ["which"] or names[:2] in (["command", "-v"], ["type", "-p"], ["type", "-P"]):
        return Value(output.text, output.tags | {EITHER})
    return output


def differs(one: State, other: State) -> bool:
    """Whether two states would judge a later command differently."""
    return (
        one.variables != other.variables
        or one.cwd != other.cwd
        or one.arrays != other.arrays
        or one.functions != other.functions
        or one.aliases != other.aliases
        or one.references != other.references
    )


def changed(before: dict[str, tuple[Value, ...]], after: dict[str, tuple[Value, ...]]) -> dict[str, tuple[Value, ...]]:
    """Variables after one command of a pipeline. It ran in a subshell, but lastpipe and other shells keep the last."""
    if before == after:
        return before
    merged = dict(before)
    for name, values in after.items():
        if before.get(name) != values:
            merged[name] = tuple(dict.fromkeys((*before.get(name, ()), *values)))[:WAYS_CAP]
    return merged


def names(text: str) -> set[str]:
    """Identifiers in an arithmetic text."""
    found, name = set(), ""
    for character in text + " ":
        if character.isalnum() or character == "_":
            name += character
        else:
            if name and not name[0].isdigit():
                found.add(name)
            name = ""
    return found


def names_variables(node: tree.Simple) -> bool:
    """Whether a command may depend on a variable at all."""
    return bool(node.assignments or node.redirects or node.declared) or any(
        len(word.parts) != 1 or type(word.parts[0]) is not tree.Text for word in node.words
    )


def used(node: tree.Simple | tuple[tree.Word, ...], names: list[str]) -> list[str]:
    """Which of the names a command, or a list of words, mentions anywhere in it.

    The letters of a name anywhere count: texts for eval, arithmetic and traps name variables too, and a name too many only costs a
    second look.
    """
    if not names:
        return []
    text = repr(node)
    return [name for name in names if name in text]
