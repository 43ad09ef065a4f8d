"""The words of admission: a definition, its texts, what was found in them, and the outcome."""

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from checkrail.model import Ordered

Sort = Literal["tool", "prompt", "resource", "template", "document"]
Kind = Literal["name", "description", "parameter", "value", "key", "instructions", "document"]


class Outcome(Ordered):
    """What becomes of a definition, from harmless to worst."""

    ACCEPT = "accept"
    DEMOTE = "demote"
    QUARANTINE = "quarantine"
    ALERT = "refuse-and-alert"


class Authority(Ordered):
    """With whose voice a client puts descriptions before the model."""

    USER = "user"  # framed as untrusted data
    SYSTEM = "system"


class Definition(msgspec.Struct, frozen=True):
    """One tool of one server, as the server describes it; or whatever else it describes, which ``kind`` says."""

    server: str
    tool: Mapping[str, Any]
    instructions: str = ""
    kind: Sort = "tool"

    @property
    def name(self) -> str:
        """The tool's name; empty where it has none."""
        name = self.tool.get("name")
        return name if isinstance(name, str) else ""

    @property
    def key(self) -> str:
        """By what the lock knows it: a tool by its name, anything else by its kind and what tells it from others."""
        if self.kind == "tool":
            return self.name
        uri = self.tool.get("uri", self.tool.get("uriTemplate"))
        return f"{self.kind}: {uri if isinstance(uri, str) and uri else self.name}"


class Text(msgspec.Struct, frozen=True):
    """A string that reaches the model, and where it stands; ``about`` is the parameter that it describes."""

    path: str
    text: str
    kind: Kind
    about: str = ""


class Finding(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing that a definition says or holds. ``start`` and ``end`` count characters of the text at ``field``."""

    rule: str
    field: str
    start: int
    end: int
    text: str
    reason: str
    fix: str
    target: str = ""
    """The tool that the text would steer, for a cross-tool instruction."""
    decoded: str = ""
    """How the text had to be decoded before it said this."""


class Judged(msgspec.Struct, frozen=True):
    """A definition's outcome, with all that speaks for it."""

    server: str
    tool: str
    outcome: Outcome
    findings: tuple[Finding, ...] = ()
    kind: Sort = "tool"

    @property
    def label(self) -> str:
        """What it is called where tools and other things stand side by side."""
        return self.tool if self.kind == "tool" else f"{self.kind}: {self.tool}"


EXCERPT = 240
"""Characters of a span that a finding quotes."""
