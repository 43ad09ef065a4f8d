"""What a description promises: that it only reads, stays on this machine, sends nothing, or leaves one kind of thing undone."""

from collections.abc import Iterator, Sequence

import msgspec

from checkrail.admission import lexicon
from checkrail.admission.lexicon import Tags
from checkrail.admission.sentences import Sentence, pieces

READ_LIMIT = 16_384
"""Characters of a description in which promises are looked for."""

OPENING = 160
"""Characters in which a promise is about the tool as a whole."""

Span = tuple[int, int]
FAMILIES = ("change", "delete", "store", "run", "apply", "create", "send", "pay")
"""Kinds of effects that a description denies and a parameter has."""
_EFFECTS = {f"effect-{family}": family for family in FAMILIES}
_DENIED = {f"denied-{family}": family for family in ("change", "send", "create", "pay")}
_OBJECT = 3
"""Words after a denied verb in which its object stands."""


class Promises(msgspec.Struct, frozen=True):
    """The promises of a description, each with its span; ``denied`` are effects that it says it does not have."""

    reads: Span | None = None
    local: Span | None = None
    silent: Span | None = None
    denied: tuple[tuple[str, Span], ...] = ()
    head: Tags = frozenset()
    """The classes of its first word."""

    def undone(self, families: frozenset[str]) -> Span | None:
        """The span of a promise that one of some effects breaks."""
        return next((span for family, span in self.denied if family in families), None)


def promises(text: str, name: Sequence[str]) -> Promises:
    """What a description promises about a tool of which the name is given in words."""
    spans: dict[str, Span] = {}
    denied: list[tuple[str, Span]] = []
    head: Tags | None = None
    for offset, piece in pieces(text[:READ_LIMIT]):
        start = offset + len(piece) - len(piece.lstrip())
        for sentence, tags in lexicon.tagged(piece.strip()):
            head = tags[0] if head is None and tags else head
            for claim, place in _claims(tags):
                if claim not in spans and not _restricted(sentence, tags, place):
                    spans[claim] = _span(sentence, start, place)
            denied += [
                (family, _span(sentence, start, place))
                for family, place in (_denials(tags) if start < OPENING else ())
                if not _restricted(sentence, tags, place)
            ]
    known = (head or frozenset()) | lexicon.classes_of(name[:1])
    reads = spans.get("claims-read")
    if "alters" in known:  # what a tool that alters leaves alone is a part of what it could do
        reads, denied = (reads if name[:1] == ("preview",) else None), []
    return Promises(reads, spans.get("claims-local"), spans.get("claims-silence"), tuple(denied), known)


def _span(sentence: Sentence, start: int, place: int) -> Span:
    return start + sentence.start(place), start + sentence.end(len(sentence.raw) - 1)


_CLAIMS = frozenset(("claims-read", "claims-local", "claims-silence"))


def _claims(tags: Sequence[Tags]) -> Iterator[tuple[str, int]]:
    for claim in _CLAIMS & lexicon.NONE.union(*tags):
        yield claim, next(at for at, mine in enumerate(tags) if claim in mine)


def _restricted(sentence: Sentence, tags: Sequence[Tags], place: int) -> bool:
    """Whether a promise holds only for a mode: "without applying it when dry_run is set"."""
    if sentence.words[0] == "with" or any("if" in mine for mine in tags[:place]):
        return True
    return (
        any("condition" in mine and word != "only" for mine, word in _after(tags, sentence, place))
        or any("fails" in mine for mine in tags)
        or "except" in sentence.words
        or "afterwards" in sentence.words
    )


def _after(tags: Sequence[Tags], sentence: Sentence, place: int) -> Iterator[tuple[Tags, str]]:
    return zip(tags[place + 1 :], sentence.words[place + 1 :], strict=True)


def _denials(tags: Sequence[Tags]) -> Iterator[tuple[str, int]]:
    """ "Does not delete them", "nothing is stored", "without running it", "no payments are made"."""
    for place, mine in enumerate(tags):
        if "negation" in mine or "isnt" in mine:
            yield from _after_negation(tags, place)
        if "no" in mine or "nobody" in mine:
            yield from _of_nothing(tags, place)


def _after_negation(tags: Sequence[Tags], place: int) -> Iterator[tuple[str, int]]:
    for at in range(place, min(len(tags), place + 4)):
        families = [family for name, family in _EFFECTS.items() if name in tags[at] and "verb" in tags[at]]
        if families and ("ing" not in tags[at] or at == place + 1):
            objects = tags[at + 1 : at + 1 + _OBJECT]
            if not any("some-of" in found for found in objects):
                yield from ((family, place) for family in families)
            return


def _of_nothing(tags: Sequence[Tags], place: int) -> Iterator[tuple[str, int]]:
    for at in range(place + 1, min(len(tags), place + 7)):
        found = tags[at]
        if "mark" in found:
            return
        if "past" in found:
            yield from ((family, place) for name, family in _EFFECTS.items() if name in found)
        if at <= place + 2:
            yield from ((family, place) for name, family in _DENIED.items() if name in found and family != "send")
