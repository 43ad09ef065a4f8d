"""Who may come in over HTTP: programs of this machine that hold the token, and no page in a browser."""

import contextlib
import hmac
import ipaddress
import os
import secrets
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from checkrail.places import secure_directory

HOST_NAMES = ("localhost", "127.0.0.1", "[::1]")
TOKEN_LIMIT = 256


class Refused(Exception):
    """A request that is not let in: the HTTP status, and a text that says why."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


class Door(msgspec.Struct, frozen=True):
    """What a request must carry."""

    token: str

    def check(self, headers: Mapping[str, str]) -> None:
        """Raises :class:`Refused`. A name that a page has bound to this machine's address shows in Host and Origin."""
        if _name(f"//{headers.get('host', '')}") not in HOST_NAMES:
            raise Refused(421, "this is no name of this machine")
        origin = headers.get("origin")
        if origin is not None and not (origin.startswith(("http://", "https://")) and _name(origin) in HOST_NAMES):
            raise Refused(403, "pages of other origins are not let in")
        kind, _, given = headers.get("authorization", "").partition(" ")
        if kind.lower() != "bearer" or not hmac.compare_digest(given.strip().encode(), self.token.encode()):
            raise Refused(401, "the token is missing or wrong; send the header Authorization: Bearer <token>")


def _name(address: str) -> str:
    try:
        found = urlsplit(address).hostname or ""
    except ValueError:
        return ""
    return f"[{found}]" if ":" in found else found


def is_loopback(host: str) -> bool:
    """Whether an address or name is this machine's own, and nobody else can reach it."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def token(path: Path) -> str:
    """The user's token, made (mode 0600) when first needed. Raises OSError and PlacesError."""
    secure_directory(path.parent)
    if not path.exists():
        draft = path.with_name(f".{path.name}.{os.getpid()}")
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
        with os.fdopen(handle, "w") as file:
            file.write(secrets.token_urlsafe(32) + "\n")
        with contextlib.suppress(FileExistsError):  # another proxy was first, and its token counts
            os.link(draft, path)
        draft.unlink()
    found = path.read_text(encoding="ascii", errors="replace")[:TOKEN_LIMIT].strip()
    if len(found) < 32:
        raise OSError(f"{path} holds no token; remove it, and a new one is made")
    return found
