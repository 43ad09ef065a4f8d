"""What git knows is read from its files: roots, branches, the index in each version."""

import os
import shutil
import struct
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checkrail.facts import git
from checkrail.facts.host import FrozenHost, RealHost

HOST = FrozenHost(
    files={
        "/work/app/.git/HEAD": "ref: refs/heads/feature/x\n",
        "/work/app/.git/refs/remotes/origin/HEAD": "ref: refs/remotes/origin/develop\n",
        "/work/app/src/a.py": "x",
        "/work/tree/.git": "gitdir: /work/app/.git/worktrees/tree\n",
        "/work/app/.git/worktrees/tree/HEAD": "ref: refs/heads/main\n",
        "/work/app/.git/worktrees/tree/commondir": "../..\n",
        "/work/loose/.git/HEAD": "0123456789abcdef0123456789abcdef01234567\n",
        "/work/odd/.git": "not a pointer\n",
    }
)


def test_repository_and_branch() -> None:
    """The nearest repository and its branch are found, in a worktree too."""
    found = git.repository("/work/app/src/a.py", HOST)
    assert found == git.Repository("/work/app", "/work/app/.git", "/work/app/.git")
    assert git.branch(found, HOST) == "feature/x"
    tree = git.repository("/work/tree/src", HOST)
    assert tree is not None
    assert git.branch(tree, HOST) == "main"
    assert git.default_branch(tree, HOST) == "develop"


def test_no_branch_and_no_repository() -> None:
    """A detached head has no branch; a stray file is no repository."""
    loose = git.repository("/work/loose", HOST)
    assert loose is not None
    assert git.branch(loose, HOST) == ""
    assert git.repository("/work/odd/x", HOST) is None
    assert git.repository("/tmp/x", HOST) is None


@pytest.mark.parametrize(
    ("name", "expected"),
    [("main", True), ("release/1.2", True), ("develop", True), ("feature/main", False), ("mainline", False)],
)
def test_protected(name: str, expected: bool) -> None:
    """Protected are well-known names and what the remote calls its default."""
    assert git.is_protected(name, git.repository("/work/app", HOST), HOST) is expected


@given(st.binary(max_size=200))
def test_parse_never_raises(data: bytes) -> None:
    """Any bytes give entries or nothing."""
    git.parse_index(data)
    git.parse_index(struct.pack(">4sII", b"DIRC", 4, len(data)) + data)


def test_truncated_index_is_not_understood() -> None:
    """An index that ends early is not half believed."""
    entry = struct.pack(">10I20sH", 0, 0, 1, 0, 0, 0, 0o100644, 0, 0, 5, b"\1" * 20, 1) + b"a\0"
    assert git.parse_index(struct.pack(">4sII", b"DIRC", 2, 1) + entry) == {"a": git.Entry(5, 1.0)}
    assert git.parse_index(struct.pack(">4sII", b"DIRC", 2, 2) + entry) is None
    assert git.parse_index(struct.pack(">4sII", b"DIRC", 9, 1) + entry) is None


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
@pytest.mark.parametrize("version", ["2", "4"])
def test_real_repository(tmp_path: Path, version: str) -> None:
    """On a repository that git itself made, tracked and unchanged means restorable."""
    environment = {"HOME": str(tmp_path), "PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1"}

    def run(*words: str) -> None:
        subprocess.run(["git", *words], cwd=tmp_path, env=environment, check=True, capture_output=True)

    run("init", "-q", "-b", "main")
    (tmp_path / "src" / "deep").mkdir(parents=True)
    for name in ("src/a.py", "src/deep/a-rather-long-name-here.py", "src/deep/b.py", "src/z.py"):
        (tmp_path / name).write_text(name)
    run("add", ".")
    run("update-index", "--index-version", version)
    host = RealHost(str(tmp_path))
    (tmp_path / "src" / "new.py").write_text("new")
    (tmp_path / "planned.py").write_text("planned")
    run("add", "-N", "planned.py")
    found = git.repository(f"{tmp_path}/src", host)
    assert found is not None
    assert set(git.tracked(found, host) or ()) == {
        "src/a.py",
        "src/deep/a-rather-long-name-here.py",
        "src/deep/b.py",
        "src/z.py",
    }
    assert git.restorable(f"{tmp_path}/src/a.py", host) is True
    assert git.restorable(f"{tmp_path}/src/new.py", host) is False
    assert git.restorable(f"{tmp_path}/planned.py", host) is False
    assert git.restorable(f"{tmp_path}/src/deep", host) is True
    assert git.restorable(f"{tmp_path}/src", host) is False
    assert git.restorable(f"{tmp_path}/src/gone.py", host) is None
    assert git.holds_tracked(f"{tmp_path}/src/deep", host)
    assert not git.holds_tracked(f"{tmp_path}/src/dee", host)
    (tmp_path / "src" / "deep" / "b.py").write_text("changed content")
    assert git.restorable(f"{tmp_path}/src/deep", host) is False
