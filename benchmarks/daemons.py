"""A daemon of its own for a benchmark, in a temporary directory, and its memory."""

import contextlib
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from checkrail.daemon import lifecycle, shim
from checkrail.daemon.server import Status


@contextlib.contextmanager
def daemon() -> Iterator[Path]:
    """The directory of a daemon that is not running yet: ``hook`` is its shim, ``run/s`` its socket."""
    home = Path(tempfile.mkdtemp(prefix="checkrail-bench-"))
    os.environ.update(XDG_STATE_HOME=str(home / "state"), XDG_CONFIG_HOME=str(home / "config"))
    (home / "hook").write_text(shim.installed(shim.source(), socket=home / "run" / "s"))
    try:
        yield home
    finally:
        with contextlib.suppress(lifecycle.DaemonError):
            lifecycle.stop(home / "run" / "s")
        shutil.rmtree(home)


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
