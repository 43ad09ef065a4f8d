"""The file gate: what written text and modes deserve, by what they hold."""

import pytest

from checkrail.facts.host import FrozenHost
from checkrail.gates.file import gives_rights, opens
from checkrail.model import Action, Band
from tests.gates.files import (
    ASK,
    AUTO,
    NOTE,
    OLD,
    ROOM,
    band,
    effect,
    machine,
    rules,
)


@pytest.mark.parametrize(
    ("path", "mode", "recursive", "expected"),
    [
        ("scripts/run.sh", "+x", False, AUTO),
        ("build", "u+w", True, AUTO),
        ("/tmp/x.sh", "755", False, AUTO),
        (".", "777", True, NOTE),
        ("~/.ssh/id_rsa", "600", False, NOTE),
        ("~/.ssh/id_rsa", "644", False, ASK),
        ("app", "u+s", False, ASK),
        ("app", "4755", False, ASK),
        ("/bin/bash", "u+s", False, ASK),
        ("/etc/passwd", "777", False, ASK),
        ("~/.claude/hooks/guard.py", "-x", False, ASK),
        ("~/x", "u+w", True, ASK),
        ("/opt/tool", "755", False, ASK),
    ],
)
def test_modes(path: str, mode: str, recursive: bool, expected: Band) -> None:
    """Making a script executable is free; opening keys, set-user bits and other places are not."""
    assert band(effect(Action.MODE, path, content=mode, recursive=recursive, command="chmod")) is expected


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("u+s", True),
        ("g=rxs", True),
        ("4755", True),
        ("02755", True),
        ("0755", False),
        ("1777", False),
        ("u+x", False),
        ("u-s", False),
    ],
)
def test_gives_rights(mode: str, expected: bool) -> None:
    """Set-user and set-group bits are seen in both spellings."""
    assert gives_rights(mode) is expected


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("644", True),
        ("600", False),
        ("0600", False),
        ("go+r", True),
        ("+r", True),
        ("u+rw", False),
        ("go-rwx", False),
        ("a=r", True),
    ],
)
def test_opens(mode: str, expected: bool) -> None:
    """A mode that lets others in is seen in both spellings."""
    assert opens(mode) is expected


@pytest.mark.parametrize(
    ("files", "path", "content", "tracked", "expected"),
    [
        ({"slides.html": (40_000, OLD)}, "slides.html", "", (), ASK),
        ({"big.py": (40_000, OLD)}, "big.py", "x = 1\n", (), ASK),
        ({"big.py": (40_000, OLD)}, "big.py", "x = 1\n", ("big.py",), ASK),
        ({"big.py": (8_000, OLD)}, "big.py", "x = 1\n", ("big.py",), AUTO),
        ({"big.py": (40_000, OLD)}, "big.py", "y" * 30_000, (), AUTO),
        ({"small.py": (100, OLD)}, "small.py", "", ("small.py",), NOTE),
        ({"out.log": (9_000, OLD)}, "out.log", "", (), AUTO),
        ({"build/x.txt": (9_000, OLD)}, "build/x.txt", "", (), AUTO),
        ({"empty.py": (0, OLD)}, "empty.py", "", (), AUTO),
        ({"a": (1, OLD)}, "new.py", "", (), AUTO),
        ({"a": (1, OLD)}, "data/app.sqlite3", "", (), AUTO),
        ({"data/app.sqlite3": (9_000, OLD)}, "data/app.sqlite3", "", (), ASK),
    ],
)
def test_emptying(
    files: dict[str, tuple[int, float]], path: str, content: str, tracked: tuple[str, ...], expected: Band
) -> None:
    """Losing what a file held is a question, unless there was little, git has it, or nobody misses it."""
    around = machine(files, tracked)
    assert band(effect(Action.WRITE, f"{ROOM}/{path}", content=content), around=around) is expected


def test_emptying_what_cannot_be_seen() -> None:
    """Without a view of the disk a database, a secret and a document still count."""
    for path in ("data/app.sqlite3", ".env", "slides.html"):
        assert band(effect(Action.WRITE, f"{ROOM}/{path}", content="")) is ASK
    assert band(effect(Action.WRITE, f"{ROOM}/src/__init__.py", content="")) is AUTO


def test_edits_do_not_empty() -> None:
    """The text that an edit puts in is not the whole file."""
    around = machine({"big.py": (40_000, OLD)})
    assert band(effect(Action.WRITE, f"{ROOM}/big.py", content="x", previous="y"), around=around) is AUTO


TOKEN = "ghp_" + "a1B2" * 9


