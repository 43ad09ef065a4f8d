"""The commands that a build file, a hook configuration or a pipeline holds, taken out of its text by its form.

Every form is read leniently and line by line where it can be, so that a part of a file gives what stands in it.
"""

import json
import re
import shlex
import tomllib
from collections.abc import Callable, Iterator, Sequence
from fnmatch import fnmatchcase
from typing import Any

import msgspec

from checkrail.knowledge.build_files import BuildFile
from checkrail.model import HOLE
from checkrail.readers.buildfiles import yaml_commands
from checkrail.readers.buildfiles.lines import logical

MOST = 500
"""Commands of one file."""
_DEEPEST = 32

_MAKE = re.compile(r"\$\$|\$\([^()]*\)|\$\{[^{}]*\}|\$[@<^*?%+]")
_EXPRESSION = re.compile(r"\$\{\{.*?\}\}|\{\{.*?\}\}|<<.*?>>")
_TOX = re.compile(r"\{env:([A-Za-z_]\w*)(?::[^{}]*)?\}|\{[^{}\s]*\}|\[\]")
_INSTRUCTION = re.compile(r"\s*(?:ONBUILD\s+)?(RUN|CMD|ENTRYPOINT)\s+((?:--\S+\s+)*)(.*)", re.IGNORECASE | re.DOTALL)
_NINJA = re.compile(r"\$\{[\w.-]+\}|\$\w+|\$.")
_CMAKE_CALL = re.compile(
    r"(?i)\b(execute_process|add_custom_command|add_custom_target|file(?=\s*\(\s*REMOVE))\s*\(([^()]{0,4000})\)"
)
_CMAKE_WORD = re.compile(r'"(?:[^"\\]|\\.)*"|[^\s"]+')
_CMAKE_KEY = re.compile(r"[A-Z][A-Z_]{3,}")
_CMAKE_BUILD = re.compile(r"\$\{(?:CMAKE|PROJECT)_(?:CURRENT_)?BINARY_DIR\}")
_CMAKE_VARIABLE = re.compile(r"\$\{[\w.-]*\}|\$<[^<>]*>")
_COMMENT = re.compile(r"(?m)^\s*//.*$")


class Command(msgspec.Struct, frozen=True):
    """One command line. ``itself``: it runs without being asked for by name."""

    text: str
    itself: bool = False
    machine: str = ""


def commands(kind: BuildFile, text: str) -> tuple[Command, ...]:
    """The commands in the text of a file, or of a part of it; none where it cannot be read."""
    found = (
        Command(line, "*" in kind.itself or not kind.itself.isdisjoint(keys), kind.machine)
        for keys, line in _FORMS[kind.form](kind, text)
        if line.strip()
    )
    return tuple(command for command, _ in zip(found, range(MOST), strict=False))


_Found = Iterator[tuple[Sequence[str], str]]


def _json(kind: BuildFile, text: str) -> _Found:
    try:
        found = json.loads(_COMMENT.sub("", text))
    except (ValueError, RecursionError):
        return
    yield from _tree(kind, found, ())


def _toml(kind: BuildFile, text: str) -> _Found:
    try:
        found = tomllib.loads(text)
    except (ValueError, RecursionError):
        return
    yield from _tree(kind, found, ())


def _tree(kind: BuildFile, value: Any, way: tuple[str, ...]) -> _Found:
    if len(way) > _DEEPEST:
        return
    if isinstance(value, dict):
        for name, child in value.items():
            yield from _tree(kind, child, (*way, str(name)))
    elif isinstance(value, str):
        if _held(kind, way):
            yield way, value
    elif isinstance(value, list) and value:
        words = [item for item in value if isinstance(item, str)]
        if kind.argv and len(words) == len(value) and _held(kind, way):
            yield way, shlex.join(words)
            return
        for child in value:
            yield from _tree(kind, child, way if isinstance(child, str) else (*way, "[]"))


def _held(kind: BuildFile, way: tuple[str, ...]) -> bool:
    return any(_leads(tuple(key.split("/")), way) for key in kind.keys)


