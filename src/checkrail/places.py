"""Where Checkrail keeps things: configuration, state, socket, log. Nothing here reads them.

Paths follow the XDG variables (and the platform's own habits, through platformdirs). A
directory that others could write to is refused, since whoever writes there decides here.
"""

import hashlib
import os
import stat
from collections.abc import Mapping
from pathlib import Path

import msgspec

SOCKET_PATH_LIMIT = 102
"""Bytes. ``sun_path`` holds 104 on macOS and 108 on Linux, one of them the closing NUL; one more
is kept for the name under which a new socket is made before it takes its place."""


class PlacesError(Exception):
    """A place cannot be used; the text says which, why, and what to do."""


class Places(msgspec.Struct, frozen=True):
    """Absolute paths. ``config`` and ``data`` may be absent; ``state`` holds the other two."""

    config: Path
    data: Path
    state: Path
    log: Path
    socket: Path


def find(environment: Mapping[str, str] | None = None) -> Places:
    """The user's places. Raises :class:`PlacesError` for a relative ``XDG_*_HOME``."""
    from platformdirs import PlatformDirs

    environment = os.environ if environment is None else environment
    platform = PlatformDirs("checkrail", appauthor=False)
    state = _chosen(environment, "XDG_STATE_HOME", platform.user_state_dir)
    return Places(
        config=_chosen(environment, "XDG_CONFIG_HOME", platform.user_config_dir),
        data=_chosen(environment, "XDG_DATA_HOME", platform.user_data_dir),
        state=state,
        log=state / "daemon.log",
        socket=socket_path(state, environment),
    )


def _chosen(environment: Mapping[str, str], variable: str, usual: str) -> Path:
    base = environment.get(variable, "")
    if not base:
        return Path(usual)
    if not os.path.isabs(base):
        # Relative, it would lie in whatever project the agent happens to work in.
        raise PlacesError(f"{variable}={base!r} is not an absolute path; give one or unset it")
    return Path(base) / "checkrail"


def socket_path(state: Path, environment: Mapping[str, str]) -> Path:
    """``state``/run/daemon.sock, or where that is too long for a socket a short one that stands for it."""
    usual = state / "run" / "daemon.sock"
    if _fits(usual):
        return usual
    name = hashlib.sha256(os.fsencode(state)).hexdigest()[:12]
    runtime = environment.get("XDG_RUNTIME_DIR", "")
    if os.path.isabs(runtime) and _fits(short := Path(runtime) / "checkrail" / f"{name}.sock"):
        return short
    return Path("/tmp") / f"checkrail-{os.geteuid()}" / f"{name}.sock"  # a private directory, checked at use


def _fits(path: Path) -> bool:
    return len(os.fsencode(path)) <= SOCKET_PATH_LIMIT


def secure_directory(path: Path) -> Path:
    """Makes the directory (mode 0700) where it is missing and returns it, or refuses it.

    Raises :class:`PlacesError` if it is no directory, belongs to somebody else, is open to
    others, or lies below a directory in which others may rename things.
    """
    try:
        for missing in [place for place in (*reversed(path.parents), path) if not place.exists()]:
            missing.mkdir(mode=0o700, exist_ok=True)
        real = path.resolve(strict=True)
        _check_own(path, real.stat())
        for parent in real.parents:
            _check_parent(path, parent, parent.stat())
    except OSError as error:
        raise PlacesError(
            f"{path}: {error.strerror or error}; make it a directory of your own with mode 0700"
        ) from error
    return path


def _check_own(path: Path, found: os.stat_result) -> None:
    if not stat.S_ISDIR(found.st_mode):
        raise PlacesError(f"{path} is not a directory; move it away")
    if found.st_uid != os.geteuid():
        raise PlacesError(f"{path} belongs to user {found.st_uid}, not to you ({os.geteuid()}); remove it or chown it")
    if found.st_mode & 0o077:
        mode = stat.S_IMODE(found.st_mode)
        raise PlacesError(f"{path} has mode {mode:04o}, so others could get in; run: chmod 700 {path}")


def _check_parent(path: Path, parent: Path, found: os.stat_result) -> None:
    if found.st_mode & stat.S_IWOTH and not found.st_mode & stat.S_ISVTX:
        raise PlacesError(f"{path} lies in {parent}, where everybody may rename it; run: chmod o-w {parent}")
