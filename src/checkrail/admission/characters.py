"""Characters that a person does not see as they are: invisible ones, direction controls, terminal escapes, look-alikes."""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0"
    "\ufff9-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e01ef]+"
)
_ESCAPES = re.compile("[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]+")
_JOINERS = frozenset("\u200c\u200d")
_FLAG = "\U0001f3f4"
_WORD = re.compile(r"[^\W\d_]+")

# Letters of other scripts that pass for Latin ones, by what they pass for.
_LOOK_ALIKES = str.maketrans(
    dict(
        zip(
            "аеорсухіјѕԛԝһԁɡӏЅІЈАВЕКМНОРСТУХԌ" + "αοѵνρτικυΑΒΕΖΗΙΚΜΝΟΡΤΥΧ" + "ոսցօհ",
            "aeopcyxijsqwhdglSIJABEKMHOPCTYXG" + "aovvptikuABEZHIKMNOPTYX" + "nugoh",
            strict=True,
        )
    )
)
_PLAIN = str.maketrans(
    {"\u2018": "'", "\u2019": "'", "\u02bc": "'", "\u201c": '"', "\u201d": '"', "\u2013": "-", "\u00a0": " "}
)


def hidden(text: str) -> Iterator[tuple[int, int, str]]:
    """Spans of characters that nobody sees, with what they are."""
    if text.isascii():
        yield from ((hit.start(), hit.end(), "control characters of a terminal") for hit in _ESCAPES.finditer(text))
        return
    for hit in _ESCAPES.finditer(text):
        yield hit.start(), hit.end(), "control characters of a terminal"
    for hit in _INVISIBLE.finditer(text):
        if not _honest(text, hit.start(), hit.end()):
            yield hit.start(), hit.end(), _called(hit.group())


def _called(run: str) -> str:
    first = ord(run[0])
    if any(0xE0000 <= ord(letter) <= 0xE007F for letter in run):
        return "tag characters, which spell a text nobody sees"
    if 0x202A <= first <= 0x202E or 0x2066 <= first <= 0x2069 or first in (0x200E, 0x200F, 0x061C):
        return "characters that turn the direction of writing"
    return "invisible characters"


def _honest(text: str, start: int, end: int) -> bool:
    """A joiner inside an emoji or a script that needs it, a flag, a byte-order mark, a soft hyphen."""
    run = text[start:end]
    if run == "\ufeff" and start == 0:
        return True
    if run == "\u00ad":
        return True
    before, after = text[start - 1 : start], text[end : end + 1]
    if len(run) == 1 and run in _JOINERS:
        return bool(before and after) and (_joins(before) and (_joins(after) or after.isspace()))
    if before == _FLAG and run[-1] == "\U000e007f" and len(run) <= 7:
        return True
    if run in ("\u200e", "\u200f"):
        return any(unicodedata.bidirectional(letter) in ("R", "AL") for letter in text[max(0, start - 40) : end + 40])
    return False


def _joins(letter: str) -> bool:
    if letter == "\ufe0f" or unicodedata.category(letter) in ("So", "Sk", "Mn", "Mc"):
        return True
    return _script(letter) in (
        "ARABIC",
        "DEVANAGARI",
        "BENGALI",
        "TAMIL",
        "MALAYALAM",
        "SINHALA",
        "KANNADA",
        "TELUGU",
        "SYRIAC",
    )


@lru_cache(maxsize=4096)
def _script(letter: str) -> str:
    return unicodedata.name(letter, "").split(" ")[0]


def mixed(text: str) -> Iterator[tuple[int, int]]:
    """Words in which letters of another script pass for Latin ones."""
    if text.isascii():
        return
    for hit in _WORD.finditer(text):
        word = hit.group()
        if not word.isascii() and _mixes(word):
            yield hit.span()


@lru_cache(maxsize=4096)
def _mixes(word: str) -> bool:
    scripts = {_script(letter) for letter in word if letter.isalpha()}
    if "LATIN" in scripts and scripts & {"CYRILLIC", "GREEK", "ARMENIAN"}:
        return word.translate(_LOOK_ALIKES).isascii() and len(word) > 2
    return False


def plain(text: str) -> str:
    """The text as a person reads it: composed forms, no invisible letters, Latin for look-alikes in mixed words."""
    if text.isascii():
        return text
    return _INVISIBLE.sub("", unicodedata.normalize("NFKC", text)).translate(_PLAIN)


def unmasked(text: str) -> str:
    """Look-alikes as the Latin letters for which they pass, everywhere."""
    return text.translate(_LOOK_ALIKES)


def unaccented(text: str) -> str:
    """Letters without their accents."""
    return "".join(letter for letter in unicodedata.normalize("NFD", text) if not unicodedata.combining(letter))


def tagged(text: str) -> str:
    """What tag characters spell."""
    return "".join(chr(ord(letter) - 0xE0000) for letter in text if 0xE0020 <= ord(letter) <= 0xE007E)
