"""Addresses and headers of remote servers, by the letter: no parser's repair is relied on."""

import ipaddress
import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from checkrail.plugins.records import Fatality, Problem
from checkrail.redaction import holds_secret

_BLANK = re.compile(r"[\x00-\x20\x7f]")
_HOST = re.compile(r"[A-Za-z0-9._-]+")
_TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_VALUE = re.compile(r"(?:[\x21-\x7e\x80-\xff](?:[\t\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?)?")
_CREDENTIALS = frozenset(
    {"authorization", "proxy-authorization", "cookie", "x-api-key", "api-key", "x-auth-token", "x-access-token"}
)


def url_fault(url: str) -> tuple[int, str]:
    """The requirement that an address breaks, and how; ``(0, "")`` for a good one."""
    if not url or _BLANK.search(url) or "\\" in url or not url.isascii():
        return 50, "it is empty, or holds blanks, control characters, backslashes or letters that are not ASCII"
    if "#" in url:
        return 50, "it has a fragment"
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return 50, "it is not an address"
    if parts.scheme not in ("http", "https") or not parts.netloc:
        return 50, "it is not an absolute http or https address"
    if "@" in parts.netloc:
        return 50, "it holds a user"
    host = _host(parts.netloc)
    address = _address(host)
    if address is None and not _HOST.fullmatch(host):
        return 50, "its host is not a name or an address"
    if parts.scheme == "http" and host != "localhost" and not (address and address.is_loopback):
        return 51, "http is for localhost and loopback addresses only"
    return 0, ""


def _host(netloc: str) -> str:
    """The host as it is written, brackets kept."""
    return netloc[: netloc.index("]") + 1] if netloc.startswith("[") and "]" in netloc else netloc.partition(":")[0]


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        if host.startswith("["):
            return None if "%" in host else ipaddress.IPv6Address(host[1:-1])
        return ipaddress.IPv4Address(host)
    except ValueError:
        return None


def header_faults(headers: Any) -> str:
    """Why headers are invalid; empty for good ones."""
    if not isinstance(headers, dict) or not all(isinstance(value, str) for value in headers.values()):
        return "headers is not an object of texts"
    if any(not _TOKEN.fullmatch(name) for name in headers):
        return "a header's name is no HTTP field name"
    if any(not _VALUE.fullmatch(value) for value in headers.values()):
        return "a header's value is no HTTP field value"
    if len({name.lower() for name in headers}) != len(headers):
        return "a header stands twice, in different case"
    return ""


def credentials(server: str, headers: Mapping[str, str], env: Mapping[str, str]) -> Iterator[Problem]:
    """Secrets that an author put into a package. Their values are not repeated."""
    for name, value in headers.items():
        if value and (name.lower() in _CREDENTIALS or holds_secret(f"{name}: {value}")):
            reason = f"the header {name[:60]} carries a credential; packages must not"
            yield Problem(54, "mcp.credential-header", Fatality.NOTE, server, reason)
    for name, value in env.items():
        if holds_secret(f"{name}={value}"):
            reason = f"the variable {name[:60]} carries a credential; packages must not"
            yield Problem(74, "mcp.credential-env", Fatality.NOTE, server, reason)
