"""``skills/``: one level deep, a file named exactly SKILL.md, its front matter by the rules of Agent Skills."""

import os
import re
import stat
from collections.abc import Iterator
from typing import Any

from checkrail.plugins import containment, front_matter
from checkrail.plugins.records import Fatality, Problem, Skill

DIRECTORY, FILE = "skills", "SKILL.md"
LIMIT = 4 * 1024 * 1024
"""Bytes of one SKILL.md."""
FIELDS = frozenset({"name", "description", "license", "compatibility", "metadata", "allowed-tools"})
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")

Found = tuple[tuple[Skill, ...], tuple[Problem, ...]]


def read(root: str) -> Found:
    """The skills of a resolved root, and what was wrong."""
    if DIRECTORY not in containment.names(root):
        return (), ()
    folder = os.path.join(root, DIRECTORY)
    if not containment.is_inside(root, folder):
        return (), (Problem(7, "skills.escapes", Fatality.TYPE, DIRECTORY, "it resolves outside the package"),)
    try:
        children = containment.names(folder)
    except OSError as error:
        return (), (Problem(32, "skills.wrong-kind", Fatality.TYPE, DIRECTORY, error.strerror or "unreadable"),)
    skills: list[Skill] = []
    problems: list[Problem] = []
    for child in children:
        found = list(_child(root, folder, child))
        skills += [entry for entry in found if isinstance(entry, Skill)]
        problems += [entry for entry in found if isinstance(entry, Problem)]
    return tuple(skills), tuple(problems)


def _child(root: str, folder: str, child: str) -> Iterator[Skill | Problem]:
    directory = os.path.join(folder, child)
    if not containment.is_inside(root, directory):
        yield _skip(8, "skills.entry-escapes", child, "it resolves outside the package")
        return
    path = os.path.join(directory, FILE)
    try:
        if not os.path.isdir(directory) or FILE not in containment.names(directory):
            return
        if not containment.is_inside(root, path):
            yield _skip(8, "skills.entry-escapes", child, "SKILL.md resolves outside the package")
            return
        if not stat.S_ISREG(os.stat(path).st_mode):
            return  # only a path that resolves to a regular file makes a skill
        raw = containment.read(root, path, LIMIT)
    except (OSError, containment.Escapes, containment.WrongKind) as error:
        yield _skip(37, "skills.unreadable", child, getattr(error, "strerror", None) or str(error))
        return
    yield from of_text(child, raw, f"{DIRECTORY}/{child}/{FILE}")


def _skip(requirement: int, code: str, subject: str, reason: str) -> Problem:
    return Problem(requirement, code, Fatality.ENTRY, subject[:120], reason)


def of_text(directory: str, raw: bytes, path: str) -> Iterator[Skill | Problem]:
    """The skill that a file in a directory of this name holds, or why it is skipped."""
    try:
        head, body = front_matter.split(raw.decode("utf-8"))
        found = front_matter.fields(head)
    except UnicodeDecodeError:
        yield _skip(37, "skills.not-utf-8", directory, "it is not UTF-8")
        return
    except front_matter.Unreadable as error:
        yield _skip(37, "skills.front-matter", directory, str(error))
        return
    faults = list(_faults(directory, found))
    yield from (_skip(35, "skills.field", directory, fault) for fault in faults)
    for key in sorted(found.keys() - FIELDS):
        reason = f"{key[:60]} is no field of Agent Skills; clients may give it a meaning of their own"
        yield Problem(82, "skills.unknown-field", Fatality.NOTE, directory[:120], reason)
    if not faults:
        yield Skill(
            name=found["name"], description=found["description"], path=path, body=body,
            allowed_tools=found.get("allowed-tools", ""), license=found.get("license", ""),
            compatibility=found.get("compatibility", ""), metadata=found.get("metadata", {}),
        )  # fmt: skip


def _faults(directory: str, found: dict[str, Any]) -> Iterator[str]:
    name = found.get("name")
    if not isinstance(name, str) or not 1 <= len(name) <= 64 or not _NAME.fullmatch(name):
        yield "name is not 1 to 64 of a-z, 0-9 and single hyphens inside"
    elif name != directory:
        yield "name is not the name of its directory"
    description = found.get("description")
    if not isinstance(description, str) or not description.strip() or len(description) > 1024:
        yield "description is not a text of 1 to 1024 characters"
    for key in ("license", "compatibility", "allowed-tools"):
        if key in found and not isinstance(found[key], str):
            yield f"{key} is not a text"
    compatibility = found.get("compatibility", "-")
    if isinstance(compatibility, str) and not 1 <= len(compatibility) <= 500:
        yield "compatibility is not 1 to 500 characters long"
    metadata = found.get("metadata", {})
    if not isinstance(metadata, dict) or not all(isinstance(text, str) for pair in metadata.items() for text in pair):
        yield "metadata is not a mapping of texts"
