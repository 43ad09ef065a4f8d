"""Acquiring as data: a commit, a tarball, a directory; nothing of them runs and nothing odd is taken."""

import base64
import hashlib
import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from checkrail.plugins import sources, trees
from checkrail.plugins.sources import Source, git, npm
from checkrail.plugins.unpack import Refused
from tests.plugins.test_archives import tar


class Repository:
    """A local repository, made by git itself, without anybody's configuration."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir()
        self.git("init", "--quiet")

    def git(self, *words: str, stdin: bytes = b"") -> str:
        """Output of a git command."""
        around = {
            "PATH": os.environ["PATH"], "HOME": str(self.path), "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "a",
            "GIT_AUTHOR_EMAIL": "a@example.com", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.com",
        }  # fmt: skip
        done = subprocess.run(["git", *words], cwd=self.path, env=around, input=stdin, capture_output=True, check=True)
        return done.stdout.decode().strip()

    def commit(self, files: dict[str, str]) -> str:
        """A commit of these files."""
        for name, text in files.items():
            (self.path / name).parent.mkdir(parents=True, exist_ok=True)
            (self.path / name).write_text(text)
        self.git("add", "-A")
        self.git("commit", "--quiet", "--allow-empty", "-m", "x")
        return self.git("rev-parse", "HEAD")


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """An empty one."""
    return Repository(tmp_path / "repository")


def test_a_commit(repository: Repository) -> None:
    """Exactly that one, whatever came after it; attributes have no say."""
    first = repository.commit(
        {
            "plugin.json": "{}",
            "a/b.txt": "$Id$ 1\n",
            ".gitattributes": "* text ident export-subst\nsecret export-ignore\n",
            "secret": "s",
        }
    )
    repository.commit({"a/b.txt": "2"})
    found = sources.acquire(sources.parse(f"{repository.path}#{first}"))
    assert {name: file.content for name, file in found.files.items()} == {
        "plugin.json": b"{}", "a/b.txt": b"$Id$ 1\n", "secret": b"s", ".gitattributes": b"* text ident export-subst\nsecret export-ignore\n",
    }  # fmt: skip


def test_nothing_of_a_repository_runs(repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither its hooks and filters nor those of the person's own configuration."""
    mark = tmp_path / "mark"
    commit = repository.commit({"x": "x", ".gitattributes": "* filter=evil\n"})
    hook = repository.path / ".git" / "hooks" / "post-checkout"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {mark}\n")
    hook.chmod(0o755)
    repository.git("config", "filter.evil.smudge", f"touch {mark}")
    own = tmp_path / "own"
    own.write_text(
        f'[filter "evil"]\n\tsmudge = touch {mark}\n[core]\n\tfsmonitor = touch {mark}\n\tsshCommand = touch {mark}\n'
    )
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(own))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.fsmonitor")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", f"touch {mark}")
    assert set(git.fetched(str(repository.path), commit)) == {"x", ".gitattributes"}
    assert not mark.exists()


@pytest.mark.parametrize("mode,name", [("120000", "link"), ("160000", "module")])
def test_links_and_submodules_are_refused(repository: Repository, mode: str, name: str) -> None:
    """As in an archive."""
    blob = repository.git("hash-object", "-w", "--stdin", stdin=b"/etc/passwd") if mode == "120000" else "1" * 40
    repository.git("update-index", "--add", "--cacheinfo", f"{mode},{blob},{name}")
    repository.git("commit", "--quiet", "-m", "x")
    with pytest.raises(Refused):
        git.fetched(str(repository.path), repository.git("rev-parse", "HEAD"))


def test_names_that_collide_are_refused(repository: Repository) -> None:
    """On a system that folds case one would hide the other."""
    commit = repository.commit({"skills/a/SKILL.md": "1", "Skills/a/SKILL.md": "2"})
    with pytest.raises(Refused):
        git.fetched(str(repository.path), commit)


def test_a_commit_that_is_not_there(repository: Repository) -> None:
    """Nothing else is taken in its stead."""
    repository.commit({"x": "x"})
    with pytest.raises(Refused):
        git.fetched(str(repository.path), "1" * 40)


