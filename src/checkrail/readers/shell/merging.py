"""How outputs and states of several ways come together, and which variables a command names."""

from checkrail.model import HOLE
from checkrail.readers.shell import words
from checkrail.readers.shell.grammar import tree
from checkrail.readers.shell.state import EITHER, NO_TAGS, NOTHING, WAYS_CAP, State, Value


def together(outputs: list[Value]) -> Value:
    """What commands print one after the other."""
    if len(outputs) == 1:
        return outputs[0]
    if not outputs:
        return NOTHING
    tags = NO_TAGS.union(*(output.tags for output in outputs))
    return Value("".join(output.text for output in outputs)[:100_000], tags)


def alternatives(outputs: list[Value]) -> Value:
    """What a command prints that was judged in several ways."""
    texts = {output.text for output in outputs}
    tags = NO_TAGS.union(*(output.tags for output in outputs))
    return Value(texts.pop() if len(texts) == 1 else HOLE, tags)


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
    return one.variables != other.variables or one.cwd != other.cwd or one.arrays != other.arrays


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
