"""Commands of git that discard are free where git's files say that nothing would be lost, and ask everywhere else."""

import shutil
import subprocess
from pathlib import Path

import pytest

from checkrail.facts.host import RealHost
from checkrail.model import Event, EventKind
from checkrail.pipeline import decide
from checkrail.policy import BUILT_IN

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")


def git(folder: Path, *words: str) -> None:
    """Run git in a folder."""
    subprocess.run(
        ["git", "-c", "user.name=x", "-c", "user.email=x@example.com", *words],
        cwd=folder,
        check=True,
        capture_output=True,
    )


@pytest.fixture
def app(tmp_path: Path) -> Path:
    """A repository: ``clean.py`` as committed, ``changed.py`` changed, ``staged.py`` staged, ``new.py`` not known to git."""
    folder = tmp_path / "app"
    (folder / "lib").mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main")
    for name in ("clean.py", "changed.py", "staged.py", "lib/a.py"):
        (folder / name).write_text("one\n")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "one")
    git(folder, "branch", "old")
    (folder / "lib/a.py").write_text("two\n")
    git(folder, "commit", "-qam", "two")
    git(folder, "branch", "only-here")
    git(folder, "update-ref", "refs/heads/only-here", "HEAD~1")
    git(folder, "branch", "-D", "old")
    return folder


def dirty(folder: Path) -> None:
    """Change, stage and add files."""
    (folder / "changed.py").write_text("not committed\n")
    (folder / "staged.py").write_text("only staged\n")
    git(folder, "add", "staged.py")
    (folder / "new.py").write_text("new\n")


def answer(folder: Path, command: str, environment: dict[str, str] | None = None) -> str:
    """The decision on a command in a folder."""
    host = RealHost(str(folder.parent / "home"), environment or {})
    event = Event(agent="claude", kind=EventKind.PRE, tool="Bash", input={"command": command}, cwd=str(folder))
    return decide(event, host=host, policy=BUILT_IN).decision.value


@pytest.mark.parametrize(
    "command",
    [
        "git checkout -- clean.py",
        "git checkout .",
        "git checkout -f",
        "git checkout HEAD~1 -- lib/a.py",
        "git checkout main -- lib",
        "git restore .",
        "git restore clean.py lib",
        "git restore --source=HEAD~1 -- lib/a.py",
        "git restore --staged --worktree .",
        "git reset --hard",
        "git reset --hard HEAD~1",
        "cd lib && git checkout -- a.py",
        "git -C lib restore a.py",
        "sed -i s/one/two/ clean.py && git checkout clean.py",
        "git clean -fdx",
        "git branch -D twin",
    ],
)
def test_nothing_to_lose(app: Path, command: str) -> None:
    """In a clean checkout there is nothing to discard."""
    git(app, "branch", "twin")
    (app / "dist").mkdir()
    (app / "dist/a.js").write_text("x")
    assert answer(app, command) == "allow"


@pytest.mark.parametrize("command", ["git checkout -- clean.py", "git restore clean.py lib", "git checkout lib"])
def test_clean_beside_changes(app: Path, command: str) -> None:
    """Other files' changes are not touched."""
    dirty(app)
    assert answer(app, command) == "allow"


@pytest.mark.parametrize(
    "command",
    [
        "git checkout -- changed.py",
        "git checkout .",
        "git checkout -f main",
        "git checkout HEAD -- staged.py",
        "git checkout HEAD~1 -- lib",
        "git checkout -p",
        "git restore .",
        "git restore '*.py'",
        "git restore changed.py clean.py",
        "git restore --source=HEAD~1 -- staged.py",
        "git restore --staged --worktree staged.py",
        "git reset --hard",
        "git reset --hard HEAD~1",
        "git clean -f",
        "git clean -fdX",
        "git branch -D only-here",
        "git -C .. -C app restore .",
    ],
)
def test_something_to_lose(app: Path, command: str) -> None:
    """What is changed, staged or not known to git would be gone."""
    dirty(app)
    assert answer(app, command) == "ask"


