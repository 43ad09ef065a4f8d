"""Compound commands, functions, coprocesses, redirections, assignments and tests."""

import pytest

from checkrail.readers.shell.grammar.parser import parse
from checkrail.readers.shell.grammar.tree import (
    ArithCommand,
    ArithFor,
    Array,
    Case,
    Coproc,
    For,
    Function,
    Group,
    If,
    Redirect,
    Subshell,
    While,
)
from checkrail.readers.shell.grammar.tree import (
    Test as Conditional,
)
from checkrail.readers.shell.grammar.walk import walk
from tests.readers.shell.reading import first, names, only, unsupported, value, words


@pytest.mark.parametrize(
    "text",
    [
        "{ n; }",
        "{ n\n}",
        "(n)",
        "( n\n)",
        "((m); n)",
        "((n) )",
        "!(n)",
        "! { n; }",
        "if m; then n; fi",
        "if n\nthen m\nfi",
        "if (m) then n; fi",
        "if { m; } then n; fi",
        "if m; then m; elif n; then m; else m; fi",
        "if m; then m; else n; fi",
        "while m; do n; done",
        "until n; do m; done",
        "for i in a; do n; done",
        "for i in a b\ndo n\ndone",
        "for i\nin a\ndo n\ndone",
        "for i; do n; done",
        "for i do n; done",
        "for i in; do n; done",
        "for i in a; { n; }",
        "for i in $(n); do m; done",
        "select i in a; do n; done",
        "for ((i=0; i<1; i++)); do n; done",
        "for ((;;)) { n; }",
        "for ((i=$(n);;)) do m; done",
        "case x in x) n;; esac",
        "case x in (x) n;; esac",
        "case x in a|x) n ;& b) m ;;& *) m\nesac",
        "case $(n) in *) ;; esac",
        "case x in $(n)) ;; esac",
        "case x\nin\n\n# c\nx) n\nesac",
        "case x in if) n;; esac",
        "f() { n; }",
        "f ()\n{ n; }",
        "f() ( n )",
        "f() if m; then n; fi",
        "f() (( $(n) ))",
        "f() { m; } < <(n)",
        "function f { n; }",
        "function f() { n; }",
        "function f\n{ n; }",
        "function f (n)",
        "a-b.c() { n; }",
        "f@() { n; }",
        "coproc n",
        "coproc A=1 n",
        "coproc N { n; }",
        "coproc { n; }",
        "coproc N (n)",
        "coproc N if n; then m; fi",
        "[[ -n $(n) ]]",
        "[[ x =~ ^(a|$(n))$ ]]",
        "[[ x =~ $(n) ]]",
        "[[ x == $(n)* && y ]]",
        "[[ ( x || -f $(n) ) ]]",
        "[[ ! $(n) -eq 1 ]]",
        "[[ -n a\n&& $(n) ]]",
        "[[ a < $(n) ]]",
        "(( x = $(n) ))",
        "x=$(n)",
        "x=('a' $(n))",
        "x+=([1]=a [$(n)]=b)",
        "x[$(n)]=1",
        "x[a b]=1 n",
        "declare -a x=($(n))",
        "export x=$(n)",
        "A=1 >f B=2 n",
        ">f n",
        "2>&1 n",
        "{fd}>f n",
        "<f >f n",
        "m > $(n)",
        "m > >(n)",
        "{ m; } > >(n)",
        "while m; do m; done < <(n)",
        "m <<< $(n)",
        'for i in a; do m; done <<< "$(n)"',
        "m >&- n; n",
        "m 2>&-n; n",
        "m;n",
        "m&n",
        "m|n",
        "m||n&&m",
        "m | # c\n n",
        "true;{ n; }",
    ],
)
def test_commands_inside_are_seen(text: str) -> None:
    """Wherever the grammar allows a command it is in the tree, and the text is read whole."""
    assert "n" in names(text)
    assert unsupported(text) == []


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("{n;}", "{n"),
        ("echo { n; }", "echo"),
        ("echo if n", "echo"),
        ("i\\f n", "if"),
        ("'if' n", "if"),
        ("a=1 if n", "if"),
        (">f if n", "if"),
        ("in n", "in"),
        ("ifx n", "ifx"),
        ("if<(m) n", "if?"),
    ],
)
def test_reserved_words_only_in_command_position(text: str, name: str) -> None:
    """Quoted, glued or as an argument they are ordinary words."""
    assert names(text)[0] == name


