"""Redirections: what a command reads its input from and where its output goes."""

import posixpath
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import msgspec

from checkrail.facts.hosts import is_local
from checkrail.model import HOLE, Action, Axes, Effect, Reversibility, Scope, Span, Target, TargetKind
from checkrail.readers.shell import filling, words
from checkrail.readers.shell.filling import SOURCES as ENDLESS_FILES
from checkrail.readers.shell.grammar import tree
from checkrail.readers.shell.state import ENDLESS, FILE, INPUT, NO_TAGS, NOTHING, SECRET, UNKNOWN, Value

if TYPE_CHECKING:
    from checkrail.readers.shell.evaluate import Evaluator

INERT = frozenset(
    (
        "/dev/null",
        "/dev/stdout",
        "/dev/stderr",
        "/dev/stdin",
        "/dev/tty",
        "/dev/zero",
        "/dev/full",
        "/dev/fd/1",
        "/dev/fd/2",
    )
)
"""Paths that writing to changes nothing."""


STANDARD_INPUT = frozenset(("/dev/stdin", "/dev/fd/0", "/proc/self/fd/0", "/proc/thread-self/fd/0"))
"""Paths by which a command names its own standard input."""

DESCRIPTORS = ("/dev/fd/", "/proc/self/fd/", "/proc/thread-self/fd/")
"""Folders whose files are what a command has open."""

TERMINAL = Value(HOLE, frozenset((INPUT,)))
"""What somebody types."""


def is_standard_input(path: str, run: "Evaluator") -> bool:
    """Whether a path, or ``-``, names the standard input."""
    return path == "-" or ("/" in path and resolve(path, run) in STANDARD_INPUT)


def descriptor(number: int | str, run: "Evaluator") -> Value:
    """What reading an open descriptor gives."""
    return run.state.files.get(f"/dev/fd/{number}", TERMINAL)


class Streams(msgspec.Struct):
    """Where a command's standard output goes; ``sinks`` are (path, appends, span)."""

    run: "Evaluator"
    sinks: list[tuple[str, bool, Span]]
    captured: bool = True
    errors: list[tuple[str, bool, Span]] = []
    joined: bool = False
    mark: int = 0

    def written(self, output: Value) -> Value:
        """Note the writes of ``output``; what is left for a pipe or a substitution."""
        said = self.run.errors[self.mark :]
        if said and (self.joined or self.errors):
            del self.run.errors[self.mark :]
            said = [Value("".join(value.text for value in said), NO_TAGS.union(*(value.tags for value in said)))]
            for path, _, span in self.errors:
                note_write(self.run, path, said[0], appends=True, span=span)
        if said and self.joined:
            output = Value(output.text + said[0].text, output.tags | said[0].tags)
        for path, appends, span in self.sinks:
            note_write(self.run, path, output, appends=appends, span=span)
        if not self.captured and not self.sinks and output.text:
            self.run.errors.append(output)
        return output if self.captured else NOTHING


LINK_CAP = 8
"""Links through links that are followed."""


def resolve(path: str, run: "Evaluator") -> str:
    """A path as the command at hand would see it: absolute and lexically normal, or starting with a HOLE.

    Links that this program made are followed, since nothing on disk shows them yet.
    """
    where = _normal(path, run)
    return _through(where, run.state.links) if run.state.links else where


def _normal(path: str, run: "Evaluator") -> str:
    if path.startswith("/"):
        return posixpath.normpath(path).replace("//", "/") if "/." in path or "//" in path or path[-1] == "/" else path
    cwd = run.state.cwd[0]
    if path.startswith(HOLE):
        return path
    return posixpath.normpath(f"{cwd.rstrip('/')}/{path}") if path else cwd


def _through(where: str, links: dict[str, str], *, whole: bool = True) -> str:
    """``where`` with the links in it replaced by what they point to; ``whole`` also where all of it is a link."""
    for _ in range(LINK_CAP):
        for link, goal in links.items():
            if (whole and where == link) or where.startswith(f"{link}/"):
                where = posixpath.normpath(goal.rstrip("/") + where[len(link) :] or "/")
                break
        else:
            break
    return where


