"""What a package's author declares about its operations: a floor for the band, never a grant; undeclared is a state of its own.

Read from ``extensions["io.github.checkrail"]`` in plugin.json, and from the operator's ``plugins.toml``. Axes count; a band that
contradicts them can only raise.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from checkrail import bands
from checkrail.model import Axes, Band, Reversibility, Scope, Trust
from checkrail.plugins.records import Fatality, Manifest, Problem

NAMESPACE = "io.github.checkrail"
KEYS = frozenset({"id", "reversibility", "scope", "trust", "band", "risk", "description"})
RISKS = {"low": Band.AUTO, "medium": Band.SOFT_ACK, "high": Band.ESCALATE}
MOST = 2000
_KINDS = ("mcp:", "skill:")


class Declaration(msgspec.Struct, frozen=True, kw_only=True):
    """One operation. ``axes`` is None where only a band or a risk was declared."""

    id: str
    band: Band
    axes: Axes | None = None
    description: str = ""
    by: str = "author"


Found = tuple[tuple[Declaration, ...], tuple[Problem, ...]]


def of_manifest(manifest: Manifest) -> Found:
    """The declarations of a package's author."""
    held = manifest.extensions.get(NAMESPACE, {})
    problems = [_note("declaration.default", "default", "no default is honoured")] if "default" in held else []
    listed = held.get("operations", [])
    if not isinstance(listed, list):
        return (), (*problems, _note("declaration.list", "operations", "it is not a list"))
    found, faults = of_list(listed[:MOST])
    if len(listed) > MOST:
        problems.append(_note("declaration.list", "operations", f"more than {MOST} are not read"))
    return found, (*problems, *faults)


def of_list(listed: Iterable[Any], by: str = "author") -> Found:
    """The declarations of a list; of two for one operation the stricter counts."""
    found: dict[str, Declaration] = {}
    problems: list[Problem] = []
    for number, entry in enumerate(listed):
        fault = _fault(entry)
        if fault:
            problems.append(_note("declaration.void", _subject(entry, number), f"{fault}; the entry is void"))
            continue
        one, contradiction = _one(entry, by)
        if contradiction:
            problems.append(_note("declaration.contradiction", one.id, contradiction))
        if one.id in found:
            problems.append(_note("declaration.twice", one.id, "declared twice; the stricter counts"))
            one = max(found[one.id], one, key=lambda each: each.band.rank)
        found[one.id] = one
    return tuple(found.values()), tuple(problems)


def _note(code: str, subject: str, reason: str) -> Problem:
    return Problem(66, code, Fatality.NOTE, subject, reason)


def _subject(entry: Any, number: int) -> str:
    named = entry.get("id") if isinstance(entry, dict) else None
    return named[:120] if isinstance(named, str) else f"operations[{number}]"


_ENUMS: Mapping[str, frozenset[str]] = {
    "reversibility": frozenset(Reversibility),
    "scope": frozenset(Scope),
    "trust": frozenset(Trust),
    "band": frozenset(Band),
    "risk": frozenset(RISKS),
}


def _fault(entry: Any) -> str:
    if not isinstance(entry, dict):
        return "it is not an object"
    unknown = sorted(str(key) for key in entry.keys() - KEYS)
    if unknown:
        return f"unknown key {unknown[0][:60]}"
    named = entry.get("id")
    if not isinstance(named, str) or not _id_is_valid(named):
        return "id is not mcp:<server>/<tool> or skill:<name>"
    for key, values in _ENUMS.items():
        if key in entry and (not isinstance(entry[key], str) or entry[key] not in values):
            return f"{key} is not one of {', '.join(sorted(values))}"
    if not entry.keys() & _ENUMS.keys():
        return "it declares neither axes nor a band"
    return "" if isinstance(entry.get("description", ""), str) else "description is not a text"


def _id_is_valid(named: str) -> bool:
    kind = next((kind for kind in _KINDS if named.startswith(kind)), "")
    rest = named.removeprefix(kind)
    if not kind or not rest or len(named) > 400 or not rest.isprintable():
        return False
    return kind == "skill:" or all(rest.rpartition("/")[::2])


def _one(entry: dict[str, Any], by: str) -> tuple[Declaration, str]:
    axes = _axes(entry)
    said = [Band(entry["band"])] if "band" in entry else []
    said += [RISKS[entry["risk"]]] if "risk" in entry else []
    derived = [bands.band(axes)] if axes is not None else []
    band = bands.highest([*said, *derived])
    contradiction = f"band and axes disagree; {band} counts" if len({*said, *derived}) > 1 else ""
    return Declaration(
        id=entry["id"], band=band, axes=axes, description=entry.get("description", "")[:1024], by=by
    ), contradiction  # fmt: skip


def _axes(entry: dict[str, Any]) -> Axes | None:
    """What is not declared stays at the harmless end: a floor that is too low loosens nothing."""
    if not entry.keys() & {"reversibility", "scope", "trust"}:
        return None
    return Axes(
        Reversibility(entry.get("reversibility", "reversible")), Scope(entry.get("scope", "local")),
        Trust(entry.get("trust", "trusted")),
    )  # fmt: skip


def lowered(before: Mapping[str, Band], after: Mapping[str, Band]) -> Iterator[tuple[str, Band, Band | None]]:
    """Operations whose declared band an update would lower or no longer declare: breaking changes."""
    for named, band in before.items():
        new = after.get(named)
        if new is None or new.rank < band.rank:
            yield named, band, new


def merged(*lists: Iterable[Declaration]) -> dict[str, Declaration]:
    """Several lists as one; the stricter of two counts."""
    found: dict[str, Declaration] = {}
    for one in (entry for entries in lists for entry in entries):
        known = found.get(one.id)
        found[one.id] = one if known is None or one.band.rank > known.band.rank else known
    return found
