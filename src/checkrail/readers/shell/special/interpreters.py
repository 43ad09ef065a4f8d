"""Interpreters: code on the line, a module, a script file, or the standard input.

Arguments are walked here, because everything after the code, the module or the script belongs to the program that runs.
"""

import re
from typing import TYPE_CHECKING

import msgspec

from checkrail.knowledge.commands import commands
from checkrail.model import HOLE
from checkrail.readers.shell import effects, flow
from checkrail.readers.shell.state import DECODED, REMOTE, Field, Value

if TYPE_CHECKING:
    from checkrail.knowledge.schema import Entry
    from checkrail.readers.shell.call import Call


class Syntax(msgspec.Struct, frozen=True):
    """How an interpreter takes its arguments. ``attached`` options may have a value in the same word only."""

    language: str
    code: tuple[str, ...] = ("-e",)
    values: tuple[str, ...] = ()
    attached: tuple[str, ...] = ()
    module: str = ""
    edits: str = ""
    files: tuple[str, ...] = ()  # options that make the operands files to work on
    shows: tuple[str, ...] = ()  # options that only show or check, without running anything
    opens: tuple[str, ...] = ()  # options that serve or test: the standard input is not code
    ends: bool = True  # nothing after the code is an option


PYTHON = Syntax("python", ("-c",), ("-W", "-X", "--check-hash-based-pycs"), module="-m", shows=("-V", "--version", "-h", "--help", "-?"))
NODE = Syntax(
    "node",
    ("-e", "--eval", "-p", "--print"),
    ("-r", "--require", "--import", "--loader", "--experimental-loader", "-C", "--conditions", "--env-file", "--title", "--config", "--import-map", "--cert", "--location", "--lock", "--preload", "--tsconfig", "-P", "--project"),
    shows=("-v", "--version", "-h", "--help", "--check", "-c"),
    opens=("--test", "--run", "--watch-path", "--completion-bash", "--v8-options"),
    ends=False,
)
PERL = Syntax("perl", ("-e", "-E"), ("-I",), ("-M", "-m", "-x", "-0", "-l", "-F", "-i", "-D", "-C", "-V"), edits="-i", files=("-n", "-p"), shows=("-v", "-V"), ends=False)
RUBY = Syntax("ruby", ("-e",), ("-r", "-I", "-C", "-E"), ("-i", "-0", "-F", "-l", "-K", "-W", "-T", "-x"), edits="-i", files=("-n", "-p"), shows=("-v", "--version", "-c", "-h", "--help"), ends=False)
PHP = Syntax("php", ("-r", "--run", "-B", "-R", "-E"), ("-d", "-c", "-t", "-z", "-S", "--define"), shows=("-v", "--version", "-m", "-l", "--syntax-check", "--ini", "-h"), opens=("-S",))
OTHER = Syntax(
    "",
    ("-e", "-E", "--eval", "-c", "-x", "--expression"),
    ("-l", "-L", "-r", "-pa", "-S", "--file", "-Sdeps", "-cp"),
    shows=("--version", "-v", "-version", "--help", "-h"),
    ends=False,
)
SYNTAX = {"python": PYTHON, "node": NODE, "run": NODE, "perl": PERL, "ruby": RUBY, "php": PHP}

_HARMFUL = re.compile(
    r"os\.execute|io\.popen|os\.remove|\bunlink\s*\(|file\.remove|\bsystem2?\s*\(|\bshell\s*\(|\brm\s*\(|\brm_rf|rmtree|delete|\bexec\b|\bspawn|\.execute\s*\(|\brun\s*\(|deltree|removeDirectory|System\.cmd|\(\s*(?:system|shell|run-shell|delete-file)|callCommand|ProcessBuilder|createProcess"
)
"""Calls that remove or start something, in languages that no reader here knows."""


class Given(msgspec.Struct):
    """The arguments taken apart; ``script`` is the program's first operand, ``rest`` what is handed to it."""

    codes: list[Field] = []
    flags: list[str] = []
    module: Field | None = None
    script: Field | None = None
    rest: tuple[Field, ...] = ()


def interpreter(entry: "Entry", call: "Call", path: str) -> None:
    """``python``, ``node``, ``ruby`` and their like."""
    syntax = SYNTAX.get(entry.names[0], OTHER)
    given = taken(_own_arguments(entry, call), syntax)
    if given.codes:
        for field in given.codes:
            _code(syntax, field, call, path)
        _operands(syntax, given, call, path)
        if "-i" in given.flags and syntax is PYTHON:
            flow.run_code(syntax.language, call.run.stdin, call, f"{call.name} -i")
    elif given.module is not None:
        _module(given.module, given.rest, call, path)
    elif given.script is not None:
        shows = set(given.flags) & set(syntax.shows)
        if not shows or syntax is PERL or (syntax is RUBY and shows == {"-v"}):  # those two run the script all the same
            _script(syntax, given, call)
    elif set(given.flags) & set(syntax.opens):
        call.run.opaque(f"runs local code {call.line[:80]}")
    elif not set(given.flags) & set(syntax.shows):
        _standard_input(syntax, call, path)


def _own_arguments(entry: "Entry", call: "Call") -> tuple[Field, ...]:
    """``deno run`` has its own arguments after the subcommand."""
    if entry.names[0] != "run":
        return call.arguments
    at = next((index for index, field in enumerate(call.arguments) if field.text in entry.names), -1)
    return call.arguments[at + 1 :]


