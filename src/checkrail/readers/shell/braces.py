"""Brace expansion, capped: ``{a,b}``, ``{1..5}``, ``x{a,{b,c}}y``."""

import re

CAP = 64
"""At most this many words come out of one; more is returned as None (unknown)."""

_RANGE = re.compile(r"(-?\d{1,9}|[A-Za-z])\.\.(-?\d{1,9}|[A-Za-z])(?:\.\.(-?\d{1,9}))?\Z")


def expand(text: str) -> list[str] | None:
    """All words that ``text`` stands for, in order; None where there are more than CAP."""
    done: list[str] = []
    waiting = [("", text)]
    steps = 0
    while waiting:
        steps += 1
        if len(done) + len(waiting) > CAP or steps > 4 * CAP:
            return None
        before, rest = waiting.pop()
        found = _first_group(rest)
        if found is None:
            done.append(before + rest)
            continue
        start, end, parts = found
        head, tail = before + rest[:start], rest[end:]
        waiting.extend((head, part + tail) if "{" in part else (head + part, tail) for part in reversed(parts))
    return done


def _first_group(text: str) -> tuple[int, int, list[str]] | None:
    """The first ``{…}`` that expands: its start, its end and its alternatives."""
    stack: list[int] = []
    closers: dict[int, int] = {}
    for position, character in enumerate(text):
        if character == "{":
            stack.append(position)
        elif character == "}" and stack:
            closers[stack.pop()] = position
    for start in sorted(closers):
        end = closers[start]
        if start and text[start - 1] == "$":
            continue
        parts = _alternatives(text[start + 1 : end])
        if parts is not None:
            return start, end + 1, parts
    return None


def _alternatives(inner: str) -> list[str] | None:
    parts, depth, last = [], 0, 0
    for position, character in enumerate(inner):
        if character == "{":
            depth += 1
        elif character == "}":
            depth -= 1
        elif character == "," and depth == 0:
            parts.append(inner[last:position])
            last = position + 1
    if parts:
        return [*parts, inner[last:]]
    found = _RANGE.match(inner)
    return _range(*found.groups()) if found else None


def _range(first: str, last: str, step: str | None) -> list[str] | None:
    numeric = first.lstrip("-").isdigit() and last.lstrip("-").isdigit()
    if not numeric and (first.lstrip("-").isdigit() or last.lstrip("-").isdigit()):
        return None
    low, high = (int(first), int(last)) if numeric else (ord(first), ord(last))
    stride = abs(int(step)) if step else 1
    if stride == 0:
        stride = 1
    if abs(high - low) // stride >= CAP:
        return [f"{first}", f"{last}", *["\ufffc"]]
    numbers = range(low, high + 1, stride) if low <= high else range(low, high - 1, -stride)
    width = max(len(first), len(last)) if numeric and (first.startswith("0") or last.startswith("0")) else 0
    return [str(number).zfill(width) if numeric else chr(number) for number in numbers]
