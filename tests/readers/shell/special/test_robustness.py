"""Whatever the arguments, a special neither fails nor takes long."""

import random

import pytest

from checkrail.readers.shell.special import SPECIALS
from tests.readers.shell.evaluation import reading

COMMANDS = (
    "find fd xargs parallel sed awk tar zip unzip 7z gzip cpio cp mv ln install chmod chown dd tee truncate rename kill pkill "
    "crontab at systemctl date base64 xxd grep sort tmux screen xterm expect vim ed strace gdb perf jq dc m4 doppler sops "
    "osascript env printenv nice chroot bwrap flock script watch entr busybox ssh-agent sudo su systemd-run pmset"
)
WORDS = (
    "-e -f -i -n -x -c -s -o -r -t -C -I{} -S -exec -name -delete -o -a ( ) ! ; + {} - -- --x=y = a a=b *.py '' / ~ . "
    '-rf -X -l w%20x s/a/b/e s/[ /x/ e \\ {print> system( | getline " -1 1 @reboot !id :::  ::: :wq +!id 4755 u+s'
)


@pytest.mark.parametrize("name", COMMANDS.split())
def test_any_arguments_are_read(name: str) -> None:
    """Four hundred random argument lists each."""
    choose = random.Random(name)
    words = WORDS.split()
    for _ in range(400):
        given = [choose.choice(words) for _ in range(choose.randrange(7))]
        line = " ".join([name, *("'" + word.replace("'", "'\\''") + "'" for word in given)])
        assert reading(f"echo 'x y' | {line}") is not None


@pytest.mark.parametrize(
    "line",
    [
        "find " + "\\( " * 5000 + "-name x",
        "find . " + "-name a -o " * 5000 + "-delete",
        "sed '" + "s/a/b/;" * 10000 + "'",
        "sed '" + "[" * 50000 + "'",
        "awk '" + "a/b/" * 10000 + "'",
        "awk '" + '"x" ' * 20000 + "| getline'",
        "awk 'BEGIN{" + 'x=x "a";' * 3000 + "system(x)}'",
        "xargs " + "-n1 " * 5000 + "echo",
        "env " + "-S 'env " * 50 + "ls" + "'" * 50,
        "pkill -f '" + "(a*)*" * 1000 + "'",
        "vim -c '" + "%" * 50000 + "'",
        "tar " + "x" * 50000,
        "jq '" + '"' * 50001 + "'",
    ],
)
def test_long_arguments_are_read(line: str) -> None:
    """Nothing runs away on input made to make it."""
    assert reading(line) is not None


def test_every_special_can_be_loaded() -> None:
    """The table names functions that exist."""
    from importlib import import_module

    for name, module in SPECIALS.items():
        assert callable(getattr(import_module(module), name, None)), name
