"""Assignments that change what the next program does: judged by variable and value, from data."""

import fnmatch
import functools
import re
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from checkrail.model import HOLE, Action, Axes, Effect, Reversibility, Scope, Span, Target, TargetKind
from checkrail.readers.shell import addresses, installs
from checkrail.readers.shell.state import Value

if TYPE_CHECKING:
    from checkrail.readers.shell.evaluate import Evaluator


class Variable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Variables by name or glob. ``kind``: ``command`` (the value is a command line that will run), ``runs``
    (the same, of tools that every project chooses for itself: only what is known of them counts), ``path`` (a list of
    folders or files that code is loaded from), ``always`` (asks whatever the value), ``options`` (asks where the value
    holds one of ``words``), ``values`` (asks where one of ``words`` is a glob of the whole value), ``address`` (packages come from there: the fetch gate judges the host), ``git`` (a setting by name and value, see ``git -c``). ``free`` are globs of harmless values."""

    names: tuple[str, ...]
    kind: Literal["command", "runs", "path", "always", "options", "values", "address", "git"]
    reason: str
    words: tuple[str, ...] = ()
    free: tuple[str, ...] = ()
    hits: tuple[str, ...] = ()
    misses: tuple[str, ...] = ()


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    variable: tuple[Variable, ...]
    inert: tuple[str, ...]


@functools.cache
def _file() -> _File:
    path = Path(__file__).parents[2] / "knowledge" / "environment.toml"
    return msgspec.convert(tomllib.loads(path.read_text()), _File)


@functools.cache
def table() -> tuple[dict[str, Variable], tuple[tuple[str, Variable], ...]]:
    """Variables by exact name, and by glob."""
    held = _file().variable
    exact = {name: variable for variable in held for name in variable.names if "*" not in name}
    globs = tuple((name, variable) for variable in held for name in variable.names if "*" in name)
    return exact, globs


def described(name: str) -> Variable | None:
    """What is known of a variable."""
    exact, globs = table()
    return exact.get(name) or next((held for glob, held in globs if fnmatch.fnmatchcase(name, glob)), None)


def note(given: dict[str, Value], run: "Evaluator", span: Span, command: str) -> None:
    """Note what assignments do to the command that follows them (or, exported, to all later ones)."""
    for name, value in given.items():
        if name == "HOME" and command.rpartition("/")[2] in _agents():
            _effect(run, name, OTHER_SETTINGS, span, command)
        variable = described(name)
        if run.state.privileged and not _inert(name):
            _effect(run, name, WITH_RIGHTS, span, command)
        if name in PROMPTS:
            run.prompt(value.text, span)
        if variable is None or any(fnmatch.fnmatchcase(value.text, glob) for glob in variable.free):
            continue
        if variable.kind == "runs":
            told = " -c :" if name.endswith("SHELL") else ""  # a shell is given the lines that it runs
            run.shell(value.text + told, span, f"{name}=")
            if any(_loose(folder, run) for folder in _folder_of(value.text)):
                _effect(run, name, variable, span, command)
        elif variable.kind == "git":
            _git_setting(name, value, given, run, span, command)
        elif variable.kind == "command":
            run.shell(value.text, span, f"{name}=")
            first = value.text.split(" ", 1)[0]
            from checkrail.readers.shell import builtins, invoke

            program = invoke.plain_name(first) if "/" in first else first
            known = program is not None and (invoke.known(program) is not None or program in builtins.BUILTINS)
            if value.text and not known:
                _effect(run, name, variable, span, command)
        elif variable.kind == "address":
            for text in filter(
                None, (addresses.of(part) for part in re.split(r"[\s,|]+", value.text)[:MOST_ADDRESSES])
            ):
                run.hand_on("url", text, span, f"{name}=", options=installs.MARK)
        elif variable.kind == "always" or _matches(variable, name, value, run):
            _effect(run, name, variable, span, command)


HISTORY = frozenset(("HISTFILE", "HISTSIZE", "HISTFILESIZE", "HISTCONTROL", "HISTIGNORE", "SAVEHIST"))
"""Variables that tell a shell what to remember: it reads them itself, exported or not."""


def unset(name: str, run: "Evaluator", span: Span) -> None:
    """Note that a variable is taken away."""
    if name in HISTORY:
        note({name: Value("")}, run, span, "later commands")


def _git_setting(name: str, value: Value, given: dict[str, Value], run: "Evaluator", span: Span, command: str) -> None:
    """``GIT_CONFIG_KEY_0=core.pager GIT_CONFIG_VALUE_0=less`` is ``git -c core.pager=less``."""
    number = name.rpartition("_")[2]
    held = {**run.state.exported, **given}
    setting = held.get(f"GIT_CONFIG_VALUE_{number}")
    if name.startswith("GIT_CONFIG_KEY_") and setting is not None and value.known and setting.known:
        run.hand_on("git-config", f"{value.text}={setting.text}", span, f"{name}=")
    elif name.startswith("GIT_CONFIG_KEY_"):
        _effect(run, name, described(name) or OTHER_SETTINGS, span, command)


def _folder_of(text: str) -> tuple[str, ...]:
    """The folder of the program that a value starts, where it names one."""
    folder, slash, _ = text.split(" ", 1)[0].rpartition("/")
    return (folder,) if slash and folder else ()


MOST_ADDRESSES = 10
"""Addresses of one variable that are looked at."""

PROMPTS = frozenset(("PS0", "PS1", "PS2", "PS4"))
"""What the shell prints by itself, expanded each time."""

WITH_RIGHTS = Variable(
    names=("*",), kind="always", reason="changes the environment of a program that runs with another user's rights"
)


OTHER_SETTINGS = Variable(
    names=("HOME",), kind="always", reason="starts an agent with another home: the guards of this one may not be there"
)


@functools.cache
def _agents() -> frozenset[str]:
    from checkrail.knowledge.commands import commands

    entry = commands().get("claude")
    return frozenset(entry.names if entry is not None else ())


def _inert(name: str) -> bool:
    return any(fnmatch.fnmatchcase(name, glob) for glob in _file().inert)


def _matches(variable: Variable, name: str, value: Value, run: "Evaluator") -> bool:
    if variable.kind == "options":
        return any(word in value.text for word in variable.words)
    if variable.kind == "values":
        return any(fnmatch.fnmatchcase(value.text, word) for word in variable.words)
    before = run.around.host.variable(name) or ""
    known = {*before.split(":"), f"${name}"}
    return any(_loose(part, run) for part in value.text.split(":") if part not in known)


def _loose(folder: str, run: "Evaluator") -> bool:
    """Whether others could put code there, or nobody can tell what is there."""
    if folder in ("", HOLE):
        return False
    if folder.startswith(("/tmp", "/var/tmp", "/private/tmp", "/dev/shm")):
        return True
    return folder == "." and run.around.cwd != run.around.workspace


def _effect(run: "Evaluator", name: str, variable: Variable, span: Span, command: str) -> None:
    run.effect(
        Effect(
            action=Action.CONFIGURE,
            target=Target(TargetKind.CODE, name, run.state.host),
            rule=f"environment.{name.lower()}",
            axes=Axes(Reversibility.HARD, Scope.LOCAL),
            reason=f"{name}: {variable.reason}",
            span=span,
            command=command,
            via=run.payload.via,
        )
    )
