"""What one reading of a script holds: its tokens, what its variables may be, and what was found so far."""

from typing import Any

from checkrail.context import Surroundings
from checkrail.knowledge.code import Call, Knowledge, load
from checkrail.model import HOLE, Action, Axes, Decision, Effect, Payload, Target, TargetKind, Unread
from checkrail.readers.code_words import matched
from checkrail.readers.locate import WILD, locate
from checkrail.readers.script.lexer import Token

STEPS = 60_000
WAYS = 8
"""How many alternatives a value may have."""


class Exhausted(Exception):
    """The script is too large or too deep to follow."""


class State:
    """Mutable on purpose. ``assigned`` maps a variable to every run of tokens that it is given anywhere."""

    def __init__(self, payload: Payload, around: Surroundings) -> None:
        self.payload = payload
        self.around = around
        self.language = payload.language
        self.knowledge: Knowledge = load("scripts", payload.language)
        self.assigned: dict[str, list[list[Token]]] = {}
        self.elements: dict[str, list[list[Token]]] = {}
        self.imported: dict[str, str] = {}
        self.modules: set[str] = set()
        self.looking: set[str] = set()
        self.known: dict[str, list[Any]] = {}
        self.steps = STEPS
        self.streams = False  # whether a file is piped into something
        self.depth = 0
        self.effects: dict[Effect, None] = {}
        self.payloads: dict[Payload, None] = {}
        self.unread: dict[str, None] = {}
        self.opaque: dict[str, None] = {}

    def tick(self, count: int = 1) -> None:
        """Spend budget; raises :class:`Exhausted`."""
        self.steps -= count
        if self.steps < 0 or self.depth > 30:
            raise Exhausted

    def effect(
        self, action: Action, kind: TargetKind, value: str, entry: Call, *,
        suffix: str = "", content: str | None = None, axes: Axes | None = None, decision: Decision | None = None, recursive: bool = False,
    ) -> None:  # fmt: skip
        """Record one effect of a described call."""
        made = Effect(
            action=action,
            target=Target(kind, matched(value, action), self.payload.host),
            rule=entry.rule + suffix,
            axes=axes or entry.axes,
            decision=decision or entry.decision,
            reason=entry.reason,
            safer=entry.safer,
            command=self.language,
            recursive=recursive or entry.recursive,
            span=self.payload.span,
            content=content,
            via=self.payload.via,
        )
        self.effects[made] = None
        if len(self.effects) > 400:
            raise Exhausted

    def path(self, action: Action, text: str, entry: Call, *, suffix: str = "", content: str | None = None) -> None:
        """Record what a call does to a path."""
        self.effect(action, TargetKind.PATH, locate(text, self.payload.cwd), entry, suffix=suffix, content=content)

    def nested(self, language: str, text: str, via: str, options: tuple[tuple[str, str], ...] = ()) -> None:
        """Record a text that another reader reads."""
        payload = self.payload
        made = Payload(
            language=language, text=text.replace(WILD, "*"), cwd=payload.cwd, variables=payload.variables, span=payload.span, host=payload.host,
            depth=payload.depth, via=(*payload.via, f"{self.language} {via}"), options=options,
        )  # fmt: skip
        self.payloads[made] = None
        if len(self.payloads) > 400:
            raise Exhausted

    def unreads(self) -> tuple[Unread, ...]:
        """What could not be read."""
        return tuple(Unread(what=what, span=self.payload.span, via=self.payload.via) for what in self.unread)

    def variable(self, name: str) -> str | None:
        """What the environment of the program is known to hold."""
        if name == "HOME":
            return self.around.home
        return dict(self.payload.variables).get(name)


def known(text: str) -> bool:
    """Whether a text has no unknown part."""
    return HOLE not in text
