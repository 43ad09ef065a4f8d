"""Every text of a definition that reaches a model: names, titles, descriptions, and all strings of its schemas."""

from collections.abc import Mapping
from typing import Any

from checkrail.admission.records import Definition, Kind, Text

DEPTH = 48
"""Levels of nesting that are walked."""
COUNT = 20_000
"""Values that are walked."""
LENGTH = 262_144
"""Characters of one definition that are read."""

PROSE = frozenset(
    {"description", "title", "summary", "$comment", "help", "help_text", "when_to_use", "post_install_note"}
)
LABELS = frozenset({"description", "title", "summary"})
"""What begins by saying what the thing is."""
_VALUES = frozenset({"default", "enum", "const", "examples", "example", "pattern"})
_FIXED = frozenset({"type", "format", "$schema"})
_NAMED = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"})


class Unread(Exception):
    """A definition is deeper, larger or longer than anything honest; the text says which."""


class _Walk:
    def __init__(self) -> None:
        self.count = 0
        self.length = 0
        self.found: list[Text] = []

    def value(self, value: object, path: str, kind: Kind, about: str, depth: int) -> None:
        self.count += 1
        if depth > DEPTH:
            raise Unread(f"it is nested deeper than {DEPTH} levels")
        if self.count > COUNT:
            raise Unread(f"it holds more than {COUNT} values")
        if isinstance(value, str):
            self.length += len(value)
            if self.length > LENGTH:
                raise Unread(f"its texts are longer than {LENGTH} characters")
            self.found.append(Text(path, value, kind, about))
        elif isinstance(value, dict):
            for key, inner in value.items():
                self._entry(str(key), inner, path, kind, about, depth)
        elif isinstance(value, (list, tuple)):
            for number, inner in enumerate(value):
                self.value(inner, f"{path}[{number}]", kind, about, depth + 1)

    def _entry(self, key: str, inner: object, path: str, kind: Kind, about: str, depth: int) -> None:
        below = f"{path}.{key}" if path else key
        if key in _NAMED and isinstance(inner, dict):
            for name, schema in inner.items():
                self.value(str(name), f"{below}.{name}", "key", "", depth + 1)
                self.value(schema, f"{below}.{name}", "parameter", str(name), depth + 2)
            return
        if key in _FIXED and isinstance(inner, str) and len(inner) < 24:
            return
        if kind == "parameter" or about:
            kind = "value" if key in _VALUES else "parameter" if key in PROSE else kind
        self.value(inner, below, kind, about, depth + 1)


def texts(definition: Definition) -> list[Text]:
    """All texts of a definition, outermost first. Raises :class:`Unread` where a bound is met."""
    walk = _Walk()
    for key, value in definition.tool.items():
        kind: Kind = "name" if key == "name" else "description" if key in PROSE else "parameter"
        walk.value(value, str(key), kind, "", 0)
    if definition.instructions:
        walk.value(definition.instructions, "instructions", "instructions", "", 0)
    return walk.found


def parameters(tool: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """The top-level parameters of a tool and their schemas."""
    schema = tool.get("inputSchema", tool.get("parameters"))
    inner = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(inner, dict):
        return {}
    return {str(name): value if isinstance(value, dict) else {} for name, value in inner.items()}
