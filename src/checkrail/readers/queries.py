"""Reads Redis commands, MongoDB shell text and GraphQL by their verbs: what only reads, what changes, what deletes."""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache

from checkrail.context import Surroundings
from checkrail.facts.production import is_disposable, is_rehearsal
from checkrail.knowledge import network
from checkrail.knowledge.network import QueryLanguage
from checkrail.model import (
    HOLE,
    SOME,
    Action,
    Axes,
    Effect,
    Payload,
    Reading,
    Reversibility,
    Scope,
    Target,
    TargetKind,
    Unread,
)

LONGEST = 262_144
_LOST = Axes(Reversibility.IRREVERSIBLE, Scope.SHARED)
_KEPT = Axes(scope=Scope.SHARED)
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_STRINGS = re.compile(r'"""(?:[^"]|"(?!""))*"""|"(?:[^"\\\n]|\\.)*"|#[^\n]*')
_OPERATION = re.compile(r"\b(mutation|query|subscription|fragment)\b[^{}]*\{|\{")
_FIELD = re.compile(r"(?:([_A-Za-z]\w*)\s*:\s*)?([_A-Za-z]\w*)")
_METHOD = re.compile(r"(?:\.\s*|\[\s*['\"])([A-Za-z_]\w*)(?:['\"]\s*\])?\s*\(|(?<![\w.$])([A-Za-z_]\w*)\s*\(")
_STAGE = re.compile(r"['\"]?\$(out|merge|where|function|accumulator)['\"]?\s*:")
_REDIS_SHOWING = frozenset({"get", "list", "info", "id", "getname", "nodes", "slots", "shards", "whoami", "users", "cat", "exists", "stats", "help", "usage", "doctor", "dump", "myid", "keyslot", "countkeysinslot", "libraryinfo", "no-evict", "tracking", "caching"})  # fmt: skip
_PLAIN = frozenset({"function", "if", "for", "while", "switch", "catch", "return", "new", "typeof", "var", "let", "const", "await", "date", "regexp", "string", "number", "array", "object", "json", "math", "parseint", "parsefloat"})  # fmt: skip


@cache
def _language(name: str) -> QueryLanguage:
    return next(entry for entry in network.sql().languages if entry.name == name)


def _effect(payload: Payload, action: Action, rule: str, axes: Axes | None, reason: str) -> Effect:
    target = Target(TargetKind.DATABASE, dict(payload.options).get("target", ""), payload.host)
    return Effect(action=action, target=target, rule=rule, axes=axes, reason=reason, span=payload.span, via=payload.via)


def _redis_command(payload: Payload, line: str) -> Effect:
    words = [word.strip("'\"") for word in line.split()[:8]]
    name, following = words[0].lower(), words[1].lower() if len(words) > 1 else ""
    known = _language("redis")
    shown = (
        name in ("config", "client", "cluster", "acl", "script", "function", "module", "memory")
        and following in _REDIS_SHOWING
    )
    if name in known.reads or shown:
        return _effect(payload, Action.READ, "redis.read", None, "")
    if name in _KEYS and dict(payload.options).get("near") and not payload.host and not _all_keys(words):
        return _effect(
            payload,
            Action.CHANGE,
            "redis.change",
            _KEPT,
            f"{name.upper()} removes what a key of this machine's server holds",
        )
    if name in known.deletes:
        return _effect(
            payload, Action.DELETE, "redis.delete", _LOST, f"{name.upper()} deletes, runs or administers something"
        )
    return _effect(payload, Action.CHANGE, "redis.change", _KEPT, f"{name.upper()} changes stored data")


_KEYS = frozenset(
    (
        "del",
        "unlink",
        "hdel",
        "srem",
        "zrem",
        "lrem",
        "lpop",
        "rpop",
        "spop",
        "expire",
        "pexpire",
        "rename",
        "renamenx",
        "json.del",
    )
)
"""Commands that are about the keys they name."""


def _all_keys(words: list[str]) -> bool:
    """Whether what a command is about is not written out: a pattern, a value that only running would tell, or a long list."""
    return len(words) > 6 or any(char in word for word in words for char in f"*?[{HOLE}{SOME}")


