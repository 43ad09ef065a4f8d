"""Reads SQL, statement by statement: what only reads, what writes which table, what reaches outside the database.

Options: ``dialect`` (postgres, mysql, sqlite, tsql, snowflake, bigquery, duckdb, clickhouse; empty where it is not known,
and then every way to cut the text counts), ``target`` (the database in words; ``:memory:`` is nobody's), ``client``
(psql, sqlite3, mysql, duckdb: its own commands are read too), ``near`` (a server of this machine or of a container on it
is asked, and this is the name of the database, ``?`` where none is given).
"""

import posixpath
import re
from collections.abc import Iterator, Mapping

import msgspec

from checkrail.context import Surroundings
from checkrail.facts.paths import CONTAINERS, Place, describe
from checkrail.facts.production import is_disposable, is_rehearsal
from checkrail.facts.resolve import normal
from checkrail.knowledge import network
from checkrail.model import (
    HOLE,
    SOME,
    Action,
    Axes,
    Decision,
    Effect,
    Payload,
    Reading,
    Reversibility,
    Scope,
    Span,
    Target,
    TargetKind,
    Unread,
)
from checkrail.readers.sql import clients, lexer, second
from checkrail.readers.sql.lexer import Lexed, Mode
from checkrail.readers.sql.statements import Deed, Judged, statement

_MOST_STATEMENTS = 500
_FILES = frozenset({"sqlite", "duckdb"})
_REMOTE = ("http://", "https://", "s3://", "gs://", "gcs://", "r2://", "az://", "abfss://", "hf://")


def _path(name: str, cwd: str | None, around: Surroundings) -> str:
    """A file's name as an absolute path; unknown from the start where the folder is."""
    if name.startswith("~/"):
        name = around.home + name[1:]
    if name.startswith("/") or cwd is not None:
        return normal(name, cwd or "/")
    return name if name[:1] in (HOLE, SOME) else f"{HOLE}/{name}"


class _View(msgspec.Struct, frozen=True):
    payload: Payload
    options: Mapping[str, str]
    around: Surroundings

    @property
    def target(self) -> str:
        """The database in words, empty where it is not known."""
        return self.options.get("target") or self.options.get("database", "")

    @property
    def private(self) -> bool:
        """Whether the database is nobody's: in memory, or a file among temporary ones."""
        if self.payload.host or self.options.get("dialect") not in _FILES:
            return False
        target = self.target
        if target == ":memory:" or target.startswith("file::memory:"):
            return True
        if not target:
            return self.options.get("client") in ("sqlite3", "duckdb")
        path = _path(target, self.payload.cwd, self.around)
        return describe(path, self.around).place is Place.SCRATCH

    @property
    def near(self) -> str:
        """The database of a server on this machine, empty where it is elsewhere, not known, or the text turns to another one."""
        host = self.payload.host
        here = not host or host.startswith((*CONTAINERS, "running:"))
        if self.options.get("dialect") == "mysql" and "." in self.payload.text:
            return ""  # there a table may be another database's
        return self.options.get("near", "") if here and not _TURNS.search(self.payload.text) else ""

    @property
    def test_file(self) -> bool:
        """Whether the database is a file of the project that is called one of tests."""
        if self.options.get("dialect") not in _FILES or self.payload.host or not self.rehearsal:
            return False
        return (
            re.fullmatch(r"(?:[\w-]+[_.-])?tests?(?:[_-][\w-]+)?\.(?:db|db3|sqlite3?)", posixpath.basename(self.target))
            is not None
        )

    @property
    def rehearsal(self) -> bool:
        """Whether the database is the project's own for trying things out: a file of the workspace, or on this machine and called so."""
        if is_rehearsal(self.near):
            return True
        if self.payload.host or HOLE in self.target or SOME in self.target:
            return False
        if _TRIED_OUT.fullmatch(self.target):
            return True
        if self.options.get("dialect") not in _FILES or not self.target or ":" in self.target:
            return False
        facts = describe(_path(self.target, self.payload.cwd, self.around), self.around)
        return facts.place is Place.WORKSPACE and set(facts.classes) <= {"data"} and not facts.pattern


