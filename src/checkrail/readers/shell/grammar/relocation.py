"""Moving the spans of a finished tree."""

from collections.abc import Callable, Iterable

from msgspec.structs import force_setattr

from checkrail.model import Span
from checkrail.readers.shell.grammar.tree import Node
from checkrail.readers.shell.grammar.walk import walk


def cover(root: Node, span: Span) -> None:
    """Gives every node of a tree that nothing else refers to yet the same span."""
    for node in list(walk(root)):
        force_setattr(node, "span", span)


def relocate(roots: Iterable[Node], start: Callable[[int], int], end: Callable[[int], int]) -> None:
    """Maps the borders of every span of trees that nothing else refers to yet; each node is moved once."""
    moved: dict[int, tuple[Span, Span]] = {}
    seen: set[int] = set()
    for root in roots:
        for node in walk(root):
            if id(node) in seen:
                continue
            seen.add(id(node))
            span = node.span
            known = moved.get(id(span))  # a word of one part shares its span with it
            if known is None:
                first = end(span.start) if span.start == span.end else start(span.start)
                known = moved[id(span)] = (span, Span(first, end(span.end)))
            force_setattr(node, "span", known[1])
