"""Texts beside the servers that clients on this machine load: skills, and what packages say of themselves."""

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from checkrail.admission.configured import FILE_LIMIT, Fault, Launch, paths, shown
from checkrail.admission.records import Definition
from checkrail.knowledge.speech import clients

SKILLS = 2000
"""Skills that are read, and as many other documents."""
UPWARDS = 6
"""Folders above a server's program in which its package may lie."""
_PACKAGE = ("package.json", "pyproject.toml")
_SAYS = ("README.md", "README.rst", "README.txt", "README", "readme.md")


def skills(environment: Mapping[str, str], project: Path) -> Iterator[Definition | Fault]:
    """The skills that clients would load, each as a definition of its own."""
    found = (
        path for folder in paths(clients().skills, environment, project) for path in sorted(folder.glob("*/[Ss][Kk][Ii][Ll][Ll].md"))
    )  # fmt: skip
    for path in _first(found):
        text = _text(path)
        yield (
            text
            if isinstance(text, Fault)
            else Definition(f"skill:{shown(path)}", {"name": shown(path.parent.name), "description": text})
        )


def readmes(environment: Mapping[str, str], project: Path, launches: Iterable[Launch]) -> Iterator[Definition | Fault]:
    """What packages of plugins say of themselves, and those of servers whose program lies on this machine."""
    folders = [*paths(clients().packages, environment, project)]
    folders += [folder for launch in launches for word in launch.words if (folder := _package(word, project))]
    found = (folder / name for folder in dict.fromkeys(folders) for name in _SAYS if (folder / name).is_file())
    for path in _first(found):
        text = _text(path)
        yield (
            text
            if isinstance(text, Fault)
            else Definition(
                f"package:{shown(path)}", {"name": shown(path.parent.name), "description": text}, kind="document"
            )
        )


def _first(found: Iterable[Path]) -> Iterator[Path]:
    seen: set[str] = set()
    for path in found:
        if len(seen) >= SKILLS:
            return
        real = os.path.realpath(path)
        if real not in seen:
            seen.add(real)
            yield path


def _text(path: Path) -> str | Fault:
    try:
        if path.is_file() and path.stat().st_size <= FILE_LIMIT:
            return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        pass
    return Fault(shown(path), "cannot be read")


def _package(word: str, project: Path) -> Path | None:
    """The package of a program that a command names by its path."""
    if "/" not in word or "://" in word or word.startswith("-"):
        return None
    try:
        place = (project / os.path.expanduser(word)).resolve(strict=True)
    except (OSError, ValueError, RuntimeError):
        return None
    for folder in [place, *place.parents][:UPWARDS]:
        if any((folder / name).is_file() for name in _PACKAGE):
            return folder
    return None
