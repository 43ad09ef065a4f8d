"""The installed hook in C: compiled where that can be done, tried, put in place in one step, and known again.

It has a place of its own beside the hook in Python, because a running agent keeps the command line that it started with:
``python3 checkrail-hook`` must stay Python, and what is run as a program must stay one. Where it cannot be compiled any
more, the Python text takes its place, which its first line makes a program too.
"""

import os
import re
import stat
import subprocess
import tempfile
from pathlib import Path

import msgspec

from checkrail.daemon import shim
from checkrail.daemon.compiler import CompileError, compiled
from checkrail.install import files
from checkrail.places import Places

MODE = 0o500
_BLOCKED = re.compile(rb"checkrail: blocked: [^\n]+\n")


class Made(msgspec.Struct, frozen=True):
    """Of which text the program in place was compiled, and what came out, as digests; empty where it is Python."""

    text: str = ""
    program: str = ""


def path(places: Places) -> Path:
    """Where the program lies."""
    return places.data / "hooks" / "native" / shim.NAME


def _record(places: Places) -> Path:
    return path(places).with_name("made.json")


def made(places: Places) -> Made:
    """What is known of the program in place."""
    try:
        return msgspec.json.decode(files.read(_record(places)) or b"{}", type=Made)
    except (OSError, msgspec.MsgspecError):
        return Made()


def current(places: Places) -> bool:
    """Whether the program in place is the one that was compiled here, and nobody else's."""
    known, where = made(places), path(places)
    try:
        return bool(known.program) and not fault(where) and files.digest(files.read(where)) == known.program
    except OSError:
        return False


def fault(where: Path) -> str:
    """Why a program must not be trusted, or an empty string."""
    try:
        found = where.lstat()
    except OSError as error:
        return f"{where} cannot be looked at ({error.strerror})"
    if not stat.S_ISREG(found.st_mode):
        return f"{where} is no regular file"
    if found.st_uid != os.geteuid():
        return f"{where} belongs to user {found.st_uid}"
    if stat.S_IMODE(found.st_mode) & 0o077 or not found.st_mode & stat.S_IXUSR:
        return f"{where} has the mode {stat.S_IMODE(found.st_mode):o}, not {MODE:o}"
    return ""


def put(places: Places, text: str, python_text: str) -> str:
    """Puts the program of a C text in place; returns why it is Python instead, or an empty string."""
    known = Made(files.digest(os.fsencode(text)))
    if made(places).text == known.text and current(places):
        return ""
    try:
        program = compiled(text, trial=lambda found: _try(found, places))
    except (CompileError, OSError) as error:
        step_back(places, python_text)
        return str(error)
    folder = path(places).parent
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    folder.chmod(0o700)
    files.write(_record(places), msgspec.json.encode(Made()), mode=0o600)  # between the two writes it counts as unknown
    _replace(places, program)
    files.write(_record(places), msgspec.json.encode(Made(known.text, files.digest(program))), mode=0o600)
    return ""


def step_back(places: Places, python_text: str) -> None:
    """Lets those that still run the program run the Python text; nothing where there never was a program."""
    if path(places).parent.is_dir() and files.read(path(places)) != python_text.encode():
        files.write(_record(places), msgspec.json.encode(Made()), mode=0o600)
        _replace(places, python_text.encode())


def _replace(places: Places, content: bytes) -> None:
    """Where a link lies in our place, the link is replaced and not what it leads to."""
    if path(places).is_symlink():
        path(places).unlink()
    files.write(path(places), content, mode=MODE)


def _try(program: bytes, places: Places) -> None:
    """A program that does not block when it is asked nothing is not installed: other processor, no loader, no execution."""
    places.data.mkdir(parents=True, exist_ok=True, mode=0o700)
    with tempfile.TemporaryDirectory(prefix=".try-", dir=places.data) as folder:
        trial = Path(folder, shim.NAME)
        files.write(trial, program, mode=MODE)
        try:
            done = subprocess.run((str(trial),), stdin=subprocess.DEVNULL, capture_output=True, timeout=10, check=False)
        except subprocess.SubprocessError as error:
            raise CompileError(f"the compiled hook does not run: {error}") from None
        if done.returncode != 2 or done.stdout or not _BLOCKED.fullmatch(done.stderr):
            raise CompileError(f"the compiled hook does not block as it should (exit code {done.returncode})")


def text(places: Places, daemon: tuple[str, ...]) -> str:
    """The C text of this installation. Raises :class:`checkrail.daemon.shim.ShimError`."""
    return shim.c_source(socket=places.socket, daemon=daemon)


def problem(places: Places, text: str) -> str:
    """What is wrong with the program in place, or an empty string; none where it is Python or was never there."""
    known = made(places)
    if not known.program:
        return ""
    if told := fault(path(places)):
        return told
    if not current(places):
        return f"{path(places)} was changed after it was compiled"
    return "" if known.text == files.digest(os.fsencode(text)) else f"{path(places)} is of another installation"
