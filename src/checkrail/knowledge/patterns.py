"""Path patterns by whole components, indexed so that one look costs a few dictionary hits.

A pattern is anchored at a home (``~/.ssh/id_*``), at the root (``/etc/shadow``) or anywhere
(``**/.git/config``). ``*``, ``?`` and ``[...]`` stay inside a component; a trailing ``/**`` takes
the directory and all below. Comparison ignores case, since a folding file system would.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any

import msgspec

from checkrail.model import HOLE, SOME

WILD = re.compile(rf"[*?\[{HOLE}{SOME}]")
_ALL = re.compile(rf"[*{HOLE}{SOME}]+")
_CLASS = re.compile(r"\[[!^]?\]?[^\]]*\]")

Part = str | re.Pattern[str]


class Pattern(msgspec.Struct, frozen=True):
    """``parts`` after the anchor; ``below`` where the pattern ended in ``/**``."""

    owner: int
    anchor: str
    parts: tuple[Part, ...]
    below: bool = False


class Match(msgspec.Struct, frozen=True):
    """Owners whose pattern is the path itself, and owners whose pattern may lie below it."""

    at: frozenset[int] = frozenset()
    under: frozenset[int] = frozenset()


def fold(text: str) -> str:
    """A component as the most forgiving file system would compare it."""
    if text.isascii():
        return text.lower()
    seen = unicodedata.normalize("NFKC", text)
    kept = "".join(char for char in seen if char == SOME or unicodedata.category(char) != "Cf")
    return kept.casefold() or "\0"


@lru_cache(maxsize=4096)
def glob(text: str, *, hidden: bool = False) -> re.Pattern[str]:
    """A component glob as a regular expression; a hole stands for anything.

    As in a shell a leading wildcard passes over names that start with a dot, unless ``hidden``. Many wildcards would make matching slow, so from the fourth on the rest counts as one: never less than is meant.
    """
    many = [found.start() for found in WILD.finditer(text)][3:4]
    if many:
        text = text[: many[0]].split("[")[0] + "*"
    out, at = [], 0
    while at < len(text):
        char = text[at]
        bracket = _CLASS.match(text, at) if char == "[" else None
        if bracket:
            inner = bracket.group()[1:-1]
            negated, inner = inner[:1] in ("!", "^"), inner.lstrip("!^")
            out.append(f"[{'^' if negated else ''}{_bracket(inner)}]")
            at = bracket.end()
            continue
        out.append(".*" if char in ("*", HOLE, SOME) else "." if char == "?" else re.escape(char))
        at += 1
    # Adjacent stars would backtrack; one says the same.
    source = re.sub(r"(?:\.\*)+", ".*", "".join(out))
    dotless = r"(?!\.)" if text[:1] in ("*", "?", "[") and not hidden else ""
    try:
        return re.compile(dotless + source + r"\Z", re.DOTALL)
    except re.error:
        return re.compile(r".*\Z", re.DOTALL)


def _bracket(inner: str) -> str:
    """The inside of a bracket expression, with POSIX classes and odd ranges widened to any character."""
    if "[:" in inner or "--" in inner:
        return r"\s\S"
    return re.sub(r"([\\\[\]^&~|])", r"\\\1", inner) or r"\s\S"


def parse(text: str, owner: int) -> Pattern:
    """Read one pattern; raises ValueError with what is wrong."""
    anchor, _, rest = text.partition("/")
    if anchor not in ("", "~", "**"):
        raise ValueError(f"pattern {text!r} must start with '/', '~/' or '**/'")
    parts = [fold(part) for part in rest.split("/") if part]
    below = parts[-1:] == ["**"]
    if below:
        parts.pop()
    if "**" in parts or (not parts and text != "/"):
        raise ValueError(f"pattern {text!r} may hold '**' only first and last")
    compiled = tuple(glob(part, hidden=True) if WILD.search(part) else part for part in parts)
    if anchor == "**" and len(compiled) > 1 and not isinstance(compiled[0], str):
        raise ValueError(f"pattern {text!r} needs a literal component after '**/'")
    return Pattern(owner, {"": "root", "~": "home", "**": "any"}[anchor], compiled, below)


class _Node(msgspec.Struct):
    """A component of the pattern tree: ``at`` end here, ``below`` ended in ``/**`` here, ``under`` go on."""

    named: dict[str, "_Node"] = {}
    globbed: dict[re.Pattern[str], "_Node"] = {}
    at: set[int] = set()
    below: set[int] = set()
    under: set[int] = set()

    def step(self, part: Part) -> "_Node":
        kids: dict[Any, _Node] = self.named if isinstance(part, str) else self.globbed
        return kids.setdefault(part, _Node())