_TRIED_OUT = re.compile(
    r"(?:postgres(?:ql)?|mysql|mariadb)://(?:[^@/?#]*@)?(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?/"
    r"(?:[\w-]*[_-])?(?:test|tests|testing|dev|development|e2e)(?:[_-][\w-]*)?(?:\?sslmode=\w+)?"
)
_TURNS = re.compile(r"\\c(?:onnect)?\b|\buse\b", re.IGNORECASE)
_TRIED = frozenset({"sql.insert", "sql.create", "sql.update", "sql.alter"})
"""What developers do in the database that they try things out in: add, and change some rows."""
_EMPTIES = frozenset({"sql.drop", "sql.truncate", "sql.delete", "sql.update"})


def _span(payload: Payload, deed: Deed) -> Span:
    length = payload.span.end - payload.span.start
    if length != len(payload.text):
        return payload.span
    return Span(payload.span.start + deed.token.start, payload.span.start + deed.token.end)


def _effect(view: _View, deed: Deed) -> Effect:
    scope = Scope.LOCAL if view.private or deed.rule == "sql.temporary" else Scope.SHARED
    inner = view.private and deed.rule not in (
        "sql.file",
        "sql.program",
        "sql.attach",
        "sql.function",
        "sql.load",
        "sql.install",
    )
    axes = Axes() if inner else Axes(deed.reversibility, scope)
    if deed.rule in _TRIED and _keeps_tables(view, deed) and view.rehearsal:
        axes = Axes(Reversibility.REVERSIBLE, Scope.SHARED)
    if deed.rule in _EMPTIES and _disposable(view, deed):
        axes = Axes(Reversibility.REVERSIBLE, Scope.SHARED)
    named = view.target
    value = "/".join(part for part in (named, deed.thing) if part)
    return Effect(
        action=deed.action,
        target=Target(TargetKind.DATABASE, value, view.payload.host),
        rule=deed.rule,
        axes=axes,
        reason=deed.reason,
        span=_span(view.payload, deed),
        via=view.payload.via,
    )


def _keeps_tables(view: _View, deed: Deed) -> bool:
    """Whether a statement is about some rows, or adds to a table, and not about all of one or a column."""
    dropping = deed.rule == "sql.alter" and re.search(r"(?i)\bdrop\b", view.payload.text) is not None
    return not dropping and "(every row)" not in deed.reason


def _disposable(view: _View, deed: Deed) -> bool:
    """Whether only the database of test runs loses something: the one that is asked, or the one that is dropped."""
    if view.test_file:
        return deed.rule != "sql.drop" or not _drops_database(view.payload.text)
    if not view.near:
        return False
    if deed.action is Action.DELETE and deed.reason.startswith("DROP") and _drops_database(view.payload.text):
        return all(is_disposable(name.strip()) for name in deed.thing.split(","))
    return is_disposable(view.near)


def _drops_database(text: str) -> bool:
    return re.search(r"(?i)\bdrop\s+(?:database|schema|owned|role|user|tablespace)\b", text) is not None


def _read_effect(view: _View, judged: Judged) -> Effect:
    named = view.target
    things = ",".join(dict.fromkeys(thing for thing in judged.things if thing))[:500]
    value = "/".join(part for part in (named, things) if part)
    target = Target(TargetKind.DATABASE, value, view.payload.host)
    return Effect(action=Action.READ, target=target, rule="sql.read", span=view.payload.span, via=view.payload.via)


def _file(view: _View, name: str) -> Effect | Payload | None:
    """A file that a local engine opens (``w:`` before the name of one it writes), or an address it fetches."""
    action = Action.WRITE if name.startswith("w:") else Action.READ
    name = name.removeprefix("w:")
    payload = view.payload
    if name.lower().startswith(_REMOTE):
        method = "PUT" if action is Action.WRITE else ""
        return Payload(
            language="url",
            text=name,
            cwd=payload.cwd,
            span=payload.span,
            via=payload.via,
            options=(("method", method),),
        )
    if not name or name in ("/dev/stdout", "/dev/stdin"):
        return None
    path = _path(name, payload.cwd, view.around)
    odd = (
        action is Action.READ
        and not name.lower().split("?")[0].endswith(network.sql().files.endings)
        and "*" not in name
    )
    return Effect(
        action=action,
        target=Target(TargetKind.PATH, path, payload.host),
        rule="sql.file",
        decision=Decision.ASK if odd else None,
        reason="SQL opens a file that is no table of data" if odd else "",
        span=payload.span,
        via=payload.via,
    )


