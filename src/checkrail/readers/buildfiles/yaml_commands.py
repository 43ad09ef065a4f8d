"""Commands in YAML by their keys, line by line: block texts, lists and plain values.

No YAML library: a part of a file has to give what stands in it, and anchors, tags and types do not matter here.
"""

import json
import re
from collections.abc import Iterator, Sequence

_ENTRY = re.compile(
    r"(?P<indent>\s*)(?P<dashes>(?:-\s+)*)(?P<quote>[\"']?)(?P<key>[A-Za-z_][\w.-]*)(?P=quote)\s*:(?:\s+(?P<text>.*))?"
)
_ITEM = re.compile(r"(?P<indent>\s*)-\s+(?P<text>.*)")
_BLOCK = re.compile(r"[|>][+-]?\d?[+-]?\s*(?:#.*)?")
_MOST_LINES = 50_000


def commands(text: str, keys: Sequence[str]) -> Iterator[tuple[str, str]]:
    """(key, command) for every value of one of the keys."""
    lines = text.splitlines()[:_MOST_LINES]
    for at, line in enumerate(lines):
        found = _ENTRY.fullmatch(line)
        if found and found["key"] in keys:
            depth = len(found["indent"]) + len(found["dashes"])
            for command in _value((found["text"] or "").strip(), lines, at + 1, depth, line):
                yield found["key"], command


def _value(text: str, lines: Sequence[str], at: int, depth: int, line: str) -> Iterator[str]:
    if _BLOCK.fullmatch(text):
        yield _block(lines, at, depth)
    elif text and not text.startswith(("#", "&", "!")):
        words = flow_list(text)
        yield _argv(words) if words else f"{_plain(text)}\n"
    else:
        yield from _items(lines, at, len(line) - len(line.lstrip()))


def _argv(words: Sequence[str]) -> str:
    import shlex

    return shlex.join(words) if len(words) > 1 else words[0]


def _block(lines: Sequence[str], at: int, depth: int) -> str:
    body = []
    for line in lines[at:]:
        if line.strip() and len(line) - len(line.lstrip()) <= depth:
            break
        body.append(line.strip())
    return "\n".join(body) + "\n"


def _items(lines: Sequence[str], at: int, depth: int) -> Iterator[str]:
    """The items of a list below a key, which may stand at the key's own depth."""
    for index in range(at, len(lines)):
        line = lines[index]
        indent = len(line) - len(line.lstrip())
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        found = _ITEM.fullmatch(line)
        if indent < depth or (indent == depth and not found):
            return
        if found and not _ENTRY.fullmatch(line):
            text = found["text"].strip()
            yield _block(lines, index + 1, indent) if _BLOCK.fullmatch(text) else f"{_plain(text)}\n"


def _plain(text: str) -> str:
    """A scalar without its quotes and its comment."""
    if text[:1] == '"' and text[-1:] == '"' and len(text) > 1:
        try:
            return str(json.loads(text))
        except ValueError:
            return text[1:-1]
    if text[:1] == "'" and text[-1:] == "'" and len(text) > 1:
        return text[1:-1].replace("''", "'")
    return re.sub(r"\s+#.*$", "", text)


def flow_list(text: str) -> list[str]:
    """The texts of ``["a", 'b', c]``; empty for anything else."""
    if not (text.startswith("[") and text.endswith("]")):
        return []
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = [part.strip().strip("'\"") for part in text[1:-1].split(",")]
    return (
        [item for item in found if item]
        if isinstance(found, list) and all(isinstance(item, str) for item in found)
        else []
    )
