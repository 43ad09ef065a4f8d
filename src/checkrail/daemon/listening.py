"""Getting hold of the socket: one daemon at a time, without trusting what a dead one left behind."""

import os
import socket
import stat
from pathlib import Path

from checkrail.daemon import client
from checkrail.places import PlacesError, secure_directory

BACKLOG = 512
PATIENCE_S = 6.0
"""How long to wait for another process that is just starting a daemon."""
Identity = tuple[int, int]


def claim(path: Path) -> tuple[socket.socket, Identity] | None:
    """Listens at ``path`` unless somebody who answers does so already: then None.

    Who answers is alive, whatever process ids or files say; who does not answer loses the
    path. A lock beside it keeps two starters from doing this at the same time. Raises
    :class:`PlacesError` where the directory is not private or the path is taken.
    """
    from filelock import FileLock, Timeout

    secure_directory(path.parent)
    try:
        with FileLock(f"{path}.lock", timeout=PATIENCE_S, mode=0o600):
            return None if client.alive(path) else _listen(path)
    except Timeout:
        raise PlacesError(f"{path}.lock is held by a process that does not come to an end; end it") from None


def _listen(path: Path) -> tuple[socket.socket, Identity]:
    """A socket that takes its place only when it can be connected to; mode 0600."""
    if path.exists() and not stat.S_ISSOCK(path.lstat().st_mode):
        raise PlacesError(f"{path} is in the way and no socket; move it away")
    fresh = f"{path}~"
    if os.path.lexists(fresh):
        os.unlink(fresh)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(fresh)
    os.chmod(fresh, 0o600)
    listener.listen(BACKLOG)
    os.rename(fresh, path)
    found = identity(path)
    if found is None:
        raise PlacesError(f"{path} vanished as soon as it was made")
    return listener, found


def identity(path: Path) -> Identity | None:
    """Device and inode of the file at ``path``; None where there is none."""
    try:
        found = os.lstat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def release(path: Path, own: Identity) -> None:
    """Removes the socket file, if it is still the one that was made here."""
    if identity(path) == own:
        os.unlink(path)
