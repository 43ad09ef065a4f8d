"""What a tree shows, in plain strings, for tests of the parser."""

from checkrail.readers.shell.grammar.parser import parse
from checkrail.readers.shell.grammar.tree import Node, Simple, Text, Word
from checkrail.readers.shell.grammar.walk import commands, walk


def value(word: Word) -> str:
    """A word's literal text, with ``?`` for everything that would be expanded."""
    return "".join(part.value if isinstance(part, Text) else "?" for part in word.parts)


def words(text: str) -> list[list[str]]:
    """The words of each simple command anywhere in a program."""
    return [[value(word) for word in command.words] for command in commands(parse(text).script)]


def names(text: str) -> list[str]:
    """The first word of each simple command that has one."""
    return [command[0] for command in words(text) if command]


def unsupported(text: str) -> list[str]:
    """The names of what is not lowered."""
    return [node.what for node in parse(text).unsupported]


def first(text: str) -> Simple:
    """The first simple command of a program that is read whole."""
    result = parse(text)
    assert result.unsupported == ()
    return next(commands(result.script))


def only(text: str, kind: type[Node]) -> Node:
    """The only node of a kind in a program that is read whole."""
    result = parse(text)
    assert result.unsupported == ()
    (found,) = [node for node in walk(result.script) if isinstance(node, kind)]
    return found
