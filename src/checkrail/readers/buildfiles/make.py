"""Follows a Makefile from a target: its prerequisites and their recipes, with the variables that the file sets."""

import re
import shlex
from collections.abc import Iterator

import msgspec

from checkrail.context import Surroundings
from checkrail.model import HOLE, Payload
from checkrail.readers.buildfiles.state import Found, Unreadable

_ASSIGNMENT = re.compile(
    r"^(?:export\s+|override\s+|private\s+)*([\w.\-/]+)\s*(\?=|\+=|::?:?=|!=|=)\s*(.*)$", re.DOTALL
)
_RULE = re.compile(r"^([^:=#\t][^:=#]*?)\s*(&?::?)(?!=)\s*([^;#]*)(?:;(.*))?$", re.DOTALL)
_CONDITION = re.compile(r"^\s*(ifeq|ifneq|ifdef|ifndef|else|endif)\b")
_ACTS = re.compile(r"\$[({]\s*(?:shell|file)\s")
_DEFAULTS = {
    "MAKE": "make",
    "RM": "rm -f",
    "CC": "cc",
    "CXX": "c++",
    "SHELL": "/bin/sh",
    "AR": "ar",
    "MAKEFLAGS": "",
    "LD": "ld",
}
DEPTH, SIZE = 24, 20_000


class Rule(msgspec.Struct):
    """A target's prerequisites and recipe lines."""

    needs: list[str] = []
    recipe: list[str] = []


class File(msgspec.Struct):
    """A Makefile as read. ``partial``: it includes others, so a variable that is not set here may be set there."""

    variables: dict[str, str] = {}
    rules: dict[str, Rule] = {}
    patterns: list[tuple[str, Rule]] = []
    first: str = ""
    partial: bool = False
    oneshell: bool = False
    fixed: set[str] = set()  # variables that the command line cannot set (override)
    loose: list[str] = []  # lines outside recipes and assignments that call functions which act


class Expansion(msgspec.Struct):
    """What expanding needs: the file, what is known of the environment, and where commands go that run on the way."""

    file: File
    around: Surroundings
    given: dict[str, str]
    found: Found
    looking: list[str] = []
    dry: bool = False  # make -n: only what runs all the same


_OWN = frozenset(("GNUmakefile", "makefile", "Makefile"))


def follow(payload: Payload, around: Surroundings, found: Found) -> None:
    """Find what the targets named in the payload's options would run."""
    file = parse(payload.text)
    for key, text in payload.options:
        name, _, value = text.partition("=")
        if key == "setting" and name.rstrip(":+?") not in file.fixed:
            file.variables[name.rstrip(":+?")] = value  # stronger than what the file says
    expansion = Expansion(file, around, {**dict(payload.variables), "CURDIR": payload.cwd or HOLE}, found)
    for name, text in file.variables.items():
        if _ACTS.search(text) or name.endswith("!"):
            _expand(text, expansion, {}, 0) if not name.endswith("!") else found.add(
                "shell", _expand(text, expansion, {}, 0), "make !="
            )
    for line in file.loose:
        _expand(line, expansion, {}, 0)
    # With -n, too, make brings its own file and those that it includes up to date.
    if dict(payload.options).get("dry") and not file.partial and not _OWN.intersection(file.rules):
        expansion.dry, expansion.given["MAKE"] = True, "make -n"
    targets = [value for key, value in payload.options if key == "target" and value] or [file.first]
    seen: set[str] = set()
    for target in targets:
        _target(target, expansion, seen, 0)


def parse(text: str) -> File:
    """The rules and variables of a Makefile; both branches of conditions count."""
    file = File()
    lines = iter(re.sub(r"\\\n[ \t]*", " \\\n", text).split("\n"))
    rules: list[Rule] = []
    for line in _logical(lines):
        if line.startswith("\t") and rules:
            for rule in rules:
                rule.recipe.append(line[1:])
            continue
        if _ACTS.search(line) and not line.lstrip().startswith("#") and _ASSIGNMENT.match(line.strip()) is None:
            file.loose.append(line)
        if _CONDITION.match(line) or not line.strip() or line.lstrip().startswith("#"):
            continue
        rules = _line(line.strip(), file, lines)
    return file


