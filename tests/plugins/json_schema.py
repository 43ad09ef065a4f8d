# ruff: noqa: ARG005
"""The few keywords of JSON Schema that the standard's schemas use; an unknown one is an error, so none is skipped."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

SCHEMAS = Path(__file__).parent / "schemas" / "1.0.0"
_TYPES: dict[str, type | tuple[type, ...]] = {"object": dict, "array": list, "string": str}
_SAID = {"$schema", "$id", "title", "description", "$defs"}


def load(name: str) -> dict[str, Any]:
    """One of the two schemas."""
    found: dict[str, Any] = json.loads((SCHEMAS / name).read_text())
    return found


def valid(value: Any, schema: Any, whole: dict[str, Any]) -> bool:
    """Whether a value satisfies a schema of the document ``whole``."""
    if isinstance(schema, bool):
        return schema
    return all(_KEYWORDS[key](value, rule, schema, whole) for key, rule in schema.items() if key not in _SAID)


def _ref(value: Any, rule: str, schema: Any, whole: dict[str, Any]) -> bool:  # noqa: ARG001
    found: Any = whole
    for part in rule.removeprefix("#/").split("/"):
        found = found[part]
    return valid(value, found, whole)


def _additional(value: Any, rule: Any, schema: Any, whole: dict[str, Any]) -> bool:
    known = schema.get("properties", {})
    return not isinstance(value, dict) or all(valid(value[key], rule, whole) for key in value if key not in known)


_KEYWORDS: dict[str, Callable[[Any, Any, Any, dict[str, Any]], bool]] = {
    "type": lambda v, r, s, w: isinstance(v, _TYPES[r]),
    "const": lambda v, r, s, w: type(v) is type(r) and v == r,
    "enum": lambda v, r, s, w: v in r,
    "not": lambda v, r, s, w: not valid(v, r, w),
    "oneOf": lambda v, r, s, w: sum(valid(v, one, w) for one in r) == 1,
    "$ref": _ref,
    "properties": lambda v, r, s, w: not isinstance(v, dict) or all(valid(v[k], r[k], w) for k in r if k in v),
    "required": lambda v, r, s, w: not isinstance(v, dict) or all(k in v for k in r),
    "additionalProperties": _additional,
    "propertyNames": lambda v, r, s, w: not isinstance(v, dict) or all(valid(k, r, w) for k in v),
    "items": lambda v, r, s, w: not isinstance(v, list) or all(valid(one, r, w) for one in v),
    "minLength": lambda v, r, s, w: not isinstance(v, str) or len(v) >= r,
    "maxLength": lambda v, r, s, w: not isinstance(v, str) or len(v) <= r,
    "pattern": lambda v, r, s, w: (
        not isinstance(v, str) or re.search(r.replace("$", r"\Z") if r.endswith("$") else r, v) is not None
    ),
}
