"""Words: quotes, escapes, continuations and where a word ends."""

import pytest

from checkrail.readers.shell.grammar.tree import CommandSub, Parameter, ProcessSub, Text
from tests.readers.shell.reading import first, names, unsupported, words


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("abc", "abc"),
        ("'a b'", "a b"),
        ('"a b"', "a b"),
        ("a'b'\"c\"d", "abcd"),
        ("a\\ b", "a b"),
        ("\\;", ";"),
        ("'a\\b'", "a\\b"),
        ('"a\\b\\"\\$\\`\\\\"', 'a\\b"$`\\'),
        ("''", ""),
        ('""', ""),
        ("a\\\nb", "ab"),
        ('"a\\\nb"', "ab"),
        ("'a\\\nb'", "a\\\nb"),
        ("a\\\r", "a\r"),
        ("$'a\\nb'", "a\nb"),
        ('$"a b"', "a b"),
        ("a#b", "a#b"),
        ("a$", "a$"),
        ('"$"', "$"),
        ("$%", "$%"),
        ("a]b{c}", "a]b{c}"),
        ("é日本", "é日本"),
        ("a\\", "a\\"),
        ("“a”", "“a”"),
    ],
)
def test_value_of_a_literal_word(text: str, value: str) -> None:
    """Quotes and escapes are removed as bash removes them."""
    assert words(f"x {text}") == [["x", value]]


def test_quoted_parts_are_marked() -> None:
    """Unquoted text may still glob and split; quoted text may not."""
    parts = first("x a*'b*'\\*\"$c\"").words[1].parts
    assert [(type(part), getattr(part, "quoted", None)) for part in parts] == [
        (Text, False),
        (Text, True),
        (Text, True),
        (Parameter, True),
    ]


def test_empty_quotes_leave_a_part() -> None:
    """``""$x`` is a word even where x is empty."""
    parts = first('x ""$y').words[1].parts
    assert isinstance(parts[0], Text)
    assert (parts[0].value, parts[0].quoted) == ("", True)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a #b\nc", [["a"], ["c"]]),
        ("a \\#b", [["a", "#b"]]),
        ("a\\\n#b", [["a#b"]]),
        ("a \\\n#b\nc", [["a"], ["c"]]),
        ("a;#b\nc", [["a"], ["c"]]),
        ("a # b \\\nc", [["a"], ["c"]]),
        ("a '#'b", [["a", "#b"]]),
        ("(a)#b", [["a"]]),
        ("a $'#' b", [["a", "#", "b"]]),
    ],
)
def test_comments(text: str, expected: list[list[str]]) -> None:
    """A comment starts only where a word could, and no continuation prolongs it."""
    assert words(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "m 'a'$(n)'b'",
        "m '/'\"$(n)\"'/ {x}'",
        "m \"a'$(n)'\"",
        "m --x='a'$(n)",
        "m `n`",
        'm "`n`"',
        "m a`n`b",
        "m ~$(n)",
        "m {a,$(n)}",
        "m [$(n)]",
        'm $"a $(n)"',
        "m $\\\n(n)",
        'm "$\\\n(n)"',
        "m 'a'<(n)",
        "m a>(n)",
        "m <((n) )",
        "m $( (n) )",
        "m $(: # )\nn)",
        "m $(: ')'; n)",
        "m @(a|$(n))",
        "m $(case x in x) n;; esac)",
        "m $(case x in (x) n;; esac)",
        'm "$(m "$(n)")"',
        'm $"$(n)"',
        "m ${ n; }",
        "m ${| n; }",
    ],
)
def test_substitutions_in_words_are_seen(text: str) -> None:
    """Whatever surrounds it, a command that bash runs is in the tree."""
    assert "n" in names(text)


