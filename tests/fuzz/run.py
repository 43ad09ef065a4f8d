"""Running a target for a time, and making what it finds small."""

import random
import time
import traceback
from collections.abc import Iterator

import msgspec

from tests.fuzz.mutations import mutated
from tests.fuzz.target import Target

SLOW_S = 2.0
"""The daemon's limit for one decision."""


class Found(msgspec.Struct, frozen=True):
    """One input that broke something."""

    text: str
    what: str


def tried(target: Target, text: str) -> str:
    """What breaks with an input, or an empty string."""
    started = time.process_time()
    try:
        target.check(text)
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        place = traceback.extract_tb(error.__traceback__)[-1]
        return f"{type(error).__name__}: {str(error)[:300]} ({place.filename.rpartition('/')[2]}:{place.lineno})"
    taken = time.process_time() - started
    return f"slow: {taken:.1f} s" if taken > SLOW_S else ""


def smaller(target: Target, text: str, what: str, *, tries: int = 300) -> str:
    """A shorter input that breaks the same way."""
    kind, chance = what[:60] if not what.startswith("slow") else "slow", random.Random(1)
    size = max(1, len(text) // 2)
    while tries > 0 and size:
        start = chance.randrange(max(1, len(text) - size + 1))
        shorter = text[:start] + text[start + size :]
        tries -= 1
        if shorter != text and tried(target, shorter).startswith(kind):
            text = shorter
            size = min(size, max(1, len(text) // 2))
        elif chance.random() < 0.1:
            size //= 2
    return text


def fuzzed(target: Target, *, seconds: float, seed: int) -> Iterator[Found | int]:
    """What breaks, each kind once; at the end the number of inputs that were tried."""
    chance, seeds = random.Random(f"{target.name} {seed}"), list(target.seeds())
    until, count, known = time.monotonic() + seconds, 0, set[str]()
    for text in seeds:
        count += 1
        if what := tried(target, text):
            known.add(what[:60])
            yield Found(text, what)
    while time.monotonic() < until:
        text = mutated(chance, seeds, target.words)
        count += 1
        what = tried(target, text)
        if what and what[:60] not in known:
            known.add(what[:60])
            yield Found(smaller(target, text, what), what)
    yield count
