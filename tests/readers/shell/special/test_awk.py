"""Programs of awk."""

import pytest

from checkrail.readers.shell.special.awk import tokens
from tests.readers.shell.evaluation import effects, payloads, rules


def line(program: str) -> str:
    """An awk program as a command."""
    return f"awk '{program}' data"


@pytest.mark.parametrize(
    "program",
    [
        "{print $1}",
        "$3 > 100 {print $1}",
        '{ printf "%s > %s\\n", $1, $2 }',
        "/system\\(/ {print}",
        "/a|b/ && x / 2 > 3",
        'BEGIN { x = "a" > "b" }',
        "{ if ($1 > $2) print $1 }",
        "{ print ($1 > 2) }",
        '{ print > "/dev/stderr" }',
        '{ gsub(/>/, "|"); print }',
        '# print > "x"\n{ print }',
        '{ s = "system(\\"rm x\\")"; print s }',
    ],
)
def test_a_plain_program_only_prints(program: str) -> None:
    """Comparisons, patterns, strings and comments are not redirections, pipes or calls."""
    assert {one.split()[0] for one in effects(line(program))} <= {"read"}
    assert payloads(line(program)) == set()


@pytest.mark.parametrize(
    "program",
    [
        'BEGIN { system("rm x") }',
        'BEGIN { system ( "rm" " x" ) }',
        'BEGIN { c = "rm x"; system(c) }',
        'BEGIN { "rm x" | getline }',
        'BEGIN { "rm" " x" | getline y; print y }',
        '{ print "y" | "rm x" }',
        '{ print "y" |& "rm x" }',
        '{ printf "%s", "y" | "rm x" }',
        'BEGIN { system("\\x72m x") }',
        'BEGIN { system("\\162m x") }',
        'BEGIN { c = "rm"; c = c " x"; system(c) } { a = 1 / 2; b = 3 / 4 }',
        'function f() { system("rm x") } BEGIN { f() }',
        'NR / 2 { system("rm x") } /y/',
    ],
)
def test_commands_are_found(program: str) -> None:
    """Calls, pipes both ways, and constants put together."""
    assert any(text.startswith("shell: rm") for text in payloads(line(program)))


@pytest.mark.parametrize(
    "program", ["{ system($0) }", "{ $1 | getline }", "{ print | $2 }", '{ system(sprintf("%s", $1)) }']
)
def test_data_as_commands_asks(program: str) -> None:
    """What comes out of the data runs."""
    assert "awk.runs" in rules(line(program))


@pytest.mark.parametrize(
    ("program", "effect"),
    [
        ("awk '{print > \"out\"}' a", "write /work/app/out"),
        ("awk '{print >> \"out\"}' a", "append /work/app/out"),
        ('awk \'{ print $1, $2 > "out" ".txt" }\' a', "write /work/app/out.txt"),
        ("awk -v f=out '{print > f}' a", "write /work/app/out"),
        ("awk '{print > f}' f=out a", "write /work/app/out"),
        ("awk '{print > $1}' a", "write ?"),
        ("gawk -i inplace 1 a", "write /work/app/a"),
        ("gawk -oprog 1 a", "write /work/app/prog"),
        ("awk 'BEGIN { while ((getline l < \"b\") > 0) n++ }'", "read /work/app/b"),
        ("echo '{print > \"out\"}' | awk -f - a", "write /work/app/out"),
        ("awk 1 a", "read /work/app/a"),
    ],
)
def test_files_are_found(program: str, effect: str) -> None:
    """Written, added to, edited in place, read."""
    assert effect in effects(program)


def test_a_sandbox_runs_nothing() -> None:
    """--sandbox refuses system and redirections."""
    assert payloads("gawk --sandbox 'BEGIN{system(\"rm x\")}'") == set()


def test_connections_and_libraries_ask() -> None:
    """/inet and -l reach outside the program."""
    assert "awk.network" in rules("gawk 'BEGIN { s = \"/inet/tcp/0/x.example/80\"; print 1 |& s }'")
    assert "awk.loads" in rules("gawk -l ./x.so 1")


def test_the_whole_environment_is_a_secret() -> None:
    """A loop over ENVIRON prints everything; one variable does not."""
    assert "shell.prints-environment" in rules("awk 'BEGIN { for (k in ENVIRON) print k, ENVIRON[k] }'")
    assert "shell.prints-environment" not in rules("awk 'BEGIN { print ENVIRON[\"HOME\"] }'")


def test_a_slash_divides_after_an_operand() -> None:
    """Otherwise it opens a pattern."""
    assert [kind for kind, _ in tokens("a / b / c")] == ["name", "op", "name", "op", "name"]
    assert ("regex", "/b/") in tokens("a ~ /b/")
    assert ("regex", "/[/]x/") in tokens("/[/]x/ {print}")