def taken(arguments: tuple[Field, ...], syntax: Syntax) -> Given:
    """Take an interpreter's arguments apart."""
    given, position = Given(), 0
    while position < len(arguments):
        field = arguments[position]
        text = field.text
        if text == "--" or text == "-" or text[:1] != "-":
            position += text == "--"
            if given.codes:
                break
            if position < len(arguments):
                given.script = arguments[position]
                position += 1
            break
        position += 1
        following = arguments[position] if position < len(arguments) else None
        used = _long(field, following, given, syntax) if text.startswith("--") or text in syntax.values else _short(field, following, given, syntax)
        position += used
        if given.module is not None or (given.codes and syntax.ends):
            break
    given.rest = arguments[position:]
    return given


def _long(field: Field, following: Field | None, given: Given, syntax: Syntax) -> int:
    name, equals, _ = field.text.partition("=")
    given.flags.append(name)
    if name in syntax.code:
        value = field.tail(len(name) + 1) if equals else following
        if value is not None:
            given.codes.append(value)
    return 0 if equals or name not in (*syntax.code, *syntax.values) else 1


def _short(field: Field, following: Field | None, given: Given, syntax: Syntax) -> int:
    text = field.text
    for index in range(1, len(text)):
        name = f"-{text[index]}"
        more = index + 1 < len(text)
        given.flags.append(name)
        if name == "-p" and more and syntax is NODE:
            continue
        if name in syntax.code or name == syntax.module:
            value = field.tail(index + 1) if more else following
            if value is not None and name == syntax.module:
                given.module = value
            elif value is not None:
                given.codes.append(value)
            return 0 if more else 1
        if name in syntax.values:
            return 0 if more else 1
        if name in syntax.attached:
            return 0
    return 0


def _code(syntax: Syntax, field: Field, call: "Call", path: str) -> None:
    how = f"{call.name} code"
    value = Value(field.text, field.tags)
    if field.text.strip(HOLE) and not field.tags & {REMOTE, DECODED}:
        call.run.hand_on(syntax.language or call.name, field.text, field.span, how)
        _unknown_language(syntax, field.text, call, path)
    else:
        flow.run_code(syntax.language or call.name, value, call, how, span=field.span)


def _unknown_language(syntax: Syntax, text: str, call: "Call", path: str) -> None:
    found = None if syntax.language else _HARMFUL.search(text[: flow.SCRIPT_CAP])
    if found is not None:
        effects.named("runs", call, rule=f"{path}.code", reason=f"{call.name} code that removes or starts something: {found.group()}")


def _operands(syntax: Syntax, given: Given, call: "Call", path: str) -> None:
    """With code on the line, operands of ``-n``, ``-p`` and ``-i`` are files."""
    if not syntax.files:
        return
    kind = "edit" if syntax.edits in given.flags else "read" if set(given.flags) & set(syntax.files) else ""
    for field in given.rest if kind else ():
        effects.path(kind, field, call, path)


def _script(syntax: Syntax, given: Given, call: "Call") -> None:
    script = given.script
    if script is None:
        return
    call.script(syntax.language or call.name, script)
    base = script.text.rpartition("/")[2]
    known = commands().get(base)
    if known is not None and known.effect == "code" and "." in base or base in ("artisan", "console", "cake", "spark", "yii", "rails", "rake"):
        call.invoke((msgspec.structs.replace(script, text=base), *given.rest))


def _standard_input(syntax: Syntax, call: "Call", path: str) -> None:
    held = call.run.stdin
    flow.run_code(syntax.language or call.name, held, call, f"standard input of {call.name}")
    _unknown_language(syntax, held.text, call, path)


# Python's modules --------------------------------------------------------------------------

_CODE_MODULES = {"timeit": 0, "pdb": -1, "code": -1, "smtpd": -1, "idlelib": -1}


def _module(module: Field, rest: tuple[Field, ...], call: "Call", path: str) -> None:
    name = module.text
    operands = tuple(field for field in rest if not field.text.startswith("-"))
    match name:
        case "json.tool":
            for kind, field in zip(("read", "write"), operands, strict=False):
                effects.path(kind, field, call, path)
        case "timeit":
            for field in operands:
                call.run.hand_on("python", field.text, field.span, "python -m timeit")
        case "pdb" if any(field.text in ("-c", "--command") for field in rest):
            effects.named("runs", call, rule=f"{path}.debugger", reason="runs commands of the debugger")
        case "code" | "idlelib" | "asyncio":
            flow.run_code("python", call.run.stdin, call, f"python -m {name}")
        case "smtpd" | "aiosmtpd":
            effects.named("runs", call, rule=f"{path}.server", reason="takes in mail over the network")
        case "cProfile" | "profile" | "trace" | "pdb" | "runpy":
            for field in operands[:1]:
                call.script("python", field)
        case "base64":
            for field in operands:
                effects.path("read", field, call, path)
            call.output = Value(HOLE, frozenset((DECODED,)) if any(f.text in ("-d", "-u") for f in rest) else call.run.stdin.tags)
        case "zipfile" | "tarfile" if any(f.text in ("-e", "--extract") for f in rest) and len(operands) > 1:
            effects.path("write", operands[1], call, path, recursive=True)
        case "venv" | "virtualenv":
            for field in operands:
                effects.path("create", field, call, path)
        case "platform" | "sysconfig" | "site" | "calendar" | "this" | "tokenize" | "ast" | "dis" | "inspect" | "pyclbr" | "symtable" | "json":
            pass
        case _:
            _program(module, rest, call)


def _program(module: Field, rest: tuple[Field, ...], call: "Call") -> None:
    """A module that is a program of its own: ``python -m pip`` is ``pip``."""
    name = module.text.split(".", 1)[0].replace("_", "-")
    entry = commands().get(name) or commands().get(name.lower())
    if entry is None or entry.effect == "pure" and not entry.sub:
        call.run.opaque(f"runs the module {module.text}")
        return
    call.run.opaque(f"runs the module {module.text}")
    call.invoke((msgspec.structs.replace(module, text=entry.names[0] if name not in entry.names else name), *rest))
