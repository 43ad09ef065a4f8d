"""Commands that take their operands from standard input."""

import pytest

from tests.readers.shell.evaluation import effects, payloads, rules


@pytest.mark.parametrize(
    ("program", "effect"),
    [
        ("echo src lib | xargs rm -rf", "delete /work/app/lib"),
        ("printf 'a b\\nc\\n' | xargs -d '\\n' rm", "delete /work/app/a b"),
        ("printf 'a b\\nc\\n' | xargs -I% rm x/%", "delete /work/app/x/a b"),
        ("printf 'a\\0b' | xargs -0 rm", "delete /work/app/b"),
        ("echo '\"a b\" c' | xargs rm", "delete /work/app/a b"),
        ("xargs rm < list", "delete ?"),
        ("echo -rf src | xargs rm", "delete /work/app/src"),
        ("echo rm src | xargs env", "delete /work/app/src"),
        ("find lib -name '*.csv' | xargs rm", "delete /work/app/lib/**/*.csv"),
        ("find lib -name '*.csv' -print0 | head -z -n 3 | xargs -0 rm", "delete /work/app/lib/**/*.csv"),
        ("grep -rl x lib | xargs rm", "delete /work/app/lib/#"),
        ("grep -l x lib/a.py | xargs rm", "delete /work/app/lib/a.py"),
        ("find ~ | grep id_rsa | xargs cat", "read /home/dev/**/id_rsa"),
        ("find lib/. | grep '\\.csv$' | xargs rm", "delete /work/app/lib/**/*.csv*"),
        ("find lib | grep -v csv | xargs rm", "delete /work/app/lib"),
        ("echo a b | xargs -n1 rm", "delete /work/app/b"),
        ("echo list > n; xargs -a n rm", "delete /work/app/list"),
    ],
)
def test_items_become_operands(program: str, effect: str) -> None:
    """Known items are judged one by one, unknown ones as unknown."""
    assert effect in effects(program)


def test_xargs_alone_only_prints() -> None:
    """Without a command it is echo."""
    assert not any(effect.startswith("delete") for effect in effects("echo src | xargs"))


def test_items_inside_a_shell_line_are_read_as_code() -> None:
    """``sh -c '{}'`` runs the item."""
    assert "shell: rm -rf src" in payloads("printf 'rm -rf src' | xargs -I{} sh -c '{}'")


@pytest.mark.parametrize(
    ("program", "line"),
    [
        ("parallel rm {} ::: a b", "shell: rm b"),
        ("parallel rm ::: a", "shell: rm a"),
        ("parallel 'rm {1}/{2}' ::: a b ::: c", "shell: rm b/c"),
        ("parallel ::: 'rm a'", "shell: rm a"),
        ("echo 'rm a' | parallel", "shell: rm a"),
        ("seq 2 | parallel rm x{}", "shell: rm x2"),
    ],
)
def test_parallel_runs_its_template(program: str, line: str) -> None:
    """For each row of items, or the items themselves."""
    assert line in payloads(program)


def test_parallel_dry_run_runs_nothing() -> None:
    """--dry-run only prints."""
    assert not payloads("parallel --dry-run rm ::: a")


def test_unseen_commands_ask() -> None:
    """Lines out of a file are no known commands."""
    assert {"flow.unknown-code", "flow.unwatched"} & rules("cat jobs | parallel")