@pytest.mark.parametrize(
    "text",
    ["fi", "then a", "}", "a; done", "{ a }", "( )", "if a; fi", "for x y; do a; done", "case x in a b) c;; esac"],
)
def test_misplaced_reserved_words_are_faults(text: str) -> None:
    """bash rejects them."""
    assert unsupported(text)[0].startswith("syntax error")


def test_kinds_of_compound_commands() -> None:
    """Each spelling gives its node with its own fields."""
    assert isinstance(parse("(a)").script.items[0].pipeline.commands[0], Subshell)
    assert isinstance(parse("{ a; }").script.items[0].pipeline.commands[0], Group)
    loop = only("for x in a 'b c'; do d; done", For)
    assert isinstance(loop, For)
    assert loop.words is not None
    assert (loop.name, [value(word) for word in loop.words], loop.select) == ("x", ["a", "b c"], False)
    endless = only("for x do d; done", For)
    assert isinstance(endless, For)
    assert endless.words is None
    until = only("until a; do b; done", While)
    assert isinstance(until, While)
    assert until.until
    branches = only("if a; then b; elif c; then d; else e; fi", If)
    assert isinstance(branches, If)
    assert (len(branches.arms), branches.otherwise is not None) == (2, True)
    counted = only("for ((i=0;i<2;i++)); do b; done", ArithFor)
    assert isinstance(counted, ArithFor)
    assert [value(word) for word in counted.header] == ["i=0", "i<2", "i++"]
    function = only("function a-b() { c; } >f", Function)
    assert isinstance(function, Function)
    assert (function.name, len(function.body.redirects), len(function.redirects)) == ("a-b", 1, 0)
    process = only("coproc N { c; }", Coproc)
    assert isinstance(process, Coproc)
    assert (process.name, isinstance(process.body, Group)) == ("N", True)


def test_case_arms() -> None:
    """Patterns, bodies and how each arm ends."""
    node = only("case x in a|'b c') m ;& (*) ;; d) n\nesac", Case)
    assert isinstance(node, Case)
    assert [([value(word) for word in arm.patterns], arm.end, len(arm.body.items)) for arm in node.arms] == [
        (["a", "b c"], ";&", 1),
        (["*"], ";;", 0),
        (["d"], "", 1),
    ]


@pytest.mark.parametrize(
    ("text", "arithmetic"),
    [("((1+2))", True), ("(( (1) ))", True), ("((a) )", False), ("((a); (b))", False), ("((a)\\\n)", False)],
)
def test_double_parentheses(text: str, arithmetic: bool) -> None:
    """Arithmetic only where the closing parentheses stand together."""
    kind = ArithCommand if arithmetic else Subshell
    assert isinstance(parse(text).script.items[0].pipeline.commands[0], kind)


def test_words_of_a_conditional() -> None:
    """Operators are words among the others."""
    node = only("[[ ! -f a && ( b == c* || d =~ ^(x|y)+$ ) ]]", Conditional)
    assert isinstance(node, Conditional)
    assert [value(word) for word in node.words] == (
        ["!", "-f", "a", "&&", "(", "b", "==", "c*", "||", "d", "=~", "^(x|y)+$", ")"]
    )