def _logical(lines: Iterator[str]) -> Iterator[str]:
    for line in lines:
        whole = line
        while whole.endswith("\\"):
            whole = (
                whole[:-1] + next(lines, "").lstrip()
                if not whole.startswith("\t")
                else whole + "\n" + next(lines, "").lstrip("\t")
            )
            if len(whole) > SIZE:
                raise Unreadable("a line that is too long")
        yield whole


def _line(line: str, file: File, lines: Iterator[str]) -> list[Rule]:
    if re.match(r"-?s?include\b", line):
        file.partial = True
        return []
    if line.startswith(("define ", "$(eval", "${eval", ".RECIPEPREFIX")):
        file.partial = True
        if line.startswith(".RECIPEPREFIX"):
            raise Unreadable("another recipe prefix")
        _skip_define(line, file, lines)
        return []
    assigned = _ASSIGNMENT.match(line)
    if assigned is not None:
        if line.startswith("override"):
            file.fixed.add(assigned[1])
        _assign(file.variables, *assigned.groups())
        return []
    return _rule(line, file)


def _skip_define(line: str, file: File, lines: Iterator[str]) -> None:
    if not line.startswith("define "):
        return
    name = line.split()[1]
    body = []
    for following in lines:
        if following.strip() == "endef":
            break
        body.append(following.lstrip("\t"))
    file.variables[name] = "\n".join(body)


def _assign(variables: dict[str, str], name: str, sign: str, value: str) -> None:
    value = re.sub(r"\s+#.*$", "", value).strip()
    if sign == "+=" and name in variables:
        variables[name] += " " + value
    elif sign == "!=":
        variables[name] = HOLE
        variables[name + "!"] = value
    elif sign != "?=" or name not in variables:
        variables[name] = value


def _rule(line: str, file: File) -> list[Rule]:
    found = _RULE.match(line)
    if found is None:
        return []
    specific = _ASSIGNMENT.match(found[3].strip()) if "=" in line else None
    if specific is not None:
        file.variables.setdefault(specific[1], specific[3])
        return []
    made: list[Rule] = []
    for target in found[1].split():
        if target == ".ONESHELL":
            file.oneshell = True
        rule = file.rules.setdefault(target, Rule())
        if "%" in target:
            file.patterns.append((target, rule))
        elif not file.first and not target.startswith("."):
            file.first = target
        rule.needs.extend(found[3].replace("|", " ").split() if "$(" not in found[3] else _needs(found[3]))
        if found[4]:
            rule.recipe.append(found[4].strip())
        made.append(rule)
    return made


def _needs(text: str) -> list[str]:
    """Prerequisites with variables in them, kept whole."""
    return [part for part in re.findall(r"(?:\$[({][^)}]*[)}]|[^\s|])+", text) if part]


def _target(name: str, expansion: Expansion, seen: set[str], depth: int) -> None:
    if name in seen or depth > DEPTH or len(seen) > 400:
        return
    seen.add(name)
    rule, stem = _find(name, expansion.file)
    if rule is None:
        if depth == 0:
            raise Unreadable(f"no target {name!r} in the Makefile")
        return
    needs = [
        word for need in rule.needs for word in _expand(need, expansion, {"*": stem}, 0).replace("%", stem).split()
    ]
    for need in needs:
        _target(need, expansion, seen, depth + 1)
    automatic = {
        "@": name,
        "<": needs[0] if needs else "",
        "^": " ".join(needs),
        "+": " ".join(needs),
        "?": " ".join(needs),
        "*": stem,
    }
    recipe = [line for line in rule.recipe if not expansion.dry or _runs_always(line)]
    for line in rule.recipe:
        if line not in recipe:  # shown, which takes what stands in it
            _expand(line, expansion, automatic, 0)
    lines = [_expand(line, expansion, automatic, 0) for line in recipe]
    if expansion.file.oneshell:
        lines = ["\n".join(lines)]
    for line in lines:
        expansion.found.add("shell", _bare(line), f"make {name}")


