"""Terminals that nobody watches, and editors and debuggers that run things."""

import pytest

from tests.readers.shell.evaluation import effects, payloads, rules


@pytest.mark.parametrize(
    ("program", "rule"),
    [
        ("tmux send-keys -t x 'rm -rf src' Enter", "tmux.types"),
        ("tmux new -d -s x \\; send -t x id Enter", "tmux.types"),
        ("tmux paste-buffer -t x", "tmux.types"),
        ("tmux kill-server", "tmux.kill-server"),
        ("screen -S x -X stuff 'id\\n'", "screen.types"),
        ("expect -c 'spawn sh; send id'", "expect.types"),
        ("ttyd bash", "dtach.shares"),
    ],
)
def test_typing_into_a_terminal_asks(program: str, rule: str) -> None:
    """Whatever is typed."""
    assert rule in rules(program)


@pytest.mark.parametrize(
    "program", ["tmux ls", "tmux new -d -s x", "tmux kill-session -t x", "tmux capture-pane -p", "screen -ls"]
)
def test_handling_sessions_is_free(program: str) -> None:
    """Starting, listing and ending one."""
    assert rules(program) == set()


@pytest.mark.parametrize(
    "program",
    [
        "tmux send-keys -t x 'rm -rf src' Enter",
        "tmux new-session -d -s x -c /tmp 'rm -rf src'",
        "tmux split-window -h 'rm -rf src'",
        "tmux run-shell 'rm -rf src'",
        "tmux if-shell true 'run \"rm -rf src\"'",
        "screen -X stuff $'rm -rf src\\n'",
        "expect -c 'spawn rm -rf src'",
        "vim -c '!rm -rf src' -c q",
        "vim -es +'sil !rm -rf src' +q",
        "vim -c '%!rm -rf src'",
        "vim -c 'w !rm -rf src'",
        "vim -c 'set nu | !rm -rf src'",
        "printf '!rm -rf src\\n' | ex -s",
        "ed '!rm -rf src'",
        "printf 'r !rm -rf src\\n' | ed -s",
        "gdb -batch -ex 'shell rm -rf src'",
        "gdb -batch -ex '!rm -rf src'",
        "lldb -o 'platform shell rm -rf src'",
        "dc -e '!rm -rf src'",
        "echo 'syscmd(rm -rf src)' | m4",
        "osascript -e 'do shell script \"rm -rf src\"'",
        "sops exec-env a.yaml 'rm -rf src'",
    ],
)
def test_what_they_run_is_judged(program: str) -> None:
    """As a shell line."""
    assert any(text.removeprefix("shell: ").strip().startswith("rm -rf src") for text in payloads(program))


@pytest.mark.parametrize(
    "program",
    [
        "vim -c '%s/a/b/g' -c wq x",
        "vim +10 x",
        "vim -c 'g/!/d' x",
        "gdb -batch -ex bt x",
        "dc -e '2 3 !=r p'",
        "printf '1d\\nw\\nq\\n' | ed x",
    ],
)
def test_ordinary_commands_run_nothing(program: str) -> None:
    """An exclamation mark alone is no command."""
    assert payloads(program) == set()


@pytest.mark.parametrize(
    ("program", "effect"),
    [
        ("vim x", "write /work/app/x"),
        ("vim -c 'w! out' x", "write /work/app/out"),
        ("vim -c 'w >> out' x", "append /work/app/out"),
        ("printf 'w out\\n' | ed x", "write /work/app/out"),
        ("printf 'a\\n!rm x\\n.\\nw out\\n' | ed x", "write /work/app/out"),
        ("gdb -ex 'dump value out 1'", "write /work/app/out"),
    ],
)
def test_files_are_found(program: str, effect: str) -> None:
    """Edited, and written by commands."""
    assert effect in effects(program)


def test_code_in_an_editor_asks() -> None:
    """Expressions that call the system."""
    for line in ('call system("x")', 'exe "!x"', ":sh", 'lua os.execute("x")'):
        assert {"vi.code", "vi.shell"} & rules(f"vim -c '{line}'")
    assert not {"vi.code", "vi.shell"} & rules("vim -c 'set number' x")
