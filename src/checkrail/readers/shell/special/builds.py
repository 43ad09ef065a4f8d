"""make and just: the recipe that would run is read where the file is there and small."""

from typing import TYPE_CHECKING

import msgspec

from checkrail.readers.shell import effects, environment, flow, redirects
from checkrail.readers.shell.special import foreign
from checkrail.readers.shell.state import DECODED, REMOTE, Field, Value

if TYPE_CHECKING:
    from checkrail.knowledge.schema import Entry
    from checkrail.readers.shell.call import Call

_MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
_JUSTFILES = ("justfile", ".justfile", "Justfile", "JUSTFILE")
CAP = 131_072
"""Bytes of a build file that are read."""


def make(entry: "Entry", call: "Call", path: str) -> None:
    """``make [options] [NAME=value] [target ...]``."""
    parsed = call.parsed
    effects.apply(entry, msgspec.structs.replace(parsed, operands=()), call, path)
    effects.folder(parsed, call)
    settings = tuple(field for field in parsed.operands if "=" in field.text)
    settings = (*_configured(call), *settings)
    targets = tuple(field for field in parsed.operands if "=" not in field.text)
    for field in settings:
        name, _, value = field.text.partition("=")
        if name.rstrip(":+?") in ("SHELL", "MAKE"):
            if " " not in value.strip():
                continue
            call.run.shell(f"{value} -c :", field.span, f"make {name}")  # as make starts it for each line
        elif environment.described(name) is not None:  # make hands its settings on to what it runs
            environment.note({name: Value(value, field.tags)}, call.run, field.span, call.name)
    for given in parsed.options:
        if given.name in ("--eval", "-E") and given.value is not None:
            _read("makefile", Value(given.value.text, given.value.tags), targets, settings, call)
    _project_file("makefile", parsed.value("-f", "--file", "--makefile"), _MAKEFILES, targets, settings, call)


def _configured(call: "Call") -> tuple[Field, ...]:
    """The place of installation that this program has given to ``configure``, which writes it into the Makefile."""
    for text in reversed(call.run.found.commands):
        program, *words = text.split()[:50] or [""]
        if program.rpartition("/")[2] == "configure":
            prefix = next(
                (word.removeprefix("--prefix=") for word in reversed(words) if word.startswith("--prefix=/")), ""
            )
            return (Field(f"prefix={prefix}"), Field(f"PREFIX={prefix}")) if prefix else ()
    return ()


_DRY = ("-n", "--just-print", "--dry-run", "--recon")


def just(entry: "Entry", call: "Call", path: str) -> None:
    """``just [options] [NAME=value] [recipe argument ...]``."""
    parsed = call.parsed
    effects.apply(entry, msgspec.structs.replace(parsed, operands=()), call, path)
    if parsed.has(("-c", "--command")):
        call.invoke(parsed.operands) if parsed.operands else None
        return
    if parsed.has(("-l", "--list", "--summary", "--show", "-s", "--dump", "--evaluate", "--variables", "--groups")):
        return
    settings = tuple(field for field in parsed.operands if "=" in field.text)
    targets = tuple(field for field in parsed.operands if "=" not in field.text)
    _project_file("justfile", parsed.value("-f", "--justfile"), _JUSTFILES, targets[:1], settings, call)


def _project_file(
    language: str,
    named: Field | None,
    names: tuple[str, ...],
    targets: tuple[Field, ...],
    settings: tuple[Field, ...],
    call: "Call",
) -> None:
    run = call.run
    wanted = " ".join(field.text for field in targets)
    run.opaque(f"runs local code {call.name} {wanted}".rstrip())
    if named is not None and redirects.is_standard_input(named.text, call.run):
        _read(language, run.stdin, targets, settings, call)
        return
    folder = run.state.cwd[0].rstrip("/")
    paths = [call.path(named)] if named is not None else [f"{folder}/{name}" for name in names]
    for where in paths:
        held = run.state.files.get(where)
        if held is None and not run.state.host:
            content = run.around.host.read(where, CAP)
            held = Value(content.decode("utf-8", "replace")) if content is not None else None
        if held is not None:
            _read(language, held, targets, settings, call)
            return


def _read(language: str, held: Value, targets: tuple[Field, ...], settings: tuple[Field, ...], call: "Call") -> None:
    if held.tags & {REMOTE, DECODED} or not held.known:
        flow.run_code(language, held, call, f"{call.name} file")
        return
    word = "recipe" if language == "justfile" else "target"
    options = (*((word, field.text) for field in targets), *(("setting", field.text) for field in settings))
    if language == "makefile" and call.parsed.has(_DRY):
        options = (*options, ("dry", "1"))
    wanted = " ".join(field.text for field in targets)
    call.run.hand_on(language, held.text, call.span, f"{call.name} {wanted}".rstrip(), options=options)


_DELETES = ("rm", "remove", "remove_directory")
_COPIES = ("copy", "copy_if_different", "copy_directory", "rename", "copy_if_newer", "copy_directory_if_different")


def cmake(entry: "Entry", call: "Call", path: str) -> None:
    """``cmake -E`` works on files and starts programs; the rest builds the project."""
    words = call.arguments
    if not words or call.name not in ("cmake", "cmake3") or words[0].text != "-E":
        effects.apply(entry, call.parsed, call, path)
        texts = [field.text for field in words]
        if "-P" in texts[:-1]:
            foreign.held(words[texts.index("-P") + 1], call, path)
        return
    if len(words) < 2:
        return
    verb, rest = words[1].text, words[2:]
    operands = tuple(field for field in rest if not field.text.startswith("-"))
    if verb in _DELETES:
        for field in operands:
            effects.path("delete", field, call, f"{path}.delete", recursive=verb != "remove")
    elif verb in _COPIES and len(operands) > 1:
        effects.into(operands[-1], operands[:-1], call, f"{path}.copy", recursive=True)
    elif verb in ("env", "time", "chdir"):
        call.invoke(
            operands[1:]
            if verb == "chdir"
            else tuple(field for field in operands if "=" not in field.text or verb == "time")
        )
    elif verb in ("touch", "make_directory", "touch_nocreate"):
        for field in operands:
            effects.path("create", field, call, path)
    elif verb == "cat":
        for field in operands:
            effects.path("read", field, call, path)
    elif verb in ("tar", "create_symlink", "create_hardlink"):
        for field in operands[-1:] if verb != "tar" else operands[1:2]:
            effects.path("write", field, call, path)


def maven(entry: "Entry", call: "Call", path: str) -> None:
    """``mvn goal -Dname=value``: the exec plugin starts the program that is named, with its arguments."""
    effects.apply(entry, call.parsed, call, path)
    program, arguments = (_property(name, call) for name in ("exec.executable", "exec.args"))
    if program is not None:
        text = program.text if arguments is None else f"{program.text} {arguments.text}"
        call.run.shell(text, program.span, f"{call.name} exec")


def _property(name: str, call: "Call") -> Field | None:
    start = f"-D{name}="
    return next((field.tail(len(start)) for field in call.arguments if field.text.startswith(start)), None)
