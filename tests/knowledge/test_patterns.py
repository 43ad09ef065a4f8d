"""Patterns match whole components, globs included, on both sides."""

import pytest

from checkrail.knowledge.patterns import Index, fold, glob, meets, parse
from checkrail.model import HOLE, SOME


def look(pattern: str, path: str, homes: tuple[int, ...] = ()) -> tuple[bool, bool]:
    """Whether the pattern is at the path, and whether it may lie below it."""
    found = Index([parse(pattern, 0)]).match([fold(part) for part in path.split("/") if part], homes)
    return 0 in found.at, 0 in found.under


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("/etc/shadow", "/etc/shadow", (True, False)),
        ("/etc/shadow", "/etc", (False, True)),
        ("/etc/shadow", "/etc/shadow/x", (False, False)),
        ("/etc/ssh/**", "/etc/ssh/a/b", (True, False)),
        ("/etc/ssh/**", "/etc/ssh", (True, False)),
        ("/etc/ssh/**", "/etc/sshd", (False, False)),
        ("**/.git/config", "/a/b/.git/config", (True, False)),
        ("**/.git/config", "/a/b/.git", (False, True)),
        ("**/.git/config", "/a/b", (False, False)),
        ("**/*.pem", "/a/x.PEM", (True, False)),
        ("**/*.pem", "/a/x.pem.txt", (False, False)),
        ("**/.env.*", "/a/.env.local", (True, False)),
        ("/", "/", (True, False)),
    ],
)
def test_plain_paths(pattern: str, path: str, expected: tuple[bool, bool]) -> None:
    """A path without globs is at a pattern, above it, or neither."""
    assert look(pattern, path) == expected


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("**/.claude/settings.json", "/a/.c*/settings.json", True),
        ("**/.claude/settings.json", "/a/.claude/*", True),
        ("**/.claude/settings.json", "/a/.claude/*.md", False),
        ("**/crush.json", "/a/*.json", False),
        ("**/.env", "/a/*", False),
        ("**/.env", "/a/.e*", True),
        ("**/*.pem", "/a/*.pem", True),
        ("**/*.pem", "/a/*.py", False),
        ("/etc/shadow", "/e?c/sh[a-b]dow", True),
        ("/etc/shadow", "/e?c/sh[!a]dow", False),
        ("/etc/shadow", f"/etc/{HOLE}", True),
        ("/etc/shadow", f"/etc/{SOME}.txt", False),
        ("**/.ssh/id_*", "/a/.ssh/id_r*", True),
        ("**/.ssh/id_*", "/a/.ssh/known*", False),
    ],
)
def test_globs_in_paths(pattern: str, path: str, expected: bool) -> None:
    """A path that is itself a glob meets what it could name; a bare leading star names nothing in particular."""
    assert look(pattern, path)[0] is expected


def test_home_anchor() -> None:
    """A home pattern counts from the end of each home prefix, and only there."""
    assert look("~/.bashrc", "/home/dev/.bashrc", (2,)) == (True, False)
    assert look("~/.bashrc", "/home/dev/.bashrc") == (False, False)
    assert look("~/.bashrc", "/home/dev/x/.bashrc", (2,)) == (False, False)


def test_hostile_glob_is_quick_and_wide() -> None:
    """A glob with very many wildcards is taken for more than it means, never for less."""
    assert meets("*?" * 500 + "x", "settings.json")
    assert meets("s" + "*?" * 200, "settings.json")


@pytest.mark.parametrize("text", ["[", "[+--]", "[]", "[!]", "[z-a]", "[[:alpha:]]x", "a[b", "\\", "[\\]"])
def test_odd_brackets_compile(text: str) -> None:
    """Broken bracket expressions never raise."""
    assert glob(text).pattern


def test_fold_sees_through_spelling() -> None:
    """Case, full-width letters and invisible characters do not hide a name."""
    assert fold(".GIT") == fold(".g\u200cit") == fold(".ＧＩＴ") == ".git"
