"""Parameters, arithmetic and what bash reads as commands instead."""

import pytest

from checkrail.readers.shell.grammar.tree import Arithmetic, CommandSub, Parameter
from tests.readers.shell.reading import first, names, unsupported, value


def parameter(text: str) -> Parameter:
    """The only part of the only argument."""
    (part,) = first(f"m {text}").words[1].parts
    assert isinstance(part, Parameter)
    return part


@pytest.mark.parametrize(
    ("text", "name", "op", "args"),
    [
        ("$x", "x", "", []),
        ("$1", "1", "", []),
        ("$@", "@", "", []),
        ("${x}", "x", "", []),
        ("${10}", "10", "", []),
        ("${#}", "#", "", []),
        ("${!}", "!", "", []),
        ("${x:-a b}", "x", ":-", ["a b"]),
        ("${x-}", "x", "-", [""]),
        ("${x:=a}", "x", ":=", ["a"]),
        ("${x:+a}", "x", ":+", ["a"]),
        ("${x:?a}", "x", ":?", ["a"]),
        ("${x##*/}", "x", "##", ["*/"]),
        ("${x%'}'}", "x", "%", ["}"]),
        ("${x/a/b}", "x", "/", ["a", "b"]),
        ("${x//a}", "x", "//", ["a"]),
        ("${x/#a/b}", "x", "/#", ["a", "b"]),
        ("${x//'/'/b}", "x", "//", ["/", "b"]),
        ("${x^^}", "x", "^^", [""]),
        ("${x,}", "x", ",", [""]),
        ("${x@P}", "x", "@P", []),
        ("${x:1:2}", "x", ":", ["1", "2"]),
        ("${x:(-1)}", "x", ":", ["(-1)"]),
        ("${x:a?1:2:3}", "x", ":", ["a?1:2", "3"]),
        ("${x:-{}}", "x", ":-", ["{"]),
        ("${x:-\\}}", "x", ":-", ["}"]),
        ('${x:-"}"}', "x", ":-", ["}"]),
        ("$x\\\ny", "xy", "", []),
        ("${x\\\ny}", "xy", "", []),
    ],
)
def test_parameters(text: str, name: str, op: str, args: list[str]) -> None:
    """Name, operator and operands of each form."""
    if text == "${x:-{}}":
        text = text[:-1]
    part = parameter(text)
    assert (part.name, part.op, [value(word) for word in part.args]) == (name, op, args)


def test_length_indirection_and_subscripts() -> None:
    """The forms that are not operators."""
    assert parameter("${#x}").length
    assert parameter("${##}").length
    assert parameter("${#a[@]}").subscript is not None
    assert parameter("${!x}").indirect
    assert (parameter("${!x*}").indirect, parameter("${!x*}").op) == (True, "*")
    subscript = parameter("${a[i+1]:-x}").subscript
    assert subscript is not None
    assert value(subscript) == "i+1"


@pytest.mark.parametrize(
    "text",
    [
        "${x:-$(n)}",
        "${x:-`n`}",
        '"${x:-$(n)}"',
        '"${x:-"$(n)"}"',
        "\"${x:-'$(n)'}\"",
        "${x/a/$(n)}",
        "${x/$(n)/a}",
        "${x%%$(n)}",
        "${x:$(n)}",
        "${x:1:$(n)}",
        "${a[$(n)]}",
        "${a['$(n)']}",
        "${!a[$(n)]}",
        "${#a[$(n)]}",
        "${x:-${y:-$(n)}}",
        "${x:-<(n)}",
        "$(( $(n) ))",
        "$(( '$(n)' ))",
        "$[ $(n) ]",
        "$(( a[$(n)] ))",
        "$((n) )",
        "$((m); (n))",
        "$((m) | n)",
        "$(( $((n) ) ))",
        "${$(n)}",
    ],
)
def test_nested_commands_are_seen(text: str) -> None:
    """Expansion happens inside operands, subscripts and arithmetic."""
    assert "n" in names(f"m {text}")


@pytest.mark.parametrize(
    "text",
    ["${x:-'$(n)'}", "\"${x#'$(n)'}\"", "\"${x/a/'$(n)'}\"", "${x:-\\$(n)}", '"${x:-\\$(n)}"', "$(( 1 + \\$(n) ))"],
)
def test_quoted_operands_are_text(text: str) -> None:
    """Single quotes protect outside double quotes, and in patterns everywhere."""
    assert names(f"m {text}") == ["m"]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("$((1+2))", Arithmetic),
        ("$(( (1) + (2) ))", Arithmetic),
        ("$(( $(n) + 1 ))", Arithmetic),
        ("$(( $(n \\)) + 1 ))", Arithmetic),
        ("$(( 1 << 2 ))", Arithmetic),
        ("$(( ${#a[@]} + 16#ff ))", Arithmetic),
        ("$[1]", Arithmetic),
        ("$((n) )", CommandSub),
        ("$((n); n)", CommandSub),
        ("$( (n))", CommandSub),
    ],
)
def test_arithmetic_or_commands(text: str, kind: type) -> None:
    """``$((`` is arithmetic only where its parentheses match."""
    (part,) = first(f"m {text}").words[1].parts
    assert isinstance(part, kind)


@pytest.mark.parametrize("text", ["${}", "${x y}", "${x@PP}", "${-x-$(n)", "${a[1}", "${ n }"])
def test_bad_substitutions_are_named(text: str) -> None:
    """bash fails when it comes to them, or not at all in other versions."""
    assert unsupported(f"m {text}") != []


def test_bad_substitution_does_not_hide_what_follows() -> None:
    """It is found when it is expanded, not when the text is read."""
    assert names("m ${x y}; n") == ["m", "n"]


def test_end_of_braces_is_the_first_unquoted_one() -> None:
    """What is outside runs."""
    assert names("m ${x:-{}; n; }") == ["m", "n"]
    assert names("m ${x:-'}'}; n") == ["m", "n"]
    assert names("m \"${x:-'}'}\"; n") == ["m", "n"]


@pytest.mark.parametrize("text", ['"${x:-\'}"; n \'}"', "\"${x:-'}'}\"; n", '"${x-a\'b}"\'}"'])
def test_single_quotes_that_decide_where_braces_end_are_named(text: str) -> None:
    """In posix mode and in other shells they are characters, and something else would run."""
    assert unsupported(f"m {text}")[0] == 'single quotes in "${…}" that decide where it ends'


@pytest.mark.parametrize("text", ["\"${x:-'a b'}\"", "\"${x:-'$(a } b)'}\"", "\"${x#'}'}\"", "${x:-'}'}"])
def test_other_single_quotes_in_braces(text: str) -> None:
    """Where both readings end at the same place, or quotes count in both, nothing is in doubt."""
    named = [what for what in unsupported(f"m {text}") if what.startswith("single")]
    assert named == []


@pytest.mark.parametrize(
    "text",
    [
        "$(( n; $(case a in (b) ;; esac) ))",
        '$(( n; $(: <<E\n"\nE\n) ))',
        "$(( n; $(: # (\ncase a in b) ;; esac) ))",
        '"$(( n; $(case a in b) ;; esac) ))"',
        '$(( n; `: "\\\\""` ))',
    ],
)
def test_arithmetic_that_bash_takes_for_commands(text: str) -> None:
    """It counts parentheses in its own rewriting of what is nested, so the commands are shown and the doubt named."""
    assert "n" in names(f"m {text}")
    assert "arithmetic or commands" in unsupported(f"m {text}")
