"""Finds the speech acts of ``grammar.toml`` in a sentence whose words carry their classes."""

from collections.abc import Iterator, Sequence
from functools import cache

import msgspec

from checkrail.admission.lexicon import Tags
from checkrail.knowledge.speech import Pattern, grammar

Step = tuple[Tags, ...]
"""Alternatives, each a set of classes that must stand on one word."""


class Matcher(msgspec.Struct, frozen=True):
    """A pattern, taken apart."""

    pattern: Pattern
    steps: tuple[Step, ...]
    needs: tuple[Step, ...]
    unless: Tags
    unless_both: tuple[Tags, ...]
    between: Tags
    clear: Tags
    must: Tags
    choices: tuple[Step, ...]
    """Steps and needs with alternatives; what has none is in ``must``."""


class Act(msgspec.Struct, frozen=True):
    """A speech act: its pattern, and the first and last word of it."""

    pattern: Pattern
    first: int
    last: int


def _step(text: str) -> Step:
    return tuple(frozenset(part.split("&")) for part in text.split("|"))


@cache
def matchers() -> tuple[Matcher, ...]:
    """All patterns."""
    return tuple(
        Matcher(
            entry,
            tuple(map(_step, entry.steps)),
            tuple(map(_step, entry.needs)),
            frozenset(name for name in entry.unless if "&" not in name),
            tuple(frozenset(name.split("&")) for name in entry.unless if "&" in name),
            frozenset(entry.between),
            frozenset(entry.clear),
            frozenset(name for text in (*entry.steps, *entry.needs) if "|" not in text for name in text.split("&")),
            tuple(_step(text) for text in (*entry.steps, *entry.needs) if "|" in text),
        )
        for entry in grammar().patterns
    )


def acts(tags: Sequence[Tags]) -> Iterator[Act]:
    """Every speech act in a sentence, each pattern at most once."""
    there: Tags = frozenset().union(*tags)
    for matcher in _candidates(there):
        if not all(any(option <= there for option in step) for step in matcher.choices):
            continue
        if (
            matcher.unless & there
            or any(_anywhere((both,), tags) for both in matcher.unless_both)
            or not all(_anywhere(step, tags) for step in matcher.needs)
        ):
            continue
        found = _find(matcher, tags)
        if found is not None and not (matcher.clear and _crossed(matcher.clear, tags, found)):
            yield Act(matcher.pattern, *found)


@cache
def _by_class() -> dict[str, tuple[int, ...]]:
    """Matchers by a class that must stand in the sentence, of the step that the fewest sentences have."""
    found: dict[str, tuple[int, ...]] = {}
    for number, matcher in enumerate(matchers()):
        step = min((*matcher.steps, *matcher.needs), key=lambda step: sum(map(_frequency, map(_rarest, step))))
        for key in {_rarest(option) for option in step}:
            found[key] = (*found.get(key, ()), number)
    return found


def _rarest(option: Tags) -> str:
    return min(sorted(option), key=_frequency)


def _frequency(name: str) -> int:
    return _FREQUENT.get(name, 1)


_FREQUENT = {
    "verb": 830, "mark": 810, "base": 660, "about": 430, "do": 400, "act": 400, "weak": 400, "put": 280, "show": 250, "read": 240,
    "past": 230, "run": 210, "third": 200, "for-tool": 200, "with": 180, "quote": 170, "condition": 170, "be": 160,
    "determiner": 160, "deed": 150, "write": 150, "whole": 140, "prior": 120, "if": 120, "wholesale": 120, "when": 120,
    "involve": 110, "change": 105, "rulenoun": 104, "negation": 98, "remember": 97, "deednoun": 97, "fact": 96, "ing": 91,
    "toolword": 90, "ask": 87, "isa": 86, "cover": 84, "hoard": 82, "urgent": 82, "load": 76, "itself": 76, "only-if": 74,
    "send": 72, "enable": 67, "server": 67, "ithem": 64, "every": 62, "toolnoun": 61, "by": 59, "out": 57, "typing": 55,
    "modal": 54, "from": 53, "destroy": 53, "commit": 50, "place": 49, "tool": 48, "tell": 48, "person": 40, "dont": 30,
}  # fmt: skip
"""Sentences in a thousand of honest descriptions that hold the common classes."""


@cache
def hints() -> Tags:
    """Classes without any of which a sentence is no speech act."""
    return frozenset(_by_class()) | _STEERING


_STEERING: Tags = frozenset(("do", "dont", "weak"))


def _candidates(there: Tags) -> Iterator[Matcher]:
    known = _by_class()
    numbers = {number for name in there for number in known.get(name, ())}
    every = matchers()
    return (every[number] for number in sorted(numbers) if every[number].must <= there)


def compose(tags: list[Tags]) -> None:
    """Adds the classes that two words make together, in place."""
    there: Tags = frozenset().union(*tags)
    for compound in grammar().compounds:
        if compound.first not in there or compound.then not in there:
            continue
        for place, found in enumerate(tags):
            if compound.first in found and any(
                compound.then in then for then in tags[place + 1 : place + 2 + compound.gap]
            ):
                tags[place] = found | {compound.name}


_BEFORE, _AFTER = 8, 6
"""Words before and after an act in which a negation is taken to be about it."""


def _crossed(clear: Tags, tags: Sequence[Tags], found: tuple[int, int]) -> bool:
    first, last = found
    return any(clear & mine for mine in tags[max(0, first - _BEFORE) : last + _AFTER + 1])


def _fits(step: Step, tags: Tags) -> bool:
    return any(option <= tags for option in step)


def _anywhere(step: Step, tags: Sequence[Tags]) -> bool:
    return any(_fits(step, found) for found in tags)


def _find(matcher: Matcher, tags: Sequence[Tags]) -> tuple[int, int] | None:
    """Places where the steps stand in order, each within the gap of the one before: all reachable places, step by step."""
    gap = matcher.pattern.gap
    reached: dict[int, int] = {place: place for place, found in enumerate(tags) if _fits(matcher.steps[0], found)}
    for step in matcher.steps[1:]:
        further: dict[int, int] = {}
        for place, first in reached.items():
            for ahead in range(place, min(len(tags), place + gap + 2)):
                if ahead > place and _fits(step, tags[ahead]):
                    further.setdefault(ahead, first)
                if ahead > place and matcher.between & tags[ahead]:
                    break
        reached = further
    if not reached:
        return None
    last = min(reached)
    return reached[last], last
