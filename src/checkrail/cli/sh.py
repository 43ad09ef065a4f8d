"""A shell that has its command lines judged: ``checkrail sh -c '…'``, a script, a program on stdin, or a session at a terminal.

``checkrail-sh`` is the same as one word, for SHELL. Exit codes: the shell's own where it runs. 120: a person has to say yes
first. 121: denied. 122: it could not be judged. Everything is passed on to bash (or sh) unchanged. With --judge LINE
nothing runs: exit 0 says that the line may, after asking at the terminal where it has to. --where bash (zsh, fish) prints
the file to source in your own shell.
"""

import argparse
import os
import shlex
import shutil
import sys
from collections.abc import Sequence

from checkrail.cli import USAGE, wrapping

LONGEST_PROGRAM = 1 << 20
"""Bytes of a program on stdin; a longer one is not run."""
_TAKES_VALUE = frozenset({"-o", "+o", "-O", "+O", "--rcfile", "--init-file"})


def configure(parser: argparse.ArgumentParser) -> None:
    """See the module's help. The words are the shell's own, so none of them is ours but a first --judge."""
    parser.add_argument("words", nargs=argparse.REMAINDER, metavar="…", help="what you would give to bash")


def _shell() -> str:
    return shutil.which("bash", path="/bin:/usr/bin:/usr/local/bin") or "/bin/sh"


def program_on_stdin(words: Sequence[str]) -> bool:
    """Whether these arguments make a shell read its program from stdin."""
    rest = list(words)
    while rest and rest[0][:1] in ("-", "+") and len(rest[0]) > 1:
        word = rest.pop(0)
        if word == "--":
            break
        short = not word.startswith("--")
        if short and "c" in word[1:]:
            return False
        if short and word.startswith("-") and "s" in word[1:]:
            return True
        if word in _TAKES_VALUE or (short and word[-1] in "oO" and len(word) > 2):
            rest = rest[1:]
    return not rest or rest[0] == "-"


def _program(words: Sequence[str]) -> int:
    """Reads the whole program, judges it, and hands it to the shell in a file of the same text."""
    text = b""
    while len(text) <= LONGEST_PROGRAM and (part := os.read(0, 1 << 16)):
        text += part
    if len(text) > LONGEST_PROGRAM:
        print(f"checkrail: blocked: the program on stdin is longer than {LONGEST_PROGRAM} bytes", file=sys.stderr)
        return wrapping.UNJUDGED
    try:
        line = text.decode()
    except UnicodeDecodeError:
        print("checkrail: blocked: the program on stdin is no UTF-8 text", file=sys.stderr)
        return wrapping.UNJUDGED
    return wrapping.stopped(line, asks=False) or _with_program(text, words)


def _with_program(text: bytes, words: Sequence[str]) -> int:
    import tempfile

    with tempfile.TemporaryFile() as held:
        held.write(text)
        held.flush()
        held.seek(0)
        os.dup2(held.fileno(), 0)
    return wrapping.run(_shell(), ["bash", *words])


def _guarded() -> str:
    """The start-up file of a session at a terminal: the user's own, then the integration, without questions."""
    from checkrail.install.targets import place

    return str(place("shell/session.bash"))


def _session(words: Sequence[str]) -> int:
    """A shell at a terminal, in which each line is judged."""
    shell = _shell()
    if not shell.endswith("bash"):
        print("checkrail: blocked: a session at a terminal needs bash", file=sys.stderr)
        return wrapping.UNJUDGED
    os.environ["CHECKRAIL_PROGRAM"] = sys.executable
    return wrapping.run(
        shell, ["bash", "--rcfile", _guarded(), *(word for word in words if word not in ("-l", "--login", "-i")), "-i"]
    )


def run(args: argparse.Namespace) -> int:
    """Judges, and becomes the shell."""
    return judged(args.words)


def judged(words: Sequence[str]) -> int:
    """See :func:`run`."""
    if words[:1] == ["--judge"] or words[:1] == ["--judge-only"]:
        if len(words) != 2:
            print("checkrail sh --judge: give one line", file=sys.stderr)
            return USAGE
        return wrapping.stopped(words[1], asks=words[0] == "--judge")
    if words[:1] == ["--where"] and len(words) == 2 and words[1] in ("bash", "zsh", "fish"):
        from checkrail.install.targets import place

        print(place(f"shell/{words[1]}"))
        return 0
    if program_on_stdin(words):
        return _session(words) if os.isatty(0) else _program(words)
    return wrapping.stopped(shlex.join(["bash", *words]), asks=False) or wrapping.run(_shell(), ["bash", *words])


def main() -> int:
    """``checkrail-sh``."""
    return judged(sys.argv[1:])
