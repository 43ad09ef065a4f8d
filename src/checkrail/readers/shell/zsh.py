"""What zsh reads otherwise than bash: agents on many machines type into it. Judged besides bash's reading, never instead."""

from typing import TYPE_CHECKING

from checkrail.model import HOLE
from checkrail.readers.shell import nested, printing
from checkrail.readers.shell.grammar import tree
from checkrail.readers.shell.state import NOTHING, REMOTE, UNKNOWN, Field, Value

if TYPE_CHECKING:
    from checkrail.readers.shell.call import Call
    from checkrail.readers.shell.evaluate import Evaluator

_EXPANDED = ("$=", "$~", "$^", "$+")


def program(name: str) -> str:
    """``=rm`` is the path of ``rm``; to bash it is a program of that odd name, which hardly exists."""
    return name[1:] if name.startswith("=") and name[1:2].isalpha() else name


def expands(name: str) -> bool:
    """Whether a word that is plain text to bash would be expanded (``$=x`` splits, ``$~x`` globs)."""
    return name.startswith(_EXPANDED) and name[2:3].isidentifier()


ENDING = "*."
"""Before an ending of names in the table of aliases: ``alias -s txt=program``."""


def ending(name: str, aliases: dict[str, tuple[str, ...]]) -> str:
    """What a word of this ending starts as a command; empty for none."""
    return aliases.get(f"{ENDING}{name.rpartition('.')[2]}", ("",))[-1] if "." in name else ""


def everywhere(text: str, call: "Call") -> None:
    """``alias -g X=text``: wherever X stands in a line; behind a command whose output nobody has read."""
    run = call.run
    kept, run.stdin = run.stdin, Value(HOLE, frozenset((REMOTE,)))
    try:
        nested.child(f"cat {text}", run, call.span, "alias -g")
    finally:
        run.stdin = kept


def printed(call: "Call") -> Value:
    """``print -z text`` puts the text on the next line that is typed; anything else is ``echo``."""
    words = [field.text for field in call.arguments if not field.text.startswith("-")]
    if any(field.text.startswith("-") and "z" in field.text for field in call.arguments):
        nested.child(" ".join(words), call.run, call.span, "print -z")
        return NOTHING
    return printing.echo(call)


def zargs(call: "Call") -> Value:
    """``zargs -- argument… -- command``; the first mark may be left out."""
    marks = [index for index, field in enumerate(call.arguments) if field.text == "--"]
    if not marks or marks[-1] + 1 >= len(call.arguments):
        return UNKNOWN
    start = marks[-2] + 1 if len(marks) > 1 else 0
    return call.invoke((*call.arguments[marks[-1] + 1 :], *call.arguments[start : marks[-1]]))


def whole_array(node: tree.Simple, run: "Evaluator") -> tuple[Field, ...]:
    """All elements, where the command word is a plain ``$name`` of an array, of which bash takes the first; else nothing."""
    if not run.state.arrays or not node.words or len(node.words[0].parts) != 1:
        return ()
    part = node.words[0].parts[0]
    if not isinstance(part, tree.Parameter) or part.op or part.subscript is not None or part.indirect or part.length:
        return ()
    elements = run.state.arrays.get(run.state.named(part.name), ())
    return tuple(Field(value.text, part.span, value.tags) for value in elements) if len(elements) > 1 else ()
