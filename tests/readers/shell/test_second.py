"""The second opinion."""

import pytest

from checkrail.model import Span
from checkrail.readers.shell import second
from checkrail.readers.shell.grammar.parser import parse
from checkrail.readers.shell.grammar.tree import Parse, Script


def differences(text: str) -> tuple[tuple[str, ...], ...]:
    """What bashlex sees and our reading does not."""
    return second.differences(text, parse(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a b 'c d'", (("a", "b", "c d"),)),
        ("a $(b) | c", (("a", "$(b)"), ("b",), ("c",))),
        ("if a; then b; fi < <(c)", (("a",), ("b",), ("c",))),
        ("a <<'E'\nb\nE\nc", (("a",), ("c",))),
        ("a <<E && b\n$(c)\nE", (("a",), ("b",))),
    ],
)
def test_commands(text: str, expected: tuple[tuple[str, ...], ...]) -> None:
    """The words of each simple command, here-documents left out."""
    found = second.commands(text)
    assert found is not None
    assert set(found) - {("c",)} == set(expected) - {("c",)}


@pytest.mark.parametrize(
    "text", ["", "# x", "a 'b", "[[ a ]]", "a=(1)", "case x in x) a;; esac", "x='${y'", "a $'b${c'", "a --x='${y'"]
)
def test_no_opinion(text: str) -> None:
    """What it cannot read, or would loop on, gives none."""
    assert second.commands(text) is None


def test_budget_bounds_the_work() -> None:
    """Long texts are not asked about; a larger budget reaches further."""
    text = "; ".join(f"a{i} $x" for i in range(60))
    assert second.commands(text) is None
    assert second.commands(text, budget=1) is not None
    assert second.commands("a $x " + "b" * 5_000) is None


def test_a_command_that_only_bashlex_sees_is_reported() -> None:
    """An empty reading of ours leaves everything to report."""
    nothing = Parse(script=Script(span=Span(), items=()))
    assert second.differences("a $(b c)", nothing) == (("a", "$(b c)"), ("b", "c"))


@pytest.mark.parametrize(
    "text",
    [
        "a b; c | d",
        "a $(b) `c` ${x:-$(d)}",
        "((i++)) && a",
        "a[0]=x; b",
        "a[x y]=b c",
        "{fd}>f a $x",
        "a --x='$(b)'",
        "a 'x'$(b)'y'",
        "a;# $(b) `c`",
        '$"a" $x',
        "a <<'E'\n$(b)\nE",
        "{ a <<E\n$x\nE\n}",
        '"$a" $b',
        "$a/b $c",
        "f() { a $x; }; f",
    ],
)
def test_agreement_and_known_errors_of_bashlex(text: str) -> None:
    """Nothing is reported where both agree, or where bashlex is known to be wrong."""
    assert differences(text) == ()


def test_plain_texts_need_no_second_opinion() -> None:
    """Where no two parsers could differ nothing is asked, so nothing is reported either."""
    nothing = Parse(script=Script(span=Span(), items=()))
    assert second.differences("a -x 'b c' && d > e", nothing) == ()