@pytest.mark.parametrize("text", ["[[ ]]", "[[ a b ]]", "[[ -f ]]", "[[ a == ]]", "[[ a && ]]", "[[ ( a ]]", "[[ a ]"])
def test_broken_conditionals(text: str) -> None:
    """bash rejects them."""
    assert unsupported(text)[0].startswith("syntax error")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("m >f", (">", None, "f")),
        ("m 2>>f", (">>", 2, "f")),
        ("m 2>&1", (">&", 2, "1")),
        ("m {fd}<>f", ("<>", "fd", "f")),
        ("m >|f", (">|", None, "f")),
        ("m &>f", ("&>", None, "f")),
        ("m &>>f", ("&>>", None, "f")),
        ("m >&f", (">&", None, "f")),
        ("m <&3-", ("<&", None, "3-")),
        ("m >&-", (">&", None, "-")),
        ("m <<<'a b'", ("<<<", None, "a b")),
        ("m >\\\n>f", (">>", None, "f")),
        ("m 2\\\n>f", (">", 2, "f")),
        ("m > \\\n f", (">", None, "f")),
        ("m >f#x", (">", None, "f#x")),
    ],
)
def test_redirections(text: str, expected: tuple[str, int | str | None, str]) -> None:
    """Operator, descriptor and target of every form."""
    (redirect,) = first(text).redirects
    assert redirect.target is not None
    assert (redirect.op, redirect.fd, value(redirect.target)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("m a2>f", ["m", "a2"]),
        ("m 2 >f", ["m", "2"]),
        ("m '2'>f", ["m", "2"]),
        ("m {a,b}>f", ["m", "{a,b}"]),
        ("m { }>f", ["m", "{", "}"]),
        ("m 99999999999>f", ["m", "99999999999"]),
        ("m >&-x", ["m", "x"]),
    ],
)
def test_what_is_no_descriptor(text: str, expected: list[str]) -> None:
    """Only digits and ``{name}`` right before the operator are one."""
    assert words(text) == [expected]


@pytest.mark.parametrize("text", ["m >#x", "m > #x\n", "m >", "m > >", "m <& ;", "{ m; } >"])
def test_redirection_without_target(text: str) -> None:
    """A comment is no target."""
    assert unsupported(text)[0].startswith("syntax error")


def test_assignments() -> None:
    """Names, subscripts, values and appending."""
    command = first("a=1 b+='x y' c[1]=z d=(1 [k]=2) m e=3")
    assert [(item.name, item.append, item.subscript is not None) for item in command.assignments] == [
        ("a", False, False),
        ("b", True, False),
        ("c", False, True),
        ("d", False, False),
    ]
    array = command.assignments[3].value
    assert isinstance(array, Array)
    assert [(key and value(key), value(word)) for key, word in array.elements] == [(None, "1"), ("k", "2")]
    assert [value(word) for word in command.words] == ["m", "e=3"]


def test_array_arguments_of_declarations() -> None:
    """They stand apart from the other arguments."""
    command = first("declare -a x=(1 2) y=3")
    assert [value(word) for word in command.words] == ["declare", "-a", "y=3"]
    assert [item.name for item in command.declared] == ["x"]


@pytest.mark.parametrize(
    "text", ["m x=(1)", "'declare' x=(1)", "declare >f x=(1)", "A=1 >f x=(1)", "command declare x=(1)"]
)
def test_arrays_elsewhere_are_faults(text: str) -> None:
    """Only assignments and declaration builtins may hold a list."""
    assert unsupported(text)[0].startswith("syntax error")


@pytest.mark.parametrize("text", ["eval x=(n)", "let x=(1)", "x=(1)y", "m {a[0]}>f"])
def test_rare_forms_are_named(text: str) -> None:
    """bash accepts them, the tree has no place for them."""
    assert len(unsupported(text)) == 1


def test_redirections_of_compounds_belong_to_them() -> None:
    """Also with a descriptor in front."""
    loop = only("while a; do b; done 2>f <g", While)
    assert isinstance(loop, While)
    assert [redirect.fd for redirect in loop.redirects] == [2, None]
    assert [type(node) for node in walk(loop) if isinstance(node, Redirect)] == [Redirect, Redirect]
