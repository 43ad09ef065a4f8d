"""Moving the spans of a finished tree."""

from collections.abc import Callable, Iterator

from msgspec import Struct
from msgspec.structs import force_setattr

from checkrail.model import Span
from checkrail.readers.shell.tree import Node


def nodes(root: Struct | tuple[Struct, ...]) -> Iterator[Node]:
    """Every node under ``root``, itself included, each once."""
    stack: list[object] = [root]
    seen: set[int] = set()
    while stack:
        item = stack.pop()
        if isinstance(item, tuple):
            stack += item
        elif isinstance(item, Struct) and not isinstance(item, Span) and id(item) not in seen:
            seen.add(id(item))
            if isinstance(item, Node):
                yield item
            stack += (getattr(item, name) for name in item.__struct_fields__)


def cover(root: Struct, span: Span) -> None:
    """Gives every node of a tree that nothing else refers to yet the same span."""
    for node in nodes(root):
        force_setattr(node, "span", span)


def relocate(root: Struct | tuple[Struct, ...], start: Callable[[int], int], end: Callable[[int], int]) -> None:
    """Maps the borders of every span of a tree that nothing else refers to yet."""
    for node in nodes(root):
        span = node.span
        first = end(span.start) if span.start == span.end else start(span.start)
        force_setattr(node, "span", Span(first, end(span.end)))