def _leads(pattern: tuple[str, ...], way: tuple[str, ...]) -> bool:
    """Whether a way into a tree matches; ``**`` stands for any number of steps."""
    if not pattern:
        return not way
    if pattern[0] == "**":
        return any(_leads(pattern[1:], way[at:]) for at in range(len(way) + 1))
    return bool(way) and fnmatchcase(way[0], pattern[0]) and _leads(pattern[1:], way[1:])


def _yaml(kind: BuildFile, text: str) -> _Found:
    for key, command in yaml_commands.commands(text, kind.keys):
        yield (key,), _EXPRESSION.sub(HOLE, command)


def _ini(kind: BuildFile, text: str) -> _Found:
    """Values and their indented continuation lines; in a part of a file, indented lines alone, too."""
    current = ""
    for line in logical(text):
        name, equals, rest = line.partition("=")
        if line[:1] not in (" ", "\t", "#", ";") and equals:
            current, line = name.strip().lower(), rest
        elif line.strip() and line[:1] not in (" ", "\t"):
            current = ""
        if current in kind.keys and line.strip():
            given = line.strip().removeprefix("- ").removeprefix("-")
            yield (current,), _TOX.sub(lambda match: f"${match[1]}" if match[1] else HOLE, given)


def _docker(kind: BuildFile, text: str) -> _Found:  # noqa: ARG001  # one signature for the table
    for line in logical(text):
        found = _INSTRUCTION.fullmatch(line)
        if found:
            words = yaml_commands.flow_list(found[3].strip())
            yield (found[1].upper(),), shlex.join(words) if words else found[3]


def _recipes(kind: BuildFile, text: str) -> _Found:  # noqa: ARG001
    """Recipe lines of a makefile, its variables unknown."""
    lines = [line.lstrip("\t@+-") for line in logical(text) if line.startswith("\t")]
    for line in lines:
        yield (), _MAKE.sub(lambda match: "$" if match[0] == "$$" else HOLE, line)


def _indented(kind: BuildFile, text: str) -> _Found:  # noqa: ARG001
    for line in logical(text):
        if line[:1] in (" ", "\t") and line.strip() and not line.strip().startswith("#"):
            yield (), _EXPRESSION.sub(HOLE, line.strip().lstrip("@-"))


def _lines(kind: BuildFile, text: str) -> _Found:  # noqa: ARG001
    for line in logical(text):
        name, colon, rest = line.partition(":")
        if colon and re.fullmatch(r"[\w-]+", name):
            yield (name,), rest.strip()


def _keys(kind: BuildFile, text: str) -> _Found:
    for line in logical(text):
        name, equals, rest = line.partition("=")
        if equals and name.strip().lower() in kind.keys:
            yield (name,), re.sub(r"%[a-zA-Z]", HOLE, rest.strip().lstrip("-@+!:"))


def _ninja(kind: BuildFile, text: str) -> _Found:  # noqa: ARG001
    for line in logical(text):
        name, equals, rest = line.partition("=")
        if equals and name.strip() == "command":
            yield (), _NINJA.sub(HOLE, rest.strip())


def _cmake(kind: BuildFile, text: str) -> _Found:  # noqa: ARG001
    """What runs while the project is configured or built; the build's own folder is where ``build`` lies."""
    for call in _CMAKE_CALL.finditer(text):
        words = [_CMAKE_VARIABLE.sub(HOLE, _CMAKE_BUILD.sub("build", word)) for word in _CMAKE_WORD.findall(call[2])]
        if call[1].lower() == "file":
            yield (), f"rm -rf {shlex.join(word.strip(chr(34)) for word in words[1:])}"
            continue
        for at in (index for index, word in enumerate(words) if word == "COMMAND"):
            rest = words[at + 1 :]
            end = next((index for index, word in enumerate(rest) if _CMAKE_KEY.fullmatch(word)), len(rest))
            yield (), shlex.join(word.strip('"') for word in rest[:end])


_FORMS: dict[str, Callable[[BuildFile, str], _Found]] = {
    "json": _json,
    "toml": _toml,
    "yaml": _yaml,
    "ini": _ini,
    "docker": _docker,
    "recipes": _recipes,
    "indented": _indented,
    "lines": _lines,
    "keys": _keys,
    "ninja": _ninja,
    "cmake": _cmake,
}
