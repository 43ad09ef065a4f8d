"""Which releases of the standard are read, and by which rules. A release is recognised only by an entry here.

Accepting two releases never makes them interchangeable within one package: ``mcp.json`` names the very release of its manifest.
"""

import msgspec

BASE = "https://agent-plugins.org/schemas/"
PLUGIN, MCP = "plugin.schema.json", "mcp.schema.json"


class Release(msgspec.Struct, frozen=True):
    """A release that the reader knows. A draft may still change under its name, so it is accepted and never advertised."""

    name: str
    draft: bool = False
    why: str = ""


RELEASES: tuple[Release, ...] = (
    Release("1.0.0"),
    Release(
        "1.1.0",
        draft=True,
        why="working draft: main's copy of September 2026 differs from 1.0.0 in version strings only, "
        "but other drafts under the same name did not",
    ),
)
"""All of them are read by the rules of 1.0.0; a release that differs gets rules of its own, not an alias."""

ADVERTISED = tuple(entry.name for entry in RELEASES if not entry.draft)


def of_schema(identifier: str, document: str, *, drafts: bool = True) -> Release | None:
    """The release whose identifier this is, letter by letter."""
    known = (entry for entry in RELEASES if drafts or not entry.draft)
    return next((entry for entry in known if identifier == schema(entry.name, document)), None)


def schema(release: str, document: str) -> str:
    """The canonical identifier of a document's schema."""
    return f"{BASE}{release}/{document}"
