"""What kind of host a name or address is, by its spelling alone: no DNS, since an answer there proves nothing."""

import ipaddress
import unicodedata
from functools import cache, lru_cache

import msgspec

from checkrail.facts import addresses
from checkrail.facts.addresses import Address
from checkrail.knowledge import network

METADATA = frozenset({"metadata", "link-local"})
LOCAL = frozenset({"loopback", "unspecified"})
_LONGEST = 2048

_Network = ipaddress.IPv4Network | ipaddress.IPv6Network


class HostFacts(msgspec.Struct, frozen=True):
    """``classes`` as in ``hosts.toml``, plus raw-ip, public (an address in no other
    class), embedded-address, single-label, look-alike and punycode.

    ``address`` is the first address that the spelling means, empty for a name.
    """

    classes: frozenset[str] = frozenset()
    address: str = ""


@cache
def _networks() -> tuple[tuple[_Network, str], ...]:
    return tuple(
        (ipaddress.ip_network(entry), group.name) for group in network.hosts().classes for entry in group.networks
    )


@cache
def _names() -> tuple[dict[str, frozenset[str]], dict[str, frozenset[str]]]:
    """Exact names and suffixes, each with its classes."""
    exact: dict[str, frozenset[str]] = {}
    below: dict[str, frozenset[str]] = {}
    for group in network.hosts().classes:
        for table, entries in ((exact, group.names), (below, group.suffixes)):
            for entry in entries:
                table[entry] = table.get(entry, frozenset()) | {group.name}
    return exact, below


def _address_classes(address: Address) -> set[str]:
    found = {name for entry, name in _networks() if entry.version == address.version and address in entry}
    if "metadata" in found:
        found -= {"private", "cgnat", "reserved"}
    if "unspecified" in found:
        found.discard("private")
    return found or {"public"}


def _all_classes(meant: tuple[Address, ...]) -> set[str]:
    """The classes of all addresses that are meant; an IPv6 address that stands for IPv4 ones has theirs."""
    carrying = isinstance(meant[0], ipaddress.IPv6Address) and len(meant) > 1
    own = _address_classes(meant[0]) - ({"public"} if carrying else set())
    return own.union(*(_address_classes(entry) for entry in meant[1:]))


def suffixes(host: str) -> tuple[str, ...]:
    """The name and every name above it, longest first: ``a.b.c``, ``b.c``, ``c``."""
    labels = host.split(".")[-32:]
    return tuple(".".join(labels[at:]) for at in range(len(labels)))


def _name_classes(host: str) -> set[str]:
    exact, below = _names()
    found = set(exact.get(host, ()))
    for suffix in suffixes(host):
        found |= below.get(suffix, frozenset())
    if "." not in host and not found:
        found.add("single-label")
    return found


def _embedded(host: str) -> tuple[Address, ...]:
    """Addresses inside a name of a service like nip.io."""
    for suffix in suffixes(host):
        if suffix in network.hosts().embedding.suffixes and suffix != host:
            return addresses.inside_name(host.removesuffix("." + suffix))
    return ()


@cache
def _skeletons() -> dict[int, str]:
    return {ord(twin): letter for letter, twins in network.hosts().confusable.items() for twin in twins}


def _script(letter: str) -> str:
    return unicodedata.name(letter, "").partition(" ")[0]


def _looks_alike(label: str) -> bool:
    """Whether a label with letters beyond ASCII imitates a known name or mixes scripts that look alike."""
    scripts = {_script(letter) for letter in label if letter.isalpha()}
    if "LATIN" in scripts and scripts & {"CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC", "LISU"}:
        return True
    plain = "".join(part for part in unicodedata.normalize("NFKD", label) if not unicodedata.combining(part))
    return plain.translate(_skeletons()) in network.hosts().known.labels


def _unicode(label: str) -> str:
    """A punycode label as it is shown; the label itself where it cannot be decoded."""
    try:
        return label[4:].encode("ascii").decode("punycode") if label.startswith("xn--") else label
    except (UnicodeError, OverflowError, ValueError):
        return label


def _spelling_classes(host: str) -> set[str]:
    """Classes from letters beyond ASCII, plain or in punycode."""
    if host.isascii() and "xn--" not in host:
        return set()
    labels = [(label, _unicode(label)) for label in host.split(".")]
    found = {"punycode"} if any(label.startswith("xn--") for label, _ in labels) else set()
    if any(not shown.isascii() and _looks_alike(shown) for _, shown in labels):
        found.add("look-alike")
    return found


def _plain(host: str) -> str:
    """Lower case, full stops and digits of other scripts made plain, without a trailing dot."""
    name = host.strip().lower()
    if not name.isascii():
        name = unicodedata.normalize("NFKC", name).replace("\u3002", ".").lower()
    return name.rstrip(".")


def classify(host: str) -> HostFacts:
    """The classes of a host name or address in any spelling (no port, no user). Never raises."""
    return _classified(host[:_LONGEST])


@lru_cache(maxsize=1024)
def _classified(host: str) -> HostFacts:
    name = _plain(host)
    meant = addresses.addresses(name)
    if meant:
        return HostFacts(frozenset(_all_classes(meant) | {"raw-ip"}), str(meant[0]))
    inside = _embedded(name)
    classes = _name_classes(name) | _spelling_classes(name)
    if inside:
        classes = _all_classes(inside) | {"embedded-address"}
    return HostFacts(frozenset(classes), str(inside[0]) if inside else "")


def is_metadata(host: str) -> bool:
    """Whether a host is a metadata service or a link-local address, by any spelling."""
    return not METADATA.isdisjoint(classify(host).classes)


def is_local(host: str) -> bool:
    """Whether a host is this machine by every reading of its spelling."""
    classes = classify(host).classes
    return not LOCAL.isdisjoint(classes) and classes <= LOCAL | {"raw-ip", "embedded-address", "private-name"}


def registered_domain(host: str) -> str:
    """The domain that somebody registered (``example.co.uk``), by the bundled public suffix list; the host itself
    where there is none (an address, a single label)."""
    return _registered(host[:_LONGEST])


@lru_cache(maxsize=1024)
def _registered(host: str) -> str:
    name = host.strip().lower().rstrip(".")
    if addresses.addresses(name):
        return name
    found: str = _extractor()(name).top_domain_under_public_suffix
    return found or name


@lru_cache(maxsize=1024)
def registered_label(host: str) -> str:
    """The label that somebody registered: ``example`` of ``www.example.co.uk``; empty where no public suffix is known."""
    name = host[:_LONGEST].strip().lower().rstrip(".")
    found = _extractor()(name) if not addresses.addresses(name) else None
    return str(found.domain) if found is not None and found.suffix else ""


@cache
def _extractor():  # type: ignore[no-untyped-def]  # the library is untyped
    from checkrail.facts import suffixes

    return suffixes.extractor()
