"""Programs, lists, pipelines, faults and caps."""

import pytest

from checkrail.readers.shell.grammar.lexer import MAX_CHARACTERS
from checkrail.readers.shell.grammar.parser import parse
from checkrail.readers.shell.grammar.tree import Item, Simple, Unsupported
from checkrail.readers.shell.grammar.walk import walk
from tests.readers.shell.reading import names, unsupported, words


def items(text: str) -> list[tuple[str, bool, int]]:
    """Operator, background and number of commands of each item."""
    return [(item.op, item.background, len(item.pipeline.commands)) for item in parse(text).script.items]


@pytest.mark.parametrize("text", ["", " ", "\n", "# just a comment", "\t# x\n\n  # y", "\\\n"])
def test_nothing_to_run_is_an_empty_program(text: str) -> None:
    """Blank text and comments give no item and no complaint."""
    result = parse(text)
    assert (result.script.items, result.unsupported) == ((), ())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a; b\nc", [("", False, 1), (";", False, 1), (";", False, 1)]),
        ("a && b || c", [("", False, 1), ("&&", False, 1), ("||", False, 1)]),
        ("a & b", [("", True, 1), ("&", False, 1)]),
        ("a; b && c & d", [("", False, 1), (";", True, 1), ("&&", True, 1), ("&", False, 1)]),
        ("a | b |\n c", [("", False, 3)]),
        ("a &&\n# c\n\nb", [("", False, 1), ("&&", False, 1)]),
        ("a &\\\n& b", [("", False, 1), ("&&", False, 1)]),
        ("a &>f; b", [("", False, 1), (";", False, 1)]),
    ],
)
def test_lists_keep_operators_and_background(text: str, expected: list[tuple[str, bool, int]]) -> None:
    """An ampersand puts the whole and-or list before it into the background, no more."""
    assert items(text) == expected


def test_pipeline_tells_where_stderr_goes_too() -> None:
    """``|&`` marks the command in front of it."""
    (item,) = parse("a | b |& c").script.items
    assert item.pipeline.stderr == (False, True, False)


@pytest.mark.parametrize(
    ("text", "negated", "timed", "name"),
    [
        ("! a", True, False, "a"),
        ("! ! a", False, False, "a"),
        ("time a", False, True, "a"),
        ("time -p -- a", False, True, "a"),
        ("! time a", True, True, "a"),
        ("time ! a", True, True, "a"),
        ("'time' a", False, False, "time"),
        ("ti\\\nme a", False, True, "a"),
        ("!a b", False, False, "!a"),
        ("a=1 time b", False, False, "time"),
    ],
)
def test_prefixes_of_a_pipeline(text: str, negated: bool, timed: bool, name: str) -> None:
    """``!`` and ``time`` count only as whole unquoted words in front."""
    pipeline = parse(text).script.items[0].pipeline
    assert (pipeline.negated, pipeline.timed, names(text)) == (negated, timed, [name])


@pytest.mark.parametrize("text", ["time", "time; a", "time\na", "! ", "!;a", "$(time)"])
def test_prefix_alone_is_an_empty_command(text: str) -> None:
    """A prefix without a pipeline is valid."""
    assert unsupported(text) == []


def test_time_behind_a_pipe_is_a_command() -> None:
    """Only in front of a pipeline is ``time`` a reserved word."""
    assert words("a | time b") == [["a"], ["time", "b"]]


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("a\nb; fi\nc", ["a", "b"]),
        ("a\n(b", ["a"]),
        ("a; ;b", ["a"]),
        ("a &; b", ["a"]),
        ("a\n;;", ["a"]),
        ("a\necho 'x", ["a"]),
        ("a\n)\nb", ["a"]),
        ("a\nif b; then c", ["a"]),
        ("a || ", ["a"]),
        ("a\n{ }", ["a"]),
        ("a\nb (c)", ["a"]),
        ("a\nb >", ["a"]),
        ("a\nb > ;", ["a"]),
        ("a | ! b", []),
    ],
)
def test_what_precedes_a_syntax_error_is_kept(text: str, seen: list[str]) -> None:
    """bash runs line by line, so the lines before the fault count; the rest is named."""
    result = parse(text)
    (node,) = result.unsupported
    assert node.what.startswith("syntax error")
    assert names(text) == seen
    assert result.script.items[-1].pipeline.commands[0] is node
    assert node.span.end == len(text)


