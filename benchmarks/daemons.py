"""A daemon of its own for a benchmark, in a temporary directory, and its memory."""

import contextlib
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from checkrail.daemon import compiler, lifecycle, shim
from checkrail.daemon.code import PACKAGE
from checkrail.daemon.server import Status


@contextlib.contextmanager
def daemon() -> Iterator[Path]:
    """The directory of a daemon that is not running yet: ``hook`` is its shim, ``run/s`` its socket.

    ``hook-c`` is the shim in C, where it can be compiled.
    """
    home = Path(tempfile.mkdtemp(prefix="checkrail-bench-"))
    os.environ.update(XDG_STATE_HOME=str(home / "state"), XDG_CONFIG_HOME=str(home / "config"))
    (home / "hook").write_text(shim.installed(shim.source(), socket=home / "run" / "s", daemon=command()))
    with contextlib.suppress(compiler.CompileError):
        text = shim.c_source(socket=home / "run" / "s", daemon=command())
        (home / "hook-c").write_bytes(compiler.compiled(text))
        (home / "hook-c").chmod(0o500)
    try:
        yield home
    finally:
        with contextlib.suppress(lifecycle.DaemonError):
            lifecycle.stop(home / "run" / "s")
        shutil.rmtree(home)


def command() -> tuple[str, ...]:
    """What starts the daemon from the code at hand, whichever is installed."""
    code = f"import sys,runpy;sys.path.insert(0,{str(PACKAGE.parent)!r});runpy.run_module('checkrail.daemon',run_name='__main__')"
    return (sys.executable, "-I", "-c", code)


def start(home: Path) -> Status:
    """Starts the daemon of a directory; its status, once every worker is there."""
    lifecycle.start(home / "run" / "s", run=(*command(), "--socket", str(home / "run" / "s")))
    return whole(home / "run" / "s")


def whole(socket: Path) -> Status:
    """The status, once every worker is there."""
    while True:
        found = lifecycle.status(socket)
        if found.running and 0 not in found.workers:
            return found
        time.sleep(0.02)


def memory(pid: int) -> dict[str, float]:
    """Resident, proportional and private megabytes of a process; empty where the system does not tell."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return {}
    sizes = {words[0]: int(words[1]) / 1024 for line in lines if (words := line.split())[-1] == "kB"}
    private = sizes["Private_Clean:"] + sizes["Private_Dirty:"]
    return {"rss": sizes["Rss:"], "pss": sizes["Pss:"], "private": private}


def interpreter() -> str:
    """The interpreter that runs this, without a version manager's wrapper in front."""
    return os.path.realpath(sys.executable)
