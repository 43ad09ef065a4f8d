"""Follows a shell program's tree as bash would, without running anything.

What differs between ways through the program becomes alternatives. What is found is gathered in :class:`Found`.
"""

import functools
import itertools

import msgspec

from checkrail.context import Surroundings
from checkrail.model import HOLE, NOWHERE, Action, Effect, Payload, Span, Unread
from checkrail.readers.shell import (
    arithmetic,
    choices,
    compounds,
    frames,
    guards,
    invoke,
    keys,
    loops,
    merging,
    nested,
    redirects,
    traps,
)
from checkrail.readers.shell.grammar import tree
from checkrail.readers.shell.state import EITHER, INPUT, UNKNOWN, WAYS_CAP, WORKED, State, Value, one_of

STEP_CAP = 10_000
"""Commands that one program is judged with, all alternatives counted."""

VARIABLES_CAP = 1_000
"""Variables of one program that are followed."""

HANDED_CAP = 1_000
"""Texts in other languages that one program hands on, the same text again counted."""

TOO_MANY = "more nested texts than are read"


class Found(msgspec.Struct):
    """What a program would do, as it is found; ``opaque`` and the others keep their order."""

    effects: list[Effect] = []
    payloads: list[Payload] = []
    unread: list[Unread] = []
    opaque: list[str] = []
    commands: dict[str, None] = {}
    scripts: dict[str, None] = {}
    texts: dict[str, None] = {}


