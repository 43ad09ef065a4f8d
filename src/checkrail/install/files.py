"""Careful writing: whole or not at all, through symbolic links, with the mode that was there, and a copy kept."""

import errno
import hashlib
import os
import secrets
import stat
import time
from pathlib import Path


def digest(content: bytes | None) -> str:
    """Of a file's content; empty for a file that is not there."""
    return "" if content is None else hashlib.sha256(content).hexdigest()


def read(path: Path) -> bytes | None:
    """The content, None where there is no such file. Raises OSError for anything else, and for what is no regular file."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "is no regular file; move it away first, nothing was changed", str(path))
    return path.read_bytes()


def write(path: Path, content: bytes, *, mode: int | None = None) -> None:
    """Replaces the file (where a link leads) in one step, keeping its owner, and its mode unless ``mode`` is given."""
    real = Path(os.path.realpath(path))
    read(real)  # refuses a device or a pipe, which a link may well lead to
    real.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    try:
        before = real.stat()
    except FileNotFoundError:
        before = None
    kept = before.st_mode & 0o7777 if before else 0o600
    temporary = real.with_name(f".{real.name}.{secrets.token_hex(4)}")
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    try:
        with open(handle, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        if before and os.geteuid() == 0 and (before.st_uid, before.st_gid) != (0, 0):
            os.chown(temporary, before.st_uid, before.st_gid)
        os.chmod(temporary, kept if mode is None else mode)
        os.replace(temporary, real)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def remove(path: Path) -> None:
    """Removes the file, where a link leads: whose link it is, it stays."""
    Path(os.path.realpath(path)).unlink(missing_ok=True)


def back_up(path: Path, content: bytes, directory: Path) -> Path:
    """Keeps ``content`` of ``path`` under a name with the time in it; returns where."""
    directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    folder = hashlib.sha256(os.fsencode(path)).hexdigest()[:8]
    kept = directory / f"{path.name}.{folder}.{stamp}.{secrets.token_hex(2)}"
    write(kept, content, mode=0o600)
    return kept


def missing(folder: Path) -> str:
    """The topmost of a folder and those above it that is not there; empty where all are."""
    absent = [place for place in (folder, *folder.parents) if not place.exists()]
    return str(absent[-1]) if absent else ""


def remove_empty(folder: Path, top: str) -> None:
    """Removes a folder and those above it up to ``top``, as far as nothing is in them."""
    while top and str(folder).startswith(top):
        try:
            folder.rmdir()
        except OSError:
            return
        folder = folder.parent
