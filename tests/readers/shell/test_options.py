"""Arguments are taken apart as the command would."""

import pytest

from checkrail.knowledge.schema import Entry, Option
from checkrail.readers.shell.options import parse
from checkrail.readers.shell.state import Field

ENTRY = Entry(
    names=("x",),
    flags=("-a", "-b", "--all", "--force"),
    values=("-n", "--number", "--name"),
    attached=("-i", "--color"),
    option=(Option(names=("-o", "--output"), role="write"), Option(names=("--compress-program",), role="shell")),
    recursive=("-r",),
)


def taken(line: str, entry: Entry = ENTRY) -> tuple[list[str], list[str]]:
    """Options as ``name`` or ``name=value``, and operands."""
    parsed = parse(entry, tuple(Field(word) for word in line.split(" ")))
    options = [given.name if given.value is None else f"{given.name}={given.value.text}" for given in parsed.options]
    return options, [field.text for field in parsed.operands]


@pytest.mark.parametrize(
    ("line", "options", "operands"),
    [
        ("-a f", ["-a"], ["f"]),
        ("-ab f", ["-a", "-b"], ["f"]),
        ("-abn5 f", ["-a", "-b", "-n=5"], ["f"]),
        ("-n 5 f", ["-n=5"], ["f"]),
        ("-of f", ["-o=f"], ["f"]),
        ("-aof f", ["-a", "-o=f"], ["f"]),
        ("f -o g", ["-o=g"], ["f"]),
        ("--output=g f", ["--output=g"], ["f"]),
        ("--output g f", ["--output=g"], ["f"]),
        ("--out=g", ["--output=g"], []),
        ("--o g", ["--output=g"], []),
        ("--comp=sh", ["--compress-program=sh"], []),
        ("-ibak f", ["-i=bak"], ["f"]),
        ("-i f", ["-i"], ["f"]),
        ("--color f", ["--color"], ["f"]),
        ("--color=always f", ["--color=always"], ["f"]),
        ("-- -a", [], ["-a"]),
        ("-a -- -b -- c", ["-a"], ["-b", "--", "c"]),
        ("- f", [], ["-", "f"]),
        ("-z f", ["-z"], ["f"]),
        ("--zzz f", ["--zzz"], ["f"]),
        ("--zzz=1 f", ["--zzz=1"], ["f"]),
        ("-n", ["-n"], []),
    ],
)
def test_options_and_operands(line: str, options: list[str], operands: list[str]) -> None:
    """Bundles, attached values, equals signs, abbreviations, and the end of options."""
    assert taken(line) == (options, operands)


def test_options_end_at_the_first_operand_where_the_entry_says_so() -> None:
    """Wrappers leave the rest alone."""
    entry = Entry(names=("w",), flags=("-a",), stop=True)
    assert taken("-a cmd -a -b", entry) == (["-a"], ["cmd", "-a", "-b"])


def test_long_options_with_one_dash() -> None:
    """terraform's and find's kind."""
    entry = Entry(names=("t",), flags=("-auto-approve",), values=("-out",), single=True)
    assert taken("-auto-approve -out=p -out q x", entry) == (["-auto-approve", "-out=p", "-out=q"], ["x"])


def test_options_of_the_parent_command_stay_known() -> None:
    """``kubectl delete x -n prod``: -n belongs to kubectl."""
    above = Entry(names=("k",), values=("-n", "--namespace"))
    below = Entry(names=("delete",), flags=("--force",))
    parsed = parse(below, tuple(Field(word) for word in ("pod", "-n", "prod", "--force")), above)
    assert [given.name for given in parsed.options] == ["-n", "--force"]
    assert [field.text for field in parsed.operands] == ["pod"]


def test_an_ambiguous_abbreviation_takes_the_stricter_reading() -> None:
    """Where an abbreviation could be an option that matters, it is."""
    entry = Entry(names=("x",), flags=("--outline",), option=(Option(names=("--output",), role="write"),))
    parsed = parse(entry, (Field("--out"), Field("f")))
    assert parsed.options[0].role == "write"
