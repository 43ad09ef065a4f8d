"""Follows the chain through all files of a log and says where it does not hold."""

import os
from collections.abc import Iterator
from typing import Any

import msgspec

from checkrail.audit import keys
from checkrail.audit.chain import Link, opened, read_head
from checkrail.audit.log import files

MAX_PROBLEMS = 50


class Report(msgspec.Struct, frozen=True):
    """How many lines were followed, and what is wrong: ``file:line: what``."""

    lines: int
    problems: tuple[str, ...]


def _lines(directory: str) -> Iterator[tuple[str, bytes]]:
    for path in files(directory):
        with open(path, "rb") as handle:
            for number, line in enumerate(handle, 1):
                yield f"{os.path.basename(path)}:{number}", line


def _step(entry: dict[str, Any], right: bool, last: Link | None) -> str:
    if not right:
        return "the line was changed"
    if last is None or (entry.get("number"), entry.get("previous")) == (last.number + 1, last.mark):
        return ""
    missing = int(entry.get("number") or 0) - last.number - 1
    return f"{missing} lines are missing before it" if missing > 0 else "the line is not the one that follows"


def _start(first: int, through: int) -> list[str]:
    """A log that does not start at 1 must say itself that older lines expired."""
    return [] if first <= 1 or first <= through + 1 else [f"the first {first - 1} lines are missing"]


def _end(directory: str, key: bytes, last: Link | None) -> list[str]:
    try:
        handle = os.open(os.path.join(directory, "head"), os.O_RDONLY | os.O_NOFOLLOW)
    except OSError:
        return ["the head is missing: lines may have been cut off the end"] if last else []
    try:
        head = read_head(key, handle)
    finally:
        os.close(handle)
    if head is None:
        return ["the head was changed: lines may have been cut off the end"] if last else []
    missing = head.number - (last.number if last else 0)
    return [f"the last {missing} lines are missing"] if missing > 0 else []


def verify(directory: str) -> Report:
    """Checks every line. Raises OSError where there is no log or its key cannot be used."""
    if not files(directory):
        return Report(0, ())
    key = keys.derived(keys.load(os.path.join(directory, "audit.key")), "chain")
    last, count, first, through = None, 0, 0, 0
    problems: list[str] = []
    for where, line in _lines(directory):
        count += 1
        found = opened(key, line)
        if found is None:
            problems.append(f"{where}: not a line of the log")
            continue
        entry, right = found
        problem = _step(entry, right, last)
        problems += [f"{where}: {problem}"] if problem else []
        if right:
            last = Link(int(entry["number"]), str(entry["mark"]))
            first = first or last.number
            through = max(through, int(entry.get("through") or 0) if entry.get("kind") == "expired" else 0)
    problems += _start(first, through) + _end(directory, key, last)
    return Report(count, tuple(problems[:MAX_PROBLEMS]))
