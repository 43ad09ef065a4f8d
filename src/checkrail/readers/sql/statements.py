"""What one SQL statement does, from its tokens: it reads only if its first word and every word inside agree."""

from collections.abc import Callable, Sequence
from functools import cache

import msgspec

from checkrail.knowledge import network
from checkrail.knowledge.network import SqlStatement
from checkrail.model import Action, Reversibility
from checkrail.readers.sql import functions
from checkrail.readers.sql.lexer import Token

Tokens = Sequence[Token]
_TAUTOLOGIES = frozenset({"true", "1", "1=1", "not false", "0=0", "1 = 1", "(1=1)"})
_LOCKING = frozenset({"update", "share", "no", "key"})
_HINTS = frozenset({"updlock", "xlock", "tablockx", "holdlock"})
_JUXTAPOSED = frozenset(
    {"exec", "execute", "shutdown", "kill", "backup", "restore", "dbcc", "reconfigure", "waitfor", "deny"}
)
_SKIPPED = frozenset({"table", "view", "index", "database", "schema", "if", "exists", "not", "or", "replace", "temp", "temporary", "into", "from", "only", "materialized", "unique", "concurrently", "user", "role", "function", "procedure", "trigger", "sequence", "type", "extension", "policy", "ignore", "low_priority", "column", "owned", "by", "on", "all", "external", "foreign", "unlogged", "virtual", "recursive", "global", "local", "overwrite", "group"})  # fmt: skip
_GRANTS = frozenset({"grant", "revoke", "deny"})


class Deed(msgspec.Struct, frozen=True):
    """Something a statement does beyond reading. ``thing`` is the table or object."""

    rule: str
    action: Action
    reason: str
    token: Token
    reversibility: Reversibility = Reversibility.HARD
    thing: str = ""


class Judged(msgspec.Struct):
    """What is known about a statement; ``plain`` reads need no second opinion."""

    deeds: list[Deed] = msgspec.field(default_factory=list)
    faults: list[str] = msgspec.field(default_factory=list)
    opaque: list[str] = msgspec.field(default_factory=list)
    files: list[str] = msgspec.field(default_factory=list)
    things: list[str] = msgspec.field(default_factory=list)
    plain: bool = True

    def deed(self, rule: str, reason: str, token: Token, action: Action = Action.CHANGE) -> None:
        """Note something that is hard to undo."""
        self.deeds.append(Deed(rule, action, reason, token))


def _word(tokens: Tokens, at: int) -> str:
    """The unquoted word at a position, empty for anything else."""
    return tokens[at].text if 0 <= at < len(tokens) and tokens[at].kind == "word" else ""


def _dotted(tokens: Tokens, at: int) -> str:
    """The name that starts at a position, with its dots."""
    parts = []
    while at < len(tokens) and tokens[at].kind in ("word", "name"):
        parts.append(tokens[at].text)
        if at + 1 >= len(tokens) or tokens[at + 1].text != ".":
            break
        at += 2
    return ".".join(parts)


def thing(tokens: Tokens, at: int = 1) -> str:
    """The table or object that a statement names first after its first word."""
    for index in range(at, min(len(tokens), at + 16)):
        token = tokens[index]
        if token.kind == "name" or (token.kind == "word" and token.text not in _SKIPPED):
            return _dotted(tokens, index)
    return ""


def _listed(tokens: Tokens) -> str:
    """All objects of a DROP or TRUNCATE, which take a list."""
    names = [thing(tokens)]
    for at, token in enumerate(tokens[:200]):
        if token.text == "," and token.kind == "sign":
            names.append(_dotted(tokens, at + 1))
    return ", ".join(name for name in names if name)


def _granted(tokens: Tokens) -> str:
    """What a GRANT or REVOKE is about: the name after ON, else the first."""
    place = next((index for index, token in enumerate(tokens) if token.kind == "word" and token.text == "on"), 0)
    return thing(tokens, place + 1)


@cache
def _writes() -> dict[str, SqlStatement]:
    return {word: row for row in network.sql().statements for word in row.words}


def _condition(tokens: Tokens) -> str:
    """What a DELETE or UPDATE says about which rows: nothing, everything, or empty where it has a real condition."""
    depth = 0
    for at, token in enumerate(tokens):
        depth += (token.text == "(" and token.kind == "sign") - (token.text == ")" and token.kind == "sign")
        if token.kind == "word" and token.text == "where" and depth <= 0:
            rest = "".join(entry.text for entry in tokens[at + 1 :])
            return ", WHERE is always true (every row)" if rest in _TAUTOLOGIES else ""
    return ", without WHERE (every row)"


