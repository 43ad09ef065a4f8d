"""What the file of a Claude Code sub-agent says about its tools: ``tools`` and ``disallowedTools`` of its front matter.

Claude Code keeps these lists itself; here they are held once more, and can only tighten. A file that cannot be read or says
nothing adds nothing. Of a project's file and the user's both count, so that one written in between frees nobody.
"""

import re
from collections.abc import Iterator, Sequence

import msgspec

from checkrail.facts.host import Host

LIMIT = 64 * 1024
MOST_LINES = 400
MOST_TOOLS = 500

_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,127}")
_KEY = re.compile(r"([A-Za-z][\w-]*)[ \t]*:(?:[ \t]+(.*)|[ \t]*)$")
_ENTRY = re.compile(r"[ \t]*-[ \t]+(.+)")
_COMMENT = re.compile(r"(?:^|\s)#.*$")
_WORD = re.compile(r"[\w.*?-]+(?:\([^()]*\))?")
_SERVER = re.compile(r"mcp__(?:(?!__).)+")

OWN = frozenset(
    {"StructuredOutput", "ToolSearch", "SendMessage", "TodoWrite", "TaskCreate", "TaskUpdate", "TaskList", "TaskGet"}
)
"""Tools that Claude Code hands out beside any list, and that touch nothing but its own notes."""
_MEMORY = ("Read", "Write", "Edit")
"""Tools that come with the key ``memory``."""


class Listing(msgspec.Struct, frozen=True):
    """Globs of tool names from one file; ``allowed`` is None where the file has no list."""

    name: str
    path: str
    allowed: tuple[str, ...] | None = None
    forbidden: tuple[str, ...] = ()


def kind_of(subagent: str) -> str:
    """The type in ``type/id``."""
    return subagent.split("/")[0]


def listings(subagent: str, project: str, host: Host) -> tuple[Listing, ...]:
    """What the files of this kind of sub-agent say, of the project and of the user."""
    name = kind_of(subagent)
    if not _NAME.fullmatch(name):
        return ()
    roots = dict.fromkeys(root for root in (project, host.home) if root.startswith("/"))
    paths = [f"{root.rstrip('/')}/.claude/agents/{name}.md" for root in roots]
    found = ((path, host.read(path, LIMIT)) for path in paths)
    read = (listing(name, path, raw.decode("utf-8", "replace")) for path, raw in found if raw is not None)
    return tuple(entry for entry in read if entry is not None)


def listing(name: str, path: str, text: str) -> Listing | None:
    """The lists in a file's front matter, None where it says nothing about tools."""
    front = _front(text)
    given, denied = front.get("tools"), front.get("disallowedTools")
    if given is None and denied is None:
        return None
    allowed = None if given is None else tuple(_allowed(given, with_memory=bool(front.get("memory"))))
    return Listing(name, path, allowed, tuple(_forbidden(denied or ())))


def _front(text: str) -> dict[str, list[str]]:
    """The top-level keys between the first two lines of dashes, each as a list of words; keys without a value are left out."""
    lines = text.removeprefix("\ufeff").splitlines()[:MOST_LINES]
    if not lines or lines[0].rstrip() != "---":
        return {}
    found: dict[str, list[str]] = {}
    key = ""
    for line in lines[1:]:
        if line.rstrip() in ("---", "..."):
            return found
        match = _KEY.fullmatch(line.rstrip())
        if match:
            key = match[1]
            value = _COMMENT.sub("", match[2] or "").strip()
            if value:
                found[key] = _words(value)
        elif key and (entry := _ENTRY.fullmatch(line.rstrip())):
            found.setdefault(key, []).extend(_words(_COMMENT.sub("", entry[1])))
    return {}


def _words(value: str) -> list[str]:
    return _WORD.findall(value.replace('"', " ").replace("'", " "))[:MOST_TOOLS]


def _allowed(words: Sequence[str], *, with_memory: bool) -> Iterator[str]:
    for word in (*words, *(_MEMORY if with_memory else ())):
        yield from _globs(word.partition("(")[0])
    yield from OWN


def _forbidden(words: Sequence[str]) -> Iterator[str]:
    """A word with a condition (``Bash(rm *)``) says nothing about the tool as such and is left to Claude Code."""
    for word in words:
        if "(" not in word:
            yield from _globs(word)


def _globs(name: str) -> Iterator[str]:
    """``mcp__github`` means all tools of the server."""
    yield name
    if _SERVER.fullmatch(name):
        yield f"{name}__*"
