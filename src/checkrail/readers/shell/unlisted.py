"""What arguments show by themselves where no knowledge says what a program does with them.

A program that nobody described has no opinion from here. But a shell that it is handed, a command line behind its name,
a text behind ``-c``, an output file in a system folder and a credential file are what they are, whatever it is called.
All of this can only make an answer stricter.
"""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

import msgspec

from checkrail.facts.paths import describe
from checkrail.model import Action, Axes, Reversibility, Scope, TargetKind
from checkrail.readers.shell import addresses, effects, flow
from checkrail.readers.shell.options import INERT, Parsed
from checkrail.readers.shell.state import ENDLESS, FILE, INPUT, NO_TAGS, Field, Value

if TYPE_CHECKING:
    from checkrail.readers.shell.call import Call

ARGUMENT_CAP = 200
"""Arguments of one program that are looked at."""

_SHELL = re.compile(r"(?:^|[\s'\"=,:;|&!({\[])(?:/usr)?/bin/(?:ba|da|z|k|a|c|tc|fi)?sh(?![\w./-])")

_NAMED = re.compile(r"(?:@|[a-z]+:(?://)?)?(/[^?]*)")

_CHANGERS = frozenset(("rm", "dd", "shred", "mkfs", "wipefs", "chmod", "chown", "sudo", "doas"))
STARTERS = _CHANGERS | frozenset(
    (
        *("sh", "bash", "dash", "zsh", "ksh", "su", "curl", "wget", "nc", "ncat", "env", "xargs", "find", "git"),
        *("python", "python3", "perl", "ruby", "node", "php"),
    )
)
"""Programs for which it is worth looking behind a wrapper that nobody described (``wrapit rm -rf x``)."""

_CODE = frozenset(
    (
        "-c",
        "-e",
        "-x",
        "--command",
        "--exec",
        "--execute",
        "--eval",
        "--cmd",
        "--run",
        "--run-command",
        "--shell-command",
        "--shell-cmd",
        "--script-shell",
        "--run_under",
        "--run-under",
        "--on-change",
        "--on-success",
        "--onSuccess",
        "--onFailure",
        "--before",
        "--after",
        "--pre",
        "--post",
        "--hook",
        "--ssh",
        "--rsh",
        "--pager",
        "--editor",
    )
)
_OUTPUT = frozenset(
    (
        "-o",
        "-O",
        "-w",
        "--output",
        "--out",
        "--outfile",
        "--output-file",
        "--write",
        "--log-file",
        "--logfile",
        "--save",
    )
)
_OWN_KEY = re.compile(r"-[ik]|--?[\w-]*(?:ident|key|cert|config|cred|secret|env|auth|token|pass|account)[\w-]*")
"""Options by which a program is told its own credentials: using a key is not showing it."""

RISKY = Axes(Reversibility.HARD, Scope.LOCAL)
GUESS = (("guess", ""),)
"""The option of a payload that may be no shell text at all: only what it would harm counts."""


def program(call: "Call") -> Value:
    """Judge a program without knowledge by its arguments; what it prints may be anything that it took in."""
    call.run.opaque(f"unknown program {call.name}")
    carried(call)
    _files(call)
    addresses.unlisted(call)
    flow.leaks(call)
    tags = NO_TAGS.union(
        call.run.stdin.tags, *(value.tags for value in call.reads), *(field.tags for field in call.arguments)
    )
    if any(tag.startswith(FILE) for tag in tags):
        tags |= {f"{FILE}(what {call.name} made of it)"}  # of two sources neither can be looked up as the text itself
    return Value(tags=tags - {INPUT, ENDLESS})


def carried(call: "Call", *, shells: bool = True) -> None:
    """Judge what the arguments carry: a shell, a command line, a text behind an option that takes code."""
    if shells:
        handed_shell(call)
    if not _wrapped(call):
        _texts(call)


def handed_shell(call: "Call") -> None:
    """A shell's path in an argument: the program may open it, for whoever types into it."""
    if any(_opens(call, index) for index in range(min(len(call.arguments), ARGUMENT_CAP))):
        call.effect(
            Action.EXECUTE,
            TargetKind.CODE,
            call.line,
            rule="flow.handed-shell",
            axes=RISKY,
            reason=f"hands a shell to {call.name}, which may leave it open for input that no check would see",
        )


def _opens(call: "Call", index: int) -> bool:
    text = call.arguments[index].text[:2000]
    found = _SHELL.search(text) if "sh" in text else None
    if found is None:
        return False
    following = call.arguments[index + 1].text if index + 1 < len(call.arguments) else ""
    return not (found.end() == len(text) and following.startswith("-c"))


def _wrapped(call: "Call") -> bool:
    """``wrapit rm -rf x``: the rest is judged as the command line that it most likely is."""
    before = ""
    for index, (field, following) in enumerate(pairwise(call.arguments[:20])):
        name = field.text.rpartition("/")[2]
        free = name in _CHANGERS or before == "--" or not before.startswith("-")
        if name in STARTERS and free and following.text.startswith(("-", "/", "~")):
            call.invoke(call.arguments[index:])
            return True
        before = field.text
    return False


def _after_options(call: "Call") -> Iterator[tuple[str, Field]]:
    """(option before it or none, argument) for every argument and attached value."""
    before = ""
    for field in call.arguments[:ARGUMENT_CAP]:
        text = field.text
        name, equals, _ = text.partition("=")
        if equals and text.startswith("-"):
            yield name, field.tail(len(name) + 1)
            before = ""
        elif text.startswith("-") and len(text) > 1:
            before = text
        else:
            yield before, field
            before = ""


def _texts(call: "Call") -> None:
    for option, field in _after_options(call):
        if option in _CODE and any(mark in field.text for mark in " \t\n;|&$`>"):  # one word is rather a name
            call.run.hand_on("shell", field.text, field.span, f"{call.name} {option}", options=GUESS)


def _files(call: "Call") -> None:
    for option, field in _after_options(call):
        if option in _OUTPUT and field.text.startswith("/"):
            effects.path("write", field, call, "unlisted.output")
        elif not _OWN_KEY.fullmatch(option):
            secret(field, call)


_OUTPUT_FILE = frozenset(("-o", "--output", "--out", "--outfile", "--out-file", "--output-file", "--outFile"))
"""The options of :data:`_OUTPUT` that mean a file to every program."""


def outputs(call: "Call") -> None:
    """A file outside the folder that a program of the project is told to write, where its entry says nothing of the option."""
    told = {given.name for given in call.parsed.options if given.role != INERT}
    for option, field in _after_options(call):
        if option in _OUTPUT_FILE and option not in told and field.text.startswith("/"):
            effects.path("write", field, call, "unlisted.output")


def secrets(parsed: Parsed, call: "Call", *, operands: bool) -> None:
    """Credential files among the values of options that mean nothing to us, and among operands of which nothing is known."""
    for given in parsed.options:
        if given.value is not None and given.role == INERT and not _OWN_KEY.fullmatch(given.name):
            secret(given.value, call)
    for field in parsed.operands if operands else ():
        secret(field, call)


def secret(field: Field, call: "Call") -> None:
    """Note the reading of a credential file outside the project that an argument names (``/x``, ``@/x``, ``file:///x``)."""
    found = _NAMED.match(field.text)
    if found is None or len(field.text) > 1000 or call.run.state.host:
        return
    if {"credentials", "personal", "checkrail-state"} & set(describe(found[1], call.run.around).classes):
        effects.path("read", msgspec.structs.replace(field, text=found[1]), call, "unlisted.secret")