@pytest.mark.parametrize(
    "command",
    [
        "mv ../mine.py clean.py && git checkout -- clean.py",
        "git stash pop && git checkout .",
        "git stash && git stash pop && git reset --hard",
        "GIT_DIR=../other/.git git checkout -- clean.py",
        "git --work-tree=/work/x checkout -- clean.py",
        "git -c core.worktree=/work/x checkout -- clean.py",
        "git restore --ours clean.py",
        "git checkout --theirs clean.py",
        "git checkout -B main HEAD~1",
        "git branch -D only-here",
        "git branch -f main HEAD~1",
        "git branch -M only-here main",
        "ssh box 'cd app && git checkout -- clean.py'",
        'cd "$WHERE" && git checkout -- clean.py',
        "git stash drop",
        "git clean -fdx ../..",
    ],
)
def test_not_plain(app: Path, command: str) -> None:
    """Where the program itself brings something in, or the tree is another one, the question stays."""
    assert answer(app, command) == "ask"


def test_elsewhere_by_environment(app: Path) -> None:
    """A git directory that the caller's environment names is not the one that is looked at."""
    assert answer(app, "git checkout -- clean.py", {"GIT_DIR": "/work/x/.git"}) == "ask"


def test_ignored_secret_is_no_build_output(app: Path) -> None:
    """What is ignored may exist once: ``git clean -X`` asks because of it."""
    (app / ".gitignore").write_text(".env\ndist/\n")
    git(app, "add", ".gitignore")
    git(app, "commit", "-qm", "ignore")
    (app / "dist").mkdir()
    assert answer(app, "git clean -fdX") == "allow"
    (app / ".env").write_text("A=1\n")
    assert answer(app, "git clean -fdX") == "ask"


def test_packed_and_moved_head(app: Path) -> None:
    """After ``git gc`` the answers are the same; after a soft reset what was committed is only staged."""
    git(app, "gc", "-q")
    assert answer(app, "git reset --hard") == "allow"
    git(app, "reset", "-q", "--soft", "HEAD~1")
    assert answer(app, "git reset --hard") == "ask"
    assert answer(app, "git checkout HEAD -- lib/a.py") == "ask"
    assert answer(app, "git checkout -- lib/a.py") == "allow"


def test_untracked_in_the_way(app: Path) -> None:
    """A file that git does not know would be overwritten by one from another commit."""
    git(app, "rm", "-q", "lib/a.py")
    git(app, "commit", "-qm", "gone")
    (app / "lib").mkdir(exist_ok=True)
    (app / "lib/a.py").write_text("mine\n")
    assert answer(app, "git checkout HEAD~1 -- lib/a.py") == "ask"
    assert answer(app, "git reset --hard HEAD~1") == "ask"
    assert answer(app, "git reset --hard HEAD") == "allow"


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("git mv -f clean.py Clean.py", "allow"),
        ("git mv -f changed.py clean.py", "ask"),
        ("git mv -f clean.py changed.py", "ask"),
        ("git mv -f clean.py new.py", "ask"),
        ("git branch -D nowhere", "allow"),
        ("git branch -D main", "ask"),
        ("git clean -fdx -e new.py", "allow"),
        ("git clean -fdx -e other.py", "ask"),
        ("git clean -fd build/", "allow"),
        ("git clean -fd lib/", "allow"),
        ("git clean -fd build/ .", "ask"),
        ("git checkout main -- yarn.lock", "allow"),
        ("git checkout -- yarn.lock changed.py", "ask"),
    ],
)
def test_names_places_and_lock_files(app: Path, command: str, expected: str) -> None:
    """What stands at the new name, which branches there are, what a clean-up spares, and what is written anew anyway."""
    dirty(app)
    assert answer(app, command) == expected
