"""Scripts of sed."""

import pytest

from checkrail.readers.shell.special.sed import script
from tests.readers.shell.evaluation import effects, payloads, rules

HARMLESS = [
    "s/a/b/",
    "s/where/w here/",
    "s,/etc/w,e,g",
    "1,5p",
    "/w x/p",
    r"/a\/w b/d",
    r"\,w x,d",
    "$!N;P;D",
    ":a;N;$!ba;s/\\n/ /g",
    "y/we/ew/",
    "a\\\nw /etc/passwd",
    "1i e reboot",
    "s/[/]w x/y/",
    "/[/w]e/p",
    "{p;q}",
    "2q5",
    "# w /etc/passwd",
    "s/x/w y/;t end;p;:end",
    "0~3d",
    "/a/I,+2p",
    "s/a\\/b/e w/2g",
]


@pytest.mark.parametrize("text", HARMLESS)
def test_a_plain_script_does_nothing_else(text: str) -> None:
    """Letters of commands inside patterns, replacements, texts and comments are data."""
    found = script(text)
    assert (found.writes, found.reads, found.runs, found.broken) == ([], [], [], "")


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        ("e id", ["id"]),
        ("1e id", ["id"]),
        ("$!e id", ["id"]),
        ("/x/,/y/e id", ["id"]),
        ("{p;e id\n}", ["id"]),
        ("s/a/b/;e id", ["id"]),
        ("s/.*/id/e", ["id"]),
        ("s/.*/id/ge", ["id"]),
        ("s/\\(.*\\)/\\1/e", [""]),
        ("e", [""]),
        ("a\\\ntext\ne id", ["id"]),
        ("s/[/]/x/;e id", ["id"]),
        ("/[]/]/e id", ["id"]),
        ("y/;/\\n/;e id", ["id"]),
        ("#n\ne id", ["id"]),
        ("b x;:x\ne id", ["id"]),
        ("s\\a\\b\\;e id", ["id"]),
    ],
)
def test_commands_are_found(text: str, runs: list[str]) -> None:
    """Wherever the command stands."""
    assert script(text).runs == runs


@pytest.mark.parametrize(
    ("text", "writes"),
    [("w out", ["out"]), ("s/a/b/w out", ["out"]), ("/x/W out\np", ["out"]), ("s/a/b/gpw /etc/x;y", ["/etc/x;y"])],
)
def test_written_files_are_found(text: str, writes: list[str]) -> None:
    """The rest of the line is the name."""
    assert script(text).writes == writes


@pytest.mark.parametrize(
    ("program", "effect"),
    [
        ("sed -i s/a/b/ x.py", "write /work/app/x.py"),
        ("sed -i.bak -e s/a/b/ x.py", "write /work/app/x.py"),
        ("sed -ni p x.py", "write /work/app/x.py"),
        ("sed --in-pl s/a/b/ x.py", "write /work/app/x.py"),
        ("sed -i '' s/a/b/ x.py", "write /work/app/x.py"),
        ("sed s/a/b/ x.py", "read /work/app/x.py"),
        ("sed -n -e 'w out' x.py", "write /work/app/out"),
        ("sed 'r /etc/shadow' x.py", "read /etc/shadow"),
        ("echo 'w out' | sed -f - x.py", "write /work/app/out"),
    ],
)
def test_files_are_read_or_edited(program: str, effect: str) -> None:
    """By -i, by the script, by a script from elsewhere."""
    assert effect in effects(program)


def test_a_sandbox_runs_nothing() -> None:
    """--sandbox refuses e, r and w."""
    assert payloads("sed --sandbox 'e rm -rf src' x") == set()
    assert payloads("sed 'e rm -rf src' x") == {"shell: rm -rf src"}


def test_data_as_commands_asks() -> None:
    """A bare e runs the text that is edited."""
    assert "sed.runs" in rules("sed e x")


def test_a_long_script_is_refused_not_read() -> None:
    """Over the cap it is called broken."""
    assert script("p;" * 60_000).broken
