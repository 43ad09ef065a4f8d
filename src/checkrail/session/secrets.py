"""Secrets that were seen, kept as keyed digests of their pieces, and found again in whatever a later call says.

A secret is cut into overlapping pieces of eight bytes, without regard to letter case, which names of hosts do not keep. Of each piece only some bits of a keyed digest are kept: too few to
work back from one, enough that several of the same secret do not meet by chance. A text holds a secret
when the pieces that stand in its readings cover three quarters of it, or sixty-four bytes of a long one, in whatever order and
however far apart. What went out before counts, so that halves in two calls are found with the second.
"""

import base64
import contextlib
import hashlib
import math
import re
from collections.abc import Iterable, Iterator

import msgspec

from checkrail import redaction
from checkrail.session import decoded

PIECE = 8
_STRIDE = 4
_BITS = 0xFFFFFFFFF  # thirty-six
_PRIME = (1 << 61) - 1
LEAST, MOST_LENGTH = 10, 4096
MOST_PER_TEXT = 64
MOST_TEXT = 256 * 1024
_COVERED, _ENOUGH = 0.75, 64
_LONG, _SAME, _MOST_PIECES = 256, 72, 64
"""Of a longer value so many pieces are kept, from all over it but for the first line, which is the same for all keys."""

_WORDY = re.compile(r"[A-Za-z]+(?:[_.\- ][A-Za-z]+)*|[0-9.:\-/]+|[A-Za-z_][\w.]*\(.*")

