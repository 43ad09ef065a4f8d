"""Walking over trees."""

from checkrail.readers.shell.parser import parse
from checkrail.readers.shell.tree import Simple
from checkrail.readers.shell.walk import commands, walk
from tests.readers.shell.reading import names


def test_commands_come_in_the_order_of_the_text() -> None:
    """Each kind of place that can hold commands is visited, outer commands first."""
    text = (
        "A=$(c1) c2 ${x:-$(c3)} $(( $(c4) )) >$(c5); x=([$(c6)]=$(c7)); [[ $(c8) ]]\n"
        "case $(c9) in $(d1)) d2;; esac; f() { d3; }; for x in $(d4); do d5; done < <(d6)\n"
    )
    seen = names(text)
    assert sorted(seen) == ["c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8", "c9", "d1", "d2", "d3", "d4", "d5", "d6"]
    assert [name for name in seen if name in ("c2", "c8", "c9", "d2", "d5")] == ["c2", "c8", "c9", "d2", "d5"]


def test_documents_are_visited() -> None:
    """Commands in the body of a here-document are commands."""
    assert names("a <<E\n$(b)\nE") == ["a", "b"]


def test_commands_are_the_simple_ones_of_a_walk() -> None:
    """Both come in the same order."""
    script = parse("a $(b); { c; }").script
    assert list(commands(script)) == [node for node in walk(script) if isinstance(node, Simple)]
