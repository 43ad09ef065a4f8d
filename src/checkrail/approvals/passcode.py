"""A passcode that ``approve`` asks for: kept as scrypt, tried a few times, then after longer and longer pauses."""

import contextlib
import fcntl
import hashlib
import hmac
import os
import secrets
import time
from collections.abc import Iterator

import msgspec

LEAST = 4
"""Characters; longer is better, but the back-off does the most of it."""
N, R, P = 1 << 15, 8, 1
FREE_TRIES = 3
LONGEST_PAUSE_S = 3600.0


class PasscodeProblem(Exception):
    """The passcode is wrong, is not to be tried now, or cannot be kept; the text says which."""


class _Kept(msgspec.Struct, frozen=True):
    salt: str
    hash: str
    n: int = N
    r: int = R
    p: int = P


class _Tries(msgspec.Struct, frozen=True):
    failed: int = 0
    until: float = 0.0


def _hashed(code: str, kept_salt: bytes, n: int, r: int, p: int) -> bytes:
    return hashlib.scrypt(code.encode(), salt=kept_salt, n=n, r=r, p=p, maxmem=256 * n * r, dklen=32)


class Passcode:
    """The passcode in ``directory`` (mode 0700)."""

    def __init__(self, directory: str) -> None:
        self._kept = os.path.join(directory, "passcode")
        self._tries = os.path.join(directory, "passcode-tries")
        self._directory = directory

    def is_set(self) -> bool:
        """Whether there is one. A file that cannot be read counts as one, so that breaking it opens nothing."""
        return os.path.lexists(self._kept)

    def put(self, code: str) -> None:
        """Sets it. Raises :class:`PasscodeProblem`, OSError."""
        if len(code) < LEAST:
            raise PasscodeProblem(f"a passcode has at least {LEAST} characters")
        salt = secrets.token_bytes(16)
        kept = _Kept(salt.hex(), _hashed(code, salt, N, R, P).hex(), N, R, P)
        os.makedirs(self._directory, 0o700, exist_ok=True)
        with self._locked():
            _write(self._kept, msgspec.json.encode(kept))
            _write(self._tries, msgspec.json.encode(_Tries()))

    def clear(self) -> None:
        """Takes it away."""
        with self._locked():
            os.unlink(self._kept)

    def check(self, code: str, *, now: float | None = None) -> None:
        """Returns for the right one. Raises :class:`PasscodeProblem` otherwise; the try is counted before it is made."""
        now = time.time() if now is None else now
        with self._locked():
            tries = self._so_far()
            if now < tries.until:
                raise PasscodeProblem(f"too many wrong passcodes; try again in {int(tries.until - now) + 1} s")
            _write(self._tries, msgspec.json.encode(_next(tries, now)))
            try:
                kept = msgspec.json.decode(_read(self._kept), type=_Kept)
                found = _hashed(code, bytes.fromhex(kept.salt), kept.n, kept.r, kept.p)
            except (OSError, ValueError, msgspec.MsgspecError) as error:
                raise PasscodeProblem(f"{self._kept} cannot be used ({error})") from None
            if not hmac.compare_digest(found, bytes.fromhex(kept.hash)):
                raise PasscodeProblem("that is not the passcode")
            _write(self._tries, msgspec.json.encode(_Tries()))

    def _so_far(self) -> _Tries:
        """A record that is broken is one of many failures."""
        try:
            return msgspec.json.decode(_read(self._tries), type=_Tries)
        except FileNotFoundError:
            return _Tries()
        except (OSError, msgspec.MsgspecError):
            return _Tries(failed=FREE_TRIES + 4)

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        handle = os.open(f"{self._kept}.lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield
        finally:
            os.close(handle)


def _next(tries: _Tries, now: float) -> _Tries:
    failed = tries.failed + 1
    over = failed - FREE_TRIES
    return _Tries(failed, now + min(LONGEST_PAUSE_S, 2.0 ** min(over + 2, 12)) if over >= 0 else 0.0)


def _read(path: str) -> bytes:
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        return os.read(handle, 4096)
    finally:
        os.close(handle)


def _write(path: str, body: bytes) -> None:
    temporary = f"{path}.{os.getpid()}"
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    try:
        os.write(handle, body)
        os.fsync(handle)
    finally:
        os.close(handle)
    os.replace(temporary, path)