_CANDIDATE = re.compile(r"[^\s\"'<>(){}\[\]]{10,512}")
_LETTER, _DIGIT = re.compile(r"[A-Za-z]"), re.compile(r"[0-9]")
_NAMES = re.compile(r"(?i)pass|secret|token|key|credential|session|bearer|authorization|cookie|://")
_BLOCK = re.compile(r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----([^-]{64,16384})")
_ASSIGNED = re.compile(r"\s*(?:export\s+)?([A-Za-z_]\w{0,80})\s*=\s*([\"']?)([^\r\n]{10,512}?)\2\s*(?:$|\n)")
_PHRASE = re.compile(r"(?i:seed|mnemonic|recovery)[\w \"']{0,24}[:=]\s*[\"']?((?:[a-z]{3,8} ){11,23}[a-z]{3,8})\b")
_SPACES = re.compile(r"\s|\\n|\\r")
_MOST_WINDOWS = 256


class Secret(msgspec.Struct, frozen=True, array_like=True):
    """``pieces`` are digests by offset; ``hosts`` digests of the hosts named beside it, where it belongs."""

    label: str
    length: int
    pieces: tuple[tuple[int, int], ...]
    identity: int
    at: int = 0
    hosts: tuple[int, ...] = ()


def entropy(text: str) -> float:
    """Bits per character."""
    return -sum(n / len(text) * math.log2(n / len(text)) for n in map(text.count, set(text)))


def _likely(value: str) -> bool:
    """Whether a value that is named like a secret is one, and no word, number, name or call of a function."""
    if not LEAST <= len(value) <= MOST_LENGTH or _WORDY.fullmatch(value) or len(set(value)) < 7:
        return False
    kinds = sum(any(test(letter) for letter in value) for test in (str.isdigit, str.isupper, str.islower))
    return kinds >= 2 and any(letter.isdigit() for letter in value) and entropy(value) >= 3.0


def values(text: str) -> Iterator[tuple[str, str]]:
    """Label and value of each secret in a text: a provider's token, a private key, or a value that is named one."""
    part = text if len(text) <= MOST_TEXT else text[: MOST_TEXT // 2] + text[-MOST_TEXT // 2 :]
    seen: set[str] = set()
    for label, value in _found(part):
        if value not in seen and len(value) >= LEAST:
            seen.add(value)
            yield label, value[:MOST_LENGTH]
            yield from ((label, inner) for inner in _packed_in(value) if inner not in seen)
            if len(seen) >= MOST_PER_TEXT:
                return


def _packed_in(value: str) -> Iterator[str]:
    """What a value is in base64 of, as stores of secrets print them."""
    if len(value) % 4 == 0 and len(value) >= 12:
        with contextlib.suppress(ValueError):
            inner = base64.b64decode(value, validate=True).decode("ascii").strip()
            if len(inner) >= LEAST and inner.isprintable():
                yield inner


def _found(text: str) -> Iterator[tuple[str, str]]:
    pattern = redaction.token_pattern()
    if any(needle in text for needle in redaction.needles()):
        yield from (("API_KEY", match[0]) for match in pattern.finditer(text))
    if "-----BEGIN" in text:
        yield from (("SECRET", _SPACES.sub("", match[1])) for match in _BLOCK.finditer(text))
    if any(name in text for name in ("seed", "mnemonic", "recovery", "Seed", "Mnemonic", "Recovery")):
        yield from (("SECRET", _SPACES.sub("", match[1])) for match in _PHRASE.finditer(text))
    windows = 0
    for match in _CANDIDATE.finditer(text):
        before = text[max(0, match.start() - 80) : match.start()]
        mixed = _LETTER.search(match[0]) and _DIGIT.search(match[0])
        if not mixed or not _NAMES.search(before + match[0][:40]):
            continue
        windows += 1
        if windows > _MOST_WINDOWS:
            return
        line = before[before.rfind("\n") + 1 :] + match[0] + text[match.end() : match.end() + 80]
        for value in (*redaction.named(line), *_assigned(line)):
            if _likely(value) and not pattern.search(value):
                yield "SECRET", value


def _assigned(line: str) -> Iterator[str]:
    """The whole of what a line of an environment file gives to a name of a secret, whatever letters it has."""
    match = _ASSIGNED.match(line)
    if match and redaction.names_a_secret(match[1]):
        yield match[3]


class Keys(msgspec.Struct, frozen=True):
    """What digests on this machine are made with."""

    salt: bytes
    by: int


def keys(salt: bytes) -> Keys:
    """From thirty-two random bytes."""
    return Keys(salt, int.from_bytes(salt[16:32], "big") | 1)


def digest(text: str, known: Keys) -> int:
    """A short keyed digest of an exact value."""
    return int.from_bytes(
        hashlib.blake2b(text.encode("utf-8", "replace"), key=known.salt, digest_size=6).digest(), "big"
    )


def _bits(piece: int, by: int) -> int:
    return (piece * by % _PRIME) >> 12 & _BITS


def _cut(raw: bytes, by: int) -> Iterator[tuple[int, int]]:
    last = len(raw) - PIECE
    first, stride = (0, _STRIDE) if len(raw) <= _LONG else (_SAME, max(_STRIDE, (last - _SAME) // _MOST_PIECES))
    for start in dict.fromkeys((*range(first, last + 1, stride), last)):
        yield start, _bits(int.from_bytes(raw[start : start + PIECE], "big"), by)


def secret(label: str, value: str, known: Keys, *, at: int = 0, hosts: tuple[int, ...] = ()) -> Secret:
    """A value as it is kept."""
    # The head of a signed token is no secret, and the same for all of one issuer.
    kept = value.rpartition(".")[2] if value.startswith("eyJ") else value
    raw = (kept if len(kept) >= LEAST else value).lower().encode("utf-8", "replace")
    return Secret(label, len(raw), tuple(_cut(raw, known.by)), digest(value, known), at, hosts)


Parts = dict[int, frozenset[int]]
"""Which pieces of secrets stand in something: offsets by identity."""


def parts(texts: Iterable[bytes], secrets: Iterable[Secret], known: Keys) -> Parts:
    """The pieces of secrets that stand in the texts, in any spelling."""
    return _standing((reading for text in texts for reading in decoded.readings(text)), secrets, known)


def find(texts: Iterable[bytes], secrets: Iterable[Secret], known: Keys) -> list[Secret]:
    """Those of the secrets that stand in the texts, in any spelling, whole or in parts."""
    every = list(secrets)
    return whole(every, parts(texts, every, known))


def plainly(text: bytes, secrets: Iterable[Secret], known: Keys) -> list[Secret]:
    """Those of the secrets that stand in a text as they are."""
    every = list(secrets)
    return whole(every, _standing([text], every, known))


def whole(secrets: Iterable[Secret], *standing: Parts) -> list[Secret]:
    """Those of the secrets of which enough stands there, all taken together."""
    return [
        each for each in secrets if _covers(each, {at for found in standing for at in found.get(each.identity, ())})
    ]


def _standing(texts: Iterable[bytes], secrets: Iterable[Secret], known: Keys) -> Parts:
    index: dict[int, list[tuple[int, int]]] = {}
    for each in secrets:
        for start, bits in each.pieces:
            index.setdefault(bits, []).append((each.identity, start))
    seen: dict[int, set[int]] = {}
    for text in texts if index else ():
        _mark(text.lower(), index, known.by, seen)
    return {identity: frozenset(starts) for identity, starts in seen.items()}


def _mark(text: bytes, index: dict[int, list[tuple[int, int]]], by: int, seen: dict[int, set[int]]) -> None:
    window, mask = int.from_bytes(text[: PIECE - 1], "big"), (1 << 8 * PIECE) - 1
    for byte in text[PIECE - 1 :]:
        window = (window << 8 | byte) & mask
        for identity, start in index.get((window * by % _PRIME) >> 12 & _BITS, ()):
            seen.setdefault(identity, set()).add(start)


def _covers(each: Secret, starts: Iterable[int]) -> bool:
    covered: set[int] = set()
    for start in starts:
        covered.update(range(start, start + PIECE))
    return len(covered) >= min(_COVERED * each.length, _ENOUGH)
