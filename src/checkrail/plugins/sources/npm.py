"""A tarball of an npm registry: one exact version, its integrity checked, unpacked as data. No script of it is ever run."""

import base64
import binascii
import hashlib
import hmac
import re
from typing import Any
from urllib.parse import quote, urlsplit

from checkrail.plugins import strict_json, unpack
from checkrail.plugins.unpack import Refused

REGISTRY = "https://registry.npmjs.org"
_NAME = re.compile(r"(?:@[a-z0-9~-][a-z0-9._~-]*/)?[a-z0-9~-][a-z0-9._~-]*")
_VERSION = re.compile(r"[0-9]+\.[0-9]+\.[0-9]+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?")
SECONDS = 60
METADATA = strict_json.LIMIT
"""Bytes of what a registry says about one version."""


def parsed(text: str) -> tuple[str, str]:
    """Name and version of ``NAME@VERSION``. Raises :class:`Refused`."""
    name, _, version = text.rpartition("@")
    if not _NAME.fullmatch(name) or len(name) > 214:
        raise Refused("an npm source is npm:NAME@VERSION")
    if not _VERSION.fullmatch(version):
        raise Refused("an npm source is pinned to one exact version, not to a range or a tag")
    return name, version


def fetched(name: str, version: str, integrity: str, *, registry: str = REGISTRY) -> tuple[bytes, str]:
    """The tarball and its integrity: the one that was given, else the one that the registry states. Raises :class:`Refused`."""
    said = _described(name, version, registry)
    address, stated = said.get("tarball"), said.get("integrity")
    if not isinstance(address, str) or not isinstance(stated, str):
        raise Refused("the registry states no tarball or no integrity")
    if integrity and integrity != stated:
        raise Refused("the registry states another integrity than the one that was given")
    if urlsplit(address).netloc != urlsplit(registry).netloc:
        raise Refused("the tarball lies on another host than the registry")
    raw = _get(address, unpack.COMPRESSED)
    verify(raw, integrity or stated)
    return raw, integrity or stated


def _described(name: str, version: str, registry: str) -> dict[str, Any]:
    raw = _get(f"{registry.rstrip('/')}/{quote(name, safe='@')}/{quote(version, safe='')}", METADATA)
    try:
        found = strict_json.decode(raw)
    except strict_json.Malformed as error:
        raise Refused(f"what the registry says cannot be read: {error}") from None
    if not isinstance(found, dict) or (found.get("name"), found.get("version")) != (name, version):
        raise Refused("the registry speaks of another package or version")
    dist = found.get("dist")
    return dist if isinstance(dist, dict) else {}


def verify(raw: bytes, integrity: str) -> None:
    """Compares bytes with a sha512 integrity. Raises :class:`Refused`; a weaker digest is not taken."""
    algorithm, _, encoded = integrity.partition("-")
    try:
        wanted = base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError):
        wanted = b""
    if algorithm != "sha512" or len(wanted) != 64:
        raise Refused("the integrity is not one sha512 digest")
    if not hmac.compare_digest(hashlib.sha512(raw).digest(), wanted):
        raise Refused("the archive does not have the stated integrity")


def _get(address: str, limit: int) -> bytes:
    import urllib.error
    import urllib.request

    if urlsplit(address).scheme != "https":
        raise Refused("a registry is reached over https only")

    class Stays(urllib.request.HTTPRedirectHandler):
        """A redirect to anything else could answer for the registry."""

        def redirect_request(self, *told: Any, **more: Any) -> None:  # noqa: ARG002
            raise Refused("the registry redirects")

    request = urllib.request.Request(address, headers={"Accept": "application/json, application/octet-stream"})
    try:
        with urllib.request.build_opener(Stays).open(request, timeout=SECONDS) as answer:
            raw = bytes(answer.read(limit + 1))
    except (urllib.error.URLError, OSError, ValueError) as error:
        raise Refused(f"the registry cannot be reached: {getattr(error, 'reason', None) or error}") from None
    if len(raw) > limit:
        raise Refused(f"the answer is larger than {limit} bytes")
    return raw