def test_every_character_of_a_fault_is_covered() -> None:
    """The unsupported rest begins where the last whole item ends."""
    text = "one two\nthree 'four"
    (node,) = parse(text).unsupported
    assert text[node.span.start : node.span.end] == "\nthree 'four"


def test_carriage_return_is_an_ordinary_character() -> None:
    """bash keeps it in the word."""
    assert words("a b\r\nc\r") == [["a", "b\r"], ["c\r"]]


@pytest.mark.parametrize("blank", ["\x0c", "\x0b", "\xa0", "\u2028", "\x85", "\ufeff"])
def test_only_blank_and_tab_separate_words(blank: str) -> None:
    """Other white space is part of the word, so no comment starts behind it either."""
    assert words(f"a{blank}#b; c") == [[f"a{blank}#b"], ["c"]]


def test_nul_is_unsupported() -> None:
    """No argument can hold it, so what would run is unknown."""
    assert unsupported("echo a\0b") == ["NUL character"]


def test_size_is_capped() -> None:
    """A text over the cap is not read at all, and that is said."""
    text = "x" * (MAX_CHARACTERS + 1)
    result = parse(text)
    assert [node.what for node in result.unsupported] == ["size"]
    assert isinstance(result.script.items[0].pipeline.commands[0], Unsupported)


def test_number_of_words_is_capped() -> None:
    """What was read before the cap is kept."""
    result = parse("first\n" + "a " * 300_000)
    assert [node.what for node in result.unsupported] == ["too many words"]
    assert len(result.script.items) == 2


@pytest.mark.parametrize(
    ("opening", "closing"),
    [("$(", ")"), ("( ", ")"), ("{ ", ";}"), ("${x:-", "}"), ("if a; then ", "; fi"), ("<(", ")")],
)
def test_nesting_is_capped(opening: str, closing: str) -> None:
    """Too deep a text is named, never a crash; a moderate one is read."""
    prefix = "echo " if opening[0] in "$<" else ""
    assert unsupported("first\n" + prefix + opening * 5_000 + "a") == ["nesting"]
    assert unsupported(prefix + opening * 20 + "a" + closing * 20) == []


def test_depth_of_the_caller_counts() -> None:
    """A text that is deep already may nest less."""
    text = "echo " + "$(a " * 20 + ")" * 20
    assert parse(text, depth=50).unsupported == ()
    assert [node.what for node in parse(text, depth=95).unsupported] == ["nesting"]


def test_base_shifts_every_span() -> None:
    """Spans point into the root text that the program stands in."""
    text = 'a "b $(c)" <<E\n$(d)\nE\nfi'
    for here, there in zip(walk(parse(text).script), walk(parse(text, base=100).script), strict=True):
        assert (here.span.start + 100, here.span.end + 100) == (there.span.start, there.span.end)
    assert parse(text, base=100).unsupported[0].span.end == 100 + len(text)


def test_continued_lines_keep_exact_spans() -> None:
    """A node split over lines covers the continuation in it."""
    text = "pw\\\nned a \\\n  b\\\n; c"
    result = parse(text)
    assert [text[item.span.start : item.span.end] for item in result.script.items] == ["pw\\\nned a \\\n  b", "c"]
    command = result.script.items[0].pipeline.commands[0]
    assert isinstance(command, Simple)
    assert [text[word.span.start : word.span.end] for word in command.words] == ["pw\\\nned", "a", "b"]


def test_many_line_continuations_are_capped() -> None:
    """Removing them costs time, so there is a limit."""
    assert unsupported("echo " + "a\\\n" * 300_000) == ["too many line continuations"]


def test_unsupported_item_is_an_item() -> None:
    """Who walks the tree meets the fault in its place."""
    assert isinstance(parse("a\nfi").script.items[1], Item)
