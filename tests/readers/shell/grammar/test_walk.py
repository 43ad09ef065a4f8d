"""Walking over trees."""

from checkrail.readers.shell.grammar.parser import parse
from checkrail.readers.shell.grammar.tree import Simple
from checkrail.readers.shell.grammar.walk import commands, walk
from tests.readers.shell.reading import names


def test_commands_come_in_the_order_of_the_text() -> None:
    """Each kind of place that can hold commands is visited, outer commands first."""
    text = (
        "A[$(c01)]=$(c02) c03 ${x[$(c04)]:-$(c05)} $(( $(c06) )) >$(c07); x=([$(c08)]=$(c09)); [[ $(c10) ]]\n"
        "case $(c11) in $(c12)) c13;; esac; f() { c14; }; for x in $(c15); do c16; done < <(c17)\n"
        "if c18; then c19; elif c20; then c21; else c22; fi; while c23; do c24; done; (c25) | { c26; } >$(c27)\n"
    )
    # The command itself comes before what stands in its assignments.
    assert names(text) == ["c03", "c01", "c02", *(f"c{number:02}" for number in range(4, 28))]


def test_documents_are_visited() -> None:
    """Commands in the body of a here-document are commands."""
    assert names("a <<E\n$(b)\nE") == ["a", "b"]


def test_commands_are_the_simple_ones_of_a_walk() -> None:
    """Both come in the same order."""
    script = parse("a $(b); { c; }").script
    assert list(commands(script)) == [node for node in walk(script) if isinstance(node, Simple)]
