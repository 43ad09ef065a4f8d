"""One random key per user, from which the chain and the signatures take theirs."""

import hashlib
import hmac
import os
import secrets
import stat

SIZE = 32


class KeyProblem(OSError):
    """The key cannot be made, or another user could read or have written it."""


def fresh() -> bytes:
    """A new key, not stored yet."""
    return secrets.token_bytes(SIZE)


def store(path: str, key: bytes) -> None:
    """Stores a key without ever replacing one that another process made first."""
    temporary = f"{path}.{os.getpid()}.{secrets.token_hex(4)}"
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    try:
        os.write(handle, key)
    finally:
        os.close(handle)
    try:
        os.link(temporary, path)
    except FileExistsError:
        pass
    finally:
        os.unlink(temporary)


def read(path: str) -> bytes:
    """The key at ``path``. Raises FileNotFoundError where there is none, else OSError (:class:`KeyProblem`)."""
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        found = os.fstat(handle)
        if found.st_uid != os.geteuid() or found.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise KeyProblem(f"{path} is open to others; run: chmod 600 {path}")
        key = os.read(handle, SIZE + 1)
    finally:
        os.close(handle)
    if len(key) != SIZE:
        raise KeyProblem(f"{path} does not hold {SIZE} bytes; move it away to start a new chain")
    return key


def load(path: str) -> bytes:
    """The key at ``path``, made where there is none. Raises OSError (:class:`KeyProblem`)."""
    try:
        return read(path)
    except FileNotFoundError:
        store(path, fresh())
        return read(path)


def derived(key: bytes, purpose: str) -> bytes:
    """A key for one purpose, so that no two uses share one."""
    return hmac.digest(key, purpose.encode(), "sha256")


def mac(key: bytes, body: bytes) -> str:
    """Thirty-two hex digits that only who has the key can make."""
    return hmac.digest(key, body, hashlib.sha256).hex()[:32]
