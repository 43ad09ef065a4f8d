"""Sockets that came with the process: from systemd, or from our own earlier self across an exec."""

import os
import socket
import stat

FIRST = 3
"""The file descriptor at which passed sockets begin (sd_listen_fds(3))."""
_OWN = "checkrail-"
Passed = tuple[socket.socket, tuple[int, int] | None]
"""A listening socket, and device and inode of its file where that file is ours to remove."""


class ActivationError(Exception):
    """What was passed is not the one socket that is needed."""


def inherited() -> Passed | None:
    """The passed listening socket, or None; takes the variables out of the environment.

    Its file is ours where an earlier self made it, and not where systemd did. Raises
    :class:`ActivationError` where what was passed does not fit.
    """
    pid, count = os.environ.pop("LISTEN_PID", ""), os.environ.pop("LISTEN_FDS", "")
    names = os.environ.pop("LISTEN_FDNAMES", "")
    if pid != str(os.getpid()) or not count:
        return None
    if count != "1":
        raise ActivationError(f"{count} sockets were passed; the socket unit must have one ListenStream")
    if not stat.S_ISSOCK(os.fstat(FIRST).st_mode):
        raise ActivationError("what was passed is no socket")
    listener = socket.socket(fileno=FIRST)
    listener.set_inheritable(False)
    listener.setblocking(True)
    if listener.family != socket.AF_UNIX or listener.type != socket.SOCK_STREAM or not _listens(listener):
        raise ActivationError("the passed socket is not a listening Unix stream socket")
    return listener, _identity(names)


def _listens(listener: socket.socket) -> bool:
    return bool(listener.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN))


def _identity(names: str) -> tuple[int, int] | None:
    if not names.startswith(_OWN):
        return None
    device, inode = names.removeprefix(_OWN).split("-")
    return int(device), int(inode)


def passing(identity: tuple[int, int] | None) -> dict[str, str]:
    """The variables with which this process hands its socket to what it becomes by exec."""
    name = f"{_OWN}{identity[0]}-{identity[1]}" if identity else "systemd"
    return {"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": "1", "LISTEN_FDNAMES": name}
