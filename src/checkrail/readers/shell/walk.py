"""Walking over a tree."""

from collections.abc import Iterator

from msgspec import Struct

from checkrail.model import Span
from checkrail.readers.shell.tree import Node, Simple


def walk(root: Node) -> Iterator[Node]:
    """Every node under ``root``, itself included, in the order of the text."""
    stack: list[object] = [root]
    while stack:
        item = stack.pop()
        if isinstance(item, tuple):
            stack += reversed(item)
        elif isinstance(item, Struct) and not isinstance(item, Span):
            if isinstance(item, Node):
                yield item
            stack += [getattr(item, name) for name in reversed(item.__struct_fields__)]


def commands(script: Node) -> Iterator[Simple]:
    """Every simple command anywhere under a node: in substitutions, here-documents, subscripts, functions …"""
    return (node for node in walk(script) if isinstance(node, Simple))