def write(tokens: Tokens, word: str, judged: Judged) -> None:
    """A statement whose first word is that of a write."""
    row = _writes()[word]
    named = _granted if word in _GRANTS else _listed if word in ("drop", "truncate") else thing
    name = named(tokens)
    which = _condition(tokens) if word in ("delete", "update") else ""
    temporary = word == "create" and bool({"temp", "temporary"} & {_word(tokens, 1), _word(tokens, 3)})
    room = word == "create" and _word(tokens, 1) in ("database", "schema")  # an empty one, as createdb makes it
    kept = Reversibility.REVERSIBLE if temporary or (room and not _holds_more(tokens)) else row.reversibility
    reason = f"{row.says} {name or 'what the statement holds'}{which}"
    rule = "sql.temporary" if temporary else f"sql.{word}"
    judged.deeds.append(Deed(rule, row.action, f"{word.upper()} {reason}", tokens[0], kept, name))
    judged.things.append(name)


def _holds_more(tokens: Tokens) -> bool:
    """Whether CREATE SCHEMA makes or grants something in the same statement, or gives it to another role."""
    return any(token.text in ("create", "grant", "authorization", "clone", "from") for token in tokens[2:])


def _updates(tokens: Tokens, at: int) -> bool:
    """Whether UPDATE inside a statement starts one: a table's name follows, not the rest of an expression."""
    if at + 1 >= len(tokens):
        return False
    following = tokens[at + 1]
    named = following.kind == "name" or (following.kind == "word" and following.text not in network.sql().clauses.words)
    return named or following.kind == "hole" or (following.text == "top")


def _into(tokens: Tokens, at: int, judged: Judged) -> None:
    following = tokens[at + 1] if at + 1 < len(tokens) else None
    if following is None or following.text.startswith(("@", ":")) or _word(tokens, 0) == "fetch":
        return
    if following.text in ("outfile", "dumpfile"):
        judged.deed("sql.file", f"INTO {following.text.upper()} writes a file of the server", tokens[at], Action.WRITE)
    else:
        judged.deed(
            "sql.into", f"SELECT INTO creates {_dotted(tokens, at + 1) or 'a table'}", tokens[at], Action.CREATE
        )


def _locking(tokens: Tokens, at: int) -> bool:
    word, following = tokens[at].text, _word(tokens, at + 1)
    return (word == "for" and following in _LOCKING) or (word == "lock" and following == "in") or word in _HINTS


def _inside(tokens: Tokens, mode: str, judged: Judged) -> None:
    """Words of writes anywhere in a statement that begins as a read."""
    inside = network.sql().inside
    for at, token in enumerate(tokens):
        if token.kind != "word" or (at and tokens[at - 1].text == "."):
            continue
        word, following = token.text, _word(tokens, at + 1)
        if word == "into":
            _into(tokens, at, judged)
        elif _locking(tokens, at):
            judged.deed("sql.lock", "the read locks rows", token)
        elif word == "update" and _word(tokens, at - 1) not in ("for", "key") and _updates(tokens, at):
            write(tokens[at:], "update", judged)
        elif following in inside.get(word, ()) and _word(tokens, at - 1) != "as":
            write(tokens[at:], word, judged)
        elif mode == "tsql" and at and word in _JUXTAPOSED and _starts(tokens, at):
            write(tokens[at:], "exec" if word == "execute" else word if word in _writes() else "exec", judged)


def _starts(tokens: Tokens, at: int) -> bool:
    """Whether a word in the middle can be a statement of its own, as T-SQL allows without a semicolon."""
    before = tokens[at - 1]
    if before.kind == "sign" and before.text != ")":
        return False
    if at + 1 == len(tokens):
        return before.kind != "word"
    following = tokens[at + 1]
    return following.kind in ("string", "number", "name", "parameter") or (
        following.kind == "word" and following.text not in network.sql().clauses.words
    )


def _calls(tokens: Tokens, judged: Judged) -> None:
    for call in functions.calls(tokens):
        if call.kind == "effect":
            judged.deed("sql.function", f"{call.name}() {call.says}", call.token, Action.EXECUTE)
        elif call.kind == "file":
            judged.files.append(call.argument)
        elif call.kind == "unknown":
            judged.opaque.append(f"function {call.name}()")
            judged.plain = False


