"""Compiling the hook in C with whatever compiler the system has."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

SYSTEM = "/usr/bin:/bin:/usr/local/bin:/opt/homebrew/bin:/opt/local/bin"
"""Where a compiler is looked for: not along the caller's PATH, into which a project can put its own."""
FLAGS = ("-std=c99", "-O2", "-Wall", "-Wextra")
SECONDS = 60
_LEAN = ("-static", "-s")
_BARE = (
    *_LEAN,
    "-no-pie",
    "-nostdlib",
    "-ffreestanding",
    "-fno-stack-protector",
    "-U_FORTIFY_SOURCE",
    "-DCHECKRAIL_BARE",
)
_WITH_LIBRARY = (("musl-gcc", _LEAN), ("cc", _LEAN), ("cc", ()), ("gcc", ()), ("clang", ()))
_WITHOUT = (("cc", _BARE), ("gcc", _BARE), ("clang", _BARE)) if sys.platform == "linux" else ()


class CompileError(Exception):
    """No compiler, or none that can do it; the text says which."""


def candidates(search: str = SYSTEM, *, bare: bool | None = None) -> tuple[tuple[str, ...], ...]:
    """Compilers with their options, the one that gives the fastest program first; empty where there is none.

    ``bare`` takes only those for a program without a C library (see ``hooks/checkrail-bare.c``), or only the others.
    """
    if sys.platform == "darwin" and not _has_tools():
        return ()
    wanted = {None: (*_WITHOUT, *_WITH_LIBRARY), True: _WITHOUT, False: _WITH_LIBRARY}[bare]
    found = ((shutil.which(name, path=search), more) for name, more in wanted)
    return tuple((path, *more) for path, more in found if path)


def _has_tools() -> bool:
    """On macOS ``cc`` is always there, and opens a window where the tools behind it are not."""
    try:
        done = subprocess.run(
            ("/usr/bin/xcode-select", "-p"), capture_output=True, timeout=10, stdin=subprocess.DEVNULL, check=False
        )
    except (OSError, subprocess.SubprocessError):
        return False
    return done.returncode == 0


def compiled(
    text: str,
    *,
    flags: tuple[str, ...] = FLAGS,
    search: str = SYSTEM,
    bare: bool | None = None,
    trial: Callable[[bytes], None] | None = None,
) -> bytes:
    """The program of a C text, by the first of :func:`candidates` that can and whose program passes ``trial``.

    ``trial`` raises :class:`CompileError` for a program that is not to be used. Raises the last :class:`CompileError`.
    """
    told = CompileError("there is no C compiler")
    for command in candidates(search, bare=bare):
        try:
            program = _made(command, text, flags)
            if trial:
                trial(program)
            return program
        except CompileError as error:
            told = error
    raise told


def _made(command: tuple[str, ...], text: str, flags: tuple[str, ...]) -> bytes:
    """The program by one compiler."""
    with tempfile.TemporaryDirectory(prefix="checkrail-cc-") as folder:
        target = Path(folder, "hook")
        said = _run((*command, *flags, "-x", "c", "-o", str(target), "-"), text, folder)
        if said is None and target.is_file():
            return target.read_bytes()
        raise CompileError(f"{' '.join(command)}: {said or 'it wrote nothing'}")


def _run(command: tuple[str, ...], text: str, folder: str) -> str | None:
    """What a compiler complained of; None where it succeeded."""
    around = {"PATH": SYSTEM, "TMPDIR": folder, "LC_ALL": "C"}
    around |= {name: os.environ[name] for name in ("SDKROOT", "DEVELOPER_DIR") if name in os.environ}
    try:
        done = subprocess.run(
            command, input=os.fsencode(text), capture_output=True, timeout=SECONDS, cwd=folder, env=around, check=False
        )
    except (OSError, subprocess.SubprocessError) as error:
        return str(error)
    return None if done.returncode == 0 else done.stderr.decode(errors="replace").strip()[:300]