class Index:
    """Patterns of many owners in a tree of components, one for each anchor."""

    def __init__(self, patterns: Iterable[Pattern]) -> None:
        self._roots = {"root": _Node(), "home": _Node(), "any": _Node()}
        for pattern in patterns:
            self._add(pattern)
        heads = (f"(?:{part.pattern})" for part in self._roots["any"].globbed)
        self._names = re.compile("|".join(heads) or r"(?!)")

    def _add(self, pattern: Pattern) -> None:
        node = self._roots[pattern.anchor]
        for part in pattern.parts:
            node.under.add(pattern.owner)
            node = node.step(part)
        node.at.add(pattern.owner)
        if pattern.below:
            node.below.add(pattern.owner)

    def match(self, parts: Sequence[str], homes: Iterable[int]) -> Match:
        """Judge folded path components; ``homes`` are the lengths of prefixes that are a home."""
        wild = any(WILD.search(part) for part in parts)
        at: set[int] = set()
        under: set[int] = set()
        walk = _walk_wild if wild else _walk
        walk(self._roots["root"], parts, 0, at, under)
        for length in homes:
            walk(self._roots["home"], parts, length, at, under)
        self._anywhere(parts, wild, at, under)
        return Match(frozenset(at), frozenset(under - at)) if at or under else _NOTHING

    def _anywhere(self, parts: Sequence[str], wild: bool, at: set[int], under: set[int]) -> None:
        root = self._roots["any"]
        for start, part in enumerate(parts):
            if wild:
                # A name that begins with a star would meet half of all names; what it names is seen when a
                # shell expands it. Below a named directory it counts.
                named = part[0] not in "*?" + HOLE + SOME
                if named or any(map(self._names.match, _samples(part))):
                    for node in _next_wild(root, part, named=named):
                        _walk_wild(node, parts, start + 1, at, under)
            elif part in root.named or self._names.match(part):
                for node in _next(root, part):
                    _walk(node, parts, start + 1, at, under)


_NOTHING = Match()


def _walk(node: _Node, parts: Sequence[str], start: int, at: set[int], under: set[int]) -> None:
    at |= node.below
    if start >= len(parts):
        at |= node.at
        under |= node.under
        return
    for following in _next(node, parts[start]):
        _walk(following, parts, start + 1, at, under)


def _next(node: _Node, part: str) -> Iterator[_Node]:
    if part in node.named:
        yield node.named[part]
    for wanted, following in node.globbed.items():
        if wanted.match(part):
            yield following


def _walk_wild(node: _Node, parts: Sequence[str], start: int, at: set[int], under: set[int]) -> None:
    at |= node.below
    if start >= len(parts):
        at |= node.at
        under |= node.under
        return
    for following in _next_wild(node, parts[start]):
        _walk_wild(following, parts, start + 1, at, under)


def _next_wild(node: _Node, part: str, *, named: bool = True) -> Iterator[_Node]:
    """The nodes that a component which may be a glob can lead to."""
    if not WILD.search(part):
        yield from _next(node, part)
        return
    if named:
        yield from (following for wanted, following in node.named.items() if meets(part, wanted))
    if named or not _ALL.fullmatch(part):
        yield from (following for wanted, following in node.globbed.items() if meets(part, wanted))


def _same(part: str, wanted: Part) -> bool:
    return part == wanted if isinstance(wanted, str) else wanted.match(part) is not None


def meets(part: str, wanted: Part) -> bool:
    """Whether a path component that may itself be a glob can name what is wanted."""
    if not WILD.search(part):
        return _same(part, wanted)
    if isinstance(wanted, str):
        return glob(part).match(wanted) is not None
    return _overlap(part, wanted)


def _overlap(part: str, wanted: re.Pattern[str]) -> bool:
    """Two globs overlap where a name made from one fits the other."""
    return _ALL.fullmatch(part) is not None or any(map(wanted.match, _samples(part)))


@lru_cache(maxsize=512)
def _samples(part: str) -> tuple[str, ...]:
    """Names that a glob stands for: every wildcard filled with nothing, a letter, a suffix."""
    sample = _CLASS.sub("x", part)
    return tuple(_FILLED.sub(fill, sample) for fill in ("", "x", ".x"))


_FILLED = re.compile(rf"[*?{HOLE}{SOME}]")
