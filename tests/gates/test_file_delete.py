"""The file gate: what deletes and moves deserve, by place, git and age."""

import pytest

from checkrail.model import HOLE, SOME, Action, Band, Effect, Span
from tests.gates.files import (
    ASK,
    AUTO,
    DELETE,
    NOTE,
    NOW,
    OLD,
    ROOM,
    band,
    effect,
    machine,
    rules,
)


@pytest.mark.parametrize(
    ("path", "recursive", "expected"),
    [
        ("node_modules", True, AUTO),
        ("dist", True, AUTO),
        ("src/build", True, AUTO),
        ("**/*.pyc", False, AUTO),
        ("src/*.o", False, AUTO),
        ("/tmp/x", True, AUTO),
        ("/private/tmp/s/w", True, AUTO),
        (f"/tmp/tmp.{SOME}", True, AUTO),
        ("/tmp/probe/.agents", True, AUTO),
        ("src/a.py", False, NOTE),
        ("*.log", False, NOTE),
        (HOLE, False, NOTE),
        ("~/other/node_modules", True, NOTE),
        ("src", True, ASK),
        ("tests", True, ASK),
        ("*.py", False, ASK),
        ("data/*", False, ASK),
        ("data/**/*_new.json", False, ASK),
        (".", True, ASK),
        ("src/..", True, ASK),
        ("*", True, ASK),
        ("..", True, ASK),
        (ROOM, True, ASK),
        (".git", True, ASK),
        (".github", True, ASK),
        ("../app-wt-2", True, ASK),
        ("~", True, ASK),
        ("~/Documents/old-reports", True, ASK),
        ("~/notes.txt", False, ASK),
        ("~/.cache/app/sessions", True, ASK),
        ("/etc/shadow", False, ASK),
        ("~/.ssh/authorized_keys", False, ASK),
        ("~/.gnupg/pubring.kbx", False, ASK),
        ("backup.sql", False, ASK),
        ("tmp/**/*.bak", False, ASK),
        ("data/app.sqlite3", False, ASK),
        ("slides.html", False, ASK),
        (".env", False, ASK),
        (HOLE, True, ASK),
        (f"{HOLE}/*", False, ASK),
        (f"/home/{HOLE}", True, ASK),
        (f"src/{HOLE}", True, ASK),
        ("/tmp", True, ASK),
        ("/tmp/*", True, ASK),
        ("./~", True, ASK),
        ("/opt/tool", True, ASK),
    ],
)
def test_deletions(path: str, recursive: bool, expected: Band) -> None:
    """The target decides what a deletion deserves."""
    target = path if path.startswith(("/", "~", HOLE)) else f"{ROOM}/{path}"
    assert band(effect(DELETE, target, recursive=recursive, command="rm")) is expected


@pytest.mark.parametrize(
    ("name", "tracked", "expected"),
    [
        ("new.py", False, NOTE),
        ("old.py", False, ASK),
        ("old.py", True, NOTE),
        ("empty.py", False, NOTE),
        ("gone.py", False, AUTO),
    ],
)
def test_single_files_by_age_and_git(name: str, tracked: bool, expected: Band) -> None:
    """An old file that git does not have is worth a question; a fresh or tracked one is not, a missing one is nothing."""
    files = {"new.py": (10, NOW), "old.py": (10, OLD), "empty.py": (0, OLD)}
    around = machine(files, (name,) if tracked else ())
    assert band(effect(DELETE, f"{ROOM}/{name}", command="rm"), around=around) is expected


def test_tree_that_git_can_bring_back() -> None:
    """A folder of tracked, unchanged files is a note; one changed or unknown file makes it a question."""
    files = {"src/a.py": (10, OLD), "src/b.py": (10, OLD)}
    tree = effect(DELETE, f"{ROOM}/src", recursive=True, command="rm")
    assert band(tree, around=machine(files, ("src/a.py", "src/b.py"))) is NOTE
    assert band(tree, around=machine(files, ("src/a.py",))) is ASK
    changed = machine(files, ("src/a.py", "src/b.py"))
    changed.host.ages[f"{ROOM}/src/b.py"] = NOW  # type: ignore[attr-defined]
    assert band(tree, around=changed) is ASK


