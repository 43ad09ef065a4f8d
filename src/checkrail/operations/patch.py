"""Takes patches apart: the ``*** Begin Patch`` form of coding agents and unified diffs."""

import re
from collections.abc import Iterator

import msgspec

_HEADER = re.compile(r"\*\*\* (Add|Update|Delete) File: (.+?)\s*$")
_MOVE = re.compile(r"\*\*\* (?:Move|Rename) (?:to|File): (.+?)\s*$")
_OLD = re.compile(r"--- (?:a/)?([^\t\r\n]+)")
_NEW = re.compile(r"\+\+\+ (?:b/)?([^\t\r\n]+)")
_GIT_MOVE = re.compile(r"rename (from|to) (.+?)\s*$")
_MOST_LINES = 200_000


class Hunk(msgspec.Struct):
    """Lines that stand together, before and after; what stays is in both, so that the place can be found."""

    before: list[str] = msgspec.field(default_factory=list)
    after: list[str] = msgspec.field(default_factory=list)


class Change(msgspec.Struct, kw_only=True):
    """What a patch does to one file; ``moved`` is its new path, where it gets one."""

    path: str
    moved: str = ""
    creates: bool = False
    deletes: bool = False
    hunks: list[Hunk] = msgspec.field(default_factory=list)

    @property
    def added(self) -> str:
        """The lines that stand in the file afterwards, as far as the patch shows them."""
        return "\n".join(line for hunk in self.hunks for line in hunk.after)


def _agent_form(lines: list[str]) -> Iterator[Change]:
    current: Change | None = None
    for line in lines:
        header, move = _HEADER.match(line), _MOVE.match(line)
        if header:
            if current:
                yield current
            current = Change(path=header[2], creates=header[1] == "Add", deletes=header[1] == "Delete")
        elif move and current:
            current.moved = move[1]
        elif current:
            _body(current, line)
    if current:
        yield current


def _body(change: Change, line: str) -> None:
    if line.startswith("@@") or not change.hunks:
        if not change.hunks or change.hunks[-1].before or change.hunks[-1].after:
            change.hunks.append(Hunk())
        if line.startswith("@@"):
            return
    if line.startswith(("***", "\\ No newline")):
        return
    hunk, rest = change.hunks[-1], line[1:]
    if not line.startswith("+"):
        hunk.before.append(rest)
    if not line.startswith("-"):
        hunk.after.append(rest)


def _diff_form(lines: list[str]) -> Iterator[Change]:
    current: Change | None = None
    old = renamed = ""
    for at, line in enumerate(lines):
        move = _GIT_MOVE.match(line)
        following = _NEW.match(lines[at + 1]) if at + 1 < len(lines) else None
        before, after = _OLD.match(line) if following else None, _NEW.match(line) if old else None
        if move and move[1] == "from":
            renamed = move[2]
        elif move:
            yield Change(path=renamed, moved=move[2])
        elif before:
            old = before[1].strip()
        elif after:
            if current:
                yield current
            new = after[1].strip()
            gone, fresh = new == "/dev/null", old == "/dev/null"
            current = Change(path=old if gone else new, creates=fresh, deletes=gone)
            old = ""
        elif current:
            _body(current, line)
    if current:
        yield current


def changes(patch: str) -> Iterator[Change]:
    """The files of a patch, in order. Nothing where the text is no patch."""
    lines = patch.splitlines()[:_MOST_LINES]
    if any(_HEADER.match(line) for line in lines):
        yield from _agent_form(lines)
    else:
        yield from _diff_form(lines)