@pytest.mark.parametrize(
    "text",
    [
        "https://git.example/a/b", "https://git.example/a/b#main", "https://git.example/a/b#abc1234", "https://u:p@git.example/a#" + "1" * 40,
        "http://git.example/a#" + "1" * 40, "ssh://git.example/a#" + "1" * 40, "ext::sh -c x#" + "1" * 40, "--upload-pack=x#" + "1" * 40,
        "git@git.example:a/b#" + "1" * 40, "https://git.example/../x#" + "1" * 40, "https://git.example/a b#" + "1" * 40,
        "https://git.example/a#" + "1" * 40 + "\n", "npm:demo", "npm:demo@latest", "npm:demo@^1.0.0", "npm:Demo@1.0.0", "npm:../x@1.0.0",
        "npm:@a/b/c@1.0.0", "npm:demo@1.0.0\n", "npm:@1.0.0",
    ],
)  # fmt: skip
def test_what_is_no_pinned_source(text: str) -> None:
    """Branches, tags, ranges, users, other transports."""
    with pytest.raises(Refused):
        sources.parse(text)


def test_which_sources_the_operator_lets_in() -> None:
    """By the beginning of a location, up to a slash."""
    npm_source = Source(kind="npm", location="@acme/tools", pin="1.0.0")
    git_source = Source(kind="git", location="https://git.example/acme/x", pin="1" * 40)
    assert sources.allowed(npm_source, ())
    assert sources.allowed(npm_source, ("npm:@acme",))
    assert not sources.allowed(npm_source, ("npm:@acm", "https://git.example"))
    assert sources.allowed(git_source, ("https://git.example/acme",))
    assert not sources.allowed(git_source, ("https://git.example/acm", "npm:@acme"))


ARCHIVE = tar(("package/plugin.json", b"{}"), ("package/package.json", b'{"scripts": {"postinstall": "touch /tmp/x"}}'))


def integrity(raw: bytes, algorithm: str = "sha512") -> str:
    """As a registry states it."""
    return f"{algorithm}-{base64.b64encode(hashlib.new(algorithm, raw).digest()).decode()}"


Answer = Callable[..., None]


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> Answer:
    """A registry that says and serves what a test wants."""

    def answers(*, raw: bytes = ARCHIVE, **dist: object) -> None:
        tarball = "https://registry.npmjs.org/demo/-/demo-1.0.0.tgz"
        said = {
            "name": "demo",
            "version": "1.0.0",
            "dist": {"tarball": tarball, "integrity": integrity(ARCHIVE), **dist},
        }
        monkeypatch.setattr(
            npm, "_get", lambda address, limit: raw if address.endswith(".tgz") else json.dumps(said).encode()[:limit]
        )

    return answers


def test_a_tarball(registry: Answer) -> None:
    """With the registry's integrity, or the one that was given."""
    registry()
    for given in ("", integrity(ARCHIVE)):
        found = sources.acquire(sources.parse("npm:demo@1.0.0", integrity=given))
        assert set(found.files) == {"plugin.json", "package.json"}
        assert found.source.integrity == integrity(ARCHIVE)


@pytest.mark.parametrize(
    "given,told",
    [
        ("", {"raw": ARCHIVE + b"x"}),
        (integrity(b"other"), {}),
        (integrity(b"other"), {"integrity": integrity(b"other")}),
        ("", {"integrity": integrity(ARCHIVE, "sha1")}),
        ("", {"integrity": "sha512-"}),
        ("", {"integrity": None}),
        ("", {"tarball": "https://elsewhere.example/demo.tgz"}),
        ("", {"tarball": 1}),
    ],
)
def test_a_tarball_that_is_another(registry: Answer, given: str, told: dict[str, object]) -> None:
    """Wrong bytes, wrong or weak digests, another host."""
    registry(**told)
    with pytest.raises(Refused):
        sources.acquire(sources.parse("npm:demo@1.0.0", integrity=given))


def test_only_https() -> None:
    """Before anything is reached."""
    with pytest.raises(Refused):
        npm.fetched("demo", "1.0.0", "", registry="http://registry.example")


def test_a_directory(tmp_path: Path) -> None:
    """In place; a change of any byte or name changes the digest, a link out refuses it."""
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x").write_text("1")
    before = trees.digest(trees.digests(trees.read(str(tmp_path))))
    (tmp_path / "a" / "x").rename(tmp_path / "a" / "y")
    assert trees.digest(trees.digests(trees.read(str(tmp_path)))) != before
    (tmp_path / "out").symlink_to("/etc/passwd")
    with pytest.raises(Refused):
        sources.acquire(sources.parse(str(tmp_path)))
