"""Here-documents: where they begin and end, and what is expanded in them."""

import pytest

from checkrail.readers.shell.grammar.parser import parse
from checkrail.readers.shell.grammar.tree import Heredoc
from checkrail.readers.shell.grammar.walk import walk
from tests.readers.shell.reading import names, unsupported, words


def documents(text: str) -> list[Heredoc]:
    """All documents of a program, in order."""
    return [node for node in walk(parse(text).script) if isinstance(node, Heredoc)]


@pytest.mark.parametrize(
    "text",
    [
        "m <<E\nx\nE\nn",
        "m <<E; n\nx\nE",
        "m <<E | n\nx\nE",
        "m <<E && n\nx\nE",
        "m <<E &&\nx\nE\nn",
        "m <<E |\nx\nE\nn",
        "m <<A <<B\na\nA\nb\nB\nn",
        "m <<A; m <<B\na\nA\n$(n)\nB",
        "m <<'E'\nE\nn",
        'm <<"E"\nx\nE\nn',
        "m <<\\E\nx\nE\nn\n\\E",
        "m <<E'O'\nx\nEO\nn",
        "m <<$'E'\nx\nE\nn",
        "m <<-E\n\t\tx\n\tE\nn",
        "m << E\nx\nE\nn",
        "m <<E\\\nO\nx\nEO\nn",
        "m <<\\\nE\nx\nE\nn",
        "m 3<<E\nx\nE\nn",
        "<<E n\nx\nE",
        "m <<''\nx\n\nn",
        "m <<E\nx\\\\\nE\nn",
        "m <<E\nE\\\n\nn\nE\nn",
        "m <<$x\na\n$x\nn",
        "f() {\nm <<E\nE\nn\n}",
        "if m; then\nm <<E\nE\nn\nfi",
        "for i in 1; do\nm <<E\nE\nn\ndone",
        "(m <<E\nE\nn\n)",
        "{ m <<E\nE\nn\n}",
        "{ m; } <<E\nx\nE\nn",
        "while m; do m; done <<E\n$(n)\nE",
        "case x in x) m <<E\nE\nn\n;; esac",
        "m $(m <<E\nE\nn\n)",
        "m `m <<E\nE\nn\n`",
        "m <(m <<E\nE\nn\n)",
        'm "$(m <<E\nx\nE\n)"; n',
        "m $(m <<E\nx\nE)\nn",
        "m $(m <<E)\nx\nE\nn",
        "m $(m <<E) a; n\nx\nE",
        'm "$(m <<E) a\nx\nE\nb" && n',
        "m <<E $(\nx\nE\nn)",
        'm <<E; m "\nx\nE\n"; n\ny\nE',
        "m <<E\n$(n)\nE",
        "m <<E\n`n`\nE",
        "m <<E\n${x:-$(n)}\nE",
        "m <<E\n$(( $(n) ))\nE",
        "m <<E\nit's $(n)\nE",
        'm <<E\n"$(n)"\nE',
        "m <<-E\n\t$(n)\n\tE",
        "m <<E\na\\\nb $(n)\nE",
        "m <<E\n$(m \\\n n; n)\nE",
        "m <<E # c\nx\nE\nn",
        "m <<E\n${v#$'\\'$(n)'}\nit's}\nE",
        "m <<E\n${v:-$'\\'}$(n)'}\nE",
        "m <<E & n\nx\nE",
        "x=(\n$(m <<E\nx\nE\n) $(n))",
    ],
)
def test_commands_around_documents_are_seen(text: str) -> None:
    """A document ends just where bash ends it, so nothing hides in it."""
    assert "n" in names(text)
    assert unsupported(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "m <<'E'\n$(n)\nE",
        "m <<\\E\n`n`\nE",
        "m <<E\nn\nE",
        "m <<E\n\\$(n)\nE",
        "m <<E\nn\nE \nn",
        "m <<E\n E\nn",
        "m <<E\nx \\\nE\nn\nE",
        "m <<'E '\nE\nn\nE ",
        "m <<-E\n  E\nn\n\tE",
        "m <<'A\nB'\nA\nB\nn",
        "m <<E\nn",
    ],
)
def test_text_of_documents_is_no_command(text: str) -> None:
    """What stands in the body is data."""
    assert names(text) == ["m"]


def test_body_as_written_and_expanded() -> None:
    """``raw`` keeps the text, tabs stripped for ``<<-``; a quoted end word makes it one quoted text."""
    plain, stripped, quoted = documents("m <<E <<-F <<'G'\na $x\nE\n\tb\n\tF\n$y\nG")
    assert (plain.raw, plain.quoted, len(plain.word.parts)) == ("a $x\n", False, 3)
    assert stripped.raw == "b\n"
    assert (quoted.raw, quoted.quoted, len(quoted.word.parts)) == ("$y\n", True, 1)


@pytest.mark.parametrize(
    ("text", "raw", "closed"),
    [
        ("m <<E\nx", "x", False),
        ("m <<E\nx\nE", "x\n", True),
        ("m <<E\nE", "", True),
        ("m <<E", "", False),
        ("m <<E\n", "", False),
        ("m $(m <<E\nx\nE)", "x\n", False),
        ("m <<E\na\\\nb\nE", "ab\n", True),
    ],
)
def test_unclosed_documents(text: str, raw: str, closed: bool) -> None:
    """bash warns and goes on, so the document counts."""
    (document,) = documents(text)
    assert (document.raw, document.closed) == (raw, closed)
    assert unsupported(text) == []


def test_document_spans_cover_the_body() -> None:
    """Not the line with the end word."""
    text = "m <<E; n\none\ntwo\nE\n"
    (document,) = documents(text)
    assert text[document.span.start : document.span.end] == "one\ntwo\n"


def test_end_word_with_a_substitution_is_named() -> None:
    """bash compares with its own rewriting of it."""
    assert unsupported("a\nm <<$(x)\n$(x)\nn") != []
    assert names("a\nm <<$(x)\n$(x)\nn") == ["a"]


def test_broken_substitution_in_a_body_does_not_end_the_reading() -> None:
    """bash finds out when it expands the body, and goes on."""
    text = "m <<E\n$(n; fi)\nE\nk"
    assert names(text) == ["m", "k"]
    assert len(unsupported(text)) == 1


def test_semicolon_behind_a_document_in_a_substitution_is_named() -> None:
    """bash 5.2 loses it when it rewrites the substitution: the next command becomes arguments of the last one."""
    assert unsupported("m $(a <<E\nx\nE\nb c; d e)") == ["here-document and ; in a substitution"]
    assert unsupported("m $(a <<E\nx\nE\nb c\nd e)") == []
    assert unsupported("m $(b c; a <<E\nx\nE\n)") == []
    assert unsupported("m `a <<E\nx\nE\nb c; d e`") == []
    assert unsupported("a <<E\nx\nE\nb c; d e") == []


def test_many_documents_are_read_in_order() -> None:
    """Each body belongs to its own announcement."""
    count = 500
    text = "; ".join(f"m{i} <<E{i}" for i in range(count)) + "\n" + "".join(f"{i}\nE{i}\n" for i in range(count))
    assert [document.raw for document in documents(text)] == [f"{i}\n" for i in range(count)]
    assert [command[0] for command in words(text)] == [f"m{i}" for i in range(count)]
