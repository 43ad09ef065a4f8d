"""What zsh reads otherwise than bash: agents on many machines type into it. Judged besides bash's reading, never instead."""

from typing import TYPE_CHECKING

from checkrail.readers.shell.grammar import tree
from checkrail.readers.shell.state import Field

if TYPE_CHECKING:
    from checkrail.readers.shell.evaluate import Evaluator

_EXPANDED = ("$=", "$~", "$^", "$+")


def program(name: str) -> str:
    """``=rm`` is the path of ``rm``; to bash it is a program of that odd name, which hardly exists."""
    return name[1:] if name.startswith("=") and name[1:2].isalpha() else name


def expands(name: str) -> bool:
    """Whether a word that is plain text to bash would be expanded (``$=x`` splits, ``$~x`` globs)."""
    return name.startswith(_EXPANDED) and name[2:3].isidentifier()


def whole_array(node: tree.Simple, run: "Evaluator") -> tuple[Field, ...]:
    """All elements, where the command word is a plain ``$name`` of an array, of which bash takes the first; else nothing."""
    if not run.state.arrays or not node.words or len(node.words[0].parts) != 1:
        return ()
    part = node.words[0].parts[0]
    if not isinstance(part, tree.Parameter) or part.op or part.subscript is not None or part.indirect or part.length:
        return ()
    elements = run.state.arrays.get(run.state.named(part.name), ())
    return tuple(Field(value.text, part.span, value.tags) for value in elements) if len(elements) > 1 else ()