def _judge_mode(text: str, mode: Mode) -> tuple[Judged, Lexed]:
    lexed = lexer.lex(text, mode)
    judged = Judged()
    parts = lexer.statements(lexed.tokens)
    for tokens in parts[:_MOST_STATEMENTS]:
        statement(tokens, mode.name, judged)
    if len(parts) > _MOST_STATEMENTS:
        judged.faults.append("more statements than are read")
    if lexed.tokens and _unbalanced(lexed):
        judged.faults.append("parentheses that do not match")
    judged.plain = judged.plain and not lexed.comments
    return judged, lexed


def _unbalanced(lexed: Lexed) -> bool:
    signs = [token.text for token in lexed.tokens if token.kind == "sign"]
    return signs.count("(") != signs.count(")")


def _readings(text: str, dialect: str) -> tuple[list[Judged], list[str]]:
    """Every way to cut the text, and the faults that count: those that no other way is free of."""
    judged, faults = [], []
    for mode in lexer.modes(dialect, text):
        found, lexed = _judge_mode(text, mode)
        if lexed.fault:
            # What came before the fault may run; the broken end itself cannot.
            found.faults = []
            faults.append(lexed.fault)
        judged.append(found)
    whole = len(judged) > len(faults)
    return judged, [] if whole else faults


def _strictest(found: list[Judged]) -> Iterator[Deed]:
    """The deeds of all readings, each once."""
    seen = set()
    for judged in found:
        for deed in judged.deeds:
            key = (deed.rule, deed.reason)
            if key not in seen:
                seen.add(key)
                yield deed


def _unread(view: _View, whats: Iterator[str] | list[str]) -> tuple[Unread, ...]:
    return tuple(
        Unread(what=f"SQL: {what}", span=view.payload.span, via=view.payload.via) for what in dict.fromkeys(whats)
    )


def _read_sql(view: _View, text: str) -> Reading:
    dialect = view.options.get("dialect", "")
    found, faults = _readings(text, dialect)
    deeds = tuple(_strictest(found))
    faults += [fault for judged in found for fault in judged.faults]
    if not deeds and not faults and not all(judged.plain for judged in found):
        known = lexer.ALIASES.get(dialect, dialect)
        objection = second.objection(text, known if known in lexer.MODES else "")
        faults += [objection] if objection else []
    opens = dialect not in ("sqlite", "sqlite3")  # there a quoted text after FROM is the name of a table
    names = dict.fromkeys(name for judged in found for name in judged.files) if opens else {}
    files = [_file(view, name) for name in names]
    effects = tuple(_effect(view, deed) for deed in deeds) or ((_read_effect(view, found[0]),) if not faults else ())
    return Reading(
        effects=effects + tuple(entry for entry in files if isinstance(entry, Effect)),
        payloads=tuple(entry for entry in files if isinstance(entry, Payload)),
        unread=_unread(view, faults),
        opaque=tuple(dict.fromkeys(name for judged in found for name in judged.opaque)),
    )


def read(payload: Payload, around: Surroundings) -> Reading:
    """See :data:`checkrail.readers.Reader`."""
    options = dict(payload.options)
    view = _View(payload, options, around)
    text, commands = clients.split(payload, options.get("client", ""), around)
    if not text.strip(" \t\r\n;"):
        return commands
    reading = _read_sql(view, text)
    return Reading(
        effects=commands.effects + reading.effects,
        payloads=commands.payloads + reading.payloads,
        unread=commands.unread + reading.unread,
        opaque=commands.opaque + reading.opaque,
    )