def spelled(path: str, run: "Evaluator", *, removes: bool = False) -> str:
    """A path for the facts to look at: ``..`` and a slash at the end matter where links do, so they stay.

    ``removes``: a link in the last place is meant itself.
    """
    if run.state.links:
        where = _through(_normal(path, run), run.state.links, whole=not removes or path.endswith("/"))
        return where + "/" if path.endswith("/") and where != "/" else where
    if ".." not in path and path[-1:] != "/":
        return resolve(path, run)
    return path if path.startswith(("/", HOLE)) else f"{run.state.cwd[0]}/{path}"


def note_write(
    run: "Evaluator", path: str, output: Value, *, appends: bool, span: Span, rule: str = "shell.redirect"
) -> None:
    """Note that the program writes ``output`` to a path (as written in the program)."""
    if path in INERT:
        return
    where = resolve(path, run)
    if where in INERT or where.startswith("/dev/fd/"):
        return
    if where.startswith(("/dev/tcp/", "/dev/udp/")):
        network(run, where, span)
        return
    before = run.state.files.get(where, NOTHING)
    held = Value(
        (before.text if appends else "") + output.text, output.tags | (before.tags if appends else frozenset())
    )
    if run.around.host.lstat(where) is None or where in run.state.made:
        run.state.made[where] = None
    run.state.files[where] = held
    filling.note(run, where, output, span)
    run.effect(
        Effect(
            action=Action.APPEND if appends else Action.WRITE,
            target=Target(TargetKind.PATH, spelled(path, run), run.state.host),
            rule=rule,
            span=span,
            content=output.text if len(output.text) <= 100_000 else None,
            via=run.payload.via,
        )
    )


_PROBE = re.compile(r"/dev/tcp/(?:localhost|127\.0\.0\.1|::1)/\d{1,5}")
"""Reading from a port of this machine, which asks whether anything listens there."""


def network(run: "Evaluator", path: str, span: Span) -> None:
    """``/dev/tcp/host/port``: bash opens a connection. One to this machine leaves nothing."""
    host = path.split("/")[3] if path.count("/") > 2 else HOLE
    near = is_local(host)
    run.effect(
        Effect(
            action=Action.SEND,
            target=Target(TargetKind.HOST, host, run.state.host),
            rule="shell.dev-tcp",
            axes=None if near else Axes(Reversibility.IRREVERSIBLE, Scope.EXTERNAL),
            reason=f"opens a network connection through {path}",
            span=span,
            via=run.payload.via,
        )
    )


def content(path: str, run: "Evaluator", span: Span) -> Value:
    """What reading a path gives: what this program wrote there, else unknown; a secret where its name says so."""
    where = resolve(path, run)
    if where in STANDARD_INPUT:
        return run.stdin
    if where == "/dev/tty":
        return TERMINAL
    if where in run.state.files:
        held = run.state.files[where]
        if SECRET in held.tags and secret_path(where, run):
            note_read(run, where, span, "shell.read")
        return held
    if where.startswith(DESCRIPTORS):
        return descriptor(where.rpartition("/")[2], run)
    if where.startswith(("/dev/tcp/", "/dev/udp/")):
        if not _PROBE.fullmatch(where):
            network(run, where, span)
        return UNKNOWN
    if where in ("/dev/tty", "/dev/console") or where.startswith("/dev/pts/"):
        return Value(HOLE, frozenset((INPUT,)))
    if where in ENDLESS_FILES:
        return Value(HOLE, frozenset((ENDLESS,)))
    if where in INERT:
        return NOTHING
    note_read(run, where, span, "shell.read")
    return held_by(where, run)


def held_by(where: str, run: "Evaluator") -> Value:
    """What a file that this program did not write holds: unknown, with where it comes from as a tag."""
    tags = {FILE + (f"{run.state.host}:{where}" if run.state.host else where)}  # where it is read, not where it is used
    if secret_path(where, run):
        tags.add(SECRET)
    return Value(HOLE, frozenset(tags))


