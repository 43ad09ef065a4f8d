r"""Forms of values, as an operator writes them: a small part of regular expressions that cannot be slow.

A form is a row of characters and sets (``[A-Z0-9]``, ``\d``, ``\w``), each with how often it stands there (``{12}``, ``{4,8}``, ``?``).
Every part takes as much as it can and gives nothing back, so a search takes at most its length times that of the text.
"""

import re
from functools import lru_cache

LONGEST = 128
"""Characters that a form may match."""
_SPECIAL = frozenset(".*+()|^$?{}[]")
_SETS = frozenset("dw")
_COUNT = re.compile(r"\{(\d{1,3})(?:,(\d{1,3}))?\}")
_SET = re.compile(r"\[((?:\\[-\]\\dw^]|[^\]\\^\[])+)\]")


class FormError(ValueError):
    """A form that cannot be used; the text says why and what to write."""


def _atom(text: str, at: int) -> tuple[str, int]:
    """The part at a place, as ``re`` takes it, and where it ends."""
    if text[at] == "[":
        found = _SET.match(text, at)
        if found is None:
            raise FormError(f"the set at {at} is not one like [A-Z0-9_]; it may not begin with ^")
        return found[0], found.end()
    if text[at] == "\\":
        escaped = text[at + 1 : at + 2]
        if not escaped or (escaped.isalnum() and escaped not in _SETS):
            raise FormError(f"\\{escaped} at {at} is not known; there are \\d, \\w and \\ before a sign")
        return text[at : at + 2] if escaped in _SETS else re.escape(escaped), at + 2
    if text[at] in _SPECIAL:
        raise FormError(
            f"{text[at]} at {at} has no meaning here; write \\{text[at]} for the sign itself, {{1,20}} for a number of times"
        )
    return re.escape(text[at]), at + 1


def _times(text: str, at: int) -> tuple[int, int, int]:
    """How often the part before a place stands there, least and most, and where that ends."""
    if text[at : at + 1] == "?":
        return 0, 1, at + 1
    found = _COUNT.match(text, at)
    if found is None:
        return 1, 1, at
    return int(found[1]), int(found[2] or found[1]), found.end()


@lru_cache(maxsize=256)
def compiled(form: str) -> tuple[re.Pattern[str], int]:
    """A form as a pattern that matches it as a word, and the least length. Raises :class:`FormError`."""
    parts, at, least, most = [], 0, 0, 0
    while at < len(form):
        part, at = _atom(form, at)
        low, high, at = _times(form, at)
        if not 0 <= low <= high or high == 0:
            raise FormError(f"{{{low},{high}}} is no number of times")
        least, most = least + low, most + high
        parts.append(f"{part}{{{low},{high}}}+")
    if not parts or most > LONGEST:
        raise FormError(f"it matches {most} characters; at least one, and at most {LONGEST}")
    try:
        return re.compile(f"(?<![A-Za-z0-9])(?:{''.join(parts)})(?![A-Za-z0-9])", re.ASCII), least
    except re.error as error:
        raise FormError(str(error)) from error
