"""Encodings of bytes and characters, taken off: base64 and its kin, hexadecimal, binary, Morse code, escapes, percent-encoding."""

import base64
import binascii
import quopri
import re
import zlib
from collections.abc import Iterator
from urllib.parse import unquote

LIMIT = 16_384
"""Characters of one encoded run that are decoded."""
RUNS = 32
"""Encoded runs of one kind per text."""

_BASE64 = re.compile(r"[A-Za-z0-9+/_\-]{16,}={0,2}")
_BASE32 = re.compile(r"\b[A-Z2-7]{24,}={0,6}")
_CUT_BASE64 = re.compile(r"(?:[A-Za-z0-9+/_\-]{8,96}\s{1,4}){2,}[A-Za-z0-9+/_\-]{2,96}={0,2}")
_HEX = re.compile(r"(?:(?:0x)?[0-9a-fA-F]{2}[\s:,]{0,2}){12,}")
_NUMBERS = re.compile(r"(?:\b[0-9]{2,3}[ ,;]{1,2}){8,}[0-9]{2,3}\b")
_QUOTED_PRINTABLE = re.compile(r"(?:=[0-9A-F]{2}[^=\n]{0,2}){6,}")
_BINARY = re.compile(r"(?:[01]{8}[ ,]?){6,}")
_ASCII85 = re.compile(r"<~([!-uz\s]{10,})")
_BASE85 = re.compile(r"(?<!\S)[0-9A-Za-z!#$%&()*+\-;<=>?@^_`{|}~]{40,}(?!\S)")
_MORSE = re.compile(r"(?:[.\-]{1,6}[ /]{1,3}){12,}")
_ESCAPED = re.compile(r"(?:\\u[0-9a-fA-F]{4}|\\u\{[0-9a-fA-F]{1,6}\}|\\x[0-9a-fA-F]{2}|&#x?[0-9a-fA-F]{2,6};){4,}")
_PERCENT = re.compile(r"%[0-9a-fA-F]{2}")
_MORSE_CODE = dict(
    zip(
        [
            ".-",
            "-...",
            "-.-.",
            "-..",
            ".",
            "..-.",
            "--.",
            "....",
            "..",
            ".---",
            "-.-",
            ".-..",
            "--",
            "-.",
            "---",
            ".--.",
            "--.-",
            ".-.",
            "...",
            "-",
            "..-",
            "...-",
            ".--",
            "-..-",
            "-.--",
            "--..",
            "..--.-",
            ".-.-.-",
            "--..--",
            ".--.-.",
            "-....-",
            "-----",
            ".----",
            "..---",
            "...--",
            "....-",
            ".....",
            "-....",
            "--...",
            "---..",
            "----.",
        ],
        "abcdefghijklmnopqrstuvwxyz_.,@-0123456789",
        strict=True,
    )
)


_TURNS = re.compile(r"[a-z0-9][A-Z]")
_MANY_TURNS, _MANY_DIGITS, _MANY_SIGNS = 5, 18, 6
"""What an encoded text has at the least: turns from small letters to capitals, digits, signs. Counting is cheaper than matching."""