def test_tracked_build_folder_holds_sources() -> None:
    """A folder that is called build and changed under git is not rebuilt by anything."""
    files = {"build/rules.py": (10, OLD), "build/new.py": (10, OLD)}
    tree = effect(DELETE, f"{ROOM}/build", recursive=True)
    assert band(tree, around=machine(files, ("build/rules.py",))) is ASK
    assert band(tree, around=machine(files)) is AUTO


def test_missing_folder_is_nothing_unless_filled_in_the_same_line() -> None:
    """What is not there cannot be lost; but a move, a link or a mount of the same call may put something there."""
    around = machine({"a.py": (1, OLD)})
    gone = effect(DELETE, f"{ROOM}/pad", recursive=True, command="rm")
    assert band(gone, around=around) is AUTO
    made = effect(Action.CREATE, f"{ROOM}/pad", command="mkdir")
    assert band(made, gone, around=around) is AUTO
    for command in ("mv", "ln", "python"):
        assert band(effect(Action.WRITE, f"{ROOM}/pad", command=command), gone, around=around) is ASK


def test_what_was_moved_there_goes_too() -> None:
    """Removing a temporary folder is free, unless the same call has just moved the sources into it."""
    for folder in ("/tmp/x", f"{ROOM}/build"):
        gone = effect(DELETE, folder, recursive=True, command="rm")
        assert band(effect(Action.WRITE, f"{folder}/src", command="cp"), gone) is AUTO
        assert band(effect(Action.WRITE, f"{folder}/src", command="mv"), gone) is ASK
        assert band(effect(Action.WRITE, f"{folder}2/src", command="mv"), gone) is AUTO


def test_many_single_deletions() -> None:
    """Globs that a shell expanded into many files are one big deletion."""
    files = {f"data/{number}.csv": (10, NOW) for number in range(20)}
    effects = [effect(DELETE, f"{ROOM}/{name}", command="rm") for name in files]
    assert "file.delete-many" in rules(*effects, around=machine(files))
    assert "file.delete-many" not in rules(*effects, around=machine(files, tuple(files)))
    assert "file.delete-many" not in rules(*effects[:3], around=machine(files))


def test_moves() -> None:
    """A move inside the workspace is free; out of the home, over the settings or of git's folder it is not."""

    def move(path: str) -> Effect:
        return effect(DELETE, path, command="mv", rule="mv.source")

    assert band(move(f"{ROOM}/src")) is AUTO
    assert band(move("/tmp/x.txt")) is AUTO
    assert band(move(f"{ROOM}/.git")) is ASK
    assert band(move("~/.ssh")) is ASK
    assert band(move("/etc/hosts")) is ASK
    assert band(move(f"{ROOM}/.env")) is ASK
    assert band(move(f"{ROOM}/.vscode/tasks.json")) is ASK


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("*.snap", AUTO),
        ("x*.snap", AUTO),
        ("*.py", ASK),
        ("A*.py", ASK),
        ("*.@(py|snap)", ASK),
        ("[a]*.py", ASK),
    ],
)
def test_a_pattern_that_finds_nothing(pattern: str, expected: Band) -> None:
    """Nothing goes where no name fits; a pattern that shells read in different ways is not trusted."""
    around = machine({"a.py": (10, OLD), "sub/b.txt": (10, OLD)})
    assert band(effect(DELETE, f"{ROOM}/{pattern}", recursive=True, command="rm"), around=around) is expected


def test_what_the_call_has_written_whole() -> None:
    """Removing it takes nothing that the write has left; added to, carried there, or written afterwards it may."""
    path = f"{ROOM}/out.pdf"

    def after(action: Action, command: str, at: int) -> Band:
        written = effect(action, path, command=command, span=Span(at, at + 1), content="x")
        return band(written, effect(DELETE, path, command="rm", span=Span(10, 12)))

    assert after(Action.WRITE, "", 1) is not ASK
    assert after(Action.WRITE, "", 20) is ASK
    assert after(Action.APPEND, "", 1) is ASK
    assert after(Action.WRITE, "mv", 1) is ASK
