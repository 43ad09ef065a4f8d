"""Packages for tests."""

import json
from pathlib import Path
from typing import Any

from checkrail.plugins import versions

NAMESPACE = "io.github.checkrail"


def package(
    root: Path,
    *,
    manifest: dict[str, Any] | None = None,
    servers: dict[str, Any] | None = None,
    operations: list[dict[str, Any]] | None = None,
    files: dict[str, str] | None = None,
) -> Path:
    """A package with one skill, and whatever is given."""
    document = {
        "$schema": versions.schema("1.0.0", versions.PLUGIN),
        "name": "demo",
        "version": "1.0.0",
        **(manifest or {}),
    }
    if operations is not None:
        document["extensions"] = {NAMESPACE: {"operations": operations}}
    held = {
        "plugin.json": json.dumps(document),
        "skills/notes/SKILL.md": "---\nname: notes\ndescription: Sums up reports. Use when a report is long.\n---\nBody.\n",
        **(files or {}),
    }
    if servers is not None:
        held["mcp.json"] = json.dumps({"$schema": versions.schema("1.0.0", versions.MCP), "mcpServers": servers})
    for name, text in held.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


STDIO = {"type": "stdio", "command": "node", "args": ["./server.js"]}
