"""Lines of scripts as their readers take them: with what a backslash at the end continues."""

from itertools import pairwise


def logical(content: str) -> list[str]:
    """Lines with their continuations, so that half a command is never looked at by itself."""
    lines: list[str] = []
    for line in content.splitlines(keepends=True):
        if lines and lines[-1].rstrip("\r\n").endswith("\\"):
            lines[-1] += line
        else:
            lines.append(line)
    return lines


def added(content: str, previous: str) -> str:
    """What ``content`` has that ``previous`` has not, by whole logical lines."""
    before = set(logical(previous + "\n"))
    return "".join(line for line in logical(content + "\n") if line not in before)


def gained(content: str, previous: str) -> list[str]:
    """The same as blocks: lines that are new and stand together."""
    before = set(logical(previous + "\n"))
    lines = logical(content + "\n")
    new = [at for at, line in enumerate(lines) if line not in before]
    if not new:
        return []
    cuts = [at for at, (one, two) in enumerate(pairwise(new), 1) if two != one + 1]
    starts = [0, *cuts]
    return ["".join(lines[at] for at in new[start:end]) for start, end in zip(starts, [*cuts, len(new)], strict=True)]