class Evaluator:
    """One program's evaluation. ``stdin`` is what the command at hand would read."""

    def __init__(self, payload: Payload, around: Surroundings, state: State) -> None:
        self.payload = payload
        self.around = around
        self.state = state
        self.found = Found()
        self.stdin: Value = Value(HOLE, frozenset((INPUT,)))
        self.text = payload.text
        self.traps: list[traps.Trap] = []
        self.frames: list[frames.Frame] = []
        self.loops: list[loops.Loop] = []
        self.steps = self.depth = self.texts = self.characters = self.wrapped = 0
        self.crowded = False
        self.hidden = False  # what the command at hand prints goes into files for keys
        self.captured = 0  # how many substitutions take what the command at hand prints
        self.masked = False  # what the command at hand prints goes into a filter that shows only names
        self.worked = any(name == WORKED for name, _ in payload.options)
        self.choices: choices.Choices | None = None
        self.errors: list[Value] = []

    # What stands inside words ----------------------------------------------------------

    def substitute(self, node: tree.CommandSub) -> Value:
        """See :class:`words.Substitutes`."""
        self.captured += 1
        output = self.aside(node.body)
        self.captured -= 1
        if output.ways and EITHER not in output.tags:
            output = self.choose(merging.meant(output))
        tags = output.tags if output.known or output.tags else frozenset((WORKED,))
        return Value(output.text.rstrip("\n"), tags)

    def choose(self, options: tuple[Value, ...]) -> Value:
        """See :class:`words.Substitutes`. Outside of commands all of a text is meant, one after the other."""
        if len(options) == 1 or self.choices is None:
            return Value("\n".join(option.text for option in options if option.text), options[0].tags)
        return self.choices.pick(options)

    def process(self, node: tree.ProcessSub) -> Value:
        """See :class:`words.Substitutes`. What ``<( )`` prints is what its path holds."""
        path = f"/dev/fd/{63 - len(self.state.files) % 40}"
        if node.direction == "<":
            self.state.files[path] = self.aside(node.body)
        else:
            self.aside(node.body)
        return Value(path)

    def arithmetic(self, word: tree.Word, *, subscript: bool = False) -> Value:
        """See :class:`words.Substitutes`."""
        return arithmetic.expanded(word, self, subscript=subscript)

    def number(self, text: str, span: Span) -> None:
        """See :class:`words.Substitutes`."""
        arithmetic.runs(text, self, span)

    def prompt(self, text: str, span: Span) -> None:
        """See :class:`words.Substitutes`."""
        if "$(" in text or "`" in text or "${" in text:
            nested.here(f": <<__CHECKRAIL\n{text}\n__CHECKRAIL\n", self, span, "a value that is expanded again")

    def aside(self, script: tree.Script, stdin: Value | None = None) -> Value:
        """Evaluate in a subshell; its output."""
        outer, self.state = self.state, self.state.copy()
        kept, self.stdin = self.stdin, self.stdin if stdin is None else stdin
        try:
            return frames.apart(self, lambda: self.script(script))
        finally:
            outer.keep(self.state)
            self.state, self.stdin = outer, kept

    # Lists and pipelines ---------------------------------------------------------------

    def script(self, script: tree.Script) -> Value:
        """Evaluate a list; what it prints."""
        outputs: list[Value] = []
        items = script.items
        position = 0
        while position < len(items):
            end = position + 1
            while end < len(items) and items[end].op in ("&&", "||"):
                end += 1
            if self.state.dead:
                # After exit nothing runs, but a function or a trap may say otherwise: read on with what was known.
                self.state.dead = False
            outputs.append(self._chain(items[position:end]))
            position = end
        return merging.together(outputs)

    def _chain(self, items: tuple[tree.Item, ...]) -> Value:
        if items[-1].background or items[0].background:
            outer, self.state = self.state, self.state.copy()
            self.state.forked = True
            try:
                return frames.apart(self, lambda: merging.together([self.pipeline(item.pipeline) for item in items]))
            finally:
                outer.files = self.state.files
                self.state = outer
        if len(items) == 1:
            return self.pipeline(items[0].pipeline)
        outputs = [self.pipeline(items[0].pipeline)]
        failed = [self.state.copy()] if items[1].op == "&&" else []
        for at, item in enumerate(items[1:], 1):
            before = self.state.copy()
            self.state.absent = before.absent
            self.state.absent |= guards.missed(items, at, self)
            if item.op == "||":
                outputs = [merging.either([merging.together(outputs), self.pipeline(item.pipeline)])]
                if self.state.dead:  # cd x || exit: whoever reads on, the left side succeeded
                    self.state = before
                    self.state.before_cd = None
                    failed = []
                else:
                    self.state.merge(before)
            else:
                self.state.before_cd = None
                said = merging.together(outputs)
                outputs = [merging.either([merging.together([said, self.pipeline(item.pipeline)]), said])]
            self.state.absent = before.absent
        for state in failed:
            if self.state.dead or merging.differs(state, self.state):
                self.state.merge(state)
        return merging.looked_up(items, merging.together(outputs))

    def pipeline(self, pipeline: tree.Pipeline) -> Value:
        """Evaluate a pipeline; what its last command prints."""
        commands = pipeline.commands
        if len(commands) == 1:
            return self.command(commands[0])
        outer, kept = self.state, self.stdin
        flowing = self.stdin
        try:
            for index, command in enumerate(commands):
                self.state = outer.copy()
                self.state.forked = True
                self.stdin = flowing
                following = commands[index + 1] if index + 1 < len(commands) else None
                self.masked = following is not None and index == 0 and keys.feeds(command, following, self)
                flowing = frames.apart(self, functools.partial(self.command, command))
                self.masked = False
                outer.keep(self.state)
                outer.variables = merging.changed(outer.variables, self.state.variables)
        finally:
            self.state, self.stdin, self.masked = outer, kept, False
        return flowing

    # Commands --------------------------------------------------------------------------

    def command(self, node: tree.AnyCommand) -> Value:
        """Evaluate one command of any kind; what it prints."""
        self.steps += 1
        if self.steps > STEP_CAP:
            if self.steps == STEP_CAP + 1:
                self.unread("more commands than are read", node.span)
            return UNKNOWN
        if type(node) is tree.Simple:
            return self.simple(node)
        if node.redirects:
            return choices.each(node, self, self._redirected)
        return compounds.compound(node, self)

    def _redirected(self, node: tree.AnyCommand) -> Value:
        with redirects.applied(node.redirects, self) as streams:
            return streams.written(compounds.compound(node, self))

    def simple(self, node: tree.Simple) -> Value:
        """Evaluate a simple command once for each combination of the alternative values that it names."""
        output = choices.each(node, self, self._simple)
        if self.traps:
            traps.between(self, node)
        return output

    def _simple(self, node: tree.Simple) -> Value:
        state = self.state
        several = self.several_valued() if merging.names_variables(node) else []
        if not several and len(state.cwd) == 1:
            return invoke.simple(node, self)
        used = merging.used(node, several)
        combined = itertools.product(*(state.variables[name] for name in used))
        ways = list(itertools.islice(itertools.product(state.cwd, combined), WAYS_CAP))
        total = len(state.cwd)
        for name in used:
            total *= len(state.variables[name])
        if total > WAYS_CAP:
            ways.append((HOLE, tuple(one_of(state.variables[name]) for name in used)))
        outputs, ends = [], []
        for cwd, values in ways:
            self.state = state.copy()
            self.state.cwd = (cwd,)
            for name, value in zip(used, values, strict=True):
                self.state.variables[name] = (value,)
            outputs.append(invoke.simple(node, self))
            for name, value in zip(used, values, strict=True):
                if self.state.variables.get(name) == (value,):
                    self.state.variables[name] = state.variables[name]
            ends.append(self.state)
        self.state = state
        state.become(*ends)
        return merging.alternatives(outputs)

    def several_valued(self) -> list[str]:
        """Names of the variables that have more than one value. Looked through at each command, so their number is capped."""
        variables = self.state.variables
        if len(variables) > VARIABLES_CAP:
            if not self.crowded:
                self.unread("more variables than are followed")
            self.crowded = True
            return []
        return [name for name, held in variables.items() if len(held) > 1]

    # What was found --------------------------------------------------------------------

    def effect(self, effect: Effect) -> None:
        """Note an effect."""
        if effect.action is Action.WRITE and effect.target.value in self.state.absent and not effect.target.host:
            effect = msgspec.structs.replace(effect, action=Action.CREATE)
        self.found.effects.append(effect)

    def unread(self, what: str, span: Span = NOWHERE) -> None:
        """Note something that could not be read."""
        self.found.unread.append(Unread(what=what, span=span, via=self.payload.via))

    def unread_once(self, what: str, span: Span) -> None:
        """Note it where it has not been noted."""
        if not any(told.what == what for told in self.found.unread):
            self.unread(what, span)

    def opaque(self, what: str) -> None:
        """Note something that runs and is not judged."""
        if what not in self.found.opaque:
            self.found.opaque.append(what)

    def shell(self, text: str, span: Span, how: str, *, host: str | None = None) -> Value:
        """Evaluate a text that a shell of its own would run; what it prints. One on another host is handed on."""
        if host is None or host == self.state.host:
            return nested.child(text, self, span, how)
        self.hand_on("shell", text, span, how, host=host)
        return UNKNOWN

    def hand_on(
        self,
        language: str,
        text: str,
        span: Span,
        how: str,
        *,
        host: str | None = None,
        options: tuple[tuple[str, str], ...] = (),
        cwd: str | None = "",
    ) -> None:
        """Hand on a text in another language, with the variables and the folder known here."""
        where = self.state.host if host is None else host
        if len(self.found.payloads) >= HANDED_CAP:
            self.unread_once(TOO_MANY, span)
            return
        here = self.state.cwd[0] if len(self.state.cwd) == 1 and self.state.cwd[0] != HOLE else None
        held = self.state.variables
        names = tuple((name, value[0].text) for name, value in held.items() if len(value) == 1 and value[0].known)
        self.found.payloads.append(
            Payload(
                language=language,
                text=text,
                cwd=(here if cwd == "" else cwd) if where == self.state.host else None,
                variables=names if where == self.state.host else (),
                span=span,
                host=where,
                depth=self.payload.depth + 1,
                via=(*self.payload.via, how),
                options=options,
            )
        )
