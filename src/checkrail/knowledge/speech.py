"""The vocabulary and the patterns of speech acts in tool descriptions: the schema of ``admission/*.toml`` and its loaders.

A language file names *classes* of words. A class lists ``verbs`` in their base form (a language that says ``inflect =
"english"`` gets the other forms made), ``imperatives`` (forms that can only be a command), ``third`` (what somebody does), and ``words``, each one word or a
phrase; a closing ``*`` stands for any ending. ``grammar.toml`` says which classes in which order are which speech act, for all
languages at once.
"""

from functools import cache
from pathlib import Path
from typing import Literal

import msgspec

_HERE = Path(__file__).parent / "admission"

GRAMMAR = "grammar.toml"
CLIENTS = "clients.toml"


class WordClass(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Words that play one part."""

    name: str
    verbs: tuple[str, ...] = ()
    imperatives: tuple[str, ...] = ()
    past: tuple[str, ...] = ()
    third: tuple[str, ...] = ()
    words: tuple[str, ...] = ()


class Language(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One language: ``signs`` are words that tell it is spoken, ``always`` reads it in any case; ``unspaced`` writes words together."""

    language: str
    classes: tuple[WordClass, ...] = msgspec.field(name="class")
    signs: frozenset[str] = frozenset()
    script: str = ""
    inflect: Literal["", "english"] = ""
    always: bool = False
    unspaced: bool = False


class Pattern(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A speech act: ``steps`` in order, each ``class&class|class``, at most ``gap`` words apart.

    ``needs`` must stand, ``unless`` must not stand anywhere in the sentence; ``between`` must not stand between the steps, ``clear`` neither
    among them nor close by. ``scope``
    names a class of words: a tool whose own name or parameters speak of it is not reaching outside. ``hits`` and ``misses`` are
    executed by the tests, as the second sentence of a description.
    """

    id: str
    rule: str
    steps: tuple[str, ...]
    gap: int = 6
    needs: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    between: tuple[str, ...] = ()
    clear: tuple[str, ...] = ()
    scope: str = ""
    channels: tuple[str, ...] = ()
    hits: tuple[str, ...] = ()
    misses: tuple[str, ...] = ()


class Compound(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A class that two words make together: one of ``first``, then one of ``then`` within ``gap`` words. The first word gets it."""

    name: str
    first: str
    then: str
    gap: int = 1


class Rule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a kind of finding means: the least outcome at system authority, why, and how the author would mend it."""

    id: str
    outcome: Literal["demote", "quarantine", "refuse-and-alert"]
    reason: str
    fix: str


class Grammar(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``grammar.toml``."""

    rules: tuple[Rule, ...] = msgspec.field(name="rule")
    patterns: tuple[Pattern, ...] = msgspec.field(name="pattern")
    compounds: tuple[Compound, ...] = msgspec.field(name="compound")


class ClientFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A configuration in which a client names MCP servers.

    ``paths`` may begin with ``~`` (the home), ``$NAME/`` or ``.`` (the project). ``key`` leads to the table of servers, parts joined by
    ``/``, where ``*`` stands for any key and an empty one for the whole document.
    """

    client: str
    paths: tuple[str, ...]
    keys: tuple[str, ...]
    format: Literal["json", "toml", "yaml"] = "json"


class Clients(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``clients.toml``: configurations, folders of skills, folders of plugins' packages."""

    files: tuple[ClientFile, ...] = msgspec.field(name="file")
    skills: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()


def _load(path: Path, kind: type[msgspec.Struct]) -> msgspec.Struct:
    try:
        return msgspec.toml.decode(path.read_bytes(), type=kind)
    except (msgspec.ValidationError, msgspec.DecodeError) as error:
        raise ValueError(f"{path}: {error}") from error


@cache
def languages() -> tuple[Language, ...]:
    """Every language there is a file for, English first. Raises ValueError that names the file."""
    found = [_load(path, Language) for path in sorted(_HERE.glob("*.toml")) if path.name not in (GRAMMAR, CLIENTS)]
    kept = [entry for entry in found if isinstance(entry, Language)]
    return tuple(sorted(kept, key=lambda entry: (not entry.always, entry.language)))


@cache
def grammar() -> Grammar:
    """The patterns and rules. Raises ValueError that names the file."""
    found = _load(_HERE / GRAMMAR, Grammar)
    assert isinstance(found, Grammar)
    return found


@cache
def rules() -> dict[str, Rule]:
    """Rules by their id."""
    return {rule.id: rule for rule in grammar().rules}


@cache
def clients() -> Clients:
    """Where clients keep their configurations. Raises ValueError that names the file."""
    found = _load(_HERE / CLIENTS, Clients)
    assert isinstance(found, Clients)
    return found
