"""The table of requirements, executed: each case is built as a package, read, and compared with what has to come out."""

import os
import tempfile
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from checkrail.plugins import containment, expansion, inventory, package, versions
from checkrail.plugins.records import Package

_TOKEN = "ghp" + "_" + "0123456789abcdefghijABCDEFGHIJ012345"
_SKILL = "---\nname: {}\ndescription: Sums up reports. Use when a report is long.\n---\nBody.\n"
_EVIL = {
    "plugin.json": '{"$schema": "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json", "name": "evil"}',
    "mcp.json": '{"$schema": "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json", "mcpServers": {}}',
    "skill/SKILL.md": _SKILL.format("evil"),
    "skills/evil/SKILL.md": _SKILL.format("evil"),
    "secret.md": "secret",
    "tool": "",
}


class Case(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One package and what reading it has to give. ``fault`` marks those that break the requirement."""

    name: str
    fault: bool = False
    codes: tuple[str, ...] = ()
    root: str = "directory"
    drafts: bool = True
    no_manifest: bool = False
    manifest: dict[str, Any] = {}
    drop: tuple[str, ...] = ()
    plugin_json: str | None = None
    servers: dict[str, Any] | None = None
    mcp: dict[str, Any] = {}
    mcp_drop: tuple[str, ...] = ()
    mcp_json: str | None = None
    skills: tuple[str, ...] = ()
    files: dict[str, str] = {}
    hex: dict[str, str] = {}
    dirs: tuple[str, ...] = ()
    links: dict[str, str] = {}
    loads: bool = True
    has_skills: tuple[str, ...] | None = None
    has_servers: tuple[str, ...] | None = None
    denied: tuple[str, ...] = ()


class Expansion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A text and what it becomes with the root ``/R`` and the data ``/D``."""

    text: str
    gives: str


class Requirement(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One requirement of the standard, in our words."""

    number: int
    section: str
    level: str
    fails: str
    text: str
    binds: str = ""
    case: tuple[Case, ...] = ()
    expansion: tuple[Expansion, ...] = ()


class Line(msgspec.Struct, frozen=True):
    """What became of one requirement."""

    requirement: Requirement
    passing: int
    failing: int
    wrong: tuple[str, ...]


@cache
def requirements() -> tuple[Requirement, ...]:
    """The table."""
    raw = (Path(__file__).parent / "conformance.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(raw)["requirement"], tuple[Requirement, ...])


def build(case: Case, base: Path) -> Path:
    """Lays the package of a case below ``base`` and returns where."""
    root = base / "package"
    for name, text in _EVIL.items():
        _write(base / "package-evil" / name, text.encode())
    if case.root == "file":
        root.write_text("no directory")
        return root
    root.mkdir()
    if not case.no_manifest:
        _write(root / "plugin.json", _manifest(case))
    if case.servers is not None or case.mcp_json is not None:
        _write(root / "mcp.json", _mcp(case))
    for name in case.skills:
        _write(root / "skills" / name / "SKILL.md", _SKILL.format(name).encode())
    for name, text in case.files.items():
        _write(root / name, text.encode())
    for name, digits in case.hex.items():
        _write(root / name, bytes.fromhex(digits))
    for name in case.dirs:
        (root / name).mkdir(parents=True)
    for name, target in case.links.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).symlink_to(target)
    return root


def _write(path: Path, raw: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(raw)


def _manifest(case: Case) -> bytes:
    if case.plugin_json is not None:
        return case.plugin_json.encode()
    schema = versions.schema("1.0.0", versions.PLUGIN)
    document = {"$schema": schema, "name": "sample", **case.manifest}
    return msgspec.json.encode({key: value for key, value in document.items() if key not in case.drop})


def _mcp(case: Case) -> bytes:
    if case.mcp_json is not None:
        return case.mcp_json.encode()
    document = {"$schema": versions.schema("1.0.0", versions.MCP), "mcpServers": case.servers, **case.mcp}
    kept = {key: value for key, value in document.items() if key not in case.mcp_drop}
    return msgspec.json.encode(kept).replace(b"@TOKEN@", _TOKEN.encode())


def differences(case: Case, found: Package) -> Iterator[str]:
    """In what a reading differs from what the case says."""
    if found.loads != case.loads:
        yield f"it {'loads' if found.loads else 'does not load'}"
    codes = sorted(problem.code for problem in found.problems)
    if codes != sorted(case.codes):
        yield f"problems are {', '.join(codes) or 'none'}"
    for what, wanted, got in (("skills", case.has_skills, found.skills), ("servers", case.has_servers, found.servers)):
        names = sorted(entry.name for entry in got)
        if wanted is not None and names != sorted(wanted):
            yield f"{what} are {', '.join(names) or 'none'}"
    listed = {entry.path: entry for entry in inventory.entries(found.root)} if case.denied else {}
    for path in case.denied:
        try:
            containment.read(found.root, os.path.join(found.root, path), 1024)
            yield f"{path} was read"
        except containment.Escapes:
            if path not in listed or listed[path].kind != "escape":
                yield f"{path} is not listed as leading out"


def judged(case: Case) -> tuple[str, ...]:
    """Builds one case in a directory of its own and tells in what it differs."""
    with tempfile.TemporaryDirectory(prefix="checkrail-") as base:
        root = build(case, Path(os.path.realpath(base)))
        return tuple(differences(case, package.read(str(root), drafts=case.drafts)))


def report() -> Iterator[Line]:
    """Every requirement with how many packages keep and break it, and what came out otherwise than it should."""
    for entry in requirements():
        wrong = [f"{case.name}: {text}" for case in entry.case for text in judged(case)]
        for known in entry.expansion:
            got = expansion.expand(known.text, root="/R", data="/D")
            wrong += [f"{known.text}: gives {got}"] if got != known.gives else []
        failing = sum(case.fault for case in entry.case)
        yield Line(entry, len(entry.case) - failing + len(entry.expansion), failing, tuple(wrong))
