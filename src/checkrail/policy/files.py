"""Reads one policy file: only one that nobody else could have written, only keys that are known.

Every problem is a :class:`PolicyError` that names file, line and key, and what could stand there.
"""

import os
import re
import stat
import tomllib
from decimal import Decimal
from typing import Any

import msgspec

from checkrail.knowledge.guidance import identifiers
from checkrail.model import Decision
from checkrail.policy import (
    AgentRow,
    Approvals,
    Audit,
    ExplicitAllow,
    Hosts,
    Profile,
    ProjectSession,
    Rule,
    Session,
    SpendLine,
    Table,
    ToolRow,
    sessions,
)
from checkrail.policy.hints import hint

MAX_BYTES = 256 * 1024


class PolicyError(ValueError):
    """A policy file that cannot be used; the message is ``file:line: what is wrong``."""


class File(Table, frozen=True, kw_only=True):
    """What the user's and the administrator's file may hold."""

    profile: Profile | None = None
    explicit_allow: ExplicitAllow | None = None
    rule: tuple[Rule, ...] = ()
    scratch: tuple[str, ...] = ()
    forbid: tuple[str, ...] = ()
    guidance: dict[str, str] = msgspec.field(default_factory=dict)
    hosts: Hosts = Hosts()
    agent: tuple[AgentRow, ...] = ()
    tool: tuple[ToolRow, ...] = ()
    audit: Audit | None = None
    approvals: Approvals | None = None
    spend: tuple[SpendLine, ...] = ()
    session: Session | None = None


def _guidance(file: File) -> str:
    """A text about a class that there is, and short enough to be told."""
    for name, text in file.guidance.items():
        if name not in identifiers():
            return f"$.guidance.{name}: no such class; there are {', '.join(sorted(identifiers()))}"
        if len(text) > 500:
            return f"$.guidance.{name}: longer than 500 characters"
    return ""


class BlockedHosts(Table, frozen=True, kw_only=True):
    """The hosts a project adds to those never to be talked to."""

    block: tuple[str, ...] = ()


class ProjectFile(Table, frozen=True, kw_only=True):
    """What a project's ``.checkrail.toml`` may hold: nothing that could loosen."""

    profile: Profile | None = None
    explicit_allow: ExplicitAllow | None = None
    rule: tuple[Rule, ...] = ()
    forbid: tuple[str, ...] = ()
    hosts: BlockedHosts = BlockedHosts()
    agent: tuple[AgentRow, ...] = ()
    tool: tuple[ToolRow, ...] = ()
    spend: tuple[SpendLine, ...] = ()
    session: ProjectSession = ProjectSession()


def refusal(path: str, owners: tuple[int, ...]) -> str:
    """Why the file must not be trusted (another could have written it), or an empty string."""
    real = os.path.realpath(path)
    if not stat.S_ISREG(os.stat(real).st_mode):
        return f"{real} is not a regular file"
    for place in (real, os.path.dirname(real)):
        found = os.stat(place)
        if found.st_uid not in owners:
            return f"{place} belongs to uid {found.st_uid}; give it to uid {owners[0]}"
        if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            return f"{place} can be written by others; run: chmod go-w {place}"
    return ""


def _line_of(text: str, where: str) -> int:
    """The line of a msgspec path such as ``$.rule[2].decision``, as near as the text shows; 0 for none."""
    lines, line = text.splitlines(), 0
    for name, index in re.findall(r"\.([A-Za-z0-9_-]+)(?:\[(\d+)\])?", where):
        pattern = re.compile(rf"\s*(?:\[\[?\s*{re.escape(name)}\s*\]|[\"']?{re.escape(name)}[\"']?\s*=)")
        hits = [number for number, content in enumerate(lines[line:], line + 1) if pattern.match(content)]
        if hits:
            line = hits[min(int(index or 0), len(hits) - 1)]
    return line


