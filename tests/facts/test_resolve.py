"""Paths resolve as the kernel would, from the nearest ancestor that exists."""

import os
from pathlib import Path

import pytest

from checkrail.facts.host import FrozenHost, RealHost
from checkrail.facts.resolve import normal, real

HOST = FrozenHost(
    files={
        "/a/dir/file": "x",
        "/a/link": "@/b/deep",
        "/a/relative": "@dir",
        "/b/deep/inner": "x",
        "/b/up": "@..",
        "/loop/one": "@two",
        "/loop/two": "@one",
    }
)


@pytest.mark.parametrize(
    ("path", "cwd", "expected"),
    [
        ("/a//b/./c/", "/", "/a/b/c"),
        ("x/../../y", "/work/app", "/work/y"),
        ("/../..", "/", "/"),
        ("//", "/", "/"),
        (".", "/work", "/work"),
    ],
)
def test_normal(path: str, cwd: str, expected: str) -> None:
    """Dots and doubled slashes go."""
    assert normal(path, cwd) == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/a/dir/file", "/a/dir/file"),
        ("/a/link/inner", "/b/deep/inner"),
        ("/a/link/new/file", "/b/deep/new/file"),
        ("/a/link/../x", "/b/x"),
        ("/a/relative/file", "/a/dir/file"),
        ("/b/up/a", "/a"),
        ("/nowhere/x", "/nowhere/x"),
        ("/nowhere/../a/link", "/b/deep"),
        ("/", "/"),
    ],
)
def test_real(path: str, expected: str) -> None:
    """Links are followed, ``..`` goes up from where a link led, what is missing stays as written."""
    assert real(path, HOST) == expected


def test_last_link_stays_where_asked() -> None:
    """A deletion takes the link, not what it points to."""
    assert real("/a/link", HOST, follow=False) == "/a/link"
    assert real("/a/relative/file", HOST, follow=False) == "/a/dir/file"


def test_loops_end() -> None:
    """A loop of links gives an answer."""
    assert real("/loop/one/x", HOST).startswith("/loop/")


def test_agrees_with_the_kernel(tmp_path: Path) -> None:
    """On a real tree the answer is that of os.path.realpath."""
    (tmp_path / "d" / "e").mkdir(parents=True)
    (tmp_path / "l").symlink_to("d/e")
    (tmp_path / "d" / "back").symlink_to(tmp_path / "l")
    for path in ("l", "l/../x", "d/back/..", "d/back/new", "missing/../l"):
        assert real(f"{tmp_path}/{path}", RealHost("/home/dev")) == os.path.realpath(tmp_path / path)
