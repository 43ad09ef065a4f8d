"""What one reading of a Python program holds: the store, the budget and what was found so far."""

import ast
import shlex
from collections.abc import Callable
from typing import Any

from checkrail.context import Surroundings
from checkrail.knowledge.code import Knowledge, load
from checkrail.model import HOLE, Action, Axes, Decision, Effect, Payload, Target, TargetKind, Unread
from checkrail.readers.code_words import matched
from checkrail.readers.locate import WILD, locate
from checkrail.readers.python.values import (
    CONSTANTS,
    UNKNOWN,
    Function,
    Made,
    PathValue,
    Ref,
    Seq,
    Table,
    Unknown,
    choice,
    each,
    owner,
    same,
    text_of,
)

STEPS = 60_000
"""Expressions and statements looked at before a program counts as too large to follow."""
DEPTH = 200
"""Nested expressions, statements and calls followed at once."""
PAYLOADS = 400
PLAIN = (*CONSTANTS, Unknown, PathValue)
"""Kinds of values that an unknown value may be taken for: none of them can be called with an effect."""
MISSING = object()
Store = dict[Any, Any]


class Exhausted(Exception):
    """The program is too large or too deep to follow."""


class Run:
    """Mutable on purpose: it follows one program. ``store`` maps (scope, name), cells and attributes to values."""

    def __init__(
        self, payload: Payload, around: Surroundings, evaluate: Callable[..., Any], block: Callable[..., bool]
    ) -> None:
        self.payload = payload
        self.around = around
        self.evaluate = evaluate
        self.block = block
        self.knowledge: Knowledge = load("python")
        self.store: Store = {"cwd": payload.cwd if payload.cwd is not None else HOLE}
        self.parents: dict[int, int] = {}
        self.globals: set[tuple[int, str]] = set()
        self.stars: list[str] = []
        self.steps = STEPS
        self.depth = 0
        self.site = (0, 0)
        self.summaries: dict[tuple[int, int, str], Ref] = {}
        self.in_tests = any(step.startswith(("pytest runs", "py.test runs")) for step in payload.via)
        self.wide = 0  # loops being followed with widened values
        self.numbers = 0
        self.inlined: dict[int, int] = {}
        self.results: dict[int, Any] = {}
        self.active: list[int] = []
        self.returns: list[list[Any]] = []
        self.pending: list[Any] = []
        self.trees: list[ast.AST] = []  # kept alive: their nodes are known by identity
        self.effects: dict[Effect, None] = {}
        self.payloads: dict[Payload, None] = {}
        self.unread: dict[str, None] = {}
        self.opaque: dict[str, None] = {}

    def tick(self, count: int = 1) -> None:
        """Spend budget; raises :class:`Exhausted` where none is left."""
        self.steps -= count
        if self.steps < 0 or self.depth > DEPTH or len(self.payloads) + len(self.effects) > PAYLOADS:
            raise Exhausted

    def number(self) -> int:
        """A number that names a new scope or cell."""
        self.numbers += 1
        return self.numbers

    def at(self, node: ast.AST) -> None:
        """Say where in the program cells are made from now on."""
        self.site = (id(node), 0)

    def cell(self, content: Seq | Table) -> Ref:
        """A new list or mapping. In a loop of any number of turns, one stands for all that are made at one place."""
        kind = "list" if isinstance(content, Seq) else "dict"
        if not self.wide:
            ref = Ref(kind, self.number())
            self.store[ref] = content
            return ref
        self.site = (self.site[0], self.site[1] + 1)
        ref = self.summaries.setdefault((*self.site, kind), Ref(kind, self.number()))
        self.store[ref] = choice((self.store[ref], content)) if ref in self.store else content
        return ref

    def content(self, value: Any) -> Any:
        """What a list or mapping holds (a choice where branches differ); any other value is itself."""
        return self.store.get(value, value) if type(value) is Ref else value

    def flat(self, *values: Any) -> list[Any]:
        """Values, and what they hold one level down."""
        found: list[Any] = []
        for value in values:
            found.append(value)
            for content in each(self.content(value)):
                if isinstance(content, Seq):
                    found.extend(content.items)
                elif isinstance(content, Table):
                    found.extend(item for _, item in content.items)
        return found

    def update(self, ref: Ref, change: Callable[[Any], Any]) -> None:
        """Change what a list or mapping holds, whichever it is of several."""
        self.store[ref] = choice([change(option) for option in each(self.store.get(ref, UNKNOWN))])

    def read(self, scope: int, name: str) -> Any:
        """A variable's value, or MISSING."""
        at: int | None = scope
        while at is not None:
            value = self.store.get((at, name), MISSING)
            if value is not MISSING:
                return value
            at = self.parents.get(at)
        return MISSING

    def assign(self, scope: int, name: str, value: Any) -> None:
        """Give a variable a value."""
        if (scope, name) in self.globals:
            scope = self._outer(scope, name)
        self.store[scope, name] = value

    def _outer(self, scope: int, name: str) -> int:
        at = self.parents.get(scope, 0)
        while at and (at, name) not in self.store:
            at = self.parents.get(at, 0)
        return at

    def branch(self, *ways: Callable[[], Any]) -> None:
        """Follow several ways from here and go on with what any of them left."""
        before, merged = self.store, None
        for way in ways:
            self.tick(1 + len(before) // 40)
            self.store = dict(before)
            way()
            merged = self.store if merged is None else join(merged, self.store)
        self.store = merged if merged is not None else before

    def places(self, value: Any, *, expand: bool = False) -> list[str]:
        """Every absolute path that a value may name."""
        home = self.around.home if expand else ""
        named = [text_of(option) for option in each(value) if not isinstance(option, (int, float))]
        return list(dict.fromkeys(locate(text, cwd, home) for text in named for cwd in each(self.store["cwd"])))

    def effect(
        self,
        action: Action,
        kind: TargetKind,
        value: str,
        rule: str,
        *,
        recursive: bool = False,
        axes: Axes | None = None,
        decision: Decision | None = None,
        reason: str = "",
        safer: str = "",
        content: str | None = None,
    ) -> None:
        """Record one effect."""
        payload = self.payload
        made = Effect(
            action=action,
            target=Target(kind, matched(value, action), payload.host),
            rule=rule,
            axes=axes,
            decision=decision,
            reason=reason,
            safer=safer,
            command="python",
            recursive=recursive,
            span=payload.span,
            content=content,
            via=payload.via,
        )
        self.effects[made] = None

    def nested(
        self, language: str, text: str, via: str, *, cwd: Any = None, options: tuple[tuple[str, str], ...] = ()
    ) -> None:
        """Record a text that another reader reads. ``cwd`` is a value; None stands for where the program is."""
        folders = each(self.store["cwd"]) if cwd is None else tuple(self.places(cwd))
        for folder in folders:
            made = Payload(
                language=language,
                text=text.replace(WILD, "*"),
                cwd=folder if isinstance(folder, str) and HOLE not in folder else None,
                variables=self.payload.variables,
                span=self.payload.span,
                host=self.payload.host,
                depth=self.payload.depth,
                via=(*self.payload.via, f"python {via}"),
                options=options,
            )
            self.payloads[made] = None

    def note(self, what: str) -> None:
        """Record something that could not be read."""
        self.unread[what] = None

    def unreads(self) -> tuple[Unread, ...]:
        """What could not be read."""
        return tuple(Unread(what=what, span=self.payload.span, via=self.payload.via) for what in self.unread)


def join(one: Store, other: Store) -> Store:
    """What holds after either of two ways."""
    merged = dict(one)
    for key, value in other.items():
        mine = merged.get(key, MISSING)
        if mine is value:
            continue
        merged[key] = value if mine is MISSING else choice((mine, value))
    return merged


def moved(before: Store, after: Store) -> list[Any]:
    """Keys that may hold something that they could not hold before."""
    found = []
    for key, value in after.items():
        old = before.get(key, MISSING)
        if old is not MISSING and old is not value and not _covers(before, old, after, value, 4):
            found.append(key)
    return found


def _covers(before: Store, old: Any, after: Store, new: Any, depth: int) -> bool:
    return all(any(_covers_one(before, one, after, option, depth) for one in each(old)) for option in each(new))


def _covers_one(before: Store, old: Any, after: Store, new: Any, depth: int) -> bool:
    if depth == 0 or same(old, new):
        return True
    if isinstance(old, Unknown) and not old.origin:
        new = owner(new)
        return isinstance(new, PLAIN) or (isinstance(new, Ref) and _data(after, new, depth))
    if isinstance(old, str) and old == HOLE:
        return isinstance(new, str)
    if isinstance(old, PathValue) and old.text == HOLE:
        return isinstance(new, PathValue)
    if isinstance(old, Ref) and isinstance(new, Ref) and old.kind == new.kind:
        return old.kind == "object" or _covers(
            before, before.get(old, UNKNOWN), after, after.get(new, UNKNOWN), depth - 1
        )
    if isinstance(old, Seq) and isinstance(new, Seq):
        if not old.open and (new.open or len(old.items) != len(new.items)):
            return False
        return all(any(_covers(before, item, after, other, depth - 1) for item in old.items) for other in new.items)
    if isinstance(old, Table) and isinstance(new, Table):
        values = [item for _, item in old.items] + ([UNKNOWN] if old.open else [])
        return all(any(_covers(before, item, after, other, depth - 1) for item in values) for _, other in new.items)
    if isinstance(old, Made) and isinstance(new, Made):
        return old.kind == new.kind
    return isinstance(old, Function) and isinstance(new, Function) and old.node is new.node


def _data(store: Store, ref: Ref, depth: int) -> bool:
    content = store.get(ref, UNKNOWN)
    items = content.items if isinstance(content, Seq) else tuple(item for _, item in getattr(content, "items", ()))
    return ref.kind != "object" and all(
        isinstance(item, PLAIN) or (isinstance(item, Ref) and depth > 0 and _data(store, item, depth - 1))
        for item in items
    )


def widen(value: Any, *, strongly: bool = False) -> Any:
    """What a value may have become after any number of turns; what it was stays possible, unless strongly."""
    if strongly:
        return choice([UNKNOWN, *(wider for option in each(value) for wider in _dissolved(option))])
    return choice([wider for option in each(value) for wider in _widened(option)])


def _dissolved(value: Any) -> tuple[Any, ...]:
    if isinstance(value, Seq):
        kept = tuple(option for item in value.items for option in each(item) if not isinstance(option, PLAIN))
        return (Seq((choice((*kept, UNKNOWN)),), open=True),)
    if isinstance(value, Table):
        kept = tuple(option for _, item in value.items for option in each(item) if not isinstance(option, PLAIN))
        return (Table(((UNKNOWN, choice((*kept, UNKNOWN))),), open=True),)
    return () if isinstance(owner(value), PLAIN) else (value,)


def _widened(value: Any) -> tuple[Any, ...]:
    if isinstance(value, Seq):
        return (Seq((*value.items[:8], UNKNOWN), open=True),)
    if isinstance(value, Table):
        return (Table(value.items, open=True),)
    if isinstance(value, str):
        return (value, HOLE)
    if isinstance(value, PathValue):
        return (value, PathValue(HOLE))
    return (UNKNOWN,) if isinstance(owner(value), PLAIN) else (value, UNKNOWN)


def quoted(words: list[str]) -> str:
    """Words as one shell command."""
    return " ".join(word if word == HOLE else WILD.join(map(_quoted, word.split(WILD))) or "''" for word in words)


def _quoted(part: str) -> str:
    return shlex.quote(part) if part else part


def nodes(tree: ast.AST, cap: int) -> int:
    """How many nodes a tree has, counted up to a cap."""
    count, queue = 0, [tree]
    while queue and count <= cap:
        queue.extend(ast.iter_child_nodes(queue.pop()))
        count += 1
    return count
