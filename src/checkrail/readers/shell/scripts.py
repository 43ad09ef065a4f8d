"""Scripts that a command runs: read where they are there and small, else the project's own code."""

import fnmatch
from typing import TYPE_CHECKING

from checkrail.knowledge.build_files import kind_of
from checkrail.model import HOLE
from checkrail.readers.shell import flow, nested, redirects
from checkrail.readers.shell.state import DECODED, REMOTE, UNKNOWN, WORKED, Field, Value

if TYPE_CHECKING:
    from checkrail.knowledge.schema import Entry
    from checkrail.readers.shell.call import Call
    from checkrail.readers.shell.evaluate import Evaluator

DEPTH_CAP = 6
"""Scripts that run scripts are followed this far."""

INTERPRETERS = {
    "sh": "shell",
    "bash": "shell",
    "dash": "shell",
    "zsh": "shell",
    "ksh": "shell",
    "ash": "shell",
    "python": "python",
    "python3": "python",
    "node": "node",
    "perl": "perl",
    "ruby": "ruby",
    "php": "php",
}
"""Interpreter named in a first line (``#!``) -> language."""

SUFFIXES = {
    ".sh": "shell",
    ".bash": "shell",
    ".py": "python",
    ".js": "node",
    ".mjs": "node",
    ".cjs": "node",
    ".pl": "perl",
    ".rb": "ruby",
    ".php": "php",
}


def run_file(language: str, field: Field, call: "Call") -> Value:
    """Judge a script file that an interpreter is given; what it prints."""
    if redirects.is_standard_input(field.text, call.run):
        return flow.run_code(language, call.run.stdin, call, f"standard input of {call.name}")
    if field.text.startswith(("http://", "https://")):
        return flow.run_code(language, Value(HOLE, frozenset((REMOTE,))), call, f"{call.name} {field.text}")
    return _run(language, call.path(field), field, call)


def run_program(call: "Call") -> Value:
    """Judge a program that is named by a path outside the program folders."""
    field = Field(call.name, call.span)
    return _run("", redirects.resolve(call.name, call.run), field, call)


def source(call: "Call") -> Value:
    """Judge ``source file`` and ``. file``: the text runs in this very shell."""
    if not call.arguments:
        return UNKNOWN
    field = call.arguments[0]
    if redirects.is_standard_input(field.text, call.run):
        return flow.run_code("shell", call.run.stdin, call, call.line, here=True)
    where = call.path(field)
    _note(where, call)
    held = call.run.state.files.get(where)
    name = where.rpartition("/")[2]
    if held is None and (
        name == "activate"
        or where.endswith((".nvm/nvm.sh", ".bashrc", ".profile", ".zshrc", ".cargo/env", "/etc/profile"))
    ):
        return UNKNOWN
    return _run("shell", where, field, call, here=True)


BESIDE_CAP = 20
"""Files written in one line that are looked at for a program that runs some of its folder."""


def beside(entry: "Entry", call: "Call") -> None:
    """Judge the files of the folder that a build tool runs, where this very line wrote them: those that the entry names
    (``conftest.py``, ``Gemfile``), and every file that holds commands by its name (``Taskfile.yml``, ``tox.ini``)."""
    run = call.run
    folder = f"{run.state.cwd[0].rstrip('/')}/"
    for where, held in list(run.state.files.items())[:BESIDE_CAP]:
        name = where.removeprefix(folder)
        language = _runs(entry, name) if name != where else ""
        if not language:
            continue
        if held.known and not held.tags & {REMOTE, DECODED}:
            options = (("path", where),) if language == BUILD_FILE else _asked(language, call)
            run.hand_on(language, held.text, call.span, f"{call.name} runs {name}", options=options)
        elif language != BUILD_FILE or not _inside(name):
            flow.provenance(held, call, f"{call.name} runs {name}")


FETCHED_CAP = 20
"""Arguments of one build tool that are looked at for a folder of fetched code."""


def fetched(call: "Call") -> None:
    """Ask where the code that a build tool or an installer runs was fetched by this very line."""
    run = call.run
    folders = (run.state.cwd[0], *(call.path(field) for field in call.arguments[:FETCHED_CAP] if field.text[:1] != "-"))
    if any(
        _unpacked(where, run) or (where in run.state.unpacked and run.around.host.lstat(where) is None)
        for where in folders
    ):
        flow.provenance(Value(HOLE, frozenset((REMOTE,))), call, call.line[:80])


BUILD_FILE = "build-file"