def _located(path: str, text: str, error: Exception, kind: type[Any]) -> PolicyError:
    message = str(error)
    unknown = re.search(r"unknown field `([^`]+)`", message)
    where = message.rpartition(" - at `")[2].rstrip("`") if " - at `" in message else "$"
    line = _line_of(text, where + (f".{unknown[1]}" if unknown else ""))
    rows = "Expected `array`, got `object`" in message
    told = f"write [[{where.rpartition('.')[2]}]]" if rows else hint(kind, where)
    return PolicyError(f"{path}:{line or 1}: {message}{f'; {told}' if told else ''}")


def _contradictions(rows: tuple[Rule, ...]) -> str:
    seen: dict[tuple[str, ...], Decision] = {}
    for index, row in enumerate(rows):
        conditions = (row.id, row.command, row.path, row.host, row.branch)
        if not any(conditions):
            return f"$.rule[{index}]: a row needs at least one of id, command, path, host, branch"
        if row.id and row.command:
            return f"$.rule[{index}]: id and command exclude each other"
        if not row.id and row.decision is Decision.ALLOW:
            return f"$.rule[{index}]: a row that allows needs the id of the rule it loosens"
        if not row.id and row.branch:
            return f"$.rule[{index}]: branch needs the id of a rule about branches"
        if seen.setdefault(conditions, row.decision) is not row.decision:
            return f"$.rule[{index}]: contradicts an earlier row with the same conditions ({seen[conditions]})"
    return ""


def _agent_contradictions(rows: tuple[AgentRow, ...]) -> str:
    tiers: dict[str, str] = {}
    for index, row in enumerate(rows):
        both = set(row.allowed) & set(row.forbidden)
        if both:
            return f"$.agent[{index}]: {sorted(both)[0]!r} is both allowed and forbidden; take it out of one list"
        if not row.name:
            return f"$.agent[{index}].name: empty; name an agent or a kind of sub-agent, or write '*'"
        if tiers.setdefault(row.name, row.tier) != row.tier:
            return f"$.agent[{index}]: contradicts an earlier row about the same agent (tier {tiers[row.name]}); keep one tier"
        if any(not glob.strip() for glob in (*row.allowed, *row.forbidden)):
            return f"$.agent[{index}]: an empty tool name; name a tool or a glob"
    return ""


def _tool_contradictions(rows: tuple[ToolRow, ...]) -> str:
    risks: dict[str, str] = {}
    for index, tool in enumerate(rows):
        if not tool.glob:
            return f"$.tool[{index}].glob: empty; name a tool or a glob"
        if risks.setdefault(tool.glob, tool.risk) != tool.risk:
            return f"$.tool[{index}]: contradicts an earlier row with the same glob (risk {risks[tool.glob]}); keep one"
    return ""


def _host_contradictions(hosts: Hosts) -> str:
    both = set(hosts.allow) & set(hosts.block)
    return f"$.hosts: {sorted(both)[0]!r} is both allowed and blocked" if both else ""


def _spend_problems(lines: tuple[SpendLine, ...]) -> str:
    """A line is for one currency, of three letters or more, and holds amounts from nothing to a trillion."""
    seen: set[str] = set()
    for index, line in enumerate(lines):
        where = f"$.spend[{index}]"
        if not re.fullmatch(r"[A-Z][A-Z0-9]{2,9}", line.currency):
            return f'{where}.currency: {line.currency!r} is no currency; write its code in capitals, such as "EUR"'
        if line.currency in seen:
            return f"{where}: a second line for {line.currency}; keep one"
        seen.add(line.currency)
        for name, amount in (("per-call", line.per_call), ("per-day", line.per_day), ("lifetime", line.lifetime)):
            if not amount.is_finite() or not 0 <= amount <= 10**12 or amount != round(amount, 6):
                return f'{where}.{name}: {amount} is no amount; write one from 0 to a trillion, such as 20 or "20.50"'
    return ""


