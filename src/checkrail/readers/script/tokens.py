"""Runs of tokens: names with dots, brackets, arguments."""

from collections.abc import Sequence

from checkrail.readers.script.lexer import Token
from checkrail.readers.script.state import State

OPEN, CLOSE = frozenset("([{"), frozenset(")]}")


def chain(tokens: Sequence[Token]) -> tuple[str, int]:
    """A dotted name at the start of tokens, and where it ends. ``require("x")`` counts as the name ``x``."""
    if not tokens or tokens[0].kind not in ("name", "variable"):
        return "", 1
    parts, at = [tokens[0].text], 1
    if (
        parts[0] in ("require", "import")
        and len(tokens) > 3
        and tokens[1].text == "("
        and tokens[2].kind == "string"
        and tokens[3].text == ")"
    ):
        parts, at = [_plain(tokens[2]).removeprefix("node:")], 4
    while at + 1 < len(tokens):
        sign, following = tokens[at], tokens[at + 1]
        if sign.kind == "sign" and sign.text in (".", "::", "->", "?.") and following.kind in ("name", "variable"):
            parts.append(following.text)
            at += 2
        elif (
            sign.kind == "sign"
            and sign.text == "["
            and following.kind == "string"
            and at + 2 < len(tokens)
            and tokens[at + 2].text == "]"
            and _plain(following).isidentifier()
        ):
            parts.append(_plain(following))
            at += 3
        else:
            break
    return ".".join(parts), at


def _plain(token: Token) -> str:
    return "".join(text for code, text in token.parts if not code)


def canonical(state: State, dotted: str) -> str:
    """The name under which knowledge describes a call."""
    head, dot, rest = dotted.partition(".")
    full = state.imported.get(head, head) + dot + rest
    full = full.removeprefix("node:").removeprefix("Kernel.").removeprefix("CORE::").removeprefix("\\")
    for prefix, to in state.knowledge.prefixes:
        if full.startswith(prefix):
            return to + full[len(prefix) :]
    return state.knowledge.aliases.get(full, full)


def closing(tokens: Sequence[Token], at: int) -> int:
    """Where the bracket at a position closes; the last position where it does not."""
    depth = 0
    for index in range(at, len(tokens)):
        token = tokens[index]
        if token.kind == "sign":
            depth += (token.text in OPEN) - (token.text in CLOSE)
            if depth == 0:
                return index
    return len(tokens) - 1


def split(tokens: Sequence[Token]) -> list[Sequence[Token]]:
    """Arguments: tokens cut at the commas of their own level."""
    parts: list[Sequence[Token]] = []
    depth, start = 0, 0
    for index, token in enumerate(tokens):
        if token.kind != "sign":
            continue
        depth += (token.text in OPEN) - (token.text in CLOSE)
        if depth == 0 and token.text in (",", "=>"):
            parts.append(tokens[start:index])
            start = index + 1
    return [part for part in (*parts, tokens[start:]) if part]