def _runs_always(line: str) -> bool:
    """Whether ``make -n`` runs a line of a recipe, too: one marked so, or one that calls make."""
    marks = re.match(r"[ \t]*(?:[@+-][ \t]*)*", line)
    return "+" in (marks[0] if marks else "") or "$(MAKE)" in line or "${MAKE}" in line


def _find(name: str, file: File) -> tuple[Rule | None, str]:
    rule = file.rules.get(name)
    if rule is not None and (rule.recipe or rule.needs):
        for pattern, general in file.patterns if not rule.recipe else ():
            stem = _stem(pattern, name)
            if stem is not None:
                return Rule([*rule.needs, *general.needs], general.recipe), stem
        return rule, ""
    for pattern, general in file.patterns:
        stem = _stem(pattern, name)
        if stem is not None:
            return general, stem
    return rule, ""


def _stem(pattern: str, name: str) -> str | None:
    before, _, after = pattern.partition("%")
    fits = name.startswith(before) and name.endswith(after) and len(name) > len(before) + len(after)
    return name[len(before) : len(name) - len(after)] if fits else None


def _bare(line: str) -> str:
    return re.sub(r"^[ \t]*(?:[@+-][ \t]*)+", "", line)


def _expand(text: str, expansion: Expansion, automatic: dict[str, str], depth: int) -> str:
    """A text with make's variables put in; shell functions on the way are recorded."""
    if depth > 20:
        return HOLE
    out: list[str] = []
    at = 0
    while at < len(text):
        if text[at] != "$":
            out.append(text[at])
            at += 1
            continue
        following = text[at + 1 : at + 2]
        if following in ("(", "{"):
            end = _close(text, at + 1)
            out.append(_reference(text[at + 2 : end], expansion, automatic, depth + 1))
            at = end + 1
        else:
            out.append(
                "$" if following == "$" else automatic.get(following, _variable(following, expansion, automatic, depth))
            )
            at += 2
        if sum(map(len, out)) > SIZE:
            return HOLE
    return "".join(out)


def _close(text: str, at: int) -> int:
    opening, closing = text[at], ")" if text[at] == "(" else "}"
    depth = 0
    for index in range(at, len(text)):
        depth += (text[index] == opening) - (text[index] == closing)
        if depth == 0:
            return index
    return len(text)


def _reference(inner: str, expansion: Expansion, automatic: dict[str, str], depth: int) -> str:
    found = re.match(r"([a-z-]+)[ \t]+(.*)$", inner, re.DOTALL)
    if found is not None and found[1] == "shell":
        expansion.found.add("shell", _expand(found[2], expansion, automatic, depth), "make $(shell)")
        return HOLE
    if found is not None and found[1] in ("info", "warning", "error"):
        _expand(found[2], expansion, automatic, depth)
        return ""
    if found is not None and found[1] == "file":
        opened = re.match(r"\s*(>>?|<)\s*([^,]+)", _expand(found[2], expansion, automatic, depth))
        if opened is not None:
            expansion.found.add("shell", f": {opened[1]} {shlex.quote(opened[2].strip())}", "make $(file)")
        return HOLE
    if found is not None and found[1] == "eval":
        _expand(found[2], expansion, automatic, depth)
        expansion.found.opaque["runs local code (a Makefile that writes itself)"] = None
        return ""
    if found is not None or "," in inner:
        _expand(inner, expansion, automatic, depth)
        return HOLE
    if re.fullmatch(r"[@<^+?*][DF]", inner):
        return HOLE
    if inner in automatic:
        return automatic[inner]
    return _variable(_expand(inner, expansion, automatic, depth), expansion, automatic, depth)


def _variable(name: str, expansion: Expansion, automatic: dict[str, str], depth: int) -> str:
    if name in expansion.given:
        return expansion.given[name]
    if name in expansion.looking or ":" in name or HOLE in name:
        return HOLE
    value = expansion.file.variables.get(name)
    if value is None:
        outside = expansion.around.host.variable(name)
        unset = HOLE if expansion.file.partial else ""
        return outside if outside is not None else _DEFAULTS.get(name, unset)
    expansion.looking.append(name)
    text = _expand(value, expansion, automatic, depth + 1)
    expansion.looking.pop()
    return text
