"""Compiles the knowledge while the package is built, so that no start has to parse TOML (decision 0004)."""

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SOURCE = Path(__file__).parent / "src"


class CustomBuildHook(BuildHookInterface):
    """Writes ``knowledge/*.msgpack`` beside the sources. They hold their sources' digests, so a stale one is ignored."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        """Called before the files of a build are gathered."""
        sys.path.insert(0, str(SOURCE))
        try:
            from checkrail.knowledge.code import compile_code
            from checkrail.knowledge.commands import compile_knowledge

            compile_knowledge()
            compile_code()
        finally:
            sys.path.remove(str(SOURCE))
