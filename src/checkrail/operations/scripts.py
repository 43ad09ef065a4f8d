"""Commands inside written files: scripts, build files, hook configurations, pipelines and notebooks.

They are payloads marked ``("written", path)``, since they run later; of an edit only what it adds. What runs without
anyone asking for it by name has :data:`ITSELF` on its way. Examples and data name commands and run none.
"""

import json
import posixpath
import re
import textwrap
from collections.abc import Iterator

from checkrail.context import Surroundings
from checkrail.knowledge.build_files import BuildFile, example, kind_of, language_of
from checkrail.model import Action, Effect, Payload
from checkrail.readers.buildfiles import held as build_files
from checkrail.readers.buildfiles.held import Command
from checkrail.readers.buildfiles.lines import added, gained

ITSELF = "runs by itself"
"""Marks, in ``via``, what a hook, an installation or a directory's opening runs."""

_SHEBANG = re.compile(r"#![ \t]*(?:\S*/)?(?:env[ \t]+(?:-S[ \t]+)?)?(?:\S*/)?(?:ba|da|z|k|a)?sh\b")
_OTHER = re.compile(r"#![^\n]*?\b(python|node|ruby|perl|php|pwsh)")
_SCRIPT_NAMES = (".sh", ".bash", ".zsh", ".ksh", ".command", "/.envrc")
_HOOK_FOLDERS = ("/.git/hooks/", "/.husky/", "/.githooks/")
_IMPORT = re.compile(
    r"(?m)^(?:import|from)[ \t][^\n(]*$|^(?:const|let|var|import)\b[^\n]*(?:require\(|\bfrom\b)[^\n]*$"
)
_CELL_SHELL = re.compile(r"(?m)^[ \t]*!{1,2}(.*)$")
_CELL_MAGIC = re.compile(r"\s*%%(?:bash|sh|script\s+(?:ba)?sh)\b[^\n]*\n")
_MAGIC = re.compile(r"(?m)^[ \t]*[%!?].*$")
_LARGEST = 262_144
_LARGEST_SOURCE = 65_536
_MOST = 50


def is_script(path: str, content: str) -> bool:
    """Whether a file is a shell script by name, place or first line."""
    if _SHEBANG.match(content):
        return True
    if in_hooks(path):
        return not content.startswith("#!") and "." not in posixpath.basename(path)
    return path.endswith(_SCRIPT_NAMES)


def in_hooks(path: str) -> bool:
    """Whether a file lies in a folder whose programs git runs."""
    return any(folder in path for folder in _HOOK_FOLDERS)


def _earlier(path: str, around: Surroundings) -> str:
    """What a file holds now; empty where it is not there, too large or no text."""
    found = around.host.read(path, _LARGEST)
    return found.decode("utf-8", "replace") if found else ""


def _before_and_after(effect: Effect, earlier: str) -> tuple[str, str]:
    """The file before and after: whole where the edit's place is known, else the two parts."""
    content, previous = effect.content or "", effect.previous
    if previous is None:
        return earlier, content
    return (earlier, earlier.replace(previous, content, 1)) if previous and previous in earlier else (previous, content)


def _shell(effect: Effect, earlier: str) -> Iterator[tuple[str, Command]]:
    """What a shell script gains."""
    content, path = effect.content or "", effect.target.value
    if is_script(path, content if effect.previous is None else earlier or content):
        text = added(content, effect.previous if effect.previous is not None else earlier)
        yield "shell", Command(text, itself=in_hooks(path) or path.endswith("/.envrc"))


def _held(kind: BuildFile, effect: Effect, earlier: str) -> Iterator[tuple[str, Command]]:
    """The commands that a build file gains or changes; makefiles as one text, whose lines share nothing but the file."""
    before, after = _before_and_after(effect, earlier)
    known = set(build_files.commands(kind, before))
    new = [command for command in build_files.commands(kind, after) if command not in known]
    if kind.form in ("recipes", "indented") and new:
        yield "shell", Command("\n".join(command.text.rstrip("\n") for command in new) + "\n", machine=kind.machine)
    else:
        yield from (("shell", command) for command in new)


def _source(language: str, effect: Effect, earlier: str) -> Iterator[tuple[str, Command]]:
    """What a script in another language gains, each block with the file's imports before it."""
    before, after = _before_and_after(effect, earlier)
    if len(after) > _LARGEST_SOURCE:
        return
    itself = in_hooks(effect.target.value)
    if not before.strip():
        yield language, Command(after, itself=itself)
        return
    imports = "\n".join(match[0] for match in _IMPORT.finditer(after[:_LARGEST_SOURCE]))
    for block in gained(after, before):
        yield (
            language,
            Command(f"{imports}\n{textwrap.dedent(block)}" if language == "python" else block, itself=itself),
        )


def _cells(effect: Effect, earlier: str) -> Iterator[tuple[str, Command]]:
    """The commands and the code of notebook cells that are new."""
    known = set(_sources(effect.previous if effect.previous is not None else earlier))
    for cell in _sources(effect.content or ""):
        if cell in known:
            continue
        magic = _CELL_MAGIC.match(cell)
        if magic:
            yield "shell", Command(cell[magic.end() :])
            continue
        yield from (("shell", Command(match[1])) for match in _CELL_SHELL.finditer(cell))
        yield "python", Command(_MAGIC.sub("", cell))


def _sources(text: str) -> list[str]:
    """The sources of a notebook's code cells; a text that is no notebook is one cell."""
    try:
        found = json.loads(text) if text.lstrip()[:1] == "{" else None
    except (ValueError, RecursionError):
        found = None
    cells = found.get("cells") if isinstance(found, dict) else None
    if not isinstance(cells, list):
        return [text] if text.strip() else []
    code = [cell for cell in cells[:_MOST] if isinstance(cell, dict) and cell.get("cell_type", "code") == "code"]
    sources = [cell.get("source", "") for cell in code]
    return ["".join(map(str, source)) if isinstance(source, list) else str(source) for source in sources]


def _commands(effect: Effect, earlier: str) -> Iterator[tuple[str, Command]]:
    path, content = effect.target.value, effect.content or ""
    kind = kind_of(path)
    if kind is not None:
        return _held(kind, effect, earlier)
    if path.lower().endswith(".ipynb"):
        return _cells(effect, earlier)
    other = _OTHER.match(earlier if effect.previous is not None and earlier else content)
    language = language_of(path) or ({"pwsh": "powershell"}.get(other[1], other[1]) if other else "")
    return _source(language, effect, earlier) if language else _shell(effect, earlier)


def written(effects: tuple[Effect, ...], around: Surroundings) -> tuple[Payload, ...]:
    """The commands among written files, as payloads of what they gain."""
    payloads: list[Payload] = []
    for effect in effects:
        path = effect.target.value
        if effect.action is not Action.WRITE or not effect.content or effect.target.host or example(path):
            continue
        for language, command in _commands(effect, _earlier(path, around)):
            if command.text.strip():
                payloads.append(_payload(language, command, path))
    return tuple(payloads[:_MOST])


def _payload(language: str, command: Command, path: str) -> Payload:
    return Payload(
        language=language,
        text=command.text,
        cwd=None,
        host=command.machine,
        options=(("written", path),),
        via=(ITSELF if command.itself else "written file",),
    )
