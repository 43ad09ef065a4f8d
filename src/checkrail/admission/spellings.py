"""Spellings that hide words from a filter and not from a model: rot13, accents, look-alikes, digits for letters, gaps, no gaps."""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache

from checkrail.admission import characters
from checkrail.admission.encodings import LIMIT, bounded
from checkrail.admission.lexicon import vocabulary

_SPACED = re.compile(r"(?<![^\W_])(?:[^\W_][ .\-_*|+~]{1,3}){4,}[^\W_](?![^\W_])")
_LETTERS = re.compile(r"(?<!\S)(?:\S {1,3}){12,}\S(?!\S)")
_LETTERS_APART = 12
_EVERY_OTHER = re.compile(r"(?:[^\n]-){12,}[^\n]|(?:[^\n]\*){12,}[^\n]|(?:[^\n]_){12,}[^\n]|(?:[^\n]\|){12,}[^\n]")
_LONG = re.compile(r"[A-Za-z0-9]{28,}")
_LEET_WORD = re.compile(r"[A-Za-z0-9_]+")
_CHUNKED = re.compile(r"(?:\b[a-z0-9]{4} ){6,}[a-z0-9]{1,4}\b", re.IGNORECASE)
_LEET = str.maketrans("0134578@$", "oieastbas")
_LEET_L = str.maketrans("0134578@$", "oleastbas")


def in_accents(text: str) -> Iterator[tuple[int, int, str]]:
    """Accents put on plain words."""
    if not text.isascii() and any(
        unicodedata.decomposition(letter) or unicodedata.combining(letter) for letter in set(text[:LIMIT])
    ):
        yield 0, len(text), characters.unaccented(text[:LIMIT])


_SIGN_LETTERS = dict(zip(map(ord, "ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘǫʀꜱᴛᴜᴠᴡʏᴢ"), "abcdefghijklmnopqrstuvwyz", strict=True)) | {
    0x1F1E6 + number: letter for number, letter in enumerate("abcdefghijklmnopqrstuvwxyz")
}
"""Small capitals, and the letters that flags are made of."""


def in_look_alikes(text: str) -> Iterator[tuple[int, int, str]]:
    """Letters of other scripts."""
    if text.isascii():
        return
    if any(characters.mixed(text[:LIMIT])) or not _SIGN_LETTERS.keys().isdisjoint(map(ord, set(text[:LIMIT]))):
        part = text[:LIMIT].translate(_SIGN_LETTERS)
        yield 0, len(text), characters.unmasked(part)


_ADDRESS = re.compile(r"[A-Za-z0-9.+\-]{1,64}@[A-Za-z0-9\-]{1,63}(?:\.[A-Za-z0-9\-]{1,63}){1,4}")


def in_leet(text: str) -> Iterator[tuple[int, int, str]]:
    """Digits for letters."""
    if "@" in text:
        text = _ADDRESS.sub(lambda hit: " " * len(hit.group()), text)
    mixed = [
        word for word in _LEET_WORD.findall(text[:LIMIT]) if not word.isalpha() and not word.isdigit() and len(word) > 2
    ]
    if len(mixed) >= 3:
        yield 0, len(text), text[:LIMIT].translate(_LEET)
        yield 0, len(text), text[:LIMIT].translate(_LEET_L)
        yield 0, len(text), _leet_by_word(text[:LIMIT])


def _leet_by_word(text: str) -> str:
    """Each word as whichever reading is a word: ``1`` is written for both i and l, ``4`` for a."""

    def best(hit: re.Match[str]) -> str:
        word = hit.group()
        if word.isalpha():
            return word
        for found in _readings(word):
            if found in vocabulary():
                return found
        return word.translate(_LEET)

    return _LEET_WORD.sub(best, text)


def _readings(word: str) -> Iterator[str]:
    """Every choice of i and l for each 1, a few at most."""
    low = word.lower()
    ones = [at for at, letter in enumerate(low) if letter == "1"][:4]
    for choice in range(1 << len(ones)):
        letters = list(low)
        for number, at in enumerate(ones):
            letters[at] = "l" if choice >> number & 1 else "i"
        yield "".join(letters).translate(_LEET)


def in_spaced(text: str) -> Iterator[tuple[int, int, str]]:
    """Blanks, dots or dashes between the letters."""
    for hit in bounded(_SPACED, text):
        run = hit.group()
        for joined in _joined(run):
            for said in dict.fromkeys((joined, _leet_by_word(joined), apart(_leet_by_word(joined)))):
                yield (
                    hit.start(),
                    hit.end(),
                    f"{text[max(0, hit.start() - 400) : hit.start()]}{said}{text[hit.end() : hit.end() + 400]}",
                )
    for hit in bounded(_EVERY_OTHER, text) if max(map(text.count, "-*_|")) >= _LETTERS_APART else ():
        yield hit.start(), hit.end(), hit.group()[::2]
    for hit in bounded(_LETTERS, text):
        said = re.sub(r"(?<=\S) (?=\S)", "", re.sub(r" {2,}", "\n", hit.group())).replace("\n", " ")
        yield hit.start(), hit.end(), said
        yield hit.start(), hit.end(), _leet_by_word(said)


