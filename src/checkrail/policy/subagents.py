"""What the file of a Claude Code sub-agent says about its tools: ``tools`` and ``disallowedTools`` of its front matter.

Claude Code keeps these lists itself; here they are held once more, and can only tighten. A file that cannot be read, says
nothing or calls itself by another name adds nothing. Of a project's file and the user's both count, so that one written in
between frees nobody.
"""

import re
from collections.abc import Iterator, Sequence

import msgspec

from checkrail.facts.host import Host

LIMIT = 64 * 1024
MOST_LINES = 400
MOST_TOOLS = 500

_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,127}")
_KEY = re.compile(r"([\"']?)([A-Za-z][\w-]*)\1[ \t]*:(?:[ \t]+(.*)|[ \t]*)")
_MORE = re.compile(r"[ \t]*-[ \t]+(.+)|[ \t]+(\S.*)")
_COMMENT = re.compile(r"(?:^|\s)#.*$")
_WORD = re.compile(r"(?<![\w.*?-])[\w.*?-]{1,200}(?![\w.*?-])(?:\([^()]*\))?")
_SERVER = re.compile(r"mcp__(?:(?!__).)+")

OWN = frozenset(
    {"StructuredOutput", "ToolSearch", "SendMessage", "TodoWrite", "TaskCreate", "TaskUpdate", "TaskList", "TaskGet"}
)
"""Tools that Claude Code hands out beside any list, and that touch nothing but its own notes."""
_WITH_KEY = {"memory": ("Read", "Write", "Edit"), "mcpServers": ("mcp__*",)}
"""Tools that come with another key of the front matter, beside the list."""


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
    """The lists in a file's front matter, None where it says nothing about tools or is about another sub-agent."""
    front = _front(text)
    given, denied = front.get("tools"), front.get("disallowedTools")
    if (given is None and denied is None) or front.get("name", [name]) != [name]:
        return None
    beside = [word for key, words in _WITH_KEY.items() if key in front for word in words]
    allowed = None if given is None else tuple(_allowed((*given, *beside)))
    return Listing(name, path, allowed, tuple(_forbidden(denied or ())))


def _front(text: str) -> dict[str, list[str]]:
    """The top-level keys between the first two lines of dashes, each as a list of words; a key without a value is left out.

    Only a line feed ends a line. Of a key that stands twice the first counts.
    """
    lines = [line.rstrip() for line in text.removeprefix("\ufeff").split("\n", MOST_LINES)[:MOST_LINES]]
    ends = [at for at, line in enumerate(lines) if at and line in ("---", "...")]
    if not ends or lines[0] != "---":
        return {}
    found: dict[str, list[str]] = {}
    key = ""
    for line in lines[1 : ends[0]]:
        opened, further = _KEY.fullmatch(line), _MORE.fullmatch(line)
        if opened:
            key = opened[2] if opened[2] not in found else ""
        value = _COMMENT.sub("", opened[3] or "" if opened else (further[1] or further[2]) if further else "").strip()
        if key and value:
            found.setdefault(key, []).extend(_words(value))
    return found


def _words(value: str) -> list[str]:
    return _WORD.findall(value.replace('"', " ").replace("'", " "))[:MOST_TOOLS]


def _allowed(words: Sequence[str]) -> Iterator[str]:
    for word in words:
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
