"""Walking over a tree."""

from collections.abc import Iterator
from functools import cache

from msgspec import Struct
from msgspec.structs import fields

from checkrail.readers.shell.grammar.tree import Node, Simple

_SCALARS = {"str", "bool", "Span", "Literal"}


@cache
def _children(kind: type[Struct]) -> tuple[str, ...]:
    """The names of the fields that may hold nodes, from the last in the text to the first."""
    names = [field.name for field in reversed(fields(kind)) if not _is_scalar(field.type)]
    return tuple(sorted(names, key=lambda name: {"redirects": 0, "subscript": 2}.get(name, 1)))


def _is_scalar(annotation: object) -> bool:
    name = getattr(annotation, "__name__", str(annotation))
    return name in _SCALARS or annotation in (int | str | None, tuple[bool, ...])


def walk(root: Node) -> Iterator[Node]:
    """Every node under ``root``, itself included, in the order of the text."""
    stack: list[object] = [root]
    while stack:
        item = stack.pop()
        if isinstance(item, Node):
            yield item
            for name in _children(type(item)):
                child = getattr(item, name)
                if child:
                    stack.append(child)
        elif isinstance(item, tuple):
            stack += item[::-1]


def commands(script: Node) -> Iterator[Simple]:
    """Every simple command anywhere under a node: in substitutions, here-documents, subscripts, functions …"""
    return (node for node in walk(script) if isinstance(node, Simple))
