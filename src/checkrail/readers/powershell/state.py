"""What one reading of a PowerShell or cmd text holds: variables, folder, and what was found so far."""

import shlex

from checkrail.context import Surroundings
from checkrail.knowledge.code import Cmdlet
from checkrail.model import (
    HOLE,
    Action,
    Axes,
    Decision,
    Effect,
    Payload,
    Reversibility,
    Scope,
    Target,
    TargetKind,
    Trust,
    Unread,
)
from checkrail.readers.powershell import paths

STEPS = 4_000
IRREVERSIBLE = Axes(Reversibility.IRREVERSIBLE)
HARD = Axes(Reversibility.HARD)
REMOTE = Axes(Reversibility.IRREVERSIBLE, Scope.EXTERNAL, Trust.UNTRUSTED)


class Exhausted(Exception):
    """The text is too large or too deep to follow."""


class State:
    """Mutable on purpose: it follows one text. ``variables`` map names in lower case to texts."""

    def __init__(self, payload: Payload, around: Surroundings) -> None:
        self.payload = payload
        self.around = around
        self.cwd = payload.cwd
        self.variables: dict[str, str] = {name.lower(): value for name, value in payload.variables}
        self.remote: set[str] = set()  # variables that hold what came from elsewhere
        self.steps = STEPS
        self.depth = 0
        self.effects: dict[Effect, None] = {}
        self.payloads: dict[Payload, None] = {}
        self.unread: dict[str, None] = {}
        self.opaque: dict[str, None] = {}

    def tick(self) -> None:
        """Spend budget; raises :class:`Exhausted`."""
        self.steps -= 1
        if self.steps < 0 or self.depth > 24:
            raise Exhausted

    def effect(
        self, action: Action, kind: TargetKind, value: str, entry: Cmdlet, *,
        axes: Axes | None = None, decision: Decision | None = None, recursive: bool = False, content: str | None = None, rule: str = "",
    ) -> None:  # fmt: skip
        """Record one effect of a command."""
        made = Effect(
            action=action,
            target=Target(kind, value, self.payload.host),
            rule=rule or entry.rule,
            axes=axes or entry.axes,
            decision=decision or entry.decision,
            reason=entry.reason,
            safer=entry.safer,
            command=self.payload.language,
            recursive=recursive,
            span=self.payload.span,
            content=content,
            via=self.payload.via,
        )
        self.effects[made] = None

    def path(
        self,
        action: Action,
        text: str,
        entry: Cmdlet,
        *,
        recursive: bool = False,
        content: str | None = None,
        rule: str = "",
    ) -> None:
        """Record what a command does to a path. Windows's own paths are judged here: nothing else can."""
        where = paths.place(text, self.cwd, self.around.home)
        axes, decision = None, None
        if action in (Action.DELETE, Action.MODE, Action.WRITE) and not rule.endswith(".source"):
            if paths.catastrophic(text) and (recursive or action is Action.DELETE):
                decision = Decision.DENY
            elif paths.windows_only(text) or (recursive and action is Action.DELETE):
                axes = IRREVERSIBLE
        self.effect(
            action,
            TargetKind.PATH,
            where,
            entry,
            axes=axes,
            decision=decision,
            recursive=recursive,
            content=content,
            rule=rule,
        )

    def nested(self, language: str, text: str, via: str, options: tuple[tuple[str, str], ...] = ()) -> None:
        """Record a text that another reader reads."""
        payload = self.payload
        made = Payload(
            language=language, text=text, cwd=self.cwd, variables=payload.variables, span=payload.span, host=payload.host,
            depth=payload.depth, via=(*payload.via, f"{payload.language} {via}"), options=options,
        )  # fmt: skip
        self.payloads[made] = None

    def shell(self, words: list[str], via: str) -> None:
        """Record a program that is run with its arguments."""
        self.nested("shell", " ".join(word if word == HOLE else shlex.quote(word) for word in words), via)

    def unreads(self) -> tuple[Unread, ...]:
        """What could not be read."""
        return tuple(Unread(what=what, span=self.payload.span, via=self.payload.via) for what in self.unread)
