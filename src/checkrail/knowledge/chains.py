"""What is known about sequences of calls: the schema of ``chains.toml`` and its loader."""

import re
from fnmatch import translate
from functools import cache
from typing import Literal

import msgspec

from checkrail.knowledge.network import load
from checkrail.model import Action, Decision, TargetKind

Capability = Literal[
    "external-ingestion",
    "private-access",
    "external-action",
    "local-mutation",
    "code-execution",
    "credential-access",
]
Preset = Literal["default", "permissive", "balanced", "strict"]
Label = Literal[
    "UNTRUSTED_WEB",
    "UNTRUSTED_EMAIL",
    "UNTRUSTED_TOOL",
    "PII",
    "CUSTOMER_DATA",
    "SECRET",
    "API_KEY",
    "SOURCE_CODE",
    "FINANCIAL_DATA",
    "PATIENT_DATA",
    "INTERNAL_DATA",
]
UNTRUSTED: frozenset[str] = frozenset({"UNTRUSTED_WEB", "UNTRUSTED_EMAIL", "UNTRUSTED_TOOL"})


class _Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """A table of the file."""


class CapabilityRow(_Entry, frozen=True):
    """When an effect is a capability; every condition that is given has to hold.

    ``outside``: the target is a host other than this machine. ``beyond``: the effect reaches beyond this machine by its axes.
    ``served``: a server answers from elsewhere, so the call names no file or database of its own. ``labelled``: the name of
    what is read carries a label of private data. ``ordinary`` set to false leaves out what
    comes from where packages and their documentation lie.
    """

    name: Capability
    kinds: frozenset[TargetKind] = frozenset()
    actions: frozenset[Action] = frozenset()
    rules: tuple[str, ...] = ()
    findings: tuple[str, ...] = ()
    outside: bool = False
    beyond: bool = False
    served: bool = False
    labelled: bool = False
    ordinary: bool = True


class Words(_Entry, frozen=True):
    """Words of names that tell what data is behind them."""

    name: Label
    words: frozenset[str]


class Ordinary(_Entry, frozen=True):
    """Hosts, with all names below them."""

    hosts: frozenset[str]


class Globs(_Entry, frozen=True):
    """Rules of effects."""

    rules: tuple[str, ...]


class Implied(_Entry, frozen=True):
    """Files in the working directory that programs run without being told; ``arguments``: also those that they are told."""

    programs: frozenset[str]
    files: tuple[str, ...] = ()
    arguments: bool = False


class Row(_Entry, frozen=True):
    """One rule about sequences: what each preset makes of it, and which rules of gates judge it already (``noted``: or only note)."""

    id: str
    default: Decision
    permissive: Decision
    balanced: Decision
    strict: Decision
    judged_by: tuple[str, ...] = ()
    noted: bool = False
    hard: bool = False

    def decision(self, preset: Preset) -> Decision:
        """What a preset says."""
        found: Decision = getattr(self, preset)
        return found


class Chains(_Entry, frozen=True):
    """``chains.toml``."""

    capability: tuple[CapabilityRow, ...]
    ordinary: Ordinary
    forges: Ordinary
    published: Globs
    quoted: Globs
    implied: tuple[Implied, ...]
    label: tuple[Words, ...]
    rule: tuple[Row, ...]


@cache
def chains() -> Chains:
    """The table."""
    return load("chains.toml", Chains)


@cache
def rows() -> dict[str, Row]:
    """The rules by their id."""
    return {row.id: row for row in chains().rule}


@cache
def pattern(globs: tuple[str, ...]) -> re.Pattern[str]:
    """One pattern for all of several globs."""
    return re.compile("|".join(translate(glob) for glob in globs))


@cache
def labels_of_word(word: str) -> tuple[Label, ...]:
    """The labels that a word of a name brings."""
    return tuple(row.name for row in chains().label if word in row.words)