def _opens_file(tokens: Tokens, at: int, mode: str) -> bool:
    """Whether FROM at a position is followed by the name of a file, as DuckDB takes it.

    The mode ``sqlite`` also stands for a database that is not known.
    """
    if mode not in ("duckdb", "clickhouse", "sqlite") or tokens[at + 1].kind != "string":
        return False
    return _word(tokens, at - 1) != "distinct" and "(" not in [token.text for token in tokens[max(at - 3, 0) : at]]


def _sources(tokens: Tokens, mode: str, judged: Judged) -> None:
    """Tables and files that are read."""
    for at, token in enumerate(tokens):
        if token.kind == "hole":
            judged.opaque.append("a part that is not known before running")
        elif token.kind == "word" and token.text in ("from", "join") and at + 1 < len(tokens):
            if _opens_file(tokens, at, mode):
                judged.files.append(tokens[at + 1].text)
            elif tokens[at + 1].kind in ("word", "name"):
                judged.things.append(_dotted(tokens, at + 1))


def _read(tokens: Tokens, mode: str, judged: Judged) -> None:
    _inside(tokens, mode, judged)
    _calls(tokens, judged)
    _sources(tokens, mode, judged)


def _explained(tokens: Tokens) -> tuple[bool, Tokens]:
    """Whether an EXPLAIN runs its statement, and that statement."""
    at, runs = 1, False
    if (
        at < len(tokens)
        and tokens[at].text == "("
        and _word(tokens, at + 1) not in ("select", "with", "values", "table", "delete", "insert", "update")
    ):
        end = next((index for index in range(at, len(tokens)) if tokens[index].text == ")"), len(tokens))
        options = [token.text for token in tokens[at + 1 : end]]
        for index, option in enumerate(options):
            off = options[index + 1 : index + 2] and options[index + 1] in ("false", "off", "0", "no")
            runs = runs or (option in ("analyze", "analyse") and not off)
        at = end + 1
    while _word(tokens, at) in ("analyze", "analyse", "verbose", "extended", "query", "plan", "for", "partitions", "format", "using", "json", "text", "tree", "traditional", "logical", "cost", "codegen", "formatted", "xml", "yaml", "estimate", "pipeline", "syntax", "ast", "into") or (at > 1 and at < len(tokens) and (tokens[at].text == "=" or tokens[at].kind == "string")):  # fmt: skip
        runs = runs or tokens[at].text in ("analyze", "analyse")
        at += 1
    return runs, tokens[at:]


def _explain(tokens: Tokens, mode: str, judged: Judged) -> None:
    runs, inner = _explained(tokens)
    if runs and inner:
        statement(inner, mode, judged)


def _pragma(tokens: Tokens, judged: Judged) -> None:
    pragmas = network.sql().pragmas
    name = _dotted(tokens, 1).rpartition(".")[2]
    valued = any(token.text in ("=", "(") for token in tokens[2:])
    if name in pragmas.acting or (valued and name not in pragmas.showing | pragmas.session):
        judged.deed("sql.pragma", f"PRAGMA {name} changes the database", tokens[0], Action.CONFIGURE)
    elif valued and name in pragmas.showing and any(token.text == "=" for token in tokens):
        judged.deed("sql.pragma", f"PRAGMA {name} is set", tokens[0], Action.CONFIGURE)
    elif not valued and name not in pragmas.showing | pragmas.session:
        judged.opaque.append(f"PRAGMA {name}")


def _set(tokens: Tokens, mode: str, judged: Judged) -> None:
    """A setting of the session, unless it reaches further; RESET gives one back."""
    known = network.sql().settings.words
    end = next((at for at, token in enumerate(tokens) if token.text in ("=", "to")), min(len(tokens), 4))
    named = {part for token in tokens[1 : max(end, 3)] for part in token.text.lstrip("@").split(".")}
    writable = {"transaction", "write"} <= {token.text for token in tokens}
    found = sorted(named & known) or (["transaction read write"] if writable else [])
    if _word(tokens, 0) == "reset" and _word(tokens, 1) in ("master", "slave", "replica", "persist", "query"):
        found = [_word(tokens, 1)]
    if found:
        judged.deed(
            "sql.set",
            f"{tokens[0].text.upper()} {found[0]} reaches beyond the session or removes a guard",
            tokens[0],
            Action.CONFIGURE,
        )
    _read(tokens, mode, judged)


