"""A directory as a package: the manifest first, then each component type, none of which can stop another."""

from collections.abc import Callable
from typing import TypeVar

from checkrail.plugins import containment, manifest, mcp_config, skills
from checkrail.plugins.records import Fatality, Package, Problem

Component = TypeVar("Component")
Found = tuple[tuple[Component, ...], tuple[Problem, ...]]


def read(path: str, *, drafts: bool = True) -> Package:
    """All that a conforming client would load from a directory, and what was wrong. Executes and fetches nothing."""
    root = containment.real_root(path)
    found, problems = manifest.read(root, drafts=drafts)
    if found is None:
        return Package(root=root, problems=problems)
    release = found.release
    their_skills, skill_problems = _guarded(skills.DIRECTORY, lambda: skills.read(root))
    servers, server_problems = _guarded(mcp_config.FILE, lambda: mcp_config.read(root, release))
    return Package(
        root=root, manifest=found, skills=their_skills, servers=servers,
        problems=(*problems, *skill_problems, *server_problems),
    )  # fmt: skip


def _guarded(subject: str, reader: Callable[[], Found[Component]]) -> Found[Component]:
    """One type's failure must not stop the other."""
    try:
        return reader()
    except OSError as error:
        return (), (Problem(81, "package.unreadable", Fatality.TYPE, subject, error.strerror or str(error)),)