def bounded(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """The first runs of a pattern, none of them too long."""
    for number, hit in enumerate(pattern.finditer(text)):
        if number >= RUNS:
            return
        if len(hit.group()) <= LIMIT:
            yield hit


def _text(raw: bytes) -> str:
    try:
        found = raw.decode("utf-8")
    except UnicodeDecodeError:
        return ""
    shown = sum(letter.isprintable() or letter in "\n\t\r" for letter in found)
    return found if found and shown == len(found) and sum(map(str.isalpha, found)) * 2 > len(found) else ""


def _inflated(raw: bytes) -> bytes:
    """What was compressed, as far as it is read; anything else as it is."""
    if raw[:1] != b"x" and raw[:2] != b"\x1f\x8b":
        return raw
    try:
        return zlib.decompressobj(47).decompress(raw, LIMIT)
    except zlib.error:
        return raw


def in_cut_base64(text: str) -> Iterator[tuple[int, int, str]]:
    """Base64 in lines or groups."""
    if len(_TURNS.findall(text)) < _MANY_TURNS:
        return
    for hit in bounded(_CUT_BASE64, text):
        run = re.sub(r"\s", "", hit.group()).rstrip("=").replace("-", "+").replace("_", "/")
        try:
            said = _text(base64.b64decode(run + "=" * (-len(run) % 4)))
        except (binascii.Error, ValueError):
            continue
        if said:
            yield hit.start(), hit.end(), said


def in_numbers(text: str) -> Iterator[tuple[int, int, str]]:
    """Characters by their number, decimal or octal."""
    if sum(map(text.count, "0123456789")) < _MANY_DIGITS:
        return
    for hit in bounded(_NUMBERS, text):
        numbers = re.findall(r"[0-9]+", hit.group())
        for base in (10, 8):
            if base == 8 and any(digit in number for number in numbers for digit in "89"):
                continue
            said = _text(bytes(value for number in numbers if 0 < (value := int(number, base)) < 128))
            if said:
                yield hit.start(), hit.end(), said


def in_quoted_printable(text: str) -> Iterator[tuple[int, int, str]]:
    """The encoding of mails."""
    if text.count("=") < _MANY_SIGNS:
        return
    for hit in bounded(_QUOTED_PRINTABLE, text):
        yield (
            hit.start(),
            hit.end(),
            quopri.decodestring(hit.group().encode("utf-8", "replace")).decode("utf-8", "replace"),
        )


def in_base64(text: str) -> Iterator[tuple[int, int, str]]:
    """Base64, plain or for URLs."""
    for hit in bounded(_BASE64, text):
        run = hit.group().rstrip("=").replace("-", "+").replace("_", "/")
        if run.isalpha() and (run.islower() or run.isupper() or run.istitle()):
            continue
        try:
            said = _text(_inflated(base64.b64decode(run + "=" * (-len(run) % 4))))
        except (binascii.Error, ValueError):
            continue
        if said:
            yield hit.start(), hit.end(), said


def in_base32(text: str) -> Iterator[tuple[int, int, str]]:
    """Base32."""
    for hit in bounded(_BASE32, text):
        run = hit.group().rstrip("=")
        try:
            said = _text(base64.b32decode(run + "=" * (-len(run) % 8)))
        except (binascii.Error, ValueError):
            continue
        if said:
            yield hit.start(), hit.end(), said


def in_hex(text: str) -> Iterator[tuple[int, int, str]]:
    """Hexadecimal digits."""
    for hit in bounded(_HEX, text):
        run = re.sub(r"0x|[^0-9a-fA-F]", "", hit.group())
        said = _text(bytes.fromhex(run[: len(run) // 2 * 2]))
        if said:
            yield hit.start(), hit.end(), said


def in_binary(text: str) -> Iterator[tuple[int, int, str]]:
    """Zeros and ones."""
    for hit in bounded(_BINARY, text):
        run = re.sub(r"[ ,]", "", hit.group())
        said = _text(bytes(int(run[at : at + 8], 2) for at in range(0, len(run) // 8 * 8, 8)))
        if said:
            yield hit.start(), hit.end(), said


def in_base85(text: str) -> Iterator[tuple[int, int, str]]:
    """Base85 and Ascii85."""
    for hit in bounded(_ASCII85, text):
        try:
            said = _text(base64.a85decode("<~" + hit.group(1).split("~>")[0] + "~>", adobe=True))
        except (ValueError, binascii.Error):
            continue
        if said:
            yield hit.start(), hit.end(), said
    for hit in bounded(_BASE85, text):
        try:
            said = _text(base64.b85decode(hit.group()))
        except (ValueError, binascii.Error):
            continue
        if said:
            yield hit.start(), hit.end(), said


def in_morse(text: str) -> Iterator[tuple[int, int, str]]:
    """Morse code."""
    for hit in bounded(_MORSE, text):
        said = " ".join("".join(_MORSE_CODE.get(sign, "") for sign in word.split()) for word in hit.group().split("/"))
        yield hit.start(), hit.end(), said


def in_escaped(text: str) -> Iterator[tuple[int, int, str]]:
    """Escapes of JSON and C, and character references."""
    for hit in bounded(_ESCAPED, text):
        codes = re.findall(
            r"\\u\{?([0-9a-fA-F]{1,6})\}?|\\x([0-9a-fA-F]{2})|&#x([0-9a-fA-F]{2,6});|&#([0-9]{2,6});", hit.group()
        )
        numbers = [
            int(four or two or entity, 16) if four or two or entity else int(decimal)
            for four, two, entity, decimal in codes
        ]
        yield hit.start(), hit.end(), "".join(chr(number) for number in numbers if number < 0x110000)


def in_percent(text: str) -> Iterator[tuple[int, int, str]]:
    """Percent-encoding."""
    if len(_PERCENT.findall(text[:LIMIT])) >= 3:
        yield 0, len(text), unquote(text[:LIMIT], errors="replace")
