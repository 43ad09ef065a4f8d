"""The files of a log: one a month, more where they grow large; their names say their order."""

import contextlib
import json
import os
import re
from collections.abc import Iterator
from typing import Any

_NAME = re.compile(r"audit-(\d{4}-\d{2})-(\d{4,9})\.jsonl")


def place(path: str) -> tuple[str, int]:
    """Month and number of a log file; an empty month for what is none."""
    found = _NAME.fullmatch(os.path.basename(path))
    return (found[1], int(found[2])) if found else ("", 0)


def files(directory: str) -> list[str]:
    """The log files, the oldest first; whatever else lies there is passed over."""
    try:
        names = os.listdir(directory)
    except OSError:
        return []
    return [os.path.join(directory, name) for name in sorted(filter(_NAME.fullmatch, names), key=place)]


def next_name(last: str, month: str, *, full: bool) -> str:
    """The name of the file to write to after ``last`` (empty: there is none), which is ``full`` or is not.

    A clock that was set back goes on with the file that is there, since the order of the names is that of the chain.
    """
    held, number = place(last)
    if held and month <= held:
        return f"audit-{held}-{number + full:04d}.jsonl"
    return f"audit-{month}-0001.jsonl"


def entries(path: str) -> Iterator[dict[str, Any]]:
    """The entries of one file that can be read, in order, whether or not their marks are right."""
    with open(path, "rb") as handle:
        for line in handle:
            with contextlib.suppress(ValueError, RecursionError):
                entry = json.loads(line)
                if isinstance(entry, dict):
                    yield entry
