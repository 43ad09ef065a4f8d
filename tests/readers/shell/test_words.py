"""Words become the arguments that bash would make of them."""

import pytest

from checkrail.context import Surroundings
from checkrail.facts.host import FrozenHost
from checkrail.model import HOLE, SOME, Payload
from checkrail.readers.shell import words
from checkrail.readers.shell.evaluate import Evaluator
from checkrail.readers.shell.grammar import parser, tree
from checkrail.readers.shell.state import State, Value


def arguments(text: str, **variables: str) -> list[str]:
    """The arguments of ``x text``."""
    around = Surroundings(host=FrozenHost(), home="/home/dev", workspace="/work/app", cwd="/work/app")
    state = State("/work/app")
    state.variables = {
        name: (Value(value),) for name, value in {"HOME": "/home/dev", "IFS": " \t\n", **variables}.items()
    }
    run = Evaluator(Payload(language="shell", text=text, cwd="/work/app"), around, state)
    parse = parser.parse(f"x {text}")
    command = parse.script.items[0].pipeline.commands[0]
    assert isinstance(command, tree.Simple)
    return [field.text.replace(HOLE, "?").replace(SOME, "#") for field in words.fields(command.words, run)][1:]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a 'b c' \"d e\"", ["a", "b c", "d e"]),
        ("''", [""]),
        ('""', [""]),
        ("a''b", ["ab"]),
        (r"\r\m", ["rm"]),
        (r"$'\x72\155'", ["rm"]),
        ("{a,b}", ["a", "b"]),
        ("x{1..3}y", ["x1y", "x2y", "x3y"]),
        ("{a,b{c,d}}e", ["ae", "bce", "bde"]),
        ("'{a,b}'", ["{a,b}"]),
        ("{a}", ["{a}"]),
        ("{rm,-rf,/}", ["rm", "-rf", "/"]),
        ("~", ["/home/dev"]),
        ("~/x", ["/home/dev/x"]),
        ("'~'/x", ["~/x"]),
        ("a~", ["a~"]),
        ("~root/x", ["/root/x"]),
        ("$HOME", ["/home/dev"]),
        ('"$HOME"/*', ["/home/dev/*"]),
        ("$nothing", ["?"]),
        ('"$nothing"/*', ["?/*"]),
        ("$V", ["a", "b"]),
        ('"$V"', ["a b"]),
        ("-$V-", ["-a", "b-"]),
        ("rm${IFS}-rf", ["rm", "-rf"]),
        ("rm$IFS-rf$IFS/", ["rm", "-rf", "/"]),
        ("${V:-x}", ["a", "b"]),
        ("${E:-x}", ["x"]),
        ("${nothing:-x}", ["x"]),
        ("${E:+x}", []),
        ("${V:+x}", ["x"]),
        ("${nothing:?}", ["#"]),
        ("${P#*/}", ["b/c.txt"]),
        ("${P##*/}", ["c.txt"]),
        ("${P%.*}", ["a/b/c"]),
        ("${P%%/*}", ["a"]),
        ("${P//\\//-}", ["a-b-c.txt"]),
        ("${P/b/x}", ["a/x/c.txt"]),
        ("${P:2:3}", ["b/c"]),
        ("${P: -3}", ["txt"]),
        ("${P^^}", ["A/B/C.TXT"]),
        ("${#P}", ["9"]),
        ("$$", ["#"]),
        ("$((1+2))", ["3"]),
        ("$((N+2))", ["#"]),
        ("$(echo rm)", ["rm"]),
        ("$(printf '%s-%s' a b)", ["a-b"]),
        ("`echo rm`", ["rm"]),
        ("$(pwd)", ["/work/app"]),
        ("$(unknown)", ["?"]),
        ('"a$(echo "b c")d"', ["ab cd"]),
        ("$(echo a b)", ["a", "b"]),
        ("$(cat <<'X'\nhello\nX\n)", ["hello"]),
    ],
)
def test_a_word_becomes_these_arguments(text: str, expected: list[str]) -> None:
    """Quotes, escapes, braces, tildes, parameters and substitutions are done in bash's order."""
    assert arguments(text, V="a b", E="", P="a/b/c.txt") == expected


def test_braces_are_capped() -> None:
    """A brace word that explodes becomes unknown, not a million arguments."""
    assert arguments("{1..9}{1..9}{1..9}{1..9}") == ["?"]


def test_an_indirect_name_is_followed() -> None:
    """``${!x}`` is the value of the variable that x names."""
    assert arguments("${!ref}", ref="V", V="rm") == ["rm"]
