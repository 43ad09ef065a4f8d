"""Function calls in SQL: which only compute, which have effects, which open files, which are not known."""

from collections.abc import Iterator, Sequence
from functools import cache

import msgspec

from checkrail.knowledge import network
from checkrail.readers.sql.lexer import Token

_TRUSTED_SCHEMAS = frozenset({"pg_catalog", "information_schema", "sys", "safe"})


class Call(msgspec.Struct, frozen=True):
    """A call: ``kind`` is pure, effect, file or unknown; ``says`` is why an effect matters; ``argument`` a file's name."""

    name: str
    kind: str
    token: Token
    says: str = ""
    argument: str = ""


@cache
def _effects() -> tuple[dict[str, str], tuple[tuple[str, str], ...]]:
    exact: dict[str, str] = {}
    prefixes: list[tuple[str, str]] = []
    for group in network.sql().functions:
        for name in group.names:
            if name.endswith("*"):
                prefixes.append((name[:-1], group.says))
            else:
                exact[name] = group.says
    return exact, tuple(prefixes)


@cache
def _pure() -> tuple[frozenset[str], tuple[str, ...]]:
    names = network.sql().pure.names
    return frozenset(name for name in names if name[-1] != "*"), tuple(name[:-1] for name in names if name[-1] == "*")


def _effect(name: str, qualified: str) -> str:
    """Why a function matters; empty where it is not known to."""
    exact, prefixes = _effects()
    pure, pure_prefixes = _pure()
    if name in exact or qualified in exact:
        return exact.get(qualified) or exact[name]
    if name in pure or name.startswith(pure_prefixes):
        return ""
    return next((says for prefix, says in prefixes if name.startswith(prefix) or qualified.startswith(prefix)), "")


def _qualified(tokens: Sequence[Token], at: int) -> str:
    """The name at ``at`` with what stands before its dots."""
    parts = [tokens[at].text]
    while at >= 2 and tokens[at - 1].text == "." and tokens[at - 2].kind in ("word", "name"):
        at -= 2
        parts.append(tokens[at].text)
    return ".".join(reversed(parts))


def _closing(tokens: Sequence[Token], at: int) -> int:
    """The index after the parenthesis that closes the one at ``at``."""
    depth = 0
    for index in range(at, len(tokens)):
        text = tokens[index].text if tokens[index].kind == "sign" else ""
        depth += (text == "(") - (text == ")")
        if not depth:
            return index + 1
    return len(tokens)


def _aliases(tokens: Sequence[Token], at: int) -> bool:
    """Whether a name before a parenthesis names columns: ``AS t(a, b)``, ``) t(a, b)``, ``WITH t(a) AS (…)``."""
    before = tokens[at - 1] if at else None
    if before and (before.text == ")" or (before.kind == "word" and before.text == "as")):
        return True
    if not before or before.text not in ("with", "recursive", ","):
        return False
    after = _closing(tokens, at + 1)
    return [token.text for token in tokens[after : after + 1]] == ["as"]


def _string_after(tokens: Sequence[Token], at: int) -> str:
    return tokens[at].text if at < len(tokens) and tokens[at].kind == "string" else ""


def _call(tokens: Sequence[Token], at: int) -> Call:
    token = tokens[at]
    name, qualified = token.text, _qualified(tokens, at)
    says = _effect(name, qualified)
    if says:
        return Call(qualified, "effect", token, says)
    if name in network.sql().files.functions:
        return Call(qualified, "file", token, "", _string_after(tokens, at + 2))
    pure, prefixes = _pure()
    schema = qualified.rpartition(".")[0]
    if (name in pure or name.startswith(prefixes)) and (
        not schema or schema in _TRUSTED_SCHEMAS or token.kind == "word"
    ):
        return Call(qualified, "pure", token)
    if _aliases(tokens, at):
        return Call(qualified, "pure", token)
    if name.partition("_")[0] in network.sql().verbs.words:
        return Call(qualified, "effect", token, "is not known and named like something that acts")
    return Call(qualified, "unknown", token)


def calls(tokens: Sequence[Token]) -> Iterator[Call]:
    """Every function call in a statement. A name that cannot be known counts as an effect."""
    structure = network.sql().structure.words
    for at in range(len(tokens) - 1):
        token = tokens[at]
        if tokens[at + 1].text != "(" or tokens[at + 1].kind != "sign":
            continue
        if token.kind == "hole":
            yield Call("a function", "effect", token, "is not known before running")
        elif token.kind == "name" or (token.kind == "word" and token.text not in structure):
            yield _call(tokens, at)
