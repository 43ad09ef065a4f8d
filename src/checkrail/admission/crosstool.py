"""Sentences that steer another tool: in which order to call it, or how to bend what it does."""

from collections.abc import Iterator, Sequence

import msgspec

from checkrail.admission.lexicon import Tags
from checkrail.admission.names import verb, words
from checkrail.admission.sentences import Sentence

_HARMLESS = frozenset({"read", "compute", "local", "browse"})
_HARD = frozenset({"send", "delete", "pay", "execute", "grant", "publish"})
_LOADED = frozenset(
    {
        "theirs",
        "personal",
        "belongings",
        "email",
        "private",
        "sqlchange",
        "pipeshell",
        "fetcher",
        "convo",
        "secret",
        "startup",
    }
)
_PAYLOAD = frozenset({"path", "outside", "email", "host", "option"})
_STEERS = frozenset({"do", "dont"})
_BENT = frozenset({"change", "put", "send"})
_SECRETS = frozenset({"secret", "secrets", "credential", "credentials", "password", "passwords"})
_TOOLS = ("tool-sibling", "tool-foreign", "tool-unknown")


class Mention(msgspec.Struct, frozen=True):
    """Another tool that a sentence steers, and under which rule."""

    name: str
    place: int
    rule: str


def mentions(sentence: Sentence, tags: Sequence[Tags], *, vault: bool = False) -> Iterator[Mention]:
    """The first tool of each kind that a sentence steers. ``vault``: the tool itself deals in secrets."""
    there: Tags = frozenset().union(*tags)
    if there.isdisjoint(_TOOLS) or not (there & _STEERS or "weak" in there):
        return
    seen: set[str] = set()
    for place, found in enumerate(tags):
        kind = next((kind for kind in _TOOLS if kind in found), "")
        if not kind or kind in seen or not _steered(tags, place):
            continue
        rule = _rule(kind, sentence, tags, place, vault=vault)
        if rule:
            seen.add(kind)
            yield Mention(sentence.raw[place], place, rule)


def _steered(tags: Sequence[Tags], place: int) -> bool:
    """Whether some verb of force stands near enough to the name to be about it."""
    near = tags[max(0, place - 14) : place + 16]
    return any(_STEERS & found or ("run" in found and "weak" in found) for found in near)


def _rule(kind: str, sentence: Sentence, tags: Sequence[Tags], place: int, *, vault: bool) -> str:
    name = sentence.raw[place]
    loaded = any(_LOADED & found for found in tags[place : place + 30])
    called = _called(tags, place) or _meant(sentence, tags, place)
    bent = _bends(tags, place)
    harmless = verb(name) in _HARMLESS
    if kind == "tool-foreign":
        return "admission.cross-tool" if called or bent or loaded or _named_as_tool(tags, place) else ""
    if kind == "tool-sibling":
        return (
            "admission.cross-tool"
            if (loaded or (bent and _fixed(tags, place))) and not harmless and (called or bent)
            else "admission.sequence"
        )
    if not (called or bent):
        return ""
    if (
        bent
        or (loaded and not harmless)
        or (not harmless and any(_PAYLOAD & found for found in tags[place : place + 10]))
    ):
        return "admission.cross-tool"
    if called and (
        (_secretive(name) and not vault)
        or ("=" in sentence.words[place : place + _ARGUMENTS] and _passive(tags, place))
    ):
        return "admission.cross-tool"
    firm = any("call-verb" in found and "do" in found for found in tags[max(0, place - 4) : place])
    if firm and verb(name) in _HARD and not any("only-if" in found for found in tags[max(0, place - 8) : place]):
        return "admission.cross-tool"
    return "admission.sequence"


_ARGUMENTS = 10
"""Words after a name in which its arguments are given."""


def _secretive(name: str) -> bool:
    return not _SECRETS.isdisjoint(words(name))


def _called(tags: Sequence[Tags], place: int) -> bool:
    """Whether it is told to be called: "call A", "use the A tool", "A must be called"."""
    before = _nearest(tags, place)
    return any("run" in found and ("do" in found or "weak" in found) for found in before) or _passive(tags, place)


def _passive(tags: Sequence[Tags], place: int) -> bool:
    return any("run" in found and "past" in found and "do" in found for found in _clause(tags, place))


def _clause(tags: Sequence[Tags], place: int) -> Sequence[Tags]:
    """The few words after a name, up to where the next clause begins."""
    for at in range(place + 1, min(len(tags), place + 11)):
        if "clause-end" in tags[at]:
            return tags[place + 1 : at]
    return tags[place + 1 : place + 11]


def _meant(sentence: Sentence, tags: Sequence[Tags], place: int) -> bool:
    """ "If A is there, use it", "A is safe and should be run"."""
    for at in range(place + 1, min(len(tags) - 1, place + 12)):
        if "run" in tags[at] and "do" in tags[at]:
            passive = "be" in tags[at - 1] and sentence.words[at - 1] == "be"
            return passive or sentence.words[at + 1] in ("it", "them")
    return False


def _nearest(tags: Sequence[Tags], place: int) -> Sequence[Tags]:
    """The few words before a name, up to another name or a "with", behind which stands an argument."""
    for at in range(place - 1, max(-1, place - 5), -1):
        if not _BETWEEN.isdisjoint(tags[at]):
            return tags[at + 1 : place]
    return tags[max(0, place - 4) : place]


_BETWEEN = frozenset((*_TOOLS, "tool-own", "with"))


def _named_as_tool(tags: Sequence[Tags], place: int) -> bool:
    """ "before using A", "instead of A", "the A tool"."""
    before = tags[max(0, place - 3) : place]
    return any("prefer" in found or "run" in found for found in before) or any(
        "tool" in found for found in tags[place + 1 : place + 3]
    )


def _fixed(tags: Sequence[Tags], place: int) -> bool:
    """Whether what is to be set is given: an address, an option, a literal."""
    return any(found & _PAYLOAD or "code" in found for found in tags[place + 1 : place + 24])


def _bends(tags: Sequence[Tags], place: int) -> bool:
    """ "When using A, always set …", "A's recipient must be replaced": an order about another tool's arguments."""
    before = any(
        "condition" in found or "if" in found or "every" in found or "for-tool" in found
        for found in tags[max(0, place - 5) : place]
    )
    after = tags[place + 1 : place + 14]
    told = any(
        ("do" in found or ("past" in found and "be" in tags[place + number])) and ("change" in found or "put" in found)
        for number, found in enumerate(after)
    )
    return (told and (before or _subject(tags, place))) or _whenever(tags, place)


def _whenever(tags: Sequence[Tags], place: int) -> bool:
    """ "Set X to true each time A is called"."""
    when = any("condition" in found or "every" in found for found in tags[max(0, place - 4) : place])
    told = any("do" in found and ("change" in found or "put" in found) for found in tags[max(0, place - 12) : place])
    called = any("run" in found and "past" in found for found in tags[place + 1 : place + 4])
    return when and told and called


def _subject(tags: Sequence[Tags], place: int) -> bool:
    """ "A texts must be signed", "A only works when its path is prefixed": what is said of another's tool, not to one's own."""
    if "tool-sibling" in tags[place] or "tool-own" in tags[place]:
        return False
    for at in range(place + 1, min(len(tags), place + 6)):
        if "mark" in tags[at] and "quote" not in tags[at]:
            return False
        if "modal" in tags[at] or "condition" in tags[at]:
            bent = any("past" in found and not _BENT.isdisjoint(found) for found in tags[at + 1 : at + 6])
            return bent or any("email" in found for found in tags[at + 1 : at + 8])
    return False
