"""What a text says once an encoding or an odd spelling is taken off."""

import re
from collections.abc import Callable, Iterator

from checkrail.admission import ciphers, encodings, spellings
from checkrail.admission.lexicon import vocabulary

Decoder = Callable[[str], Iterator[tuple[int, int, str]]]
"""Gives the span of each encoded stretch and what it says."""

DECODERS: tuple[tuple[str, Decoder], ...] = (
    ("base64", encodings.in_base64),
    ("base64 in pieces", encodings.in_cut_base64),
    ("base32", encodings.in_base32),
    ("hexadecimal", encodings.in_hex),
    ("binary", encodings.in_binary),
    ("base85", encodings.in_base85),
    ("Morse code", encodings.in_morse),
    ("escapes", encodings.in_escaped),
    ("percent-encoding", encodings.in_percent),
    ("numbers of characters", encodings.in_numbers),
    ("quoted-printable", encodings.in_quoted_printable),
    ("a cipher", ciphers.in_cipher),
    ("accents", spellings.in_accents),
    ("look-alikes", spellings.in_look_alikes),
    ("digits for letters", spellings.in_leet),
    ("spaced letters", spellings.in_spaced),
    ("words run together", spellings.in_run_together),
    ("marks for blanks", spellings.in_joined_words),
    ("broken words", spellings.in_broken_words),
)


_SUSPECT = re.compile(r"[0-9%]|[A-Za-z0-9+/_\-.]{16}|\\[ux]|&#|<~|(?:\b\w[ .\-_*|]{1,2}){4}|(?:[.\-]{1,6}[ /]){6}")
"""Without any of this, an ASCII text is in no encoding but a cipher."""


def views(text: str) -> Iterator[tuple[str, int, int, str]]:
    """The readings of a text under each encoding that it may be in: encoding, span, and what it says."""
    decoders = DECODERS
    if text.isascii() and not _SUSPECT.search(text) and not ciphers.suspect(text):
        decoders = _BROKEN
    runs = _RUN.search(text) is not None
    spoken: frozenset[str] | None = None
    for name, decoder in decoders:
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
            if name in BYTES:
                yield from ((inner, start, end, more) for inner, more in _again(said))


_BROKEN = (("broken words", spellings.in_broken_words),)
"""What any text may hold."""
_RUN = re.compile(r"[A-Za-z0-9+/_\-]{16}")
_RUNS = frozenset(("base64", "base32"))
"""Encodings that show in a long run of letters and digits."""


def _again(said: str) -> Iterator[tuple[str, str]]:
    """What bytes say that were encoded twice."""
    for name, decoder in DECODERS:
        if name in BYTES:
            yield from ((f"{name} twice", more) for _, _, more in decoder(said) if more and more != said)


BYTES = frozenset(
    ("base64", "base64 in pieces", "base32", "hexadecimal", "binary", "base85", "percent-encoding", "escapes")
)
"""Encodings of bytes, which may be encodings of encodings."""
_PROSE = frozenset(
    ("a cipher", "broken words", "accents", "look-alikes", "digits for letters", "spaced letters", "words run together")
)
_NEWS = 2
"""Known words that a reading must bring to light before it is worth reading."""


def _known_words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[a-z']+", text.lower())) & vocabulary()
