"""Every address that a spelling may mean: browsers, inet_aton and lenient parsers read numbers differently."""

import ipaddress
import re

_NUMBER = re.compile(r"0[xX][0-9a-fA-F]*|[0-9]+")
_DASHED = re.compile(r"(?:^|[.-])(\d{1,3})-(\d{1,3})-(\d{1,3})-(\d{1,3})$")
_DOTTED = re.compile(r"(?:^|[.-])(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$")
_HEX = re.compile(r"(?:^|[.-])([0-9a-f]{8})$")
_LONGEST = 400  # digits of one part; more is no number that any parser takes
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_NAT64_LOCAL = ipaddress.IPv6Network("64:ff9b:1::/48")
_MAPPED = tuple(ipaddress.IPv6Network(name) for name in ("::ffff:0:0/96", "::ffff:0:0:0/96", "::/96"))

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def _value(part: str, octal: bool) -> int | None:
    """One part as a number; ``octal`` says whether a leading zero means octal."""
    if not _NUMBER.fullmatch(part) or len(part) > _LONGEST:
        return None
    if part[:2] in ("0x", "0X"):
        return int(part[2:] or "0", 16)
    if octal and len(part) > 1 and part[0] == "0":
        return int(part, 8) if set(part) <= set("01234567") else None
    return int(part)


def _joined(values: list[int]) -> ipaddress.IPv4Address:
    """The address of one to four parts, of which the last fills what is left; overflow wraps as in lenient parsers."""
    *first, last = values
    number = 0
    for value in first:
        number = number << 8 | value & 255
    room = 8 * (4 - len(first))
    return ipaddress.IPv4Address(number << room | last & ((1 << room) - 1))


def ipv4(text: str) -> tuple[ipaddress.IPv4Address, ...]:
    """All IPv4 addresses that ``text`` may spell (decimal, octal, hex, short forms); empty for a name."""
    parts = text.split(".")
    if len(parts) > 1 and not parts[-1]:
        parts.pop()
    if not 1 <= len(parts) <= 4:
        return ()
    found: dict[ipaddress.IPv4Address, None] = {}
    for octal in (True, False):
        values = [_value(part, octal) for part in parts]
        known = [value for value in values if value is not None]
        if len(known) == len(values):
            found[_joined(known)] = None
    return tuple(found)


def ends_in_number(text: str) -> bool:
    """Whether browsers take the host for an IPv4 address (and refuse it where it is none)."""
    last = text.removesuffix(".").rpartition(".")[2]
    return last.isascii() and (last.isdigit() or _NUMBER.fullmatch(last) is not None)


def ipv6(text: str) -> ipaddress.IPv6Address | None:
    """The IPv6 address that ``text`` spells, with or without brackets and zone."""
    bare = text.removeprefix("[").removesuffix("]").partition("%")[0]
    if ":" not in bare:
        return None
    try:
        return ipaddress.IPv6Address(bare)
    except ValueError:
        return None


def carried(address: ipaddress.IPv6Address) -> tuple[ipaddress.IPv4Address, ...]:
    """The IPv4 addresses that an IPv6 address stands for: mapped, compatible, NAT64, 6to4, Teredo, ISATAP."""
    number = int(address)
    low = ipaddress.IPv4Address(number & 0xFFFFFFFF)
    found: list[ipaddress.IPv4Address] = []
    if any(address in network for network in _MAPPED) and number > 0xFFFF:
        found.append(low)
    if address in _NAT64:
        found.append(low)
    if address in _NAT64_LOCAL:
        found += [low, ipaddress.IPv4Address((number >> 64 & 0xFFFF) << 16 | number >> 40 & 0xFFFF)]
    if number >> 112 == 0x2002:
        found.append(ipaddress.IPv4Address(number >> 80 & 0xFFFFFFFF))
    if number >> 96 == 0x20010000:
        found.append(ipaddress.IPv4Address(~number & 0xFFFFFFFF))
    if number >> 32 & 0xFFFFFFFF in (0x00005EFE, 0x02005EFE):
        found.append(low)
    return tuple(found)


def inside_name(text: str) -> tuple[Address, ...]:
    """The addresses that a name of a service like nip.io carries before its suffix."""
    found: list[Address] = []
    for pattern in (_DASHED, _DOTTED):
        match = pattern.search(text)
        if match and all(int(part) < 256 for part in match.groups()):
            found.append(ipaddress.IPv4Address(".".join(str(int(part)) for part in match.groups())))
    for label in text.split("."):
        match = _HEX.search(label)
        if match:
            found.append(ipaddress.IPv4Address(int(match[1], 16)))
    dashed = ipv6(text.rpartition(".")[2].replace("-", ":"))
    return (*found, dashed) if dashed else tuple(found)


def addresses(text: str) -> tuple[Address, ...]:
    """All addresses that a host may mean by its spelling alone, those that an address carries included."""
    six = ipv6(text)
    if six is not None:
        return (six, *carried(six))
    return ipv4(text)