def _redis(payload: Payload) -> Reading:
    lines = [line for line in re.split(r"[\n;]", payload.text) if line.strip()]
    return Reading(effects=tuple(dict.fromkeys(_redis_command(payload, line) for line in lines[:1000])))


_ADDING = frozenset(
    (
        "insert",
        "insertone",
        "insertmany",
        "updateone",
        "findoneandupdate",
        "createindex",
        "createindexes",
        "createcollection",
    )
)
_TURNS = re.compile(
    r"\buse\b|getSiblingDB|getDB|connect\s*\(|new\s+Mongo|\badmin\s*\.|admincommand|\b(?:eval|load|run\w*)\s*\(",
    re.IGNORECASE,
)


def _mongo(payload: Payload) -> Reading:
    known = _language("mongo")
    called = {(match[1] or match[2]).lower() for match in _METHOD.finditer(payload.text)}
    changing = sorted(called & known.deletes)
    near = "" if payload.host or _TURNS.search(payload.text) else dict(payload.options).get("near", "")
    effects = [
        _effect(
            payload,
            Action.DELETE,
            "mongo.change",
            _KEPT if is_disposable(near) or (is_rehearsal(near) and name in _ADDING) else _LOST,
            f"{name}() changes or deletes data",
        )
        for name in changing
    ]
    effects += [
        _effect(payload, Action.CHANGE, "mongo.stage", _LOST, f"${name} writes or runs code in the database")
        for name in dict.fromkeys(match[1] for match in _STAGE.finditer(payload.text))
    ]
    unknown = sorted(called - known.deletes - known.reads - _PLAIN)
    read = _effect(payload, Action.READ, "mongo.read", None, "")
    return Reading(effects=tuple(effects) or (read,), opaque=tuple(f"{name}()" for name in unknown))


def _fields(text: str) -> Iterator[tuple[str, str]]:
    """(operation, field) for each field at the top of an operation."""
    depth, operation, at = 0, "query", 0
    while at < len(text):
        if depth == 0:
            match = _OPERATION.search(text, at)
            if not match:
                return
            operation, depth, at = match[1] or "query", 1, match.end()
            continue
        letter = text[at]
        depth += (letter in "{(") - (letter in "})")
        field = _FIELD.match(text, at) if depth == 1 else None
        if field:
            yield operation, field[2]
            at = field.end()
        else:
            at += 1


def _graphql(payload: Payload) -> Reading:
    known = _language("graphql").deletes
    effects: dict[Effect, None] = {}
    for operation, field in _fields(_STRINGS.sub(" ", payload.text)):
        words = {word.lower() for word in _WORDS.findall(field)}
        if operation != "mutation":
            effects[_effect(payload, Action.READ, "graphql.read", None, "")] = None
        elif words & known:
            effects[
                _effect(payload, Action.DELETE, "graphql.delete", _LOST, f"the mutation {field} cannot be taken back")
            ] = None
        else:
            effects[
                _effect(payload, Action.CHANGE, "graphql.change", _KEPT, f"the mutation {field} changes something")
            ] = None
    if not effects:
        return Reading(unread=(Unread(what="GraphQL without an operation", span=payload.span, via=payload.via),))
    return Reading(effects=tuple(effects))


_READERS: Mapping[str, Callable[[Payload], Reading]] = {"redis": _redis, "mongo": _mongo, "graphql": _graphql}


def read(payload: Payload, around: Surroundings) -> Reading:  # noqa: ARG001  # the signature of every reader
    """See :data:`checkrail.readers.Reader`."""
    if len(payload.text) > LONGEST:
        return Reading(unread=(Unread(what=f"{payload.language}: longer than what is read", span=payload.span),))
    reading = _READERS[payload.language](payload)
    unknown = (f"{payload.language}: a part that is not known",) if HOLE in payload.text or SOME in payload.text else ()
    return Reading(effects=reading.effects, unread=reading.unread, opaque=reading.opaque + unknown)
