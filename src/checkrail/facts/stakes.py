"""What is at stake in a question: how many files, how large, how recent, what git cannot bring back.

The look is counted and timed, runs no program and is taken only when a person will read it.
"""

import time
from collections.abc import Iterable, Iterator

import msgspec

from checkrail.facts import git
from checkrail.facts.host import Host, Stat

BUDGET = 0.04
"""Seconds."""
MOST = 20_000
"""Entries."""
_CHECK_EVERY = 64


class Stakes(msgspec.Struct, frozen=True, kw_only=True):
    """``bytes`` and ``files`` are lower bounds unless ``complete``; ``youngest`` is an age in seconds, None where unknown.

    ``lost`` counts files that git cannot bring back, None where there is no repository to ask.
    """

    files: int = 0
    bytes: int = 0
    youngest: float | None = None
    lost: int | None = None
    complete: bool = True


def stakes(
    paths: Iterable[str], host: Host, *, budget: float = BUDGET, most: int = MOST, now: float | None = None
) -> Stakes:
    """Count what lies at and below absolute paths. Never raises; stops at ``budget`` seconds or ``most`` entries."""
    deadline = time.monotonic() + budget
    newest, size, files, lost, seen = 0.0, 0, 0, 0, 0
    complete, versioned = True, False
    for path in dict.fromkeys(paths):
        found = git.repository(path.rpartition("/")[0] or "/", host)
        entries = git.tracked(found, host) if found else None
        versioned = versioned or entries is not None
        for at, stat in _walk(path, host):
            seen += 1
            if seen >= most or (seen % _CHECK_EVERY == 0 and time.monotonic() > deadline):
                complete = False
                break
            if stat is None:
                complete = False
            elif stat.kind != "directory":
                files += 1
                size += stat.size
                newest = max(newest, stat.mtime)
                if (
                    entries is None
                    or found is None
                    or not git.unchanged(entries.get(at[len(found.root.rstrip("/")) + 1 :]), stat)
                ):
                    lost += 1
        if not complete:
            break
    age = max(0.0, (time.time() if now is None else now) - newest) if newest else None
    return Stakes(files=files, bytes=size, youngest=age, lost=lost if versioned else None, complete=complete)


def _walk(path: str, host: Host) -> Iterator[tuple[str, Stat | None]]:
    """Entries at and below a path, links not followed; None for a directory that cannot be listed whole."""
    pending = [path.rstrip("/") or "/"]
    while pending:
        at = pending.pop()
        stat = host.lstat(at)
        if stat is None:
            continue
        yield at, stat
        if stat.kind != "directory":
            continue
        names = host.names(at, MOST)
        if names is None or len(names) >= MOST:
            yield at, None
        pending.extend(f"{at.rstrip('/')}/{name}" for name in names or ())


def phrase(found: Stakes) -> str:
    """One line for a person, empty where nothing is at stake: ``at least 312 files, 4.2 MB, newest 3 minutes old, 5 not in git``."""
    if not found.files:
        return ""
    parts = [
        f"{'' if found.complete else 'at least '}{found.files:,} file{'s' if found.files != 1 else ''}",
        _size(found.bytes),
    ]
    if found.youngest is not None:
        parts.append(f"newest {_age(found.youngest)} old")
    if found.lost is None:
        parts.append("not under git")
    elif found.lost:
        parts.append(f"{found.lost:,} that git cannot bring back")
    return ", ".join(parts)


def _size(count: int) -> str:
    amount = float(count)
    for unit in ("bytes", "kB", "MB", "GB"):
        if amount < 1000:
            return f"{amount:.0f} {unit}" if unit == "bytes" or amount >= 10 else f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:.1f} TB"


def _age(seconds: float) -> str:
    for unit, length in (("day", 86_400.0), ("hour", 3_600.0), ("minute", 60.0)):
        if seconds >= length:
            count = int(seconds // length)
            return f"{count} {unit}{'s' if count != 1 else ''}"
    return "under a minute"
