"""What a text says once an encoding or an odd spelling is taken off."""

import re
from collections.abc import Callable, Iterator

from checkrail.admission import encodings, spellings
from checkrail.admission.lexicon import vocabulary

Decoder = Callable[[str], Iterator[tuple[int, int, str]]]
"""Gives the span of each encoded stretch and what it says."""

DECODERS: tuple[tuple[str, Decoder], ...] = (
    ("base64", encodings.in_base64),
    ("base32", encodings.in_base32),
    ("hexadecimal", encodings.in_hex),
    ("binary", encodings.in_binary),
    ("base85", encodings.in_base85),
    ("Morse code", encodings.in_morse),
    ("escapes", encodings.in_escaped),
    ("percent-encoding", encodings.in_percent),
    ("rot13", spellings.in_rot13),
    ("accents", spellings.in_accents),
    ("look-alikes", spellings.in_look_alikes),
    ("digits for letters", spellings.in_leet),
    ("spaced letters", spellings.in_spaced),
    ("words run together", spellings.in_run_together),
)


_SUSPECT = re.compile(r"[0-9%]|[A-Za-z0-9+/_\-]{16}|\\[ux]|&#|<~|(?:\b\w[ .\-_*|]{1,2}){4}|(?:[.\-]{1,6}[ /]){6}")
"""Without any of this, an ASCII text is in no encoding but rot13."""


def views(text: str) -> Iterator[tuple[str, int, int, str]]:
    """The readings of a text under each encoding that it may be in: encoding, span, and what it says."""
    if text.isascii() and not _SUSPECT.search(text) and not spellings.turned(text):
        return
    runs = _RUN.search(text) is not None
    spoken: frozenset[str] | None = None
    for name, decoder in DECODERS:
        if name in _RUNS and not runs:
            continue
        for start, end, said in decoder(text):
            if not said or said == text:
                continue
            if name in _PROSE:
                spoken = _known_words(text) if spoken is None else spoken
                if len(_known_words(said) - spoken) < _NEWS:
                    continue
            yield name, start, end, said


_RUN = re.compile(r"[A-Za-z0-9+/_\-]{16}")
_RUNS = frozenset(("base64", "base32"))
"""Encodings that show in a long run of letters and digits."""
_PROSE = frozenset(("rot13", "accents", "look-alikes", "digits for letters", "spaced letters", "words run together"))
_NEWS = 2
"""Known words that a reading must bring to light before it is worth reading."""


def _known_words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[a-z']+", text.lower())) & vocabulary()