def test_secrets_in_files_that_git_keeps() -> None:
    """A token in source code is a question; in an .env, a test, a temporary file, or where it stood before, it is not."""
    assert "file.secret-written" in rules(effect(Action.WRITE, f"{ROOM}/src/a.py", content=f"T = '{TOKEN}'"))
    for path in (".env", "tests/test_a.py", "/tmp/a.py", "build/a.js"):
        assert "file.secret-written" not in rules(effect(Action.WRITE, path, content=f"T = '{TOKEN}'"))
    kept = effect(Action.WRITE, f"{ROOM}/a.py", content=f"T = '{TOKEN}'\nx = 2", previous=f"T = '{TOKEN}'\nx = 1")
    assert rules(kept) == set()


@pytest.mark.parametrize(
    ("path", "content", "expected"),
    [
        ("a.py", "if x:\u202e # hidden", True),
        ("a.py", "user\u200bname = 1", True),
        ("a.md", "text \U000e0069\U000e0067", True),
        ("a.py", "x\u3164 = 1", True),
        ("a.py", "s = '👩\u200d💻'", False),
        ("a.md", "می\u200cخواهم \u2067עברית\u2069", False),
        ("a.py", "# naïve café 日本", False),
        ("a.md", "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f", False),
    ],
)
def test_hidden_characters(path: str, content: str, expected: bool) -> None:
    """Characters that only programs see are a question; emoji and other scripts are not."""
    assert ("file.hidden-characters" in rules(effect(Action.WRITE, f"{ROOM}/{path}", content=content))) is expected


def test_ordinary_edits_of_workflows() -> None:
    """An edit or a new file that touches no credentials is a note; a new trigger, a secret, or a whole file in place of another a question."""
    path = f"{ROOM}/.github/workflows/ci.yml"
    assert band(effect(Action.WRITE, path, previous="node: 20", content="node: 22")) is NOTE
    assert band(effect(Action.WRITE, path, previous="on: push", content="on: pull_request_target")) is ASK
    assert band(effect(Action.WRITE, path, previous="a", content="- run: echo ${{ secrets.TOKEN }}")) is ASK
    assert band(effect(Action.WRITE, path, content="on: push\njobs:\n  a: {}\n")) is NOTE
    assert band(effect(Action.WRITE, path, content="on: push")) is ASK
    assert band(effect(Action.WRITE, path, content="jobs: ${{ secrets.X }}")) is ASK


def test_hooks_in_agent_notes() -> None:
    """A skill that brings hooks is more than a note."""
    path = f"{ROOM}/.claude/skills/x/SKILL.md"
    assert band(effect(Action.WRITE, path, content="---\nname: x\n---\ntext")) is NOTE
    assert band(effect(Action.WRITE, path, content="---\nhooks:\n  PreToolUse: []\n---\n")) is ASK


PEM = (
    "-----BEGIN PRIVATE KEY-----\n"
    + ("MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7\n" * 6)
    + "-----END PRIVATE KEY-----\n"
)


@pytest.mark.parametrize(
    ("path", "content", "rule"),
    [
        ("src/a.py", f'KEY = """{PEM}"""\n', "file.secret-written"),
        ("src/a.json", '{"key": "' + PEM.replace("\n", "\\n") + '"}', "file.secret-written"),
        ("CLAUDE.md", "token ghp_" + "A1b2C3d4E5f6" * 3 + "\n", "file.secret-written"),
        ("src/a.py", "x = 'a\ufe01\ufe02\ufe03'\n", "file.hidden-characters"),
        ("README.md", "a\U000e0101\U000e0102b\n", "file.hidden-characters"),
        ("src/a.py", "na\ufeffme = 1\n", "file.hidden-characters"),
        ("src/a.py", "na\u2062me = 1\n", "file.hidden-characters"),
        ("src/a.py", "-----BEGIN PRIVATE KEY-----\n<your key here>\n-----END PRIVATE KEY-----\n", ""),
        ("tests/fixtures/key.txt", PEM, ""),
        ("docs/emoji.md", "one \u2764\ufe0f and 1\ufe0f\u20e3\n", ""),
        ("src/a.py", "\ufeffx = '\u2764\ufe0f'\n", ""),
    ],
)
def test_secrets_and_characters_that_nobody_sees(path: str, content: str, rule: str) -> None:
    """Keys themselves, in any file that git keeps; runs of selectors and marks inside words."""
    from checkrail.model import Event, EventKind
    from checkrail.pipeline import decide
    from checkrail.policy import BUILT_IN

    given = {"file_path": f"/work/app/{path}", "content": content}
    event = Event(agent="claude", kind=EventKind.PRE, tool="Write", input=given, cwd="/work/app", project="/work/app")
    found = {finding.rule for finding in decide(event, host=FrozenHost(), policy=BUILT_IN).findings}
    assert found & {"file.secret-written", "file.hidden-characters"} == ({rule} if rule else set())
