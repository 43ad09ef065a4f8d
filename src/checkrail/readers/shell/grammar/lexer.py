"""The text being read: a cursor over it, its tokens' character classes, and its caps.

A line continuation vanishes before bash sees a token, wherever it stands. So the cursor takes it
out of the text when it meets one (:meth:`Source.cut`) and remembers the place; :meth:`Source.origin`
maps positions back. Everything left of the cursor never changes.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from typing import NamedTuple, TypeVar

from msgspec.structs import force_setattr

from checkrail.model import Span
from checkrail.readers.shell.grammar.relocation import cover, relocate
from checkrail.readers.shell.grammar.tree import AnyCommand, Node, Redirect, Script, Unsupported

NodeType = TypeVar("NodeType", bound=Node)

MAX_CHARACTERS = 2 << 20
MAX_NODES = 100_000
MAX_DEPTH = 100
MAX_COPIES = 20
MAX_CUT_WORK = 1 << 30

BLANKS = re.compile(r"[ \t]*").match
RUN = re.compile(r"[^ \t\n;&|<>()$`\\'\"]*").match
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*").match
BACKQUOTED = re.compile(r"(?:[^`\\]++|\\.)*+", re.DOTALL).match
ANSI_QUOTED = re.compile(r"(?:[^'\\]++|\\.)*+", re.DOTALL).match
DOUBLE_RUN = re.compile(r'[^"$`\\]*').match

BREAKS = " \t\n;&|<>()"


class Stop(Exception):
    """The text cannot be read past here: bash rejects it, or a cap is reached."""

    def __init__(self, what: str, at: int) -> None:
        super().__init__(what)
        self.what = what
        self.at = at

    @property
    def is_syntax(self) -> bool:
        """Whether bash rejects the text here."""
        return self.what.startswith("syntax error")


class Pending:
    """A here-document whose body is still to come."""

    __slots__ = ("delimiter", "quoted", "redirect", "tabs")

    def __init__(self, redirect: Redirect, *, delimiter: str, quoted: bool, tabs: bool) -> None:
        self.redirect = redirect
        self.delimiter = delimiter
        self.quoted = quoted
        self.tabs = tabs


State = tuple[int, int, list[Pending], int, int, tuple[bool, bool, bool, bool]]


class Grammar(NamedTuple):
    """What words need of the command grammar, which needs words itself."""

    substitution: Callable[["Source"], Script]  # the commands from the cursor to a closing parenthesis
    region: Callable[["Source", int, int], Script]  # a part of the text that is a program of its own
    command: Callable[["Source"], AnyCommand]  # one command
    program: Callable[["Source"], Script]  # a whole text


class Source:
    """A shell text and how far it has been read.

    ``pos`` is the cursor and ``end`` the border of the part being read. ``memo`` keeps the ends of
    nested constructs by their start, so that looking ahead and reading cost linear time together.
    ``joining`` tells that continuations vanish here, ``fixed`` that none may be left, ``raw`` that no first
    pass has seen the text (a here-document), so that ``$'`` means nothing. ``substituted``
    tells that the text stands in ``$( )``, ``documents`` how many here-documents have been announced in it.
    """

    __slots__ = (
        "copies",
        "cut_work",
        "cuts",
        "depth",
        "documents",
        "end",
        "fixed",
        "grammar",
        "joining",
        "memo",
        "memo_end",
        "nodes",
        "pending",
        "pos",
        "raw",
        "removed",
        "substituted",
        "text",
        "unsupported",
    )

    def __init__(self, text: str, depth: int, grammar: Grammar) -> None:
        self.text = text
        self.pos = 0
        self.end = len(text)
        self.depth = depth
        self.grammar = grammar
        self.nodes = 0
        self.pending: list[Pending] = []
        self.memo: dict[int, tuple[int, Script | None]] = {}
        self.unsupported: list[Unsupported] = []
        self.cuts: list[int] = []
        self.removed: list[int] = []
        self.cut_work = 0
        self.copies = 0
        self.documents = 0
        self.memo_end = 0
        self.joining = True
        self.fixed = False
        self.raw = False
        self.substituted = False

    def fail(self, what: str, at: int | None = None) -> Stop:
        """The exception for a text that bash rejects at ``at`` (default: the cursor)."""
        return Stop(f"syntax error: {what}", self.pos if at is None else at)

    def unexpected(self) -> Stop:
        """The exception for the token at the cursor."""
        if self.pos >= self.end:
            return self.fail("unexpected end of text")
        token = RUN(self.text, self.pos, self.end).group() or self.text[self.pos]  # type: ignore[union-attr]
        return self.fail(f"unexpected {token[:20]!r}")

    def enter(self) -> None:
        """Counts one level of nesting; whoever enters leaves by ``depth -= 1``."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise Stop("nesting", self.pos)

    def count(self, nodes: int = 1) -> None:
        """Counts nodes against the cap."""
        self.nodes += nodes
        if self.nodes > MAX_NODES:
            raise Stop("too many words", self.pos)

    def note(self, what: str, start: int, end: int) -> Unsupported:
        """Records something that is not lowered."""
        node = Unsupported(span=Span(start, end), what=what)
        self.unsupported.append(node)
        return node

    # Parts that are read on their own --------------------------------------------------

    def state(self) -> State:
        """What :meth:`restore` puts back after a failed or separate reading."""
        flags = self.joining, self.fixed, self.substituted, self.raw
        return self.pos, self.end, self.pending, self.depth, self.documents, flags

    def restore(self, state: State) -> None:
        """Undoes what reading a part has changed, its findings and the text itself excepted."""
        self.pos, self.end, self.pending, self.depth, self.documents, flags = state
        self.joining, self.fixed, self.substituted, self.raw = flags

    def derive(self, text: str, span: Span, read: Callable[["Source"], NodeType], *, literal: bool = False) -> NodeType:
        """Reads a text on its own: a ``literal`` copy of what ``span`` covers, or a text that stands nowhere.

        In the second case all its nodes get the span of where it comes from.
        """
        part = Source(text, self.depth, self.grammar)
        part.nodes, part.cut_work, part.copies = self.nodes, self.cut_work, self.copies
        root = read(part)
        self.nodes, self.cut_work, self.copies = part.nodes, part.cut_work, part.copies
        if literal:
            part.restore_positions(root, span.start)
        else:
            for node in part.unsupported:
                force_setattr(node, "span", span)
            cover(root, span)
        self.unsupported += part.unsupported
        return root

    # Line continuations ---------------------------------------------------------------

    def cut(self, at: int, length: int = 2) -> None:
        """Takes ``length`` characters out of the text, at or right of the cursor."""
        if self.fixed:  # a second pass over text whose continuations the first one has removed
            raise Stop("line continuation within quotes within a substitution", at)
        self.work(len(self.text) + 16 * len(self.cuts))
        self.text = self.text[:at] + self.text[at + length :]
        self.end -= length
        if self.memo_end > at:
            self.memo = {key: known for key, known in self.memo.items() if known[0] <= at}
            self.memo_end = at
        place = bisect_right(self.cuts, at)
        self.cuts[place:] = [at, *(position - length for position in self.cuts[place:])]
        before = self.removed[place - 1] if place else 0
        self.removed[place:] = [before + length, *(total + length for total in self.removed[place:])]

    def work(self, characters: int) -> None:
        """Counts characters that are handled once more for continued lines."""
        self.cut_work += characters
        if self.cut_work > MAX_CUT_WORK:
            raise Stop("too many line continuations", self.pos)

    def peek(self, at: int) -> str:
        """The character at ``at`` once continuations are gone, empty at the end."""
        while self.joining and self.text.startswith("\\\n", at, self.end):
            self.cut(at)
        return self.text[at] if at < self.end else ""

    def remember(self, start: int, end: int, body: Script | None = None) -> None:
        """Notes where the construct ends whose inside begins at ``start``."""
        self.memo[start] = (end, body)
        self.memo_end = max(self.memo_end, end)

    def settle(self) -> str:
        """Joins the plain run at the cursor over continuations and returns it."""
        while True:
            found = RUN(self.text, self.pos, self.end)
            assert found is not None
            if not self.text.startswith("\\\n", found.end(), self.end):
                return found.group()
            self.cut(found.end())

    def origin(self, at: int, *, is_end: bool) -> int:
        """The position in the text as given for ``at`` in the text as it is now."""
        place = (bisect_left if is_end else bisect_right)(self.cuts, at)
        return at + self.removed[place - 1] if place else at

    def restore_positions(self, root: Node, base: int) -> None:
        """Gives the nodes read from this text the spans that they have in the text as given, plus ``base``."""

        def start(at: int) -> int:
            return self.origin(at, is_end=False) + base

        def end(at: int) -> int:
            return self.origin(at, is_end=True) + base

        relocate((root, *self.unsupported), start, end)

    # Tokens ---------------------------------------------------------------------------

    def skip(self) -> str:
        """Moves over blanks, continuations and a comment; returns the character there, empty at the end."""
        i = self.pos
        while True:
            text, end = self.text, self.end
            while i < end and text[i] in " \t":
                i = BLANKS(text, i, end).end()  # type: ignore[union-attr]
            if i >= end:
                self.pos = end
                return ""
            char = text[i]
            if char == "#":
                i = text.find("\n", i, end)
                if i < 0:
                    i = end
            elif char == "\\" and text.startswith("\\\n", i, end):
                self.cut(i)
            else:
                self.pos = i
                return char