def note_read(run: "Evaluator", where: str, span: Span, rule: str, command: str = "") -> None:
    """Note that the content of a resolved path is read."""
    run.effect(
        Effect(
            action=Action.READ,
            target=Target(TargetKind.PATH, where, run.state.host),
            rule=rule,
            span=span,
            command=command,
            via=run.payload.via,
        )
    )


def secret_path(where: str, run: "Evaluator") -> bool:
    """Whether a path names a place of credentials."""
    from checkrail.facts.paths import describe  # loads its tables on first use

    return not run.state.host and "credentials" in describe(where, run.around).classes


@contextmanager
def applied(nodes: tuple[tree.Redirect, ...], run: "Evaluator", *, stays: bool = False) -> Iterator[Streams]:
    """Standard input set for the time of the command, or from now on (``exec``); its output is handed to ``written``."""
    kept = run.stdin
    streams = Streams(run, [], mark=len(run.errors))
    for node in nodes:
        _apply(node, run, streams)
    outer, run.hidden = run.hidden, _hides(streams, run)
    try:
        yield streams
    finally:
        run.hidden = outer
        if not stays:
            run.stdin = kept


def _hides(streams: Streams, run: "Evaluator") -> bool:
    """Whether all that a command prints goes into files for keys, where reading it asks again."""
    if streams.captured or not streams.sinks:
        return False
    places = (resolve(path, run) for path, _, _ in streams.sinks)
    return all(place.endswith((".key", ".pem")) and secret_path(place, run) for place in places)


def _take(value: Value, number: int | str | None, run: "Evaluator") -> None:
    """Let a descriptor, the standard input where none is named, give this value."""
    if number in (None, 0):
        run.stdin = value
    else:
        run.state.files[f"/dev/fd/{number}"] = value


def _apply(node: tree.Redirect, run: "Evaluator", streams: Streams) -> None:
    op, number = node.op, node.fd
    if node.heredoc is not None:
        _take(words.value(node.heredoc.word, run, tildes=False), number, run)
        return
    if node.target is None:
        return
    target = words.value(node.target, run)
    if op == "<<<":
        _take(Value(target.text + "\n", target.tags), number, run)
        return
    if op in ("<", "<>"):
        found = content(target.text, run, node.span)
        if op == "<>":
            note_write(run, target.text, UNKNOWN, appends=True, span=node.span)
        _take(found, number, run)
        return
    if op in ("<&", ">&") and (target.text.rstrip("-").isdigit() or target.text in ("-", "")):
        source = target.text.rstrip("-")
        if op == ">&":
            _joins(number, source, node.span, streams)
        if op == "<&" and source.isdigit() and source != "0":
            _take(TERMINAL if source in ("1", "2") else descriptor(source, run), number, run)
        return
    standard = number in (None, 1) or op in ("&>", "&>>")
    if standard:
        streams.sinks.append((target.text, op in (">>", "&>>"), node.span))
        streams.captured = False
    else:
        note_write(run, target.text, Value("" if op != ">>" else HOLE), appends=op == ">>", span=node.span)
        if number == 2:
            streams.errors.append((target.text, True, node.span))
        elif isinstance(number, str):
            run.state.variables[number] = (Value(str(10 + len(run.state.opened))),)
            run.state.opened[str(10 + len(run.state.opened))] = target.text
        else:
            run.state.opened[str(number)] = target.text


def _joins(number: int | str | None, source: str, span: Span, streams: Streams) -> None:
    """``>&2``, ``2>&1``, ``>&6``: a stream goes where another one goes."""
    standard = number in (None, 1)
    where = streams.run.state.opened.get(source)
    if standard and (source == "2" or where is not None):
        streams.captured = False
    if where is not None and standard:
        streams.sinks.append((where, True, span))
    elif where is not None and number == 2:
        streams.errors.append((where, True, span))
    elif number == 2 and source == "1":
        streams.joined = True
