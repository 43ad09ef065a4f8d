"""What ``exec`` and ``sh`` share: the verdict on a command line before it runs, and what is said where it does not."""

import os
import sys
import termios
from collections.abc import Sequence
from typing import Any

from checkrail.client import Client, Unavailable, Verdict

ASKED, DENIED, UNJUDGED = 120, 121, 122
"""Exit codes where nothing ran: it waits for a person's yes; it was denied; nobody could judge it. On allow the code is the command's own."""


def here() -> str:
    """The working directory; empty where it is gone."""
    try:
        return os.getcwd()
    except OSError:
        return ""


def verdict_on(line: str, *, asks: bool = False) -> Verdict:
    """The verdict on a command line that would run here. Raises :class:`Unavailable`."""
    where = here()
    if not where:
        raise Unavailable("the working directory is gone")
    client = Client(cwd=where, session=f"shell-{os.getsid(0)}", asks=asks)
    return client.judge("Bash", {"command": line}, cwd=where)


def _cooked(terminal: int) -> list[Any]:
    """Line by line with echo, as in no line editor; gives back how it was. What was typed or pasted ahead is thrown away."""
    before = termios.tcgetattr(terminal)
    after = termios.tcgetattr(terminal)
    after[0] |= termios.ICRNL
    after[1] |= termios.OPOST
    after[3] |= termios.ICANON | termios.ECHO | termios.ISIG
    termios.tcsetattr(terminal, termios.TCSAFLUSH, after)
    return before


def confirmed(reason: str) -> bool:
    """Whether the person at the terminal says yes. Without a terminal nobody does."""
    try:
        with open("/dev/tty", "r+b", buffering=0) as terminal:
            before = _cooked(terminal.fileno())
            try:
                terminal.write(f"{reason}\nRun it? [y/N] ".encode())
                return os.read(terminal.fileno(), 64).strip().lower() in (b"y", b"yes")
            finally:
                termios.tcsetattr(terminal.fileno(), termios.TCSADRAIN, before)
    except (OSError, termios.error):
        return False


def stopped(line: str, *, asks: bool) -> int:
    """0 where the command line may run, else the exit code that says why not, with the reason on stderr."""
    try:
        verdict = verdict_on(line, asks=asks)
    except Unavailable as error:
        print(f"checkrail: blocked: {error}", file=sys.stderr)
        return UNJUDGED
    if verdict.allowed or (verdict.decision == "ask" and asks and confirmed(verdict.reason)):
        return 0
    if verdict.decision != "ask" or not asks:
        print(verdict.reason, file=sys.stderr)
    return ASKED if verdict.decision == "ask" or verdict.request else DENIED


def run(program: str, words: Sequence[str]) -> int:
    """Becomes the command, so that terminal, stdin, signals and exit code are its own."""
    sys.stdout.flush()
    sys.stderr.flush()
    try:
        os.execvp(program, list(words))
    except FileNotFoundError:
        print(f"checkrail: {program}: command not found", file=sys.stderr)
        return 127
    except OSError as error:
        print(f"checkrail: {program}: {error.strerror}", file=sys.stderr)
        return 126