def _inside(name: str) -> bool:
    """Whether a file's commands run in an image or a container that is thrown away."""
    kind = kind_of(name)
    return kind is not None and bool(kind.machine)


def _runs(entry: "Entry", name: str) -> str:
    """The language in which an entry runs a file of its folder; globs without a slash are of the folder itself."""
    for told in entry.runs:
        language, _, glob = told.partition(":")
        if fnmatch.fnmatchcase(name, glob) and ("/" not in name or "/" in glob):
            return language
        if glob.startswith("**/") and fnmatch.fnmatchcase(name.rpartition("/")[2], glob[3:]):
            return language
    return BUILD_FILE if entry.effect in ("code", "install") and kind_of(name) is not None else ""


def _asked(language: str, call: "Call") -> tuple[tuple[str, str], ...]:
    """The script of a package file that is meant: the one that is named, or those that run by themselves."""
    if language != "package-script":
        return ()
    words = [field.text for field in call.arguments if field.text[:1] != "-"]
    named = (
        words[1]
        if len(words) > 1 and words[0] in ("run-script", "run", "exec")
        else f"post-{words[0]}-cmd"
        if words
        else ""
    )
    return (("script", named),)


def _note(where: str, call: "Call") -> None:
    """Names the file, so that an answer of a person can be bound to what it holds."""
    if HOLE not in where and not call.run.state.host and call.run.state.files.get(where) is None:
        call.run.found.scripts[where] = None


def _run(language: str, where: str, field: Field, call: "Call", *, here: bool = False) -> Value:
    run = call.run
    _note(where, call)
    held = run.state.files.get(where)
    how = f"script {field.text}"
    if held is None and where.startswith(redirects.DESCRIPTORS):
        return flow.run_code(language or "shell", redirects.content(where, run, field.span), call, how, here=here)
    if held is not None:
        language = language or (_language(held.text, where) if held.known else "")
        if language == "shell" and held.known and not held.tags & {REMOTE, DECODED}:
            return _followed(held.text, field, call, how, here=here)
        if language or held.tags & {REMOTE, DECODED, WORKED}:
            return flow.run_code(language or "shell", held, call, how, span=field.span, here=here)
        run.opaque(f"runs {field.text}, written in this line")
        return UNKNOWN
    if _unpacked(where, run):
        return flow.run_code(
            language or "shell", Value(HOLE, frozenset((REMOTE,))), call, how, span=field.span, here=here
        )
    text = None
    if (
        sum(part.startswith("script ") for part in run.payload.via) < DEPTH_CAP
        and not run.state.host
        and HOLE not in where
    ):
        content = run.around.host.read(where, flow.SCRIPT_CAP)
        text = content.decode("utf-8", "replace") if content is not None else None
    run.opaque(f"runs local code {field.text}")
    if text is None or "\0" in text:
        return UNKNOWN
    language = language or _language(text, where)
    if language == "shell":
        return _followed(text, field, call, how, here=here)
    if language:
        options = (("arguments", "\0".join(argument.text for argument in _behind(field, call))),)
        run.hand_on(language, text, field.span, how, options=options)
    return UNKNOWN


def _unpacked(where: str, run: "Evaluator") -> bool:
    """Whether a file can only have come out of an archive that this line fetched."""
    below = any(where.startswith(f"{folder.rstrip('/')}/") for folder in run.state.unpacked)
    return below and run.around.host.lstat(where) is None


def _behind(field: Field, call: "Call") -> tuple[Field, ...]:
    """The arguments that a script gets: those after its name, or all where it is the command itself."""
    arguments = call.arguments
    return arguments[arguments.index(field) + 1 :] if field in arguments else arguments


def _followed(text: str, field: Field, call: "Call", how: str, *, here: bool) -> Value:
    run, arguments = call.run, _behind(field, call)
    if not here:
        return nested.child(text, run, field.span, how, arguments=arguments)
    kept = run.state.arguments
    run.state.arguments = arguments or kept
    try:
        return nested.here(text, run, field.span, how)
    finally:
        run.state.arguments = kept if arguments else run.state.arguments


def _language(text: str, where: str) -> str:
    if text.startswith("#!"):
        first = text[2:200].split("\n", 1)[0].split()
        names = [part.rpartition("/")[2] for part in first]
        program = next((name for name in names if name != "env" and not name.startswith("-")), "")
        return INTERPRETERS.get(program.rstrip("0123456789.") or program, INTERPRETERS.get(program, ""))
    return next(
        (language for suffix, language in SUFFIXES.items() if where.endswith(suffix)), "shell" if text.strip() else ""
    )
