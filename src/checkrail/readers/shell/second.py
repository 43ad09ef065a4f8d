"""A second opinion on what a shell text runs: bashlex, a port of bash's own grammar.

It fails on much that is valid, misses some substitutions and sees a few that are none, so it adds
to our own reading and never takes from it. Its work is bounded by counts, not by time, so that an
answer never depends on how busy the machine is.
"""

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from checkrail.model import Span
from checkrail.readers.shell.grammar.parser import parse
from checkrail.readers.shell.grammar.tree import (
    ArithCommand,
    Assignment,
    Heredoc,
    Node,
    Parse,
    Part,
    Redirect,
    Simple,
    Text,
    Word,
)
from checkrail.readers.shell.grammar.walk import walk

_SECONDS_PER_TOKEN = 40e-6
_SECONDS_PER_CHARACTER = 1.5e-6
# Words, plain variables, quotes around what no shell looks into, and separators: nothing that two parsers could take differently.
_NAMED = r"\$(?:[A-Za-z_]\w*|\{[A-Za-z_]\w*\})"
_PLAIN = re.compile(
    rf"""(?:[\w./:=@%+,^*?~&|;> \t\n\[\]-]|{_NAMED}|<(?![<(&>])|'[^']*'|"(?:[^"\\$`!]|{_NAMED})*")*+"""
).fullmatch
_GLUED_COMMENT = re.compile(r"(?<=[;&|()])#[^\n]*")
_DESCRIPTOR = re.compile(r"\{[A-Za-z_]\w*\}").fullmatch


class _Exhausted(Exception):
    """The budget is spent, or bashlex would loop."""


class _Budget:
    """Tokens that may still be read."""

    left = 0


def commands(text: str, *, budget: float = 0.002) -> tuple[tuple[str, ...], ...] | None:
    """The words of each simple command that bashlex sees, or None where it fails or costs too much.

    ``budget`` is in seconds on a machine of 2026. Words that hold expansions are given as written.
    """
    found = _commands(text, parse(text), budget)
    return None if found is None else tuple(words for words, _ in found)


def differences(text: str, tree: Parse, *, budget: float = 0.002) -> tuple[tuple[str, ...], ...]:
    """The commands that bashlex sees and ``tree``, our reading of ``text``, does not show.

    A command counts as shown where a simple command has the same first word.
    """
    if _is_long(text, budget) or _PLAIN(text):
        return ()
    found = _commands(text, tree, budget)
    if not found:
        return ()
    nodes = list(walk(tree.script))
    shown = {_name(text, node.words[0]) for node in nodes if isinstance(node, Simple) and node.words}
    extra = [(words, span) for words, span in found if words[0].removeprefix("$") not in shown | {""}]
    if not extra:
        return ()
    mere_text = [node.span for node in nodes if _is_mere_text(text, node)]
    assigned = {node.span.start for node in nodes if isinstance(node, Assignment)}
    return tuple(
        words
        for words, span in extra
        if words[0] not in shown
        and not _DESCRIPTOR(words[0])  # it takes {fd}>file and a[0]=x for command words
        and span.start not in assigned
        and not any(_within(span, other) for other in mere_text)
    )


def _name(text: str, word: Word) -> str:
    """The word as bashlex gives it: quotes removed, expansions as written."""
    return "".join(_spelling(text, part) for part in word.parts)


def _spelling(text: str, part: Part) -> str:
    return part.value if isinstance(part, Text) else text[part.span.start : part.span.end]


def _is_mere_text(text: str, node: Node) -> bool:
    """bashlex expands single quotes within a word and runs ``(( ))`` as a subshell."""
    quoted = isinstance(node, Text) and node.quoted and text.startswith(("'", "$'"), node.span.start)
    return quoted or isinstance(node, ArithCommand)


def _within(inner: Span, outer: Span) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end


# Asking bashlex -------------------------------------------------------------------------


def _commands(text: str, tree: Parse, budget: float) -> list[tuple[tuple[str, ...], Span]] | None:
    if _is_long(text, budget):
        return None
    plain = _without_heredocs(_without_glued_comments(text, tree), tree)
    if plain is None or not plain.strip():
        return None
    _Budget.left = int(budget / _SECONDS_PER_TOKEN)
    try:
        return [found for root in _parser()(plain) for found in _simple_commands(root)]
    except Exception:  # bashlex lets many kinds escape; whatever it is, there is no second opinion
        return None


def _is_long(text: str, budget: float) -> bool:
    return len(text) * _SECONDS_PER_CHARACTER > budget


def _without_heredocs(text: str, tree: Parse) -> str | None:
    """The text with here-documents blanked out, which bashlex misreads; None where one stands nowhere literally."""
    if "<<" not in text:
        return text
    blank = text
    for node in walk(tree.script):
        if isinstance(node, Redirect) and node.heredoc is not None:
            operator = text.find("<<", node.span.start, node.span.end)
            if operator < 0 or node.heredoc.span.start < node.span.end:
                return None
            blank = _blanked(blank, Span(operator, node.span.end))
            blank = _blanked(blank, _with_end_line(text, node.heredoc))
    return blank


def _without_glued_comments(text: str, tree: Parse) -> str:
    """The text without comments right behind an operator, which bashlex takes for commands."""
    blank = text
    for found in _GLUED_COMMENT.finditer(text):
        if not any(_within(Span(found.start(), found.start() + 1), span) for span in _words(tree)):
            blank = _blanked(blank, Span(*found.span()))
    return blank


def _words(tree: Parse) -> Iterator[Span]:
    return (node.span for node in walk(tree.script) if isinstance(node, Word | Heredoc | ArithCommand))


def _with_end_line(text: str, heredoc: Heredoc) -> Span:
    newline = text.find("\n", heredoc.span.end)
    return Span(heredoc.span.start, len(text) if newline < 0 else newline) if heredoc.closed else heredoc.span


def _blanked(text: str, span: Span) -> str:
    return text[: span.start] + " " * (span.end - span.start) + text[span.end :]


def _simple_commands(root: Any) -> Iterator[tuple[tuple[str, ...], Span]]:
    """The simple commands under a bashlex node, with their places."""
    stack = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, list):
            stack += node
            continue
        if not hasattr(node, "kind"):
            continue
        if node.kind == "command":
            words = tuple(part.word for part in node.parts if part.kind == "word")
            if words:
                yield words, Span(*node.pos)
        for name in ("parts", "list", "command", "output", "redirects"):
            stack.append(getattr(node, name, None))


@cache
def _parser() -> Callable[[str], list[Any]]:
    """bashlex's parse function, made to count its tokens and to stop where it would loop."""
    import bashlex.parser
    from bashlex import subst, tokenizer

    class Counting(tokenizer.tokenizer):  # type: ignore[misc]
        def token(self) -> Any:
            _Budget.left -= 1
            if _Budget.left < 0:
                raise _Exhausted
            return super().token()

    expand = subst._paramexpand

    def expand_closed(parser: Any, string: str, at: int) -> Any:
        if string.startswith("${", at) and string.find("}", at) < 0:
            raise _Exhausted
        return expand(parser, string, at)

    tokenizer.tokenizer = Counting
    subst._paramexpand = expand_closed
    return bashlex.parser.parse  # type: ignore[no-any-return]
