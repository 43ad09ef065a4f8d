"""Making inputs: seeds that are cut, spliced, nested, repeated and sprinkled with the words of their language."""

import random
from collections.abc import Callable, Sequence

ODD = (
    "\0", "\x01", "\x1b[0m", "\x7f", "\r", "\n", "\t", " ", "\\", "\\\n", "'", '"', "`", "$", "é", "\u200b", "\u202e", "\ud800", "\udcff",
    "\ufeff", "\U0001f600", "０", "／", "\u2028", "ß", "İ", "%00", "%2f", "%25",
)  # fmt: skip
"""What readers stumble over."""

LONGEST = 20_000
Change = Callable[[random.Random, str, Sequence[str], Sequence[str]], str]


def _place(chance: random.Random, text: str) -> int:
    return chance.randrange(len(text) + 1)


def _span(chance: random.Random, text: str) -> tuple[int, int]:
    start = _place(chance, text)
    return start, min(len(text), start + chance.choice((1, 1, 2, 4, 8, 30, 200)))


def insert(chance: random.Random, text: str, words: Sequence[str], _seeds: Sequence[str]) -> str:
    """A word of the language somewhere."""
    at = _place(chance, text)
    return text[:at] + chance.choice(words) + text[at:]


def sprinkle(chance: random.Random, text: str, _words: Sequence[str], _seeds: Sequence[str]) -> str:
    """An odd character somewhere."""
    at = _place(chance, text)
    return text[:at] + chance.choice(ODD) + text[at:]


def cut(chance: random.Random, text: str, _words: Sequence[str], _seeds: Sequence[str]) -> str:
    """A part left out."""
    start, end = _span(chance, text)
    return text[:start] + text[end:]


def repeat(chance: random.Random, text: str, _words: Sequence[str], _seeds: Sequence[str]) -> str:
    """A part many times."""
    start, end = _span(chance, text)
    return text[:end] + text[start:end] * chance.choice((1, 2, 7, 60, 500)) + text[end:]


def splice(chance: random.Random, text: str, _words: Sequence[str], seeds: Sequence[str]) -> str:
    """The beginning of one, the end of another."""
    other = chance.choice(seeds)
    return text[: _place(chance, text)] + other[_place(chance, other) :]


def swap(chance: random.Random, text: str, words: Sequence[str], _seeds: Sequence[str]) -> str:
    """A part in place of which a word of the language stands."""
    start, end = _span(chance, text)
    return text[:start] + chance.choice(words) + text[end:]


def nest(chance: random.Random, text: str, words: Sequence[str], _seeds: Sequence[str]) -> str:
    """The whole between two words, a few times or often."""
    before, after, count = chance.choice(words), chance.choice(words), chance.choice((1, 2, 5, 40))
    return before * count + text + after * count


CHANGES: tuple[Change, ...] = (insert, insert, swap, swap, sprinkle, cut, cut, splice, splice, repeat, nest)


def mutated(chance: random.Random, seeds: Sequence[str], words: Sequence[str]) -> str:
    """A seed after a few changes."""
    text = chance.choice(seeds)
    for _ in range(chance.choice((1, 1, 2, 3, 5, 9))):
        text = chance.choice(CHANGES)(chance, text, words, seeds)[:LONGEST]
    return text
