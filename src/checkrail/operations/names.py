"""Reads the name of a tool: server and tool, words, and the class of what its verb does."""

import re
from collections.abc import Sequence
from functools import cache, lru_cache

from checkrail.knowledge import network

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\W\d_a-zA-Z]+")
_JOINTS = frozenset({"and", "or", "then"})
_LONGEST = 1024
UNKNOWN = "unknown"
ORDER = ("read", "compute", "secret", "browse", "local", "create", "update", "execute", "stop", "unknown", "merge", "deploy", "grant", "publish", "send", "pay", "delete")  # fmt: skip
"""Classes from harmless to not."""


def split(name: str, servers: Sequence[str] = ()) -> tuple[str, str]:
    """Server and tool of ``mcp__server__tool``: the longest configured server first, else at the first ``__``.

    A name of another form has no server.
    """
    if not name.startswith("mcp__"):
        return "", name
    rest = name.removeprefix("mcp__")
    for server in sorted(servers, key=len, reverse=True):
        if rest.startswith(server + "__"):
            return server, rest[len(server) + 2 :]
    server, _, tool = rest.partition("__")
    return server, tool


def words(name: str) -> tuple[str, ...]:
    """The words of a name in any case style, in lower case."""
    return _words(name[:_LONGEST])


@lru_cache(maxsize=4096)
def _words(name: str) -> tuple[str, ...]:
    return tuple(word.lower() for word in _WORDS.findall(name))


@cache
def _verbs() -> dict[str, str]:
    return {word: group.name for group in network.tools().classes for word in group.words}


def _class(word: str) -> str:
    return _verbs().get(word, "")


def _strictest(classes: Sequence[str]) -> str:
    return max(classes, key=ORDER.index)


def _leading(found: Sequence[tuple[int, str, str]], said: Sequence[str]) -> list[str]:
    """The first verb, with those joined to it by "and" or "or", and those that a weak verb leads to."""
    weak = network.tools().weak.words
    classes: list[str] = []
    open_ended = True
    for at, word, group in found:
        if not open_ended and said[max(at - 1, 0)] not in _JOINTS:
            break
        classes.append(group)
        open_ended = word in weak
    return classes


def _become(group: str, said: Sequence[str]) -> str:
    """The class after a look at the object of the verb."""
    for row in network.tools().objects:
        if group in row.classes and not row.words.isdisjoint(said):
            return row.become
    return group


def _joined(said: tuple[str, ...], at: int) -> bool:
    """Whether a word stands beside "and" or "or", as verbs do."""
    return not _JOINTS.isdisjoint((said[at - 1] if at else "", *said[at + 1 : at + 2]))


def _classes(said: tuple[str, ...]) -> list[str]:
    """The classes that a name speaks of. A word that is also a noun gives way only to a reading verb after it."""
    nouns = network.tools().nouns.words
    verbs = [(at, word, _class(word)) for at, word in enumerate(said) if _class(word)]
    plain = [entry for entry in verbs if entry[1] not in nouns or _joined(said, entry[0])]
    if not plain:
        return [group for _, _, group in verbs]
    leading = _leading(plain, said)
    reads = leading[0] in ("read", "compute") and len(leading) == 1
    return leading if reads or verbs[0] is plain[0] else [verbs[0][2], *leading]


@lru_cache(maxsize=4096)
def judge_words(said: tuple[str, ...]) -> str:
    """The class of a name's words: ``unknown`` where no word is a verb that is known."""
    classes = _classes(said)
    return _become(_strictest(classes), said) if classes else UNKNOWN
