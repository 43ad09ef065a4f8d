"""Sentences and the words in them, with their places. Every pattern here takes linear time."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

import msgspec

WORDS = 320
"""Words of one sentence that are read at once; what is longer is read in overlapping parts."""
OVERLAP = 24

_BREAK = re.compile(
    r"(?<=[.!?:;])[ \t]+(?=\S)|(?<=[.!?][\"')\]*])[ \t]+|[ \t]*\n[ \t]*(?:\n\s*|(?=[-*+#>|•\d`<\[A-Z]))|(?<=[。！？])|</?[A-Za-z][\w\-]{0,40}/?>"
)
_MAY_BREAK = re.compile(r"[.!?:;][\"')\]*]?[ \t]|[\n<]")
"""What an ASCII text must hold to be more than one sentence."""
_SHORT = ("e.g.", "i.e.", "etc.", "vs.", "cf.", "z.b.", "d.h.", "bzw.", "no.", "approx.", "incl.", "eg.", "ie.")
_URL = r"(?P<url>[a-zA-Z][a-zA-Z0-9+.\-]{1,15}://[^\s<>\"'`)\]]+)|"
_EMAIL = r"(?P<email>(?<![\w.+\-])[\w.+\-]{1,64}@[\w\-]{1,63}(?:\.[\w\-]{1,63})+)|"
_HOST = r"(?P<host>(?:\d{1,3}\.){3}\d{1,3}\b|(?:[a-zA-Z0-9\-]{1,63}\.){1,6}(?:com|net|org|io|co|dev|ai|app|cloud|example|invalid|test|ru|cn|info|biz|xyz|site)\b(?:/[^\s`'\")]{0,200})?)|"
_PATH = r"(?P<path>(?:~|\.{1,2})?/[\w.~*@%+\-]+(?:/[\w.~*@%+\-]*)*|(?<![\w)])\.[a-zA-Z][\w\-]*(?:[./][\w*\-]+)*|\*\.\w+|\w+\.(?:md|json|toml|env|dat|pem|exe|sh|kdbx|ya?ml)\b)|"
_REST = r"(?P<option>--?[a-zA-Z][\w\-]*)|(?P<word>\w+(?:['\-]\w+)*)|(?P<mark>[^\s\w])"
_TOKEN = re.compile(_HOST + _PATH + _REST)
_TOKEN_ALL = re.compile(_URL + _EMAIL + _HOST + _PATH + _REST)
_SIMPLE = re.compile(r"\w+(?:['\-]\w+)*|[^\s\w]")
_SPECIAL = re.compile(r"[/~@*]|\w\.\w|(?<!\w)\.\w|(?<!\w)--?[a-zA-Z]")
_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


class Sentence(msgspec.Struct, frozen=True, gc=False):
    """Its words in lower case, the kind of each (url, email, path, option, word, mark), as they are spelled, and the text
    that they stand in from ``begin`` on. Where a word stands is only looked up for a finding."""

    words: tuple[str, ...]
    kinds: tuple[str, ...]
    raw: tuple[str, ...]
    piece: str
    begin: int
    first: bool

    def start(self, place: int) -> int:
        """Where a word stands in the piece: only blanks lie between words, so each is the next of its spelling."""
        return _place(self.piece, self.raw, place, self.begin)

    def end(self, place: int) -> int:
        """Where a word ends."""
        return self.start(place) + len(self.raw[place])


def _place(piece: str, raw: Sequence[str], place: int, begin: int) -> int:
    for word in raw[:place]:
        begin = piece.index(word, begin) + len(word)
    return piece.index(raw[place], begin)


@lru_cache(maxsize=4096)
def pieces(text: str) -> tuple[tuple[int, str], ...]:
    """The sentences of a text as it stands, with their offsets."""
    if text.isascii() and not _MAY_BREAK.search(text):
        return ((0, text),) if text.strip() else ()
    return tuple(_pieces(text))


def _pieces(text: str) -> Iterator[tuple[int, str]]:
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
        raw = _SIMPLE.findall(piece)
        kinds = ["word" if word[0].isalnum() or word[0] == "_" else "mark" for word in raw]
    else:
        hits = list((_TOKEN_ALL if "@" in piece or "://" in piece else _TOKEN).finditer(piece))
        raw = [hit.group() for hit in hits]
        kinds = [hit.lastgroup or "mark" for hit in hits]
    yield from _parts(raw, kinds, piece, first)


def _parts(raw: list[str], kinds: list[str], piece: str, first: bool) -> Iterator[Sentence]:
    begin = 0
    for start in range(0, max(1, len(raw)), WORDS - OVERLAP):
        part = tuple(raw[start : start + WORDS])
        if not part or (start and len(part) <= OVERLAP):
            return
        lower = tuple([word.lower() for word in part])
        yield Sentence(lower, tuple(kinds[start : start + WORDS]), part, piece, begin, first and start == 0)
        if len(part) == WORDS:
            begin = _place(piece, part, WORDS - OVERLAP, begin)


def unspaced(text: str) -> bool:
    """Whether a text is written in a script that puts no blanks between words."""
    return _CJK.search(text) is not None
