"""All hosts that a URL's spelling may mean, since browsers, curl and libraries split one text in different ways."""

import re
import unicodedata
from collections.abc import Iterator
from urllib.parse import unquote

import msgspec

from checkrail.facts import addresses
from checkrail.knowledge import network
from checkrail.model import HOLE, SOME

LONGEST = 65_536
_STRIP = "".join(chr(code) for code in range(0x21))
_REMOVED = str.maketrans("", "", "\t\n\r")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*(?=:)")
_PORT = re.compile(rf":(\d*|[{HOLE}{SOME}])$")
_WRAPPERS = ("view-source:", "blob:", "feed:", "jar:", "url:", "filesystem:", "cache:", "web+")
SPECIAL = {"http": "80", "https": "443", "ws": "80", "wss": "443", "ftp": "21"}
_FORBIDDEN = re.compile(r"[\x00-\x20\x7f#/:<>?@\[\\\]^|%]")
_SCP = re.compile(r"(?:(?P<user>[\w.+-]+)@)?(?P<host>[\w.-]+):(?!//)(?P<path>[^\s]+)")
_ENDS = tuple(re.compile(signs) for signs in (r"[/\\?#]", "[/?#]", "/"))
"""What ends an authority: for a browser, by the standard, for old parsers."""
_TRANSITIONAL = re.compile("[ßẞς\u200c\u200d]")
_OLDER = {ord("ß"): "ss", ord("ẞ"): "ss", ord("ς"): "σ", 0x200C: None, 0x200D: None}


class Url(msgspec.Struct, frozen=True, kw_only=True):
    """One reading of a URL. ``host`` is in ASCII without brackets; ``fault`` says what a strict parser refuses."""

    scheme: str
    host: str = ""
    user: str = ""
    password: str = ""
    port: str = ""
    path: str = ""
    query: str = ""
    fault: str = ""

    def canonical(self) -> str:
        """The URL as one text; a password is part of it."""
        user = self.user + (":" + self.password if self.password else "")
        host = f"[{self.host}]" if ":" in self.host else self.host
        where = (user + "@" if user else "") + host + (":" + self.port if self.port else "")
        return f"{self.scheme}://{where}{self.path or '/'}" + ("?" + self.query if self.query else "")


def _ascii_label(label: str) -> str:
    if label.isascii():
        return label
    try:
        return "xn--" + label.encode("punycode").decode("ascii")
    except (UnicodeError, ValueError):
        return label


def _mapped(host: str) -> str:
    """The host as IDNA maps it: compatibility forms, case, ideographic dots, ignorable characters."""
    import idna

    try:
        return idna.uts46_remap(host, std3_rules=False)
    except (idna.IDNAError, UnicodeError, ValueError, IndexError):
        kept = "".join(letter for letter in host if unicodedata.category(letter) != "Cf")
        return unicodedata.normalize("NFKC", kept).replace("\u3002", ".").lower()


def _ascii_hosts(host: str) -> tuple[str, ...]:
    """The host as sent to a resolver; by old and new IDNA rules where it has a letter that they treat differently."""
    if host.isascii():
        return (host.lower(),)
    older = host.translate(_OLDER) if _TRANSITIONAL.search(host) else host
    names = [_mapped(name) for name in dict.fromkeys((host, older))]
    return tuple(dict.fromkeys(".".join(_ascii_label(label) for label in name.split(".")) for name in names))


def _hosts(text: str) -> Iterator[tuple[str, str]]:
    """Hosts that an authority's host part may mean, each with its fault."""
    if HOLE in text or SOME in text:
        yield text.lower(), ""
        return
    if text.startswith("["):
        six = addresses.ipv6(text.removesuffix("]"))
        yield (str(six), "") if six and text.endswith("]") else (text.strip("[]"), "malformed IPv6 address")
        return
    decoded = unquote(text, errors="replace")
    for name in _ascii_hosts(decoded):
        yield from _numeric(name) or _names(name)
    again = unquote(decoded, errors="replace")
    if again != decoded:
        yield from ((name, "host encoded twice") for name in _ascii_hosts(again))


def _numeric(name: str) -> tuple[tuple[str, str], ...]:
    """The addresses that a numeric host may mean; browsers refuse an overflow, older parsers wrap it."""
    if not addresses.ends_in_number(name):
        return ()
    meant = addresses.ipv4(name)
    if not meant:
        return ((name, "malformed numeric host"),)
    return tuple((str(entry), "") for entry in meant)