@pytest.mark.parametrize(
    "text",
    ["m '$(n)'", "m \\$'(n)'", 'm "\\$(n)"', "m '`n`'", "m \\`n\\`", "m 'a'\\''$(n)'", "m $'\\'$(n)'", "m # $(n)"],
)
def test_mere_text_is_no_command(text: str) -> None:
    """What looks like a substitution in quotes is text."""
    assert (names(text), unsupported(text)) == (["m"], [])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("`a \\`b\\``", ["?", "a", "b"]),
        ("`a \\`b \\\\\\`c\\\\\\`\\``", ["?", "a", "b", "c"]),
        ('"`a \\"b\\"`"', ["?", "a"]),
        ("`a '\\$(b)'`", ["?", "a"]),
        ("`a \\$(b)`", ["?", "a", "b"]),
        ("`pw\\\nned`", ["?", "pwned"]),
    ],
)
def test_backquotes_lose_one_level_of_escapes(text: str, expected: list[str]) -> None:
    """The text in backquotes is unescaped before it is read."""
    assert names(text) == expected


def test_double_quotes_in_double_quoted_backquotes() -> None:
    """There ``\\"`` is a quote, elsewhere an escaped character."""
    assert words('m "`n \\"a b\\"`"') == [["m", "?"], ["n", "a b"]]
    assert words('m `n \\"a b\\"`') == [["m", "?"], ["n", '"a', 'b"']]


@pytest.mark.parametrize(
    ("text", "quotes"),
    [
        ('m "`a \\"; n \\"`"', True),
        ('m ${x:-"`a \\"; n \\"`"}', True),
        ('m "${x#"`a \\"; n \\"`"}"', True),
        ('m $(( "`a \\"; n \\"`" ))', True),
        ('x["`a \\"; n \\"`"]=1', True),
        ('m "${x:?"`a \\"; n \\"`"}"', True),
        ('m `a \\"; n \\"`', False),
        ('m "${x:-`a \\"; n \\"`}"', False),
        ('m "${x:-"`a \\"; n \\"`"}"', False),
        ('m "$(( `a \\"; n \\"` ))"', False),
        ('m <<E\n`a \\"; n \\"`\nE', False),
        ('m <<E\n${x:-"`a \\"; n \\"`"}\nE', False),
    ],
)
def test_escaped_quotes_in_backquotes(text: str, quotes: bool) -> None:
    """They become quotes only right within double quotes, not in an operand that is quoted as a whole."""
    assert ("n" not in names(text)) == quotes
    assert unsupported(text) == []


def test_nested_backquotes_cover_the_whole() -> None:
    """Their text stands nowhere literally, so their spans are those of the outermost quotes."""
    text = "m `a \\`b\\``"
    (substitution,) = first(text).words[1].parts
    assert isinstance(substitution, CommandSub)
    assert text[substitution.body.span.start : substitution.body.span.end] == "`a \\`b\\``"


def test_process_substitution_in_mid_word() -> None:
    """``a<(b)c`` is one word."""
    parts = first("m a<(b)c").words[1].parts
    assert [type(part) for part in parts] == [Text, ProcessSub, Text]


@pytest.mark.parametrize("text", ["m 'a", 'm "a', "m `a", "m $'a", "m $(a", "m ${a", "m $((1)", "m @(a", "m $[1"])
def test_unclosed_constructs_are_named(text: str) -> None:
    """bash rejects them, so nothing of the line is known to run."""
    (what,) = unsupported(text)
    assert what.startswith("syntax error")


def test_broken_backquotes_do_not_end_the_reading() -> None:
    """bash finds out only when it runs them, and goes on."""
    assert names("m `fi`\nn") == ["m", "n"]
    assert unsupported("m `fi`\nn") == ["syntax error: unexpected 'fi'"]


def test_ansi_quotes_that_decode_to_a_substitution() -> None:
    """In a double-quoted operand bash expands the decoded text once more."""
    assert unsupported("m \"${x:-$'\\x24(n)'}\"") != []
    assert unsupported("m \"${x:-$'\\x41'}\"") == []
    assert unsupported("m ${x:-$'\\x24(n)'}") == []


def test_continuation_in_quotes_of_a_double_quoted_operand() -> None:
    """The single quotes are characters there, so the commands between them run, continued lines and all."""
    text = "m \"${x:-'$(n \\\n a)'}\""
    assert words(text)[1] == ["n", "a"]
    assert unsupported(text) == []
