"""The host patterns of a policy: names with all below them, globs, any public suffix (``google.*``), and networks.

Both sides are compared in ASCII without a trailing dot, and an address by what it is, however it is spelled.
"""

import ipaddress
from collections.abc import Sequence
from fnmatch import fnmatchcase
from functools import lru_cache

from checkrail.facts.hosts import classify, registered_label

_LONGEST = 256


def listed(host: str, patterns: Sequence[str]) -> bool:
    """Whether a host (as a URL's reading gives it) matches one of the patterns."""
    return any(_matches(host.rstrip("."), _plain(pattern)) for pattern in patterns) if patterns else False


def _matches(host: str, pattern: str) -> bool:
    if not pattern:
        return False
    names = _names(host)
    network = _network(pattern)
    if network is not None:
        return any(address in network for address in _addresses(host))
    if pattern.endswith(".*") and "*" not in pattern[:-2] and "?" not in pattern:
        # One domain under whatever public suffix, never a label of somebody else's: not google.com.evil.example.
        return registered_label(host) == pattern[:-2]
    return any(
        fnmatchcase(name, pattern) or name.endswith("." + pattern) or (pattern.startswith("*.") and name == pattern[2:])
        for name in names
    )


@lru_cache(maxsize=1024)
def _plain(pattern: str) -> str:
    """A pattern in lower case and ASCII."""
    name = pattern[:_LONGEST].strip().lower().rstrip(".")
    return ".".join(_label(label) for label in name.split("."))


def _label(label: str) -> str:
    return label if label.isascii() else "xn--" + label.encode("punycode").decode("ascii")


@lru_cache(maxsize=1024)
def _names(host: str) -> tuple[str, ...]:
    """The host as spelled, and as the address that it is."""
    address = classify(host).address if "raw-ip" in classify(host).classes else ""
    return (host, address) if address and address != host else (host,)


@lru_cache(maxsize=256)
def _network(pattern: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network | None:
    if "/" not in pattern:
        return None
    try:
        return ipaddress.ip_network(pattern, strict=False)
    except ValueError:
        return None


def _addresses(host: str) -> tuple[ipaddress.IPv4Address | ipaddress.IPv6Address, ...]:
    found = classify(host)
    return (ipaddress.ip_address(found.address),) if "raw-ip" in found.classes and found.address else ()