def _names(name: str) -> Iterator[tuple[str, str]]:
    """A name, and what is left of it where a control or delimiter character cuts it off."""
    cut = _FORBIDDEN.search(name)
    if not cut:
        yield name, "" if name else "no host"
        return
    yield name, "character in the host that no host has"
    for part in (name[: cut.start()], name[cut.end() :]):
        for piece in filter(None, (part,)):
            yield from (_numeric(piece) or ((piece, "character in the host that no host has"),))


def _authorities(rest: str) -> Iterator[tuple[str, str, str]]:
    """(userinfo, host and port, tail) by each way to find the end of the authority and the at sign."""
    seen = set()
    for delimiter in _ENDS:
        end = delimiter.search(rest)
        authority, tail = (rest[: end.start()], rest[end.start() :]) if end else (rest, "")
        first, last = authority.partition("@"), authority.rpartition("@")
        for user, where in ((last[0], last[2]), (first[0], first[2].partition("@")[0] if first[1] else authority)):
            if (user, where, tail) not in seen:
                seen.add((user, where, tail))
                yield user, where, tail


def _with_port(where: str) -> tuple[str, str, str]:
    """Host text, port, fault."""
    if where.startswith("[") and "]" not in where:
        return where, "", "malformed IPv6 address"
    found = _PORT.search(where)
    if (found and not where.startswith("[")) or (found and where[: found.start()].endswith("]")):
        port = found[1].lstrip("0") or ("0" if found[1] else "")
        if port in (HOLE, SOME):
            return where[: found.start()], port, ""
        return where[: found.start()], port, "" if len(port) < 6 and int(port or 0) < 65536 else "port out of range"
    if ":" in where and not where.startswith("["):
        return where.partition(":")[0], "", "malformed port"
    return where, "", ""


def _tail(text: str) -> tuple[str, str]:
    """Path and query; the fragment never leaves the machine."""
    path, _, query = text.partition("#")[0].partition("?")
    return path.replace("\\", "/"), query


def _hierarchical(scheme: str, rest: str) -> Iterator[Url]:
    for user, where, tail in _authorities(rest):
        bare, port, port_fault = _with_port(where)
        path, query = _tail(tail)
        name, _, password = user.partition(":")
        for host, fault in _hosts(bare):
            yield Url(
                scheme=scheme,
                host=host,
                user=name,
                password=password,
                port="" if SPECIAL.get(scheme) == port else port,
                path=path,
                query=query,
                fault=fault or port_fault,
            )


def _without_scheme(text: str, default: str) -> Iterator[Url]:
    """What a command takes for a URL without its scheme, an scp-like ``user@host:path`` included."""
    scp = _SCP.fullmatch(text)
    if scp and not scp["path"][0].isdigit() and (scp["user"] or default == "ssh"):
        yield Url(scheme="ssh", host=scp["host"].lower(), user=scp["user"] or "", path="/" + scp["path"].lstrip("/"))
        return
    yield from _hierarchical("ftp" if text.startswith("ftp.") else default, text.lstrip("/\\"))


def _read(text: str, default: str) -> Iterator[Url]:
    found = _SCHEME.match(text)
    scheme = found[0].lower() if found else ""
    rest = text[len(scheme) + 1 :]
    if scheme in network.hosts().schemes.inert:
        yield Url(scheme=scheme, path=rest)
        return
    slashed = rest[:1] in ("/", "\\")
    if not scheme or (not slashed and scheme not in SPECIAL and ("." in scheme or rest[:1].isdigit() or "@" in rest)):
        yield from _without_scheme(text, default)
    elif scheme in SPECIAL:
        yield from _hierarchical(scheme, rest.lstrip("/\\"))
    elif rest.startswith("//") and scheme != "file":
        yield from _hierarchical(scheme, rest[2:])
    else:
        yield Url(scheme=scheme, path=rest)


def _unwrapped(text: str) -> str:
    """The URL inside prefixes such as ``view-source:``."""
    for _ in range(8):
        prefix = next((entry for entry in _WRAPPERS if text[:16].lower().startswith(entry)), "")
        if not prefix or ":" not in text[len(prefix) :]:
            break
        text = text[len(prefix) :]
    return text


def readings(text: str, default: str = "http") -> tuple[Url, ...]:
    """Every distinct reading of a URL's text, a browser's first. ``default`` is the scheme where none is written.

    Never raises; a text without any host gives a reading with a fault.
    """
    clean = text[:LONGEST].strip(_STRIP).translate(_REMOVED)
    found: dict[tuple[str, str, str, str], Url] = {}
    for url in _read(_unwrapped(clean), default):
        found.setdefault((url.scheme, url.host, url.path, url.query), url)
    return tuple(found.values()) or (Url(scheme=default, fault="no host"),)
