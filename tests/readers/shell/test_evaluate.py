"""Programs are followed as bash would run them: variables, folders, branches, functions, pipes."""

import pytest

from checkrail.model import Payload
from tests.readers.shell.evaluation import effects, payloads, reading, rules


@pytest.mark.parametrize(
    ("program", "effect"),
    [
        ("echo x > a", "write /work/app/a"),
        ("cd src && echo x > a", "write /work/app/src/a"),
        ("cd /tmp; echo x > a", "write /tmp/a"),
        ("cd && echo x > a", "write /home/dev/a"),
        ("(cd src); echo x > a", "write /work/app/a"),
        ("{ cd src; }; echo x > a", "write /work/app/src/a"),
        ("pushd src; popd; echo x > a", "write /work/app/a"),
        ("d=/srv; echo x > $d/a", "write /srv/a"),
        ("d=a; d+=b; echo x > $d", "write /work/app/ab"),
        ("for f in a b; do echo x > $f; done", "write /work/app/b"),
        ("for f in a b; do echo x > $f; done; echo y > $f", "write /work/app/b"),
        ("if true; then d=a; else d=b; fi; echo x > $d", "write /work/app/b"),
        ("if true; then d=a; fi; echo x > d$d", "write /work/app/da"),
        ("case $x in a) f=1;; *) f=2;; esac; echo > $f", "write /work/app/2"),
        ("d=a; while read l; do echo > $d; d=b; done", "write /work/app/b"),
        ("f() { echo x > $1; }; f a", "write /work/app/a"),
        ("f() { d=$1; }; f a; echo > $d", "write /work/app/a"),
        ("a=(x y); echo > ${a[1]}", "write /work/app/y"),
        ('a=(x y); for i in "${a[@]}"; do echo > $i; done', "write /work/app/y"),
        ("set -- a b; echo > $2", "write /work/app/b"),
        ("echo a | read d; echo > $d", "write /work/app/a"),
        ("read d <<< a; echo > $d", "write /work/app/a"),
        ("printf -v d a; echo > $d", "write /work/app/a"),
        ("echo $(echo x > a)", "write /work/app/a"),
        ('echo "${u:-$(echo x > a)}"', "write /work/app/a"),
        ("cat <<E\n$(echo x > a)\nE", "write /work/app/a"),
        ("diff <(echo x > a) b", "write /work/app/a"),
        ("[[ -n $(echo x > a) ]]", "write /work/app/a"),
        ("(( $(echo x > a; echo 1) ))", "write /work/app/a"),
        ("x[$(echo y > a)]=1", "write /work/app/a"),
        ("! time { echo x > a; }", "write /work/app/a"),
        ("coproc echo x > a", "write /work/app/a"),
        ("echo x &> a", "write /work/app/a"),
        ("echo x >| a", "write /work/app/a"),
        ("echo x >> a", "append /work/app/a"),
        ("{ echo x; } > a", "write /work/app/a"),
        ("while true; do :; done > a", "write /work/app/a"),
        ("2> a true", "write /work/app/a"),
    ],
)
def test_an_effect_is_seen(program: str, effect: str) -> None:
    """What bash would write is among the effects."""
    assert effect in effects(program)


@pytest.mark.parametrize(
    "program",
    [
        "echo 'echo x > a'",
        "cat <<'E'\n$(echo x > a)\nE",
        "# echo x > a",
        "echo x >/dev/null 2>&1",
        "f() { echo x > a; }",
        "echo '$(echo x > a)'",
        r"echo \$(echo) ",
    ],
)
def test_text_that_is_not_run_does_nothing(program: str) -> None:
    """Quoted text, comments, and functions that nobody calls have no effect."""
    assert not {effect for effect in effects(program) if effect.startswith("write")}


def test_a_failed_cd_is_thought_of() -> None:
    """After ``cd x; rm *`` the old folder counts too where x may not be there, but not after ``cd x &&``."""
    assert "delete /work/app/*" in effects("cd src; rm -rf *")
    assert "delete /work/app/src/*" in effects("cd src; rm -rf *")
    for program in (
        "cd src || exit 1; rm -rf *",
        "cd src && rm -rf *",
        "set -e; cd src; rm -rf *",
        "mkdir src; cd src; rm -rf *",
    ):
        assert "delete /work/app/*" not in effects(program)
    assert "delete /work/app/*" not in effects("cd src; rm -rf *", files={"/work/app/src/a": ""})


@pytest.mark.parametrize(
    "program", ["x() { x | x & }; x", ":(){ :|:& };:", "b(){ b & b & }\nb", "f() { g; }; g() { f | f & }; f"]
)
def test_a_fork_bomb_is_one_under_any_name(program: str) -> None:
    """A function that starts itself in a pipe or in the background."""
    assert "shell.fork-bomb" in rules(program)


@pytest.mark.parametrize("program", ["build() { make | tee log & }; build", "f() { f; }; f", "f() { echo | cat; }; f"])
def test_an_ordinary_function_is_not_a_fork_bomb(program: str) -> None:
    """Plain recursion and background pipes are not."""
    assert "shell.fork-bomb" not in rules(program)


@pytest.mark.parametrize(
    ("program", "payload"),
    [
        ("eval 'rm x'", "shell: rm x"),
        ("c='rm x'; eval $c", "shell: rm x"),
        ("trap 'rm x' EXIT", "shell: rm x"),
        ("alias l='rm x'; l y", "shell: rm x y"),
        ("PAGER='rm x' git log", "shell: rm x"),
        ("x='$(rm y)'; echo ${x@P}", "shell: : <<__CHECKRAIL\n$(rm y)\n__CHECKRAIL\n"),
        ("printf 'rm x' > s.sh; . ./s.sh", "shell: rm x"),
        ("mapfile -C 'rm x' a <<< y", "shell: rm x 0 y"),
    ],
)
def test_text_that_runs_becomes_a_payload(program: str, payload: str) -> None:
    """Builtins that hide execution hand on what they run."""
    assert payload in payloads(program)


def test_remote_and_computed_text_asks() -> None:
    """Text that the line does not show is not run in silence."""
    assert "flow.unknown-code" in rules('eval "$x"')
    assert "shell.computed-command" in rules("$(unknown) -rf /")


def test_what_cannot_be_parsed_is_named() -> None:
    """A syntax error is unread, and what stands before it is still judged."""
    found = reading("echo x > a\nfor do done")
    assert found.unread
    assert found.effects


def test_work_is_bounded() -> None:
    """Alternatives and loops multiply, so there is a cap and it is said."""
    many = "".join(f"if true; then v{n}=a; else v{n}=b; fi; " for n in range(20))
    assert reading(many + "echo > " + "".join(f"$v{n}" for n in range(20))).effects
    assert reading("for a in 1 2; do " * 30 + "echo > $a; " + "done; " * 30) is not None


def test_variables_come_in_with_the_payload() -> None:
    """A nested program knows what the outer one knew."""
    found = effects("echo > $d/x", variables=(("d", "/srv"),))
    assert found == {"write /srv/x"}
    assert Payload(language="shell", text="", cwd=None).variables == ()
