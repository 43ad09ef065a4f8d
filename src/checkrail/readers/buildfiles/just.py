"""Follows a justfile from a recipe: its dependencies, its lines, the variables that the file sets."""

import re

import msgspec

from checkrail.context import Surroundings
from checkrail.model import HOLE, Payload
from checkrail.readers.buildfiles.state import Found, Unreadable

_RECIPE = re.compile(
    r"^@?([A-Za-z_][\w-]*)((?:\s+[^:=\s][^:=]*(?:=\s*(?:'[^']*'|\"[^\"]*\"|[\w.-]+))?)*)\s*:(?!=)\s*(.*)$"
)
_ASSIGNMENT = re.compile(r"^(?:export\s+)?([A-Za-z_][\w-]*)\s*:=\s*(.*)$")
_LANGUAGES = (
    ("python", "python"), ("node", "node"), ("ruby", "ruby"), ("perl", "perl"), ("php", "php"), ("bash", "shell"), ("sh", "shell"),
    ("zsh", "shell"), ("pwsh", "powershell"),
)  # fmt: skip


class Recipe(msgspec.Struct):
    """A recipe's dependencies, parameters and lines."""

    needs: list[str] = []
    parameters: list[str] = []
    lines: list[str] = []


class File(msgspec.Struct):
    """A justfile as read."""

    recipes: dict[str, Recipe] = {}
    variables: dict[str, str] = {}
    aliases: dict[str, str] = {}
    first: str = ""


def follow(payload: Payload, _around: Surroundings, found: Found) -> None:
    """Find what the recipes named in the payload's options would run."""
    file = parse(payload.text)
    for value in file.variables.values():
        for command in re.findall(r"`([^`]*)`", value):
            found.add("shell", command, "just backticks")
    names = [value for key, value in payload.options if key == "recipe" and value] or [file.first]
    seen: set[str] = set()
    for name in names:
        _recipe(name, file, found, seen)


def parse(text: str) -> File:
    """The recipes and variables of a justfile. Raises :class:`Unreadable` where another shell is set."""
    file = File()
    recipe: Recipe | None = None
    for line in text.split("\n"):
        if line[:1] in (" ", "\t"):
            if recipe is not None:
                recipe.lines.append(line)
            continue
        if not line.strip():
            if recipe is not None and recipe.lines:
                recipe.lines.append("")
            continue
        recipe = None if line.startswith(("#", "[")) else _line(line, file)
    return file


def _line(line: str, file: File) -> Recipe | None:
    if re.match(r"set\s+(windows-)?shell\b", line) and not re.search(
        r"['\"](?:/usr)?(?:/bin/)?(?:ba|z|da)?sh['\"]", line
    ):
        raise Unreadable("another shell is set")
    alias = re.match(r"alias\s+([\w-]+)\s*:=\s*([\w-]+)", line)
    if alias is not None:
        file.aliases[alias[1]] = alias[2]
        return None
    assigned = _ASSIGNMENT.match(line)
    if assigned is not None:
        file.variables[assigned[1]] = assigned[2].strip()
        return None
    found = _RECIPE.match(line)
    if found is None:
        return None
    names = re.findall(r"[A-Za-z_][\w-]*(?=\s|=|$)", re.sub(r"=\s*(?:'[^']*'|\"[^\"]*\")", "=", found[2]))
    made = Recipe(re.findall(r"[A-Za-z_][\w-]*", re.sub(r"'[^']*'|\"[^\"]*\"|&&", " ", found[3])), names)
    file.recipes[found[1]] = made
    file.first = file.first or found[1]
    return made


def _recipe(name: str, file: File, found: Found, seen: set[str]) -> None:
    name = file.aliases.get(name, name)
    if name in seen:
        return
    seen.add(name)
    recipe = file.recipes.get(name)
    if recipe is None:
        if len(seen) == 1:
            raise Unreadable(f"no recipe {name!r} in the justfile")
        return
    for need in recipe.needs:
        if need in file.recipes or need in file.aliases:
            _recipe(need, file, found, seen)
    _run(name, recipe, file, found)


def _run(name: str, recipe: Recipe, file: File, found: Found) -> None:
    indent = len(recipe.lines[0]) - len(recipe.lines[0].lstrip()) if recipe.lines else 0
    lines = [_filled(line[indent:], recipe, file, found) for line in recipe.lines]
    if lines and lines[0].startswith("#!"):
        language = next((language for word, language in _LANGUAGES if re.search(rf"\b{word}[\d.]*\b", lines[0])), "")
        if not language:
            found.opaque[f"runs local code (just {name})"] = None
            return
        found.add(language, "\n".join(lines[1:]), f"just {name}")
        return
    whole = re.sub(r"\\\n\s*", " ", "\n".join(lines))
    for line in whole.split("\n"):
        if not line.lstrip().startswith("#"):
            found.add("shell", re.sub(r"^[ \t]*[@-]*[ \t]*", "", line), f"just {name}")


def _filled(line: str, recipe: Recipe, file: File, found: Found) -> str:
    def value(match: re.Match[str]) -> str:
        inner = match[1].strip()
        for command in re.findall(r"`([^`]*)`", inner):
            found.add("shell", command, "just backticks")
        if inner in recipe.parameters:
            return HOLE
        return _constant(file.variables.get(inner, inner), file, 0)

    return re.sub(r"\{\{(.*?)\}\}", value, line)


def _constant(text: str, file: File, depth: int) -> str:
    text = text.strip()
    quoted = re.fullmatch(r"'([^']*)'|\"([^\"\\]*)\"", text)
    if quoted is not None:
        return quoted[1] if quoted[1] is not None else quoted[2]
    if text in file.variables and depth < 10:
        return _constant(file.variables[text], file, depth + 1)
    parts = re.split(r"\s*([+/])\s*", text)
    if len(parts) > 2 and depth < 10 and not re.search(r"['\"][^'\"]*[+/][^'\"]*['\"]", text):
        return "".join(
            "" if part == "+" else part if part == "/" else _constant(part, file, depth + 1) for part in parts
        )
    return HOLE
