"""Where a package's paths really lie: symbolic links followed, compared with the resolved root. Reads stay inside."""

import os
import stat


class Escapes(Exception):
    """A path that resolves outside the package, or that cannot be resolved."""


class WrongKind(Exception):
    """Not a regular file, or too large; the text says which."""


def real_root(path: str) -> str:
    """The resolved directory of a package."""
    return os.path.realpath(path)


def is_inside(root: str, path: str) -> bool:
    """Whether an absolute path resolves to ``root`` (itself resolved) or below it."""
    try:
        real = os.path.realpath(path)
    except (ValueError, OSError):
        return False
    return real == root or real.startswith(root.rstrip(os.sep) + os.sep)


def stays_inside(root: str, relative: str) -> bool:
    """Whether a path stays inside under every reading: backslashes are separators for some clients."""
    if "\0" in relative:
        return False
    spellings = {relative, relative.replace("\\", "/")}
    return all(is_inside(root, os.path.join(root, spelling)) for spelling in spellings)


def read(root: str, path: str, limit: int) -> bytes:
    """The bytes of a regular file inside the root. Raises :class:`Escapes`, :class:`WrongKind` or OSError."""
    if not is_inside(root, path):
        raise Escapes(path)
    # Non-blocking, since a pipe in a package must not stop the reader.
    descriptor = os.open(os.path.realpath(path), os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise WrongKind("it is not a regular file")
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            raw = file.read(limit + 1)
    finally:
        os.close(descriptor)
    if len(raw) > limit:
        raise WrongKind(f"it is larger than {limit} bytes")
    return raw


def names(directory: str) -> list[str]:
    """What a directory lists, sorted: names are compared with this, never with what a case-folding lookup finds."""
    return sorted(os.listdir(directory))
