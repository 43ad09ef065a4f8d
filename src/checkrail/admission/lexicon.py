"""Gives words their classes: the vocabulary of all languages in one index, and which languages a sentence speaks."""

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache

import msgspec

from checkrail.admission import places
from checkrail.admission.sentences import Sentence, unspaced
from checkrail.admission.sentences import words as spelled
from checkrail.knowledge.speech import Language, WordClass, languages

Tags = frozenset[str]
NONE: Tags = frozenset()

LONGEST = 6
"""Words of the longest phrase."""

_VOWELS = frozenset("aeiou")


class Entry(msgspec.Struct, frozen=True, gc=False):
    """A word or phrase: its further words, its classes, its language."""

    rest: tuple[str, ...]
    tags: Tags
    language: str


class Index(msgspec.Struct, frozen=True):
    """First word -> entries, longest first; ``stems`` holds those whose first word ends in ``*``."""

    exact: dict[str, tuple[Entry, ...]]
    stems: dict[str, tuple[Entry, ...]]


def _inflected(verb: str) -> Iterator[tuple[str, str]]:
    """The forms of a regular English verb; in a phrase the first word changes."""
    first, blank, rest = verb.partition(" ")
    tail = blank + rest
    yield first + tail, "base"
    if first.endswith("y") and first[-2:-1] not in _VOWELS:
        yield first[:-1] + "ies" + tail, "third"
        yield first[:-1] + "ied" + tail, "past"
        yield first + "ing" + tail, "ing"
        return
    yield first + ("es" if first.endswith(("s", "x", "z", "ch", "sh")) else "s") + tail, "third"
    stem = first + first[-1] if _doubles(first) else first[:-1] if first.endswith("e") else first
    yield (first if first.endswith("ee") else stem) + "ing" + tail, "ing"
    yield stem + "ed" + tail, "past"


def _doubles(verb: str) -> bool:
    one = sum(letter in _VOWELS for letter in verb) == 1 or verb in (
        "submit",
        "permit",
        "omit",
        "commit",
        "transmit",
        "forget",
    )
    return one and len(verb) > 2 and verb[-1] not in "aeiouwxy" and verb[-2] in _VOWELS and verb[-3] not in _VOWELS


def _forms(language: Language, entry: WordClass) -> Iterator[tuple[str, Tags]]:
    for verb in entry.verbs:
        if language.inflect == "english":
            for form, kind in _inflected(verb):
                yield form, frozenset((entry.name, "verb", kind))
        else:
            yield verb, frozenset((entry.name, "verb", "base"))
    for form in entry.imperatives:
        yield form, frozenset((entry.name, "verb", "base", "command"))
    for form in entry.past:
        yield form, frozenset((entry.name, "verb", "past"))
    for form in entry.third:
        yield form, frozenset((entry.name, "verb", "third"))
    for word in entry.words:
        yield word, frozenset((entry.name,))


@cache
def _index() -> Index:
    exact: dict[str, dict[tuple[tuple[str, ...], str], set[str]]] = {}
    stems: dict[str, dict[tuple[tuple[str, ...], str], set[str]]] = {}
    for language in languages():
        for entry in language.classes:
            for form, tags in _forms(language, entry):
                first, *rest = form.split(" ") if not language.unspaced else [form]
                table, key = (stems, first[:-1]) if first.endswith("*") else (exact, first)
                table.setdefault(key, {}).setdefault((tuple(rest), language.language), set()).update(tags)
    return Index(_frozen(exact), _frozen(stems))


def _frozen(table: dict[str, dict[tuple[tuple[str, ...], str], set[str]]]) -> dict[str, tuple[Entry, ...]]:
    return {
        word: tuple(
            Entry(rest, frozenset(tags), language)
            for (rest, language), tags in sorted(found.items(), key=lambda pair: -len(pair[0][0]))
        )
        for word, found in table.items()
    }


class Word(msgspec.Struct, frozen=True, gc=False):
    """A word: its own classes by language, and the phrases that it begins by their second word, longest first."""

    alone: tuple[tuple[str, Tags], ...]
    usual: Tags
    phrases: dict[str, tuple[Entry, ...]]
    stems: tuple[Entry, ...]
    simple: bool
    """Whether it begins no phrase."""


_NO_WORD = Word((), NONE, {}, (), True)
_LONGEST_STEM = 16
_LONGEST_WORD = 64


@lru_cache(maxsize=65536)
def _word(word: str) -> Word:
    index = _index()
    found = index.exact.get(word, ()) if len(word) <= _LONGEST_WORD else ()
    for length in range(3, min(len(word), _LONGEST_STEM) + 1):
        found += index.stems.get(word[:length], ())
    if not found:
        return _NO_WORD
    phrases: dict[str, tuple[Entry, ...]] = {}
    for entry in found:
        if entry.rest and not entry.rest[0].endswith("*"):
            phrases[entry.rest[0]] = (*phrases.get(entry.rest[0], ()), entry)
    stems = tuple(entry for entry in found if entry.rest and entry.rest[0].endswith("*"))
    return Word(
        tuple((entry.language, entry.tags) for entry in found if not entry.rest),
        NONE.union(*(entry.tags for entry in found if not entry.rest and entry.language in _always())),
        phrases,
        stems,
        not phrases and not stems,
    )


