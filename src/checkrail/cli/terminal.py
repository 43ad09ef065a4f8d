"""Colours on a terminal, plain text in a pipe."""

import os
import sys

_CODES = {"red": "31", "green": "32", "yellow": "33", "blue": "34", "bold": "1", "dim": "2"}


def coloured() -> bool:
    """Whether stdout is a terminal that wants colours (``NO_COLOR`` and ``TERM=dumb`` say no)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def paint(text: str, colour: str) -> str:
    """``text`` in a colour, where colours are wanted."""
    return f"\033[{_CODES[colour]}m{text}\033[0m" if coloured() else text


DECISIONS = {"allow": "green", "note": "blue", "ask": "yellow", "deny": "red"}


def decision(word: str) -> str:
    """A decision in its colour."""
    return paint(word, DECISIONS.get(word, "bold"))


def plain(text: str) -> str:
    """A text from outside with what a terminal would obey, or a reader not see, made visible."""
    return "".join(
        letter if letter.isprintable() and not 0xE0000 <= ord(letter) <= 0xE01EF else f"\\u{{{ord(letter):x}}}"
        for letter in text
    )
