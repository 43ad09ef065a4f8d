"""The installed copy of the hook: the same text with the paths of this installation written into it.

There are two hooks that do the same: one in Python, which runs wherever Checkrail does, and one in C, which is compiled
where there is a compiler (see :mod:`checkrail.daemon.compiler`).
"""

import os
import sys
from pathlib import Path

from checkrail.daemon.code import PACKAGE

NAME = "checkrail-hook"
BARE = "checkrail-bare.c"


class ShimError(Exception):
    """The hook's text is not there or not as expected."""


def source(name: str = NAME) -> str:
    """The text of the hook as shipped: inside the package, or in the checkout it is run from."""
    for place in (PACKAGE / "hooks" / name, PACKAGE.parent.parent / "hooks" / name):
        if place.is_file():
            return place.read_text()
    raise ShimError(f"{name} is missing from {PACKAGE}; install Checkrail again")


def installed(text: str, *, socket: Path, daemon: tuple[str, ...] | None = None, python: str = sys.executable) -> str:
    """``text`` for an interpreter, a socket, and the command (without ``--socket``) that starts the daemon."""
    start = daemon or (python, "-I", "-m", "checkrail.daemon")
    lines = text.splitlines(keepends=True)
    _put(lines, "#!", f"#!{python} -IS\n")
    _put(lines, "DAEMON = ", f"DAEMON = {start!r}\n")
    _put(lines, "SOCKET = ", f"SOCKET = {str(socket)!r}\n")
    return "".join(lines)


def c_source(*, socket: Path, daemon: tuple[str, ...]) -> str:
    """The text of the hook in C for a socket and the command (without ``--socket``) that starts the daemon."""
    start = ", ".join(map(_quoted, daemon))
    own = f"#define CHECKRAIL_SOCKET {_quoted(str(socket))}\n#define CHECKRAIL_DAEMON {start}\n"
    bare = f'#ifdef CHECKRAIL_BARE\n#line 1 "{BARE}"\n{source(BARE)}#endif\n'
    return f'{own}{bare}#line 1 "{NAME}.c"\n{source(f"{NAME}.c")}'


def _quoted(text: str) -> str:
    """A string of C. All but letters, digits and a few signs are octal, three digits each so that none runs on."""
    plain = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-:;=,()[]{} '*+"
    data = os.fsencode(text)
    if b"\0" in data:
        raise ShimError(f"{text!r} cannot be written into the hook")
    return '"' + "".join(chr(byte) if byte in plain else f"\\{byte:03o}" for byte in data) + '"'


def _put(lines: list[str], start: str, line: str) -> None:
    found = [number for number, text in enumerate(lines) if text.startswith(start)]
    if len(found) != 1:
        raise ShimError(f"the hook has {len(found)} lines that start with {start!r}, not one; install Checkrail again")
    lines[found[0]] = line


def invocation(
    path: Path, *, agent: str, event: str = "", python: str = sys.executable, wait: int = 0
) -> tuple[str, ...]:
    """The command line that agents run: the interpreter by its absolute path, isolated, without site-packages.

    ``wait`` is how many seconds more than usual the agent waits for its hook, so that a person can answer meanwhile.
    """
    return (python, "-I", "-S", *direct(path, agent=agent, event=event, wait=wait))


def direct(path: Path, *, agent: str, event: str = "", wait: int = 0) -> tuple[str, ...]:
    """The command line of a hook that is a program itself."""
    words = (str(path), "--agent", agent, *(("--event", event) if event else ()))
    return (*words, "--wait", str(wait)) if wait else words
