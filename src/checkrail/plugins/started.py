"""Commands that a package's files would have some client run: hooks and servers in JSON, and shell in Markdown."""

import os
import re
import shlex
from collections.abc import Iterator
from typing import Any

import msgspec

from checkrail.plugins import expansion, host
from checkrail.plugins.records import Server

_INLINE = re.compile(r"!`([^`\n]{1,4000})`")
_FENCE = re.compile(r"(?m)^```!\s*\n(.*?)^```", re.DOTALL)
_KEYS = ("command", "bash", "powershell", "run", "script", "exec")
_DEEPEST = 32
_MOST = 200
_ROOTS = re.compile(r"\$\{?(?:CLAUDE_PLUGIN_ROOT|CURSOR_PLUGIN_ROOT|CODEX_PLUGIN_ROOT|PLUGIN_ROOT|extensionPath)\b\}?")


class Started(msgspec.Struct, frozen=True):
    """A command line that something in the package starts; ``by`` is server, hook or text."""

    by: str
    name: str
    line: str
    cwd: str = host.ROOT


def of_server(server: Server) -> Started:
    """What a launcher would start for a server, with the package at the place where it is judged."""
    args = [expansion.expand(arg, root=host.ROOT, data=host.DATA) for arg in server.args]
    cwd = expansion.expand(server.cwd or "./", root=host.ROOT, data=host.DATA)
    words = [f"{name}={expansion.expand(value, root=host.ROOT, data=host.DATA)}" for name, value in server.env.items()]
    if not all(word.partition("=")[0].isidentifier() for word in words):
        words = ["env", *words]
    prefix = " ".join(_assignment(word) for word in words)
    line = shlex.join([_executable(server.command), *args])
    return Started("server", server.name, f"{prefix} {line}".strip(), os.path.normpath(os.path.join(host.ROOT, cwd)))


def _executable(command: str) -> str:
    """A path is resolved against the root, whatever the working directory is."""
    return os.path.normpath(os.path.join(host.ROOT, command)) if command.startswith("./") else command


def _assignment(word: str) -> str:
    name, equals, value = word.partition("=")
    return f"{name}={shlex.quote(value)}" if equals and name.isidentifier() else shlex.quote(word)


def in_json(document: Any) -> Iterator[Started]:
    """Every object that names a command, wherever it stands in another client's file."""
    for count, found in enumerate(_walk(document, (), 0)):
        if count >= _MOST:
            return
        yield found


def _walk(value: Any, path: tuple[str, ...], depth: int) -> Iterator[Started]:
    if depth > _DEEPEST:
        return
    if isinstance(value, dict):
        line = _line(value)
        if line:
            folded = " ".join(path).lower()
            by = "hook" if "hook" in folded or not ("server" in folded or "args" in value) else "server"
            yield Started(by, "/".join(path)[-120:], _ROOTS.sub(host.ROOT, line))
        for key, inner in value.items():
            yield from _walk(inner, (*path, str(key)), depth + 1)
    elif isinstance(value, list):
        for inner in value:
            yield from _walk(inner, path, depth + 1)


def _line(entry: dict[str, Any]) -> str:
    for key in _KEYS:
        found = entry.get(key)
        args = entry.get("args")
        rest = [str(arg) for arg in args] if isinstance(args, list) else []
        if isinstance(found, str) and found.strip():
            return f"{shlex.quote(found)} {shlex.join(rest)}" if rest else found
        if isinstance(found, list) and found and all(isinstance(word, str) for word in found):
            return shlex.join([*found, *rest])
    return ""


def references(document: Any) -> Iterator[str]:
    """JSON files of the package that another client's manifest names for hooks or servers."""
    waiting = [(document, 0)]
    while waiting:
        value, depth = waiting.pop()
        if depth > _DEEPEST:
            continue
        if isinstance(value, dict):
            waiting += [(inner, depth + 1) for inner in value.values()]
        elif isinstance(value, list):
            waiting += [(inner, depth + 1) for inner in value[:_MOST]]
        elif isinstance(value, str) and value.lower().endswith(".json") and len(value) < 400 and "\0" not in value:
            yield os.path.normpath(_ROOTS.sub(".", value))


def in_text(text: str) -> Iterator[Started]:
    """Shell that clients run while they load a skill or a command."""
    for number, hit in enumerate((*_INLINE.finditer(text), *_FENCE.finditer(text))):
        if number >= _MOST:
            return
        yield Started("text", "shell in the text", _ROOTS.sub(host.ROOT, hit[1]))


_APPROVALS = ("permissiondecisionallow", "decisionapprove", "decisionallow", "behaviorallow", "permissionallow")
_LETTERS = re.compile(r"[^a-z0-9]+")


def approves(text: str) -> bool:
    """Whether a text holds the answer by which a hook lets a call through in the person's place."""
    spelled = _LETTERS.sub("", text.lower())
    return any(answer in spelled for answer in _APPROVALS)
