"""Whatever the text, reading it ends, stays in bounds and loses nothing."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checkrail.readers.shell.grammar.parser import parse
from checkrail.readers.shell.grammar.tree import Heredoc, Node
from checkrail.readers.shell.grammar.walk import walk
from tests.differential.generator import Program
from tests.readers.shell.reading import words

SPECIAL = "'\"`\\$(){}[];&|<>#!=+*?@:%/, \t\n\rax1é\0"
PIECES = (
    "<<E",
    "\nE\n",
    "$((",
    "))",
    "${x:-",
    "if ",
    "; then ",
    "; fi",
    "[[ ",
    " ]]",
    "$'",
    "\\\n",
    "case x in ",
    "esac",
    "f() ",
)
shell_text = st.lists(st.one_of(st.text(alphabet=SPECIAL, max_size=6), st.sampled_from(PIECES)), max_size=25).map(
    "".join
)


def spans_are_sound(text: str) -> None:
    """Spans lie in the text and children within their parents (bodies of documents apart)."""
    result = parse(text)
    for node in walk(result.script):
        assert 0 <= node.span.start <= node.span.end <= len(text), node
    for node in result.unsupported:
        assert 0 <= node.span.start <= node.span.end <= len(text), node


@given(shell_text)
@settings(max_examples=400, deadline=None)
def test_any_shell_like_text_is_read(text: str) -> None:
    """Nothing raises, and every span points into the text."""
    spans_are_sound(text)


@given(st.text())
@settings(max_examples=100, deadline=None)
def test_any_text_is_read(text: str) -> None:
    """Not only what looks like shell."""
    spans_are_sound(text)


@given(shell_text)
@settings(max_examples=200, deadline=None)
def test_items_and_faults_cover_the_text(text: str) -> None:
    """Between the items of a program stand only separators, comments and bodies of documents."""
    covered = [False] * len(text)
    result = parse(text)
    bodies = [node for node in walk(result.script) if isinstance(node, Heredoc)]
    spans: list[Node] = [*result.script.items, *result.unsupported, *bodies]
    for node in spans:
        for at in range(node.span.start, node.span.end):
            covered[at] = True
    if bodies:
        return  # the lines with their end words belong to no node
    rest = "".join(" " if known else char for char, known in zip(text, covered, strict=True))
    for line in rest.replace("\\\n", "  ").split("\n"):
        assert set(line.split("#")[0]) <= set(" \t;&|"), (text, line)


@given(shell_text, shell_text)
@settings(max_examples=200, deadline=None)
def test_lines_that_are_whole_do_not_influence_each_other(one: str, two: str) -> None:
    """Two programs that are read whole, one below the other, show the commands of both."""
    first, second = parse(one), parse(two)
    if first.unsupported or second.unsupported or "<<" in one or one.endswith("\\"):
        return
    joined = f"{one}\n{two}"
    if parse(f"{one}\n:").unsupported:  # the first goes on behind its last line
        return
    assert words(joined) == words(one) + words(two)


def test_mutated_programs_are_read() -> None:
    """Small changes to valid programs, some of which nest deeply."""
    rng = random.Random(7)
    for _ in range(300):
        text = Program(rng, depth=2).text
        at = rng.randrange(len(text))
        spans_are_sound(text[:at] + rng.choice(SPECIAL) + text[at + rng.randrange(2) :])


@pytest.mark.parametrize(
    "text",
    [
        " && ".join(["m a"] * 10_000),
        "\n".join(["m <<E\nx\nE"] * 10_000),
        "; ".join(["m <<E"] * 10_000) + "\n" + "x\nE\n" * 10_000,
        "m a b\n" * 20_000,
        "m '" + "x" * (1 << 20) + "'",
        "m <<E\n" + "text\n" * 100_000 + "E",
        "A=1 " * 20_000 + "m",
        "m " + ">f " * 20_000,
        "x=(" + "a " * 50_000 + ")",
        "m " + "\\a" * 50_000,
        "m | " * 10_000 + "m",
        "case x in " + "a) m;; " * 10_000 + "esac",
    ],
    ids=range(12),
)
def test_large_texts_are_read_whole(text: str) -> None:
    """Size alone is no reason to give up."""
    assert parse(text).unsupported == ()


@pytest.mark.parametrize(
    "piece",
    [
        "$(",
        "${",
        "$((",
        "((",
        "( ",
        "`",
        '"',
        "'",
        "{",
        "{ ",
        "[[ ",
        "a[",
        "a=(",
        "<(",
        "@(",
        "$[",
        "<<",
        "if ",
        "case x in ",
        "\\`",
        "! ",
        ";",
        "\\\n",
        "$'",
        "x() ",
    ],
)
def test_a_megabyte_of_one_piece_is_read(piece: str) -> None:
    """However often a construct is opened, reading it ends."""
    text = "m " + piece * ((1 << 20) // len(piece))
    assert parse(text).script.span.end == len(text)
