"""One command with its arguments, on its way to being judged."""

import re
from typing import TYPE_CHECKING

from checkrail.model import HOLE, Action, Axes, Decision, Effect, Span, Target, TargetKind
from checkrail.readers.shell import filling, redirects
from checkrail.readers.shell.options import Parsed
from checkrail.readers.shell.state import (
    DECODED,
    ENDLESS,
    EVERY_PROCESS,
    NO_TAGS,
    PART,
    REMOTE,
    SECRET,
    UNKNOWN,
    Field,
    Value,
)

if TYPE_CHECKING:
    from checkrail.knowledge.schema import Entry
    from checkrail.readers.shell.evaluate import Evaluator


WRAPPED_CAP = 40
"""Commands that run commands that run commands."""

WHOLE = frozenset(
    ("sort", "cat", "tac", "tee", "nl", "less", "more", "column", "rev", "base64", "xxd", "od", "gzip", "cut")
)
"""Filters that let everything through; any other narrows what it is given."""


_SECRET_WORDS = re.compile(r"pass(?:w|phrase|$)|secret|token|credential|api.?key|private|_key|auth", re.IGNORECASE)


def _narrowed(tags: frozenset[str], call: "Call") -> frozenset[str]:
    """Tags of what a filter lets through: no longer everything, but for columns that are cut out of every line."""
    if EVERY_PROCESS in tags and not _every_line(call):
        tags -= {EVERY_PROCESS}
    if ENDLESS in tags and not (call.name in _STREAMS or _takes_much(call)):
        tags -= {ENDLESS}
    whole = tags & {"environment", "history"}
    return tags - whole | {PART} if whole else tags


_CHOOSES = re.compile(r"/|==|!=|~|<|>|\bNR\b|\bif\b|\bindex\b|\bmatch\b")


def _every_line(call: "Call") -> bool:
    """Whether a filter passes something of every line on (``awk '{print $2}'``, ``tr``, ``sed s/…/…/``, ``grep -v``)."""
    texts = [field.text for field in call.arguments]
    if call.name in ("awk", "gawk", "mawk", "nawk"):
        return not any(_CHOOSES.search(text) for text in texts if "{" in text)
    if call.name in ("grep", "egrep", "fgrep", "rg"):
        return any(text in ("-v", "--invert-match") for text in texts)
    if call.name == "tail":
        return any(text.startswith("+") for text in texts)
    return call.name in ("tr", "sed", "xargs", "uniq") and "-n" not in texts


_STREAMS = frozenset(
    ("tr", "sed", "grep", "pv", "dd", "openssl", "zstd", "xz", "bzip2", "lz4", "fold", "buffer", "mbuffer")
)
"""Filters that go on as long as what they are given."""


def _takes_much(call: "Call") -> bool:
    """``head -c 9999G``."""
    given = call.parsed.value("-c", "--bytes")
    return given is not None and filling.size(given.text) > filling.LARGEST


