"""Commands that run commands, to any depth."""

import pytest

from tests.readers.shell.evaluation import effects, payloads, rules

WRAPPERS = [
    "env",
    "env -i",
    "env -u A B=1",
    "env -",
    "env --",
    "env -C /work/app",
    "nice",
    "nice -n 5",
    "nice -5",
    "ionice -c3",
    "nohup",
    "setsid",
    "setsid -c",
    "stdbuf -oL",
    "stdbuf -o L",
    "chrt 5",
    "chrt -b 0",
    "taskset 1",
    "taskset -c 0",
    "timeout 5",
    "timeout -k 1 -s KILL 5",
    "timeout --signal=9 5",
    "/usr/bin/time -p",
    "flock l",
    "flock -w 5 l",
    "sudo",
    "sudo -u root",
    "sudo -E A=1",
    "sudo --",
    "doas -u root",
    "pkexec",
    "chroot /",
    "unshare -r",
    "nsenter -t 1 -m",
    "bwrap --bind / / --dev /dev",
    "setpriv --reuid 1",
    "fakeroot",
    "firejail --quiet",
    "busybox",
    "systemd-run --user --scope",
    "strace -f -o /dev/null",
    "ltrace",
    "valgrind --tool=none",
    "perf stat -e x",
    "script -q /dev/null",
    "xvfb-run -a",
    "unbuffer -p",
    "setarch x86_64",
    "linux64",
    "caffeinate -i",
    "watch -x",
    "xargs -a /dev/null",
    "screen -dm",
    "screen -dmS x",
    "tmux new -d --",
    "proxychains4 -q",
    "numactl -l",
    "systemd-inhibit --what idle",
    "gdb --args",
    "op run --",
    "doppler run --",
    "command",
    "/usr/bin/env",
]


@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_the_inner_command_is_judged(wrapper: str) -> None:
    """With options, values and assignments before it, alone and within another."""
    assert "delete /work/app/src" in effects(f"{wrapper} rm -rf src")
    assert "delete /work/app/src" in effects(f"nice {wrapper} env A=1 rm -rf src")


@pytest.mark.parametrize(
    "program",
    [
        "env -S 'rm -rf src'",
        "env -S'rm -rf' src",
        "env -vS 'rm -rf' src",
        "env -i -S 'A=1 rm' -rf src",
        "env --split-string='rm -rf src'",
        "env --split 'rm -rf src'",
        "env -S 'rm\\_-rf\\_src'",
        "env -S 'env -S \"rm -rf src\"'",
    ],
)
def test_a_split_string_is_a_command(program: str) -> None:
    """Every spelling of -S."""
    assert "delete /work/app/src" in effects(program)


@pytest.mark.parametrize(
    "program",
    [
        "watch rm -rf src",
        "flock l -c 'rm -rf src'",
        "script -qc 'rm -rf src' x",
        "script x -c 'rm -rf src'",
        "su -c 'rm -rf src'",
        "su dev -c 'rm -rf src'",
        "runuser -l dev -c 'rm -rf src'",
        "sudo -s rm -rf src",
        "sudo -i rm -rf src",
        "ls | entr -s 'rm -rf src'",
        "sg docker -c 'rm -rf src'",
        "hyperfine 'rm -rf src'",
        "tmux new -d 'rm -rf src'",
        "strace -o '|rm -rf src' ls",
        "capsh -- -c 'rm -rf src'",
    ],
)
def test_a_shell_line_is_handed_on(program: str) -> None:
    """Where the wrapper gives it to a shell."""
    assert "shell: rm -rf src" in payloads(program)


def test_the_whole_environment_is_printed_only_without_a_command() -> None:
    """env alone, also behind a filter that lets everything through."""
    assert "shell.prints-environment" in rules("env")
    assert "shell.prints-environment" in rules("env | sort")
    assert "shell.prints-environment" in rules("printenv")
    assert "shell.prints-environment" not in rules("env | grep -i java")
    assert "shell.prints-environment" not in rules("env | sort | head -3 >/dev/null")
    assert "shell.prints-environment" not in rules("env A=1 ls")
    assert "printenv.variable" in rules("printenv API_TOKEN")
    assert rules("printenv PATH") == set()


def test_a_command_that_waits_for_input_asks() -> None:
    """A recorded shell, a terminal without a command."""
    for program in ("script", "screen", "tmux"):
        assert "flow.unwatched" in rules(program)
