"""The table ``[session]``: how calls are judged in the light of what went before, and how much of that is kept."""

from typing import Literal

from checkrail.knowledge.chains import UNTRUSTED, Capability, Label, Preset
from checkrail.policy.forms import FormError, compiled
from checkrail.policy.table import Table

MOST_ENTRIES, LONGEST_ENTRY, MOST_FORMS = 256, 512, 16
SECRETS: frozenset[str] = frozenset({"SECRET", "API_KEY"})
_LEAST = 6
_LEAST_SECRET = 12


class Override(Table, frozen=True, kw_only=True):
    """What a tool (a glob over its name) can do, whatever its calls look like."""

    tool: str
    capabilities: tuple[Capability, ...]


class Labelled(Table, frozen=True, kw_only=True):
    """What the data of a tool (a glob over its name) is."""

    tool: str
    labels: tuple[Label, ...]


class Form(Table, frozen=True, kw_only=True):
    """Values of one's own: what they look like (:mod:`checkrail.policy.forms`), and what they are. ``example`` has to match."""

    name: str
    label: Label
    form: str
    example: str


class Keep(Table, frozen=True, kw_only=True):
    """How much is remembered. ``passage`` is the length in characters from which a repetition is surely found."""

    days: int = 7
    sessions: int = 10_000
    megabytes: int = 256
    sources: int = 128
    source_kilobytes: int = 2048
    secrets: int = 256
    files: int = 256
    passage: int = 24


LIMITS = {
    "days": (1, 90),
    "sessions": (100, 100_000),
    "megabytes": (16, 4096),
    "sources": (16, 1024),
    "source_kilobytes": (256, 16_384),
    "secrets": (64, 1024),
    "files": (64, 2048),
    "passage": (16, 256),
}
"""From, to."""


class Session(Table, frozen=True, kw_only=True):
    """How calls are judged in the light of what the session did before.

    ``preset`` is what the rules about sequences decide; ``mode`` set to observe makes notes of them. ``external`` lists the
    only hosts that may be sent to without a question (empty: any).
    """

    preset: Preset = "default"
    mode: Literal["enforce", "observe"] = "enforce"
    external: tuple[str, ...] = ()
    override: tuple[Override, ...] = ()
    label: tuple[Labelled, ...] = ()
    form: tuple[Form, ...] = ()
    keep: Keep = Keep()


class ProjectSession(Table, frozen=True, kw_only=True):
    """What a project may add: of each rule the stricter preset holds, and a host has to be on both lists."""

    preset: Preset | None = None
    mode: Literal["enforce"] | None = None
    external: tuple[str, ...] = ()
    label: tuple[Labelled, ...] = ()
    form: tuple[Form, ...] = ()


def _of_forms(forms: tuple[Form, ...]) -> str:
    if len(forms) > MOST_FORMS:
        return f"$.session.form: more than {MOST_FORMS} forms"
    for index, row in enumerate(forms):
        where = f"$.session.form[{index}]"
        if row.label in UNTRUSTED:
            return (
                f"{where}.label: {row.label} says where text comes from; name what the value is, such as SECRET or PII"
            )
        try:
            pattern, least = compiled(row.form)
        except FormError as error:
            return f"{where}.form: {error}"
        needed = _LEAST_SECRET if row.label in SECRETS else _LEAST
        if least < needed:
            return f"{where}.form: it matches {least} characters; {needed} at least, or it is found everywhere"
        if not pattern.fullmatch(row.example):
            return f"{where}.example: {row.example!r} is not of that form; each part takes as much as it can"
    return ""


def _of_lists(session: Session | ProjectSession) -> str:
    lists: tuple[tuple[str, list[str]], ...] = (
        ("external", list(session.external)),
        ("override", [row.tool for row in session.override] if isinstance(session, Session) else []),
        ("label", [row.tool for row in session.label]),
        ("form", [row.name for row in session.form]),
    )
    for name, entries in lists:
        if len(entries) > MOST_ENTRIES:
            return f"$.session.{name}: more than {MOST_ENTRIES} entries"
        for index, entry in enumerate(entries):
            if not entry.strip() or len(entry) > LONGEST_ENTRY:
                return f"$.session.{name}[{index}]: empty, or longer than {LONGEST_ENTRY} characters"
    return ""


def _of_keep(keep: Keep) -> str:
    for name, (least, most) in LIMITS.items():
        value = getattr(keep, name)
        if not least <= value <= most:
            return f"$.session.keep.{name.replace('_', '-')}: {value} lies outside {least} to {most}"
    return ""


def problems(session: Session | ProjectSession | None) -> str:
    """What is wrong with the table, as ``$.path: text``; empty where nothing is."""
    if session is None:
        return ""
    if isinstance(session, Session):
        tools: dict[str, tuple[str, ...]] = {}
        for index, row in enumerate(session.override):
            if tools.setdefault(row.tool, row.capabilities) != row.capabilities:
                return f"$.session.override[{index}]: contradicts an earlier row about the same tools; keep one"
        if told := _of_keep(session.keep):
            return told
    return _of_lists(session) or _of_forms(session.form)