@cache
def _by_sign() -> dict[str, tuple[str, ...]]:
    signs: dict[str, tuple[str, ...]] = {}
    for language in languages():
        for sign in language.signs:
            signs[sign] = (*signs.get(sign, ()), language.language)
    return signs


@cache
def _scripts() -> tuple[tuple[str, str, str], ...]:
    ranges = ((entry.script.split("-"), entry.language) for entry in languages() if entry.script)
    return tuple((low, high, language) for (low, high), language in ranges)


@cache
def _always() -> frozenset[str]:
    return frozenset(entry.language for entry in languages() if entry.always)


def spoken(words: Sequence[str]) -> frozenset[str]:
    """The languages that a sentence may be in."""
    signs = _by_sign()
    found = _always()
    for word in () if signs.keys().isdisjoint(words) else words:
        if word in signs:
            found = found | frozenset(signs[word])
    for word in words:
        if not word.isascii():
            found = found | {name for low, high, name in _scripts() if any(low <= letter <= high for letter in word)}
    return found


@cache
def vocabulary() -> frozenset[str]:
    """All whole words of the languages that are read in any case, for taking words apart that were run together."""
    return frozenset(
        word
        for first, entries in _index().exact.items()
        for entry in entries
        if entry.language in _always()
        for word in (first, *entry.rest)
    )


def segmented(sentence: Sentence) -> Sentence:
    """The sentence with runs of a script that writes words together cut into the words that are known, longest first."""
    if not any(kind == "word" and unspaced(word) for word, kind in zip(sentence.words, sentence.kinds, strict=True)):
        return sentence
    found: list[tuple[str, str, str]] = []
    for word, kind, raw in zip(sentence.words, sentence.kinds, sentence.raw, strict=True):
        cuts = _cut(word) if kind == "word" and unspaced(word) else [(0, len(raw))]
        found += [(raw[low:high].lower(), kind, raw[low:high]) for low, high in cuts]
    lower, kinds, raws = zip(*found, strict=True)
    return Sentence(lower, kinds, raws, sentence.piece, sentence.begin, sentence.first)


_LONGEST_RUN = 10


def _cut(word: str) -> list[tuple[int, int]]:
    known = _index().exact
    cuts: list[tuple[int, int]] = []
    place = 0
    while place < len(word):
        length = next((size for size in range(_LONGEST_RUN, 0, -1) if word[place : place + size] in known), 1)
        cuts.append((place, min(len(word), place + length)))
        place += length
    return cuts


def tag(sentence: Sentence) -> list[Tags]:
    """The classes of every word, phrases marked on their first word."""
    words, kinds = sentence.words, sentence.kinds
    speaks = spoken(words)
    usual = speaks is _always()
    found = []
    for place, known in enumerate(map(_word, words)):
        if usual and kinds[place] == "word" and (known.simple or _plain(known, words, place)):
            found.append(known.usual)  # most words are plain ones
        else:
            found.append(_tags(sentence, words, place, speaks))
    return found


def _plain(known: Word, words: Sequence[str], place: int) -> bool:
    """Whether a word begins none of its phrases here."""
    return not known.stems and (place + 1 >= len(words) or words[place + 1] not in known.phrases)


@lru_cache(maxsize=32768)
def tagged(piece: str) -> tuple[tuple[Sentence, tuple[Tags, ...]], ...]:
    """The sentences of a piece, the first of no description, and the classes of their words."""
    return tuple((sentence, tuple(tag(sentence))) for sentence in spelled(piece))


def _tags(sentence: Sentence, words: tuple[str, ...], place: int, speaks: frozenset[str]) -> Tags:
    kind = sentence.kinds[place]
    mine = NONE if kind == "word" else _KINDS[kind]
    if kind in ("path", "url"):
        mine |= places.classes(sentence.raw[place])
        if words[place - 2 : place] == _LINK:
            mine = mine - _OUTSIDE | _LINKED
    known = _word(words[place])
    if known is _NO_WORD:
        return _IMAGE | mine if words[place] == "!" and words[place + 1 : place + 2] == ("[",) else mine
    if speaks is _always():
        mine = mine | known.usual if mine else known.usual
    else:
        for language, tags in known.alone:
            if language in speaks:
                mine |= tags
    if not known.phrases and not known.stems:
        return mine
    after = words[place + 1] if place + 1 < len(words) else ""
    for entry in (*known.phrases.get(after, ()), *known.stems):
        if entry.language in speaks and _follows(words, place + 1, entry.rest):
            mine |= entry.tags
    return mine


_KINDS = {kind: frozenset((kind,)) for kind in ("url", "email", "host", "path", "option", "mark")}
_IMAGE = frozenset(("image",))
_LINK = ("]", "(")
_LINKED, _OUTSIDE = frozenset(("linked",)), frozenset(("outside",))
"""What a link in Markdown leads to is where to read on, not where to send."""


def _follows(words: Sequence[str], start: int, rest: tuple[str, ...]) -> bool:
    if len(words) - start < len(rest):
        return False
    return all(
        words[start + number] == word or (word.endswith("*") and words[start + number].startswith(word[:-1]))
        for number, word in enumerate(rest)
    )


def classes_of(said: Sequence[str]) -> Tags:
    """The classes of single words, without regard to order."""
    return frozenset(name for word in said for _, tags in _word(word).alone for name in tags)