def _transaction(tokens: Tokens, mode: str, judged: Judged) -> None:
    head, following = tokens[0].text, _word(tokens, 1)
    if head == "start" and following != "transaction":
        write(tokens, "start", judged)
    elif "prepared" in (token.text for token in tokens):
        judged.deed("sql.transaction", "ends a prepared transaction", tokens[0])
    elif head == "begin" and following and following not in network.sql().reads.transaction:
        statement(tokens[1:], mode, judged)
    elif {"read", "write"} <= {token.text for token in tokens}:
        judged.deed("sql.set", "a transaction that may write is asked for", tokens[0], Action.CONFIGURE)


def _use(tokens: Tokens, mode: str, judged: Judged) -> None:  # noqa: ARG001  # one signature for the table
    if _word(tokens, 1) in ("role", "secondary"):
        judged.deed("sql.set", "USE ROLE changes the rights of the session", tokens[0], Action.PRIVILEGE)


def _copy(tokens: Tokens, mode: str, judged: Judged) -> None:
    """COPY out to the caller reads; anything else moves data."""
    out = next((at for at, token in enumerate(tokens) if token.kind == "word" and token.text == "to"), 0)
    if out and _word(tokens, out + 1) == "stdout":
        inner = tokens[2 : out - 1] if len(tokens) > 1 and tokens[1].text == "(" else ()
        if inner:
            statement(inner, mode, judged)
        return
    if any(token.kind == "word" and token.text == "program" for token in tokens):
        judged.deed("sql.program", "COPY … PROGRAM runs a program on the server", tokens[0], Action.EXECUTE)
        return
    if out and mode == "duckdb" and out + 1 < len(tokens) and tokens[out + 1].kind == "string":
        judged.files.append("w:" + tokens[out + 1].text)
        inner = tokens[2 : out - 1] if tokens[1].text == "(" else ()
        if inner:
            statement(inner, mode, judged)
        return
    write(tokens, "copy", judged)


def _prepare(tokens: Tokens, mode: str, judged: Judged) -> None:
    """PREPARE name AS statement is judged as the statement; from a text, or a transaction, it is a write."""
    place = next((at for at, token in enumerate(tokens) if token.kind == "word" and token.text == "as"), 0)
    if place and _word(tokens, 1) != "transaction":
        statement(tokens[place + 1 :], mode, judged)
    else:
        judged.deed(
            "sql.prepare", "PREPARE holds a statement that is not shown, or a transaction", tokens[0], Action.EXECUTE
        )


def _vacuum(tokens: Tokens, mode: str, judged: Judged) -> None:  # noqa: ARG001
    if any(token.kind == "word" and token.text == "into" for token in tokens):
        judged.deed("sql.file", "VACUUM INTO writes a file", tokens[0], Action.WRITE)
    else:
        write(tokens, "vacuum", judged)


_SPECIAL: dict[str, Callable[[Tokens, str, Judged], None]] = {
    "explain": _explain,
    "describe": _explain,
    "desc": _explain,
    "set": _set,
    "reset": _set,
    "copy": _copy,
    "prepare": _prepare,
    "vacuum": _vacuum,
    "use": _use,
    **dict.fromkeys(("begin", "start", "commit", "end", "rollback", "abort", "savepoint", "release"), _transaction),
}


def statement(tokens: Tokens, mode: str, judged: Judged) -> None:
    """Judge one statement and add what is found to ``judged``."""
    start = next((at for at, token in enumerate(tokens) if token.text != "("), len(tokens))
    if start == len(tokens):
        return
    head = tokens[start]
    if head.kind == "hole":
        judged.faults.append("a statement that is not known before running")
    elif head.kind != "word":
        judged.faults.append("no statement of SQL")
    elif head.text == "pragma":
        judged.plain = False
        _pragma(tokens[start:], judged)
    elif head.text in _SPECIAL:
        judged.plain = False
        _SPECIAL[head.text](tokens[start:], mode, judged)
    elif head.text in network.sql().reads.first:
        _read(tokens[start:], mode, judged)
    elif head.text in _writes():
        write(tokens[start:], head.text, judged)
    else:
        judged.faults.append(f"{head.text[:40].upper()} is no statement that is known")