class Call:
    """A command word, its arguments, its environment and what it reads and prints.

    ``output`` is set by whoever knows better than the entry's ``output`` word; ``name`` is the plain command name.
    """

    __slots__ = (
        "arguments",
        "entered",
        "environment",
        "name",
        "output",
        "parsed",
        "reads",
        "run",
        "sends",
        "span",
        "tags",
    )

    def __init__(
        self, name: str, arguments: tuple[Field, ...], run: "Evaluator", span: Span, environment: dict[str, Value]
    ) -> None:
        self.name = name
        self.arguments = arguments
        self.run = run
        self.span = span
        self.environment = environment
        self.output: Value | None = None
        self.parsed = Parsed()
        self.reads: list[Value] = []
        self.sends = False  # whether an option named a file whose content goes where the operands say
        self.tags: frozenset[str] = NO_TAGS
        self.entered: tuple[str, ...] | None = None

    @property
    def line(self) -> str:
        """The command as a person would read it, shortened."""
        text = " ".join((self.name, *(field.text for field in self.arguments)))
        return text if len(text) <= 200 else text[:197] + "…"

    def read(self, value: Value) -> None:
        """Note that the command takes in a value."""
        self.reads.append(value)

    def reads_path(self, where: str) -> None:
        """Note that the command takes in a file that this program did not write."""
        self.reads.append(redirects.held_by(where, self.run))

    def enter(self, folder: str) -> None:
        """Let the paths of this call be relative to another folder."""
        if self.entered is None:
            self.entered = self.run.state.cwd
        self.run.state.cwd = (folder,)

    def leave(self) -> None:
        """Undo :meth:`enter`."""
        if self.entered is not None:
            self.run.state.cwd = self.entered
            self.entered = None

    def assign(self, field: Field) -> None:
        """Take ``NAME=value`` into the environment of what this call runs."""
        name, equals, text = field.text.partition("=")
        if equals:
            self.environment[name] = Value(text, field.tags)

    def invoke(self, fields: tuple[Field, ...], *, host: str | None = None, stdin: Value | None = None) -> Value:
        """Judge a command line that this call runs; what it prints."""
        from checkrail.readers.shell import frames, invoke  # the two call each other: a wrapper runs a command

        run = self.run
        if run.wrapped >= WRAPPED_CAP:
            run.unread("more commands that run commands than are followed", self.span)
            return UNKNOWN
        kept_host, kept_stdin = run.state.host, run.stdin
        run.wrapped += 1
        if host is not None:
            run.state.host = host
        if stdin is not None:
            run.stdin = stdin
        try:
            with frames.hidden(fields[0].text, run):
                self.output = invoke.command(fields, self.environment, run, self.span)
            return self.output
        finally:
            run.wrapped -= 1
            run.state.host, run.stdin = kept_host, kept_stdin

    def script(self, language: str, field: Field) -> Value:
        """Judge a script file that this call runs; what it prints."""
        from checkrail.readers.shell import scripts

        return scripts.run_file(language, field, self)

    def effect(
        self,
        action: Action,
        kind: TargetKind,
        value: str,
        *,
        rule: str,
        axes: Axes | None = None,
        decision: Decision | None = None,
        reason: str = "",
        safer: str = "",
        recursive: bool = False,
        span: Span | None = None,
        content: str | None = None,
    ) -> None:
        """Note an effect of this call."""
        self.run.effect(
            Effect(
                action=action,
                target=Target(kind, value, self.run.state.host),
                rule=rule,
                axes=axes,
                decision=decision,
                reason=reason,
                safer=safer,
                command=self.name,
                recursive=recursive,
                span=span or self.span,
                content=content,
                via=self.run.payload.via,
            )
        )

    def path(self, field: Field) -> str:
        """An argument as an absolute path."""
        return redirects.resolve(field.text, self.run)

    def taken_in(self) -> Value:
        """What the command had as input: its files, else its standard input."""
        if not self.reads:
            return self.run.stdin
        tags = NO_TAGS.union(*(value.tags for value in self.reads))
        return Value("".join(value.text for value in self.reads)[:100_000], tags)

    def printed(self, entry: "Entry") -> Value:
        """What the command prints, by its entry's ``output``."""
        if self.output is not None:
            return self.output
        match entry.output:
            case "files":
                return self.taken_in()
            case "stdin":
                tags = self.taken_in().tags | self.run.stdin.tags
                return Value(HOLE, tags if self.name in WHOLE or self._after_secrets() else _narrowed(tags, self))
            case "remote":
                return Value(HOLE, frozenset((REMOTE,)))
            case "decoded":
                return Value(HOLE, self.taken_in().tags | {DECODED})
            case "secret":
                return Value(HOLE, frozenset((SECRET,)))
        return UNKNOWN

    def _after_secrets(self) -> bool:
        """Whether a filter looks for secrets by name."""
        return any(_SECRET_WORDS.search(field.text[:200]) for field in self.arguments[:20])

    def output_for(self, _where: str) -> Value:
        """What the command writes to a file that it is told to write."""
        return Value(HOLE, self.taken_in().tags | self.tags)
