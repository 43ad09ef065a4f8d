"""The installed copies of the hook: in the data directory, so that they stay where they are when the package moves."""

import sys
from collections.abc import Mapping
from pathlib import Path

from checkrail.daemon import shim
from checkrail.install import files, native
from checkrail.install.entries import Words
from checkrail.places import Places
from checkrail.policy.cache import PolicyCache, usual_layers

PINNED = ("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR")
"""Variables that say where the daemon finds its files. A project can set variables for an agent's hooks, so the hook
starts the daemon with the values of the installation and not with those that it was called with."""


def daemon_command(python: str, environment: Mapping[str, str]) -> tuple[str, ...]:
    """The command line by which the hook starts the daemon."""
    pinned = {name: environment[name] for name in PINNED if environment.get(name)}
    code = (
        f"import os,runpy;[os.environ.pop(n,0)for n in{PINNED!r}];os.environ.update({pinned!r});"
        "runpy.run_module('checkrail.daemon',run_name='__main__')"
    )
    return (python, "-I", "-c", code)


def path(places: Places) -> Path:
    """Where the installed hook in Python lies."""
    return places.data / "hooks" / shim.NAME


def text(places: Places, environment: Mapping[str, str], python: str = sys.executable) -> str:
    """The installed hook as it should be now. Raises :class:`checkrail.daemon.shim.ShimError`."""
    daemon = daemon_command(python, environment)
    return shim.installed(shim.source(), socket=places.socket, daemon=daemon, python=python)


def patience(places: Places) -> int:
    """How many seconds a person may take to answer inside a call, by the user's policy as it is now."""
    return PolicyCache(usual_layers(places.config, None)).current().policy.approvals.wait


def put(places: Places, environment: Mapping[str, str], python: str = sys.executable) -> Path:
    """Writes the installed hook where it differs; returns its path."""
    wanted, where = text(places, environment, python).encode(), path(places)
    if files.read(where) != wanted:
        files.write(where, wanted, mode=0o500)
    return where


def put_native(
    places: Places, environment: Mapping[str, str], python: str = sys.executable, *, wanted: bool = True
) -> str:
    """Compiles the hook in C where that is wanted and can be done; returns why it is the one in Python instead."""
    if wanted:
        return native.put(places, native_text(places, environment, python), text(places, environment, python))
    native.step_back(places, text(places, environment, python))
    return "as you chose"


def native_text(places: Places, environment: Mapping[str, str], python: str = sys.executable) -> str:
    """The text of the hook in C as it should be now. Raises :class:`checkrail.daemon.shim.ShimError`."""
    return native.text(places, daemon_command(python, environment))


MANAGED = "/usr/local/lib/checkrail/checkrail-hook"
"""What managed settings run for every user: it hands the call to that user's own hook (see ``contrib/fleet``)."""


def words(places: Places, *, managed: bool = False, python: str = sys.executable) -> Words:
    """The command line that agents run, by agent, event and how long a person may take inside a call.

    The hook in C where it is in place and as it was compiled, else the one in Python.
    """
    compiled = not managed and native.current(places)

    def said(agent: str, event: str, wait: int) -> tuple[str, ...]:
        if managed:
            return (MANAGED, "--agent", agent, *(("--event", event) if event else ()))
        if compiled:
            return shim.direct(native.path(places), agent=agent, event=event, wait=wait)
        return shim.invocation(path(places), agent=agent, event=event, python=python, wait=wait)

    return said
