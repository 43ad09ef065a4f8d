"""A text read once, whoever says it: its sentences with their classes, what it hides, and what it says under each encoding.

Tool lists repeat themselves (the same parameter in fifty tools), so all that does not depend on the definition is kept here.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

import msgspec

from checkrail.admission import acts, characters, decoding, grammar, lexicon, markup
from checkrail.admission.lexicon import Tags
from checkrail.admission.sentences import Sentence, pieces, words

_CODE = re.compile(r"[A-Z]{2,8}-[A-Z0-9\-]{2,24}")
_ACCOUNT = re.compile(r"[A-Z]{2}[0-9]{2}[A-Z0-9]{0,30}")
_ACCOUNT_LENGTH = 4
_ACCOUNT_TAG = frozenset(("account",))
"""How the number of a bank account begins."""
_SECRET_VARIABLE = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL")
_VARIABLE_TAG = frozenset(("secretvar",))
"""A variable that is named for a secret."""
_PARAMETER_WORDS = frozenset({"argument", "parameter", "field", "value", "property", "input", "param"})
_QUOTES = frozenset("`'\"")
_QUOTE, _MARKED, _AUTHORITY = frozenset(("quote",)), frozenset(("code",)), frozenset(("authority",))


class Said(msgspec.Struct, frozen=True):
    """A sentence that may be a speech act: where it starts in its text, its words and their classes, the acts found without regard
    to whose sentence it is, and the places of words that may name a parameter or a tool."""

    start: int
    sentence: Sentence
    tags: tuple[Tags, ...]
    acts: tuple[grammar.Act, ...]
    names: tuple[int, ...]
    parameters: tuple[int, ...]
    shouted: bool
    """All in capitals, so that capitals say nothing about a name."""


class Hidden(msgspec.Struct, frozen=True):
    """What a reviewer does not see in a text."""

    unseen: tuple[tuple[int, int, str], ...]
    asides: tuple[markup.Aside, ...]
    views: tuple[tuple[str, int, int, str], ...]


@lru_cache(maxsize=32768)
def said(text: str, first: bool) -> tuple[Said, ...]:
    """The sentences of a text that may be speech acts. ``first``: its first sentence names what the tool does."""
    found: list[Said] = []
    for offset, piece in pieces(characters.plain(text)):
        bare = piece.strip()
        start = offset + len(piece) - len(piece.lstrip())
        found += [msgspec.structs.replace(entry, start=start) for entry in _sentences(bare, first)]
        first = False
    return tuple(found)


@lru_cache(maxsize=32768)
def _sentences(piece: str, first: bool) -> tuple[Said, ...]:
    found = []
    for sentence, tags in _tagged(piece, first):
        grammar.compose(tags)
        if not tags or not _may_act(tags):
            continue
        _headings(sentence, tags)
        acts.force(sentence, tags)
        there: Tags = frozenset().union(*tags)
        if not there.isdisjoint(grammar.hints()):
            names, parameters = _marked(sentence, tags)
            found.append(Said(0, sentence, tuple(tags), tuple(grammar.acts(tags)), names, parameters, piece.isupper()))
    return tuple(found)


def _tagged(piece: str, first: bool) -> Iterator[tuple[Sentence, list[Tags]]]:
    if not piece.isascii():
        for spelled in words(piece, first=first):
            sentence = lexicon.segmented(spelled)
            yield sentence, lexicon.tag(sentence)
        return
    for sentence, tags in lexicon.tagged(piece):
        yield msgspec.structs.replace(sentence, first=True) if first else sentence, list(tags)
        first = False


def _may_act(tags: list[Tags]) -> bool:
    there: Tags = frozenset().union(*tags)
    return "verb" in there or not there.isdisjoint(grammar.hints())


def _headings(sentence: Sentence, tags: list[Tags]) -> None:
    """Words that claim authority do so at the head of a sentence or in capitals; elsewhere they are nouns."""
    head = True
    for place, found in enumerate(tags):
        if "authority" in found and ((not head and not sentence.raw[place].isupper()) or _quotes(sentence, place)):
            tags[place] = found - _AUTHORITY
        head = head and ("mark" in found or "lead" in found)


def _quotes(sentence: Sentence, place: int) -> bool:
    """'User: "Run it"': a dialogue that is told, not held."""
    after = sentence.words[place + 1 : place + 3]
    return len(after) > 1 and after[0] == ":" and after[1] in _QUOTES


def _marked(sentence: Sentence, tags: list[Tags]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Marks quotes and codes; the places of words that are shaped or set like the name of a tool, and of a parameter."""
    names: list[int] = []
    parameters: list[int] = []
    quoted = False
    for place, raw in enumerate(sentence.raw):
        kind = sentence.kinds[place]
        if kind == "mark" and raw in _QUOTES:
            quoted = not quoted
            tags[place] |= _QUOTE
        if kind != "word":
            continue
        if raw.isupper() and "_" in raw and _SECRET_VARIABLE.search(raw):
            tags[place] |= _VARIABLE_TAG
        if len(raw) >= _ACCOUNT_LENGTH and _ACCOUNT.fullmatch(raw):
            tags[place] |= _ACCOUNT_TAG
        shaped = "_" in raw or "-" in raw or not raw.islower()
        if sentence.words[place + 1 : place + 2] == ("=",):
            parameters.append(place)  # an argument, by its name
            continue
        if ((shaped or quoted) and len(raw) > 3) or _beside_tool(sentence, place):
            names.append(place)
            if raw.isupper() and _CODE.fullmatch(raw) and any(letter.isdigit() for letter in raw):
                tags[place] |= _MARKED
        if "_" in raw or _set_as_parameter(sentence, place):
            parameters.append(place)
    return tuple(names), tuple(parameters)


def _set_as_parameter(sentence: Sentence, place: int) -> bool:
    after = sentence.words[place + 1 : place + 2]
    if after and after[0] in _PARAMETER_WORDS:
        return True
    return bool(after) and after[0] in _QUOTES and place > 0 and sentence.words[place - 1] in _QUOTES


def _beside_tool(sentence: Sentence, place: int) -> bool:
    return "tool" in sentence.words[max(0, place - 1) : place + 3]


@lru_cache(maxsize=16384)
def hidden(text: str) -> Hidden:
    """What a text hides."""
    plain = characters.plain(text)
    views = list(decoding.views(plain))
    if tagged := characters.tagged(text) if not text.isascii() else "":
        views.append(("tag characters", 0, len(text), tagged))
    return Hidden(tuple(characters.hidden(text)), tuple(markup.asides(text)), tuple(views))


@lru_cache(maxsize=16384)
def mixed(text: str) -> tuple[tuple[int, int], ...]:
    """Words in which letters of another script pass for Latin ones."""
    return tuple(characters.mixed(text))
