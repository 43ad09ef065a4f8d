"""The tree of a shell program: bash's grammar lowered to a few frozen nodes.

Spans are character offsets into the program text. Whatever the parser cannot lower is an
:class:`Unsupported` node with a name, so that nothing is ever dropped silently.
"""

from typing import Literal

import msgspec

from checkrail.model import Span


class Node(msgspec.Struct, frozen=True, tag=True, kw_only=True, gc=False):
    """Base of every node; ``span`` covers the node's own text."""

    span: Span


# Parts of a word -----------------------------------------------------------------------


class Text(Node, frozen=True, kw_only=True):
    """Literal characters, quotes and escapes already removed.

    ``quoted`` text is exempt from splitting, globbing, braces and tildes; an unquoted part
    may hold glob characters, braces and a tilde for expansion to deal with.
    """

    value: str
    quoted: bool = False


class Parameter(Node, frozen=True, kw_only=True):
    """``$x``, ``${x}``, ``${x[i]:-word}``, ``${!x}``, ``${#x}``, ``${x@P}``.

    ``op`` is the operator as written (``:-``, ``-``, ``:=``, ``:+``, ``:?``, ``#``, ``##``,
    ``%``, ``%%``, ``/``, ``//``, ``/#``, ``/%``, ``^``, ``^^``, ``,``, ``,,``, ``@P``, ``:``,
    for substrings) and ``args`` its operands (the replacement of ``/`` is the second, the
    length of ``:`` too).
    """

    name: str
    op: str = ""
    args: tuple["Word", ...] = ()
    subscript: "Word | None" = None
    indirect: bool = False
    length: bool = False
    quoted: bool = False


class CommandSub(Node, frozen=True, kw_only=True):
    """``$( )``, backquotes, ``${ …; }`` and ``${| …; }``; ``body`` spans point into the root text
    where it stands there literally (nested backquotes do not; then they cover the whole)."""

    body: "Script"
    quoted: bool = False


class ProcessSub(Node, frozen=True, kw_only=True):
    """``<( )`` or ``>( )``."""

    body: "Script"
    direction: Literal["<", ">"]


class Arithmetic(Node, frozen=True, kw_only=True):
    """``$(( ))`` or ``$[ ]``; ``word`` holds the text with its nested expansions."""

    word: "Word"
    quoted: bool = False


Part = Text | Parameter | CommandSub | ProcessSub | Arithmetic


class Word(Node, frozen=True, kw_only=True):
    """One shell word before expansion; no parts means an empty word ('')."""

    parts: tuple[Part, ...]


# Commands -----------------------------------------------------------------------------


class Array(Node, frozen=True, kw_only=True):
    """``(a b [k]=c)``: elements, each with its subscript where one is written."""

    elements: tuple[tuple[Word | None, Word], ...]


class Assignment(Node, frozen=True, kw_only=True):
    """``name=value``, ``name+=value``, ``name[sub]=value``, ``name=(…)``."""

    name: str
    value: Word | Array
    subscript: Word | None = None
    append: bool = False


class Heredoc(Node, frozen=True, kw_only=True):
    """The body of ``<<``; ``word`` holds its expansions (one quoted Text where the end word is quoted).

    ``raw`` is the body as written, tabs stripped for ``<<-``. ``closed`` is False where the text ended
    without the end word (bash warns and goes on)."""

    word: Word
    raw: str
    quoted: bool
    closed: bool = True


class Redirect(Node, frozen=True, kw_only=True):
    """``op`` is one of ``< > >> >| <> <& >& &> &>> << <<- <<<``; ``fd`` is None where none is
    written, a number, or the name in ``{name}>``."""

    op: str
    target: Word | None
    fd: int | str | None = None
    heredoc: Heredoc | None = None


class Command(Node, frozen=True, kw_only=True):
    """Base of everything that can stand in a pipeline."""

    redirects: tuple[Redirect, ...] = ()


class Simple(Command, frozen=True, kw_only=True):
    """Assignments, words, redirections. Arguments of declaration builtins that are written as
    array assignments stand in ``declared`` (``declare -a x=(…)``), all others in ``words``."""

    assignments: tuple[Assignment, ...] = ()
    words: tuple[Word, ...] = ()
    declared: tuple[Assignment, ...] = ()


class Pipeline(Node, frozen=True, kw_only=True):
    """``a | b |& c``; ``stderr[i]`` tells that command i's stderr goes into the pipe too."""

    commands: tuple["AnyCommand", ...]
    negated: bool = False
    timed: bool = False
    stderr: tuple[bool, ...] = ()


class Item(Node, frozen=True, kw_only=True):
    """One pipeline of a list, with the operator before it (``""``, ``;``, ``&&``, ``||``, ``&``,
    newline counts as ``;``) and whether it runs in the background."""

    pipeline: Pipeline
    op: str = ";"
    background: bool = False


class Script(Node, frozen=True, kw_only=True):
    """A list of pipelines in order."""

    items: tuple[Item, ...]


class Subshell(Command, frozen=True, kw_only=True):
    body: Script


class Group(Command, frozen=True, kw_only=True):
    body: Script


class If(Command, frozen=True, kw_only=True):
    """``arms`` are (condition, body) pairs: if and each elif."""

    arms: tuple[tuple[Script, Script], ...]
    otherwise: Script | None = None


class For(Command, frozen=True, kw_only=True):
    """``for name in words``; words None means ``"$@"``. ``select`` too."""

    name: str
    words: tuple[Word, ...] | None
    body: Script
    select: bool = False


class ArithFor(Command, frozen=True, kw_only=True):
    header: tuple[Word, ...]
    body: Script


class While(Command, frozen=True, kw_only=True):
    condition: Script
    body: Script
    until: bool = False


class CaseArm(Node, frozen=True, kw_only=True):
    patterns: tuple[Word, ...]
    body: Script
    end: str = ";;"


class Case(Command, frozen=True, kw_only=True):
    word: Word
    arms: tuple[CaseArm, ...]


class Function(Command, frozen=True, kw_only=True):
    """``name() body``; redirections of the body belong to the body."""

    name: str
    body: "AnyCommand"


class Test(Command, frozen=True, kw_only=True):
    """``[[ … ]]``: its words, operators among them."""

    words: tuple[Word, ...]


class ArithCommand(Command, frozen=True, kw_only=True):
    """``(( … ))``."""

    word: Word


class Coproc(Command, frozen=True, kw_only=True):
    name: str
    body: "AnyCommand"


class Unsupported(Command, frozen=True, kw_only=True):
    """Something valid (or not) that the parser does not lower; ``what`` names it."""

    what: str


AnyCommand = (
    Simple
    | Subshell
    | Group
    | If
    | For
    | ArithFor
    | While
    | Case
    | Function
    | Test
    | ArithCommand
    | Coproc
    | Unsupported
)


class Parse(msgspec.Struct, frozen=True, kw_only=True):
    """The result of reading a program: what could be lowered, and what could not and why."""

    script: Script
    unsupported: tuple[Unsupported, ...] = ()