def _limits(file: File) -> str:
    audit, approvals = file.audit or Audit(), file.approvals or Approvals()
    bounds = (
        ("audit.keep-days", audit.keep_days, 1, 36_500),
        ("audit.max-bytes", audit.max_bytes, 100_000, 100_000_000_000),
        ("approvals.wait", approvals.wait, 0, 540),
        ("approvals.expires", approvals.expires, 30, 86_400),
    )
    wrong = [bound for bound in bounds if not bound[2] <= bound[1] <= bound[3]]
    return f"$.{wrong[0][0]}: {wrong[0][1]} lies outside {wrong[0][2]} to {wrong[0][3]}" if wrong else ""


def _places(file: File) -> str:
    """Scratch directories are named from the root or from home, and are neither of them itself."""
    for place in file.scratch:
        if not re.match(r"(?:/|~/)+[^/]", place) or ".." in place.split("/"):
            return f"$.scratch: {place!r} is not a directory below / or ~/"
    return ""


def _parsed(path: str, text: str, kind: type[Any]) -> Any:
    try:
        return msgspec.convert(tomllib.loads(text, parse_float=Decimal), kind)
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"line (\d+)", str(error))
        raise PolicyError(f"{path}:{found[1] if found else text.count(chr(10)) + 1}: {error}") from None
    except RecursionError:
        raise PolicyError(f"{path}:1: nested too deeply") from None
    except msgspec.ValidationError as error:
        raise _located(path, text, error, kind) from None
    except ValueError:  # an integer with more digits than Python converts
        raise PolicyError(f"{path}:1: holds a number that is too long") from None


def _checked(path: str, text: str, problem: str) -> None:
    if problem:
        where, _, what = problem.partition(": ")
        raise PolicyError(f"{path}:{_line_of(text, where) or 1}: {what}")


def parse(text: str, path: str) -> File:
    """The user's or the administrator's file. ``path`` only serves the messages. Raises :class:`PolicyError`."""
    file: File = _parsed(path, text, File)
    _checked(path, text, _contradictions(file.rule) or _agent_contradictions(file.agent))
    _checked(path, text, _tool_contradictions(file.tool) or _host_contradictions(file.hosts))
    _checked(path, text, _limits(file) or _guidance(file) or _places(file) or _spend_problems(file.spend))
    _checked(path, text, sessions.problems(file.session))
    return file


def parse_project(text: str, path: str) -> ProjectFile:
    """A project's file. A row that allows is an error there. Raises :class:`PolicyError`."""
    file: ProjectFile = _parsed(path, text, ProjectFile)
    loose = [index for index, row in enumerate(file.rule) if row.decision is Decision.ALLOW]
    _checked(path, text, f"$.rule[{loose[0]}]: a project can only tighten; use ask or deny" if loose else "")
    _checked(path, text, _contradictions(file.rule) or _agent_contradictions(file.agent))
    _checked(path, text, _tool_contradictions(file.tool) or _spend_problems(file.spend))
    _checked(path, text, sessions.problems(file.session))
    return file


def decoded(path: str, raw: bytes) -> str:
    """The text of a policy file. Raises :class:`PolicyError` where it is too large or not UTF-8."""
    if len(raw) > MAX_BYTES:
        raise PolicyError(f"{path}:1: larger than {MAX_BYTES} bytes")
    try:
        return raw.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        raise PolicyError(f"{path}:1: not UTF-8") from None


def read(path: str, owners: tuple[int, ...]) -> str | None:
    """The text of the file, None where there is none. Raises :class:`PolicyError` where it must not be used."""
    try:
        reason = refusal(path, owners)
        if reason:
            raise PolicyError(f"{path}:1: refused: {reason}")
        with open(path, "rb") as handle:
            raw = handle.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise PolicyError(f"{path}:1: cannot be read: {error.strerror}") from None
    return decoded(path, raw)
