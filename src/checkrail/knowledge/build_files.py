"""Which files hold commands for later, and where in them: the schema of ``build_files.toml`` and its loader."""

from fnmatch import fnmatchcase
from functools import cache
from typing import Literal

import msgspec

from checkrail.knowledge.network import load

Form = Literal["json", "toml", "yaml", "ini", "docker", "recipes", "indented", "lines", "keys", "ninja", "cmake"]


class BuildFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One kind of file; see ``build_files.toml``."""

    names: tuple[str, ...]
    form: Form
    keys: tuple[str, ...] = ()
    itself: frozenset[str] = frozenset()
    argv: bool = False
    machine: str = ""


class Examples(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Folders of data."""

    folders: frozenset[str]


class BuildFiles(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``build_files.toml``."""

    files: tuple[BuildFile, ...] = msgspec.field(name="file")
    languages: dict[str, tuple[str, ...]]
    examples: Examples


@cache
def build_files() -> BuildFiles:
    """The table of files that hold commands."""
    return load("build_files.toml", BuildFiles)


def kind_of(path: str) -> BuildFile | None:
    """The kind of a file by its path, None where it holds no commands by its name."""
    folded = path.lower()
    name = folded.rpartition("/")[2]
    for kind in build_files().files:
        if any(fnmatchcase(folded, f"*/{glob}") if "/" in glob else fnmatchcase(name, glob) for glob in kind.names):
            return kind
    return None


def language_of(path: str) -> str:
    """The language of a script by its ending; empty for anything else."""
    folded = path.lower()
    return next((language for language, endings in build_files().languages.items() if folded.endswith(endings)), "")


def example(path: str) -> bool:
    """Whether a file lies among examples and data."""
    return not build_files().examples.folders.isdisjoint(path.lower().split("/")[:-1])
