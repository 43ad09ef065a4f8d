"""Reading a shell program: text in, tree out, whatever the text.

The parser follows bash 5.2 (``bash -c text``, posix mode off). Where bash calls the text a syntax
error, the commands before it may already have run: they are in the tree, and the rest is
Unsupported by name.
"""

from checkrail.model import Span
from checkrail.readers.shell.grammar import heredocs, lists
from checkrail.readers.shell.grammar.commands import command
from checkrail.readers.shell.grammar.lexer import MAX_CHARACTERS, MAX_DEPTH, Grammar, Source, Stop
from checkrail.readers.shell.grammar.tree import Item, Parse, Pipeline, Script, Unsupported

_CLOSING = frozenset(")")
_NOTHING: frozenset[str] = frozenset()


def parse(text: str, *, base: int = 0, depth: int = 0) -> Parse:
    """Reads a program; ``base`` is where it stands in the root text, ``depth`` how deeply it is nested.

    Never raises: what cannot be read is an Unsupported node, in its place in the tree where it has
    one and among ``unsupported`` in any case.
    """
    if len(text) > MAX_CHARACTERS:
        whole = Unsupported(span=Span(base, base + len(text)), what="size")
        return Parse(script=_script(base, base + len(text), [_wrapped(whole, ";")]), unsupported=(whole,))
    source = Source(text, depth, _GRAMMAR)
    script = _program(source)
    if "\0" in text:
        source.note("NUL character", 0, len(source.text))
    if source.cuts or base:
        source.restore_positions(script, base)
    return Parse(script=script, unsupported=tuple(source.unsupported))


def _program(source: Source) -> Script:
    """All of a source, faults contained."""
    items: list[Item] = []
    length_behind = len(source.text) - source.end
    start, before = source.pos, source.state()
    try:
        lists.read_items(source, _NOTHING, items)
        if source.pos < source.end:
            raise source.unexpected()
        heredocs.abandon(source)
    except (Stop, RecursionError) as fault:
        what = fault.what if isinstance(fault, Stop) else "nesting"
        end = len(source.text) - length_behind
        source.restore(before)
        rest = items[-1].span.end if items else start
        items.append(_wrapped(source.note(what, min(rest, end), end), ";" if items else ""))
    end = len(source.text) - length_behind
    source.pos = end
    return _script(start, end, items)


def _script(start: int, end: int, items: list[Item]) -> Script:
    return Script(span=Span(start, end), items=tuple(items))


def _wrapped(node: Unsupported, op: str) -> Item:
    line = Pipeline(span=node.span, commands=(node,), stderr=(False,))
    return Item(span=node.span, pipeline=line, op=op)


def _substitution(source: Source) -> Script:
    """The commands from the cursor to a closing parenthesis, which is read too."""
    script = lists.script(source, _CLOSING)
    source.pos += 1
    if source.pending:
        heredocs.gather_ahead(source)
    return script


def _region(source: Source, start: int, limit: int) -> Script:
    """A part of the text that is a program of its own: bash looks at it only when it comes to run it."""
    before, tail = source.state(), len(source.text) - source.end
    source.pos, source.end = start, limit
    source.pending, source.joining, source.substituted, source.raw = [], True, False, False
    if source.depth >= MAX_DEPTH:
        raise Stop("nesting", start)
    source.depth += 1
    script = _program(source)
    source.restore(before)
    source.end = len(source.text) - tail
    return script


_GRAMMAR = Grammar(substitution=_substitution, region=_region, command=command, program=_program)
