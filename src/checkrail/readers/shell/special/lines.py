"""Filters that keep or drop whole lines: what they let through of a list of paths stays a list of paths."""

from typing import TYPE_CHECKING

from checkrail.model import HOLE, SOME
from checkrail.readers.shell import effects, flow
from checkrail.readers.shell.special.system import named
from checkrail.readers.shell.special.xargs import PATHS
from checkrail.readers.shell.state import EVERY_PROCESS, VITAL_PROCESS, Field, Value

if TYPE_CHECKING:
    from checkrail.knowledge.schema import Entry
    from checkrail.readers.shell.call import Call

CHANGES = frozenset(("-o", "--only-matching", "-c", "--count", "-r", "--replace", "-q", "--quiet"))
"""Options with which a searcher prints something else than lines."""

NAMES = frozenset(("-l", "-L", "--files-with-matches", "--files-without-match", "--files"))
"""Options with which a searcher prints the names of files."""

SEARCHERS = frozenset(("grep", "egrep", "fgrep", "ggrep", "zgrep", "rgrep", "rg", "ripgrep", "ag", "ack", "ack-grep"))


def lines(entry: "Entry", call: "Call", path: str) -> None:
    """``grep``, ``head``, ``sort`` …: as the entry says; paths that come in may go out."""
    parsed = call.parsed
    effects.apply(entry, parsed, call, path)
    flow.standard_input(entry, call)
    stdin = call.run.stdin
    found = _processes(call)
    if found:
        call.tags |= found
        call.output = Value(HOLE, stdin.tags - {EVERY_PROCESS} | found)
    elif call.name in SEARCHERS and parsed.has(tuple(NAMES)):
        call.output = Value(_below(call), frozenset((PATHS,)))
    elif PATHS in stdin.tags and not call.reads and not parsed.has(tuple(CHANGES)):
        call.output = Value(_narrowed(stdin.text, call), stdin.tags - {"environment", "history"})


def _processes(call: "Call") -> frozenset[str]:
    """Tags of the processes that a search lets through."""
    parsed = call.parsed
    if call.name not in SEARCHERS:
        return frozenset()
    patterns = [given.value for given in parsed.options if given.name in ("-e", "--regexp") and given.value is not None]
    tags = frozenset[str]().union(*(named(field.text) for field in patterns or parsed.operands[:1]))
    return tags - {VITAL_PROCESS} if parsed.has(("-v", "--invert-match")) else tags


def _narrowed(text: str, call: "Call") -> str:
    """A folder whose contents are searched for a plain word by name: what lies below it under such a name."""
    operands = call.parsed.operands
    if call.name not in SEARCHERS or not operands or call.parsed.has(("-v", "--invert-match", "-e", "-f")):
        return text
    word = operands[0].text.replace("\\.", ".").strip("^$")
    if not word or not all(character.isalnum() or character in "_.-/" for character in word):
        return text
    found = []
    for line in text.splitlines():
        if any(character in line for character in f"*?[{SOME}{HOLE}"):
            found.append(line)
            continue
        base, name = line.rstrip("/.") or line.rstrip("/"), word.strip("/")
        found += [f"{base}/**/{name}", f"{base}/**/*{name}*"]
    return "\n".join(found) + "\n"


def _below(call: "Call") -> str:
    """The files that are searched, and unknown files below the folders that are."""
    pattern_first = not call.parsed.has(("-e", "--regexp", "-f", "--file", "--files"))
    roots = list(call.parsed.operands[1:] if pattern_first else call.parsed.operands)[:8]
    return "".join(_found(field, call) for field in roots) or f"./{SOME}\n"


def _found(field: Field, call: "Call") -> str:
    found = call.run.around.host.lstat(call.path(field))
    base = field.text.rstrip("/").rpartition("/")[2]
    if field.pattern or (found is not None and found.kind == "file") or (found is None and "." in base.strip(".")):
        return f"{field.text}\n"
    return f"{field.text.rstrip('/')}/{SOME}\n"
