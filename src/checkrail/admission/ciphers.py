"""Letters for letters: the alphabet turned or read backwards, words from right to left. Found by what common words become."""

import codecs
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from functools import cache

from checkrail.admission.encodings import LIMIT

Turn = Callable[[str], str]

_COMMON = (
    "the", "then", "read", "tell", "user", "this", "that", "with", "not", "all", "and", "you", "your", "before", "ignore",
    "call", "reveal", "system", "prompt", "previous", "instructions", "send", "always", "using", "when", "must", "should", "first", "into", "entire", "conversation",
    "history", "never", "mention", "step", "contents", "pass", "remember", "sessions", "server", "https", "set", "its", "use",
    "forward", "every", "file", "from", "for", "about", "approve",
)  # fmt: skip
"""Words of which a few stand in any order to a model."""
_SHORT = ("to", "of", "is", "it", "do")
_ENOUGH = 3
_ENOUGH_ROT13 = 2
_LOW, _HIGH = "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_PRINTED = "".join(map(chr, range(33, 127)))


def _letters(alphabet: str) -> Turn:
    """The letters of an alphabet in place of a to z."""
    return partial_translate(str.maketrans(_LOW + _HIGH, alphabet + alphabet.upper()))


def partial_translate(table: Mapping[int, int]) -> Turn:
    """A text by a table of letters."""
    return lambda text: text.translate(table)


def _wordwise(text: str) -> str:
    return re.sub(r"\w+", lambda hit: hit.group()[::-1], text)


@cache
def _turns() -> dict[str, Turn]:
    """How each cipher is taken off."""
    turns: dict[str, Turn] = {f"turned by {by}": _letters(_LOW[by:] + _LOW[:by]) for by in range(1, 26) if by != 13}
    turns["turned by 13"] = lambda text: codecs.encode(text, "rot13")
    turns["backwards alphabet"] = _letters(_LOW[::-1])
    turns["rot47"] = partial_translate(str.maketrans(_PRINTED, _PRINTED[47:] + _PRINTED[:47]))
    turns["from right to left"] = lambda text: text[::-1]
    turns["words from right to left"] = _wordwise
    return turns


def _back(name: str, word: str) -> str:
    """What a word becomes under a cipher: all but turning are their own inverse."""
    if name.startswith("turned by "):
        by = 26 - int(name.rsplit(" ", 1)[1])
        return word.translate(str.maketrans(_LOW, _LOW[by:] + _LOW[:by]))
    return _turns()[name](word)


@cache
def _signs() -> Mapping[str, tuple[str, ...]]:
    """What common words become -> the ciphers under which they do."""
    found: dict[str, list[str]] = defaultdict(list)
    for name in _turns():
        for word in (*_COMMON, *(_SHORT if name == "turned by 13" else ())):
            found[_back(name, word)].append(name)
    return {word: tuple(names) for word, names in found.items() if word not in _COMMON}


def suspect(text: str) -> bool:
    """Whether some word may be a common one under a cipher."""
    return not _signs().keys().isdisjoint(text.lower().split()) or not _RAW.isdisjoint(text.split())


_RAW = frozenset(("E96", "2==", "2?5", "C625", "FD6C", "E6==", "xD?@C6", "x8?@C6", "E9:D", "J@FC", "%96"))


def in_cipher(text: str) -> Iterator[tuple[int, int, str]]:
    """The text under each cipher that makes several of its words common ones."""
    part = text[:LIMIT]
    counts: dict[str, int] = defaultdict(int)
    for word in {*part.lower().split(), *re.findall(r"[a-z]+", part.lower()), *part.split()}:
        for name in _signs().get(word, ()):
            counts[name] += 1
    for name, count in counts.items():
        if count >= (_ENOUGH_ROT13 if name == "turned by 13" else _ENOUGH):
            yield 0, len(text), _turns()[name](part)
