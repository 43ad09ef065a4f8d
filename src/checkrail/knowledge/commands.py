"""Loads the command knowledge: from the compiled form where it matches its sources, else from TOML."""

import functools
import hashlib
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from checkrail.knowledge.schema import ROLES, Entry, File, Rule

FOLDER = Path(__file__).parent / "commands"
COMPILED = Path(__file__).parent / "commands.msgpack"


class KnowledgeError(Exception):
    """A knowledge file that cannot be used; the text names file, table and key."""


class _Compiled(msgspec.Struct):
    digest: bytes
    entries: tuple[Entry, ...]


@functools.cache
def commands() -> Mapping[str, Entry]:
    """Every known command by name."""
    sources = [(path.name, path.read_bytes()) for path in sorted(FOLDER.glob("*.toml"))]
    digest = hashlib.sha256(b"\0".join(name.encode() + b"\0" + text for name, text in sources)).digest()
    entries = _from_compiled(digest)
    if entries is None:
        entries = tuple(entry for name, text in sources for entry in _from_toml(name, text))
    return _by_name(entries)


def compile_knowledge() -> int:
    """Write the compiled form beside the sources; the number of entries."""
    sources = [(path.name, path.read_bytes()) for path in sorted(FOLDER.glob("*.toml"))]
    digest = hashlib.sha256(b"\0".join(name.encode() + b"\0" + text for name, text in sources)).digest()
    entries = tuple(entry for name, text in sources for entry in _from_toml(name, text))
    _by_name(entries)
    COMPILED.write_bytes(msgspec.msgpack.encode(_Compiled(digest, entries)))
    return len(entries)


def _from_compiled(digest: bytes) -> tuple[Entry, ...] | None:
    try:
        compiled = msgspec.msgpack.decode(COMPILED.read_bytes(), type=_Compiled)
    except (OSError, msgspec.DecodeError, msgspec.ValidationError):
        return None
    return compiled.entries if compiled.digest == digest else None


def _from_toml(name: str, text: bytes) -> tuple[Entry, ...]:
    try:
        file = msgspec.convert(tomllib.loads(text.decode()), File)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, msgspec.ValidationError) as error:
        raise KnowledgeError(f"knowledge/commands/{name}: {error}") from error
    for index, entry in enumerate(file.command):
        for fault in _faults(entry, f"$.command[{index}]"):
            raise KnowledgeError(f"knowledge/commands/{name}: {fault}")
    return file.command


def _faults(entry: Entry, where: str) -> Iterator[str]:
    if not entry.names:
        yield f"{where}.names: empty; name the command"
    roles = [*entry.operands, *(option.role for option in entry.option)]
    roles += [role for rule in entry.rule for role in rule.roles]
    for role in roles:
        if role.removesuffix("...").split(":")[0] not in (*ROLES, "code", "script", "sql"):
            yield f"{where}: unknown role {role!r}; known are {', '.join(ROLES)}, code:LANG, script:LANG, sql:DIALECT"
    for index, rule in enumerate(entry.rule):
        yield from _rule_faults(rule, f"{where}.rule[{index}]")
    for index, sub in enumerate(entry.sub):
        yield from _faults(sub, f"{where}.sub[{index}]")


def _rule_faults(rule: Rule, where: str) -> Iterator[str]:
    if rule.effect is None and not rule.roles and not rule.instead:
        yield f"{where}.effect: missing; a rule needs an effect, roles or instead"
    if rule.effect not in (None, "pure", "local", "network", "code", "install") and not rule.reason:
        yield f"{where}.reason: missing; say in one line what is lost or reached"


def _by_name(entries: tuple[Entry, ...]) -> Mapping[str, Entry]:
    found: dict[str, Entry] = {}
    for entry in entries:
        for name in entry.names:
            if name in found:
                raise KnowledgeError(f"knowledge/commands: {name!r} is described twice; keep one entry")
            found[name] = entry
    return found