def _joined(run: str) -> Iterator[str]:
    """Letters put together again: wider gaps part words, or else there is one long word."""
    gaps = re.findall(_GAP, run)
    if len(set(map(len, gaps))) > 1:
        narrow = min(map(len, gaps))
        yield re.sub(_GAP, lambda hit: " " if len(hit.group()) > narrow else "", run)
    yield apart(re.sub(_GAP, "", run))


_GAP = r"[ .\-_*|+~]+"


def in_joined_words(text: str) -> Iterator[tuple[int, int, str]]:
    """Marks for blanks: "Do_not_tell_the_user"."""
    if sum(map(text.count, "_-+./")) < _MARKS or max(map(len, text.split()), default=0) < _JOINED:
        return
    for hit in bounded(_MARKED_WORDS, text):
        yield hit.start(), hit.end(), re.sub(r"[_\-+./]", " ", hit.group())


def in_broken_words(text: str) -> Iterator[tuple[int, int, str]]:
    """Markup and hyphens within words, quotes and numbers around each."""
    if max(map(text.count, "-<*`\"'(")) < _FEW:
        return
    part = text[:LIMIT]
    said = _INSIDE.sub("", part)
    said = re.sub(r"[a-zA-Z]+-[a-zA-Z]+", lambda hit: _whole(hit.group()), said)
    if len(_ENCLOSED.findall(said)) >= _MANY:
        said = _ENCLOSED.sub(lambda hit: hit.group(1) or "", said)
    if said != part:
        yield 0, len(text), said


def _whole(word: str) -> str:
    joined = word.replace("-", "")
    return joined if joined.lower() in vocabulary() and word.lower() not in vocabulary() else word


_FEW = 3
_MANY, _MARKS, _JOINED = 6, 5, 20
"""Words in quotes, marks between words, and letters of words that are joined, from which on they are taken apart."""
_MARKED_WORDS = re.compile(r"(?:[A-Za-z'`,;:]{1,24}[_\-+./]){5,}[A-Za-z'`,;:]{1,24}")
_INSIDE = re.compile(r"(?<=[A-Za-z])(?:<[^>\s]{0,40}>|\*{1,3}|/\*[^*]{0,40}\*/|`)+(?=[A-Za-z])")
_ENCLOSED = re.compile(r"[\"']([A-Za-z]{1,24})[\"']|\([0-9]{1,3}\) ?")


def in_run_together(text: str) -> Iterator[tuple[int, int, str]]:
    """Words without blanks, or cut at the wrong places."""
    for hit in bounded(_LONG, text):
        for said in {hit.group().lower(), hit.group().lower().translate(_LEET), hit.group().lower().translate(_LEET_L)}:
            if parted := apart(said):
                yield hit.start(), hit.end(), parted
    for hit in bounded(_CHUNKED, text):
        run = hit.group().lower().replace(" ", "")
        for said in {run, run.translate(_LEET), run.translate(_LEET_L)}:
            if parted := apart(said):
                yield hit.start(), hit.end(), parted


@cache
def _pieces() -> frozenset[str]:
    return frozenset(
        word for word in vocabulary() if word.isascii() and word.isalpha() and (len(word) > 2 or word in _SHORT_WORDS)
    )


_SHORT_WORDS = frozenset(
    ["a", "an", "of", "to", "in", "on", "at", "by", "do", "is", "it", "my", "no", "or", "so", "us", "we"]
)
_LONGEST_WORD = 16


def apart(run: str) -> str:
    """A run of letters as the words in it, longest known words first; letters that fit nowhere stay alone.

    ``i`` and ``l`` stand for one another, since ``1`` is written for both.
    """
    run = run.lower()[:1024]
    words: list[str] = []
    place = known = 0
    while place < len(run):
        for length in range(min(_LONGEST_WORD, len(run) - place), 0, -1):
            piece = _spelled(run[place : place + length])
            if piece:
                known += length
                break
        else:
            length, piece = 1, run[place]
        words.append(piece)
        place += length
    return " ".join(words) if known * 2 >= len(run) or known >= 20 else ""


def _spelled(piece: str) -> str:
    if piece in _pieces():
        return piece
    if len(piece) < 4 or not ("i" in piece or "l" in piece):
        return ""
    return next((other for other in _swapped(piece) if other in _pieces()), "")


def _swapped(piece: str) -> Iterator[str]:
    places = [at for at, letter in enumerate(piece) if letter in "il"][:4]
    for choice in range(1 << len(places)):
        letters = list(piece)
        for number, at in enumerate(places):
            letters[at] = "l" if choice >> number & 1 else "i"
        yield "".join(letters)
