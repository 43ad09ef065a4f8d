"""The daemon's own log: a few lines about its life, never anything of a call."""

import os
import time
import traceback
from pathlib import Path

LIMIT = 256 << 10
"""Bytes; above that the file becomes ``<name>.1`` and a new one starts."""


class Log:
    """Appends lines to a small file (mode 0600). A log that cannot be written is no reason to fail."""

    def __init__(self, path: Path | None) -> None:
        self._path = path

    def note(self, text: str) -> None:
        """Adds one line with the time and the process id."""
        line = f"{time.strftime('%Y-%m-%dT%H:%M:%S%z')} [{os.getpid()}] {' '.join(text.split())}\n"
        try:
            fd = self._open()
            try:
                os.write(fd, line.encode(errors="replace"))
            finally:
                if self._path:
                    os.close(fd)
        except OSError:
            pass

    def failure(self, what: str, error: BaseException) -> None:
        """Adds the kind of an error and where it came from; its text may quote a call, so it is left out."""
        frames = traceback.extract_tb(error.__traceback__)[-4:]
        where = " < ".join(f"{os.path.basename(frame.filename)}:{frame.lineno}" for frame in reversed(frames))
        self.note(f"{what}: {type(error).__name__} at {where or 'unknown place'}")

    def take_stderr(self) -> None:
        """From now on this process's stderr ends in the log."""
        if self._path:
            fd = self._open()
            os.dup2(fd, 2)
            os.close(fd)

    def _open(self) -> int:
        if not self._path:
            return 2
        if self._path.exists() and self._path.stat().st_size > LIMIT:
            os.replace(self._path, f"{self._path}.1")
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW
        return os.open(self._path, flags, 0o600)
