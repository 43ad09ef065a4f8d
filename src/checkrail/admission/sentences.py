"""Sentences and the words in them, with their places. Every pattern here takes linear time."""

import re
from collections.abc import Iterator

import msgspec

WORDS = 320
"""Words of one sentence that are read at once; what is longer is read in overlapping parts."""
OVERLAP = 24

_BREAK = re.compile(
    r"(?<=[.!?:;])[ \t]+(?=\S)|(?<=[.!?][\"')\]*])[ \t]+|[ \t]*\n[ \t]*(?:\n\s*|(?=[-*+#>|•\d`<\[A-Z]))|(?<=[。！？])|</?[A-Za-z][\w\-]{0,40}/?>"
)
_SHORT = ("e.g.", "i.e.", "etc.", "vs.", "cf.", "z.b.", "d.h.", "bzw.", "no.", "approx.", "incl.", "eg.", "ie.")
_URL = r"(?P<url>[a-zA-Z][a-zA-Z0-9+.\-]{1,15}://[^\s<>\"'`)\]]+)|"
_EMAIL = r"(?P<email>(?<![\w.+\-])[\w.+\-]{1,64}@[\w\-]{1,63}(?:\.[\w\-]{1,63})+)|"
_HOST = r"(?P<host>(?:\d{1,3}\.){3}\d{1,3}\b|(?:[a-zA-Z0-9\-]{1,63}\.){1,6}(?:com|net|org|io|co|dev|ai|app|cloud|example|invalid|test|ru|cn|info|biz|xyz|site)\b(?:/[^\s`'\")]{0,200})?)|"
_PATH = r"(?P<path>(?:~|\.{1,2})?/[\w.~*@%+\-]+(?:/[\w.~*@%+\-]*)*|(?<![\w)])\.[a-zA-Z][\w\-]*(?:[./][\w*\-]+)*|\*\.\w+|\w+\.(?:md|json|toml|env|dat|pem|exe|sh|key|kdbx|ya?ml)\b)|"
_REST = r"(?P<option>--?[a-zA-Z][\w\-]*)|(?P<word>\w+(?:['\-]\w+)*)|(?P<mark>[^\s\w])"
_TOKEN = re.compile(_HOST + _PATH + _REST)
_TOKEN_ALL = re.compile(_URL + _EMAIL + _HOST + _PATH + _REST)
_SIMPLE = re.compile(r"\w+(?:['\-]\w+)*|[^\s\w]")
_SPECIAL = re.compile(r"[/~@*]|\w\.\w|(?<!\w)\.\w|(?<!\w)--?[a-zA-Z]")
_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


class Sentence(msgspec.Struct, frozen=True, gc=False):
    """Its words in lower case, the kind of each (url, email, path, option, word, mark), and where each stands in the text."""

    words: tuple[str, ...]
    kinds: tuple[str, ...]
    raw: tuple[str, ...]
    starts: tuple[int, ...]
    end: int
    first: bool


def pieces(text: str) -> Iterator[tuple[int, str]]:
    """The sentences of a text as it stands, with their offsets."""
    start = 0
    for hit in _BREAK.finditer(text):
        piece = text[start : hit.start()]
        if hit.group().strip() == "" and "\n" not in hit.group() and _goes_on(piece):
            continue
        if piece.strip():
            yield start, piece
        start = hit.end()
    if text[start:].strip():
        yield start, text[start:]


def _goes_on(piece: str) -> bool:
    """A colon or semicolon ends a clause, not a sentence; an abbreviation ends neither."""
    return piece.endswith((":", ";")) or piece[-8:].lower().endswith(_SHORT)


def words(piece: str, *, first: bool = False) -> Iterator[Sentence]:
    """One sentence as words; a very long one in parts."""
    if not _SPECIAL.search(piece):
        found = [
            (
                hit.group().lower(),
                "word" if hit.group()[0].isalnum() or hit.group()[0] == "_" else "mark",
                hit.group(),
                hit.start(),
            )
            for hit in _SIMPLE.finditer(piece)
        ]
        yield from _parts(found, first)
        return
    pattern = _TOKEN_ALL if "@" in piece or "://" in piece else _TOKEN
    yield from _parts(
        [(hit.group().lower(), hit.lastgroup or "mark", hit.group(), hit.start()) for hit in pattern.finditer(piece)],
        first,
    )


def _parts(found: list[tuple[str, str, str, int]], first: bool) -> Iterator[Sentence]:
    for start in range(0, max(1, len(found)), WORDS - OVERLAP):
        part = found[start : start + WORDS]
        if not part or (start and len(part) <= OVERLAP):
            return
        lower, kinds, raws, starts = zip(*part, strict=True)
        yield Sentence(lower, kinds, raws, starts, starts[-1] + len(raws[-1]), first and start == 0)


def unspaced(text: str) -> bool:
    """Whether a text is written in a script that puts no blanks between words."""
    return _CJK.search(text) is not None
