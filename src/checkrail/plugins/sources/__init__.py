"""Where packages come from: a directory in place, a git commit, an npm tarball. All three give data; nothing is installed or run.

A grant to a source here says nothing about any channel of code plugins, and none there says anything here.
"""

from pathlib import Path

import msgspec

from checkrail.plugins import containment, trees
from checkrail.plugins.sources import git, npm
from checkrail.plugins.unpack import File, Refused


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """``pin`` is a commit or an exact version, ``integrity`` the digest of an archive; a directory has neither."""

    kind: str
    location: str
    pin: str = ""
    integrity: str = ""


class Acquired(msgspec.Struct, frozen=True):
    """A source as it was found, with the exact pin and integrity, and its files."""

    source: Source
    files: dict[str, File]


def parse(text: str, *, integrity: str = "") -> Source:
    """A source as a person writes it: ``npm:NAME@VERSION``, ``URL#COMMIT``, or a directory. Raises :class:`Refused`."""
    if text.startswith("npm:"):
        name, version = npm.parsed(text.removeprefix("npm:"))
        return Source(kind="npm", location=name, pin=version, integrity=integrity)
    if integrity:
        raise Refused("an integrity is for npm packages")
    if "#" in text or text.startswith(("git+", "https://", "http://", "ssh://", "git@")):
        address, commit = git.parsed(text.removeprefix("git+"))
        return Source(kind="git", location=address, pin=commit)
    return Source(kind="directory", location=str(Path(text).resolve()))


def allowed(source: Source, beginnings: tuple[str, ...]) -> bool:
    """Whether the operator lets packages come from here."""
    spelled = f"npm:{source.location}" if source.kind == "npm" else source.location
    return not beginnings or any(spelled == one or spelled.startswith(one.rstrip("/") + "/") for one in beginnings)


def acquire(source: Source, *, registry: str = npm.REGISTRY) -> Acquired:
    """Fetches and checks. Raises :class:`Refused`."""
    if source.kind == "npm":
        raw, integrity = npm.fetched(source.location, source.pin, source.integrity, registry=registry)
        from checkrail.plugins.unpack import tarball

        return Acquired(msgspec.structs.replace(source, integrity=integrity), tarball(raw))
    if source.kind == "git":
        return Acquired(source, git.fetched(source.location, source.pin))
    return Acquired(source, trees.read(containment.real_root(source.location)))
