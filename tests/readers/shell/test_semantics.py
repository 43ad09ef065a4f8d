"""Programs in which bash runs ``pwned`` by what it means, not by how it is written: the reading shows it each time."""

from pathlib import Path

import pytest

from tests.judging import judged
from tests.readers.shell.evaluation import effects, reading

PROGRAMS = (Path(__file__).parent / "programs_that_run.txt").read_text().strip("\n").split("\n\n")


@pytest.mark.parametrize("program", PROGRAMS)
def test_what_runs_is_seen(program: str) -> None:
    """As a command line, or as a program of which nothing is known."""
    found = judged(program).reading
    assert any("pwned" in line.split(" ") for line in found.commands) or any("pwned" in name for name in found.opaque)


@pytest.mark.parametrize(
    "program",
    [
        "f() { rm x; }; export -f f; bash -c f",
        "f() { rm x; }; trap f EXIT",
        "trap f EXIT; f() { rm x; }",
        "(f() { rm x; }; trap f EXIT)",
        "f() { rm x; }; v='a[$(f)]'; ((v))",
        "f() { rm x; }; alias g=f; g",
        "f() { rm x; }; eval f",
        "eval 'f() { rm x; }'; f",
        "echo 'f() { rm x; }' > lib.sh; . ./lib.sh; f",
        "f() { rm x; }; mapfile -C f lines",
        'f() { rm "$1"; }; export -f f; echo x | xargs -I{} bash -c "f {}"',
        'f() { rm x; }; bash -c "$(declare -f f); f"',
        "set -a; f() { rm x; }; bash -c f",
        "declare -fx f; f() { rm x; }; bash -c f",
        "env 'BASH_FUNC_ls%%=() { rm x; }' bash -c ls",
        "f() { rm x; }; PS4='$(f)'; set -x; ls",
        "eval 'v=x'; rm $v",
        "echo 'rm x' > t.sh; bash -c 'bash t.sh'",
        "v=$(bash -c 'echo rm'); $v x",
        "exec 3<<< 'rm x'; bash <&3",
        "bash -c 'rm $1' _ x",
        "echo 'rm $1' > t.sh; bash t.sh x",
    ],
)
def test_what_a_text_defines_is_known_where_it_counts(program: str) -> None:
    """Functions, variables, files and descriptors pass from text to text as the shell passes them."""
    assert "delete /work/app/x" in effects(program)


@pytest.mark.parametrize(
    "program",
    [
        "f() { rm x; }; bash -c f",
        "f() { rm x; }; declare -f f | bash",
        "f() { rm x; }; unset -f f; f",
        "bash -c 'v=x'; rm ./$v-other",
        "(v=x); rm ./$v-other",
        "trap - EXIT",
        "trap '' INT",
    ],
)
def test_what_stays_behind(program: str) -> None:
    """A shell of its own leaves no variables, and gets no functions that are not exported."""
    assert "delete /work/app/x" not in effects(program)


@pytest.mark.parametrize(
    "program",
    ['v=\'eval "$v"\'; eval "$v"', "f() { eval 'f; f'; }; f", 'bash -c \'bash -c "bash -c \\"$0\\""\''],
)
def test_texts_within_texts_end(program: str) -> None:
    """What has no end is named, or followed only so far."""
    reading(program)


def test_a_computed_command_asks_where_the_program_makes_it() -> None:
    """A variable of the environment is somebody's choice of a tool; what the program itself hides is not."""
    assert [effect.decision for effect in reading("$CC -c x.c").effects] == [None]
    assert "ask" in {
        effect.decision and effect.decision.value for effect in reading("read -n 3 c <<< rmx; $c y").effects
    }
