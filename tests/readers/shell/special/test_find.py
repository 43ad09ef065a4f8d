"""What find and fd act on."""

import pytest

from tests.readers.shell.evaluation import effects, payloads, rules


@pytest.mark.parametrize(
    ("program", "effect"),
    [
        ("find src -delete", "delete /work/app/src"),
        ("find src -name '*.pyc' -delete", "delete /work/app/src/**/*.pyc"),
        ("find . -maxdepth 1 -name '*.o' -delete", "delete /work/app/*.o"),
        ("find src -type f -delete", "delete /work/app/src/*"),
        ("find src -mtime +7 -delete", "delete /work/app/src/#"),
        ("find src -delete -name '*.pyc'", "delete /work/app/src"),
        ("find src ! -name '*.py' -delete", "delete /work/app/src"),
        ("find src -path './build/*' -delete", "delete /work/app/build/*"),
        ("find a b -exec rm -rf {} +", "delete /work/app/b"),
        ("find src \\( -name a -o -name b \\) -exec rm {} \\;", "delete /work/app/src/**/b"),
        ("find src -name a -o -delete", "delete /work/app/src"),
        ("find -H src -name x -exec /bin/rm {} ';'", "delete /work/app/src/**/x"),
        ("find . -fprint out.txt", "write /work/app/out.txt"),
        ("find . -fprintf out.txt %p", "write /work/app/out.txt"),
        ("find . -files0-from list", "read /work/app/list"),
        ("find . -name id_rsa -exec cat {} \\;", "read /work/app/**/id_rsa"),
        ("fd -e csv -x rm", "delete /work/app/**/*.csv"),
        ("fd . src -X rm -rf", "delete /work/app/src"),
        ("fd '^test_' lib -x rm {}", "delete /work/app/lib/**/test_*"),
    ],
)
def test_an_action_reaches_what_is_found(program: str, effect: str) -> None:
    """The target is the root with the name test that holds where the action stands."""
    assert effect in {one.removesuffix("/*") if effect == "delete /work/app/src" else one for one in effects(program)}


@pytest.mark.parametrize(
    "program",
    [
        "find . -name '*.py' -print",
        "find src -newer setup.py",
        "find . -empty -delete",
        "find . -name '-delete'",
        "find . -exec echo -delete {} \\;",
        "fd rm src",
    ],
)
def test_a_search_changes_nothing(program: str) -> None:
    """No deletion and no write where find only looks, or removes what is empty."""
    assert not any(effect.startswith(("delete", "write")) for effect in effects(program))


def test_a_shell_line_is_handed_on_with_its_targets() -> None:
    """``{}`` inside a word is replaced, too."""
    assert "shell: rm -rf ./**/*.log" in payloads("find . -name '*.log' -exec sh -c 'rm -rf {}' \\;")


def test_ok_asks_by_itself() -> None:
    """An agent cannot answer -ok."""
    assert "find.ok" in rules("find . -name x -ok rm {} \\;")
    assert "find.ok" not in rules("find . -name x -exec rm {} \\;")
