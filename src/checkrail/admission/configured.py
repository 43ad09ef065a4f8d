"""MCP servers and skills that clients on this machine are configured to load, without the secrets that stand beside them."""

import glob
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec

from checkrail.admission.records import Definition
from checkrail.knowledge.speech import ClientFile, clients

FILE_LIMIT = 16 * 1024 * 1024
"""Bytes of one configuration or skill."""
SKILLS = 2000
"""Skills that are read."""

_TEXT = r'"(?:[^"\\\n]|\\.){0,65536}"'
_COMMENT = re.compile(_TEXT + r"|//[^\n]*|/\*[^*]*\*+(?:[^/*][^*]*\*+)*/")
_COMMA = re.compile(_TEXT + r"|,(?=\s{0,1000}[}\]])")


class Server(msgspec.Struct, frozen=True, kw_only=True):
    """A configured server. ``command`` is the program's name without its arguments, ``host`` what a URL leads to."""

    client: str
    path: str
    name: str
    transport: str
    command: str = ""
    host: str = ""
    environment: tuple[str, ...] = ()
    enabled: bool = True


class Launch(msgspec.Struct, frozen=True, kw_only=True):
    """How a client would start a server. It holds secrets, so it is never printed as it is."""

    server: Server
    words: tuple[str, ...]
    environment: dict[str, str] = {}


class Fault(msgspec.Struct, frozen=True):
    """A configuration that could not be read."""

    path: str
    reason: str


def servers(environment: Mapping[str, str], project: Path) -> Iterator[Server | Fault]:
    """Every server of every client, in the order of the table."""
    for entry in _entries(environment, project):
        yield entry if isinstance(entry, Fault) else entry[0]


def launches(environment: Mapping[str, str], project: Path) -> Iterator[Launch]:
    """Every enabled server that is a program, each command once."""
    seen: set[tuple[str, ...]] = set()
    for entry in _entries(environment, project):
        if isinstance(entry, Fault):
            continue
        server, settings = entry
        words = _words(settings)
        if words and server.enabled and (server.name, *words) not in seen:
            seen.add((server.name, *words))
            named = settings.get("env", settings.get("environment"))
            given = named.items() if isinstance(named, dict) else ()
            yield Launch(server=server, words=words, environment={str(k): v for k, v in given if isinstance(v, str)})


def _words(settings: Mapping[str, Any]) -> tuple[str, ...]:
    command, more = settings.get("command"), settings.get("args", [])
    words = [*command] if isinstance(command, list) else [command, *(more if isinstance(more, list) else ["\0"])]
    whole = all(isinstance(word, str) and word and "\0" not in word for word in words)
    return tuple(words) if whole else ()


def _entries(environment: Mapping[str, str], project: Path) -> Iterator[tuple[Server, Mapping[str, Any]] | Fault]:
    seen: set[Path] = set()
    for entry in clients().files:
        for path in _paths(entry.paths, environment, project):
            if path in seen:
                continue
            seen.add(path)
            yield from _of_file(entry, path)


def _paths(patterns: tuple[str, ...], environment: Mapping[str, str], project: Path) -> Iterator[Path]:
    home = environment.get("HOME", "")
    for pattern in patterns:
        first, _, rest = pattern.partition("/")
        if first == "~":
            base = home
        elif first == ".":
            base = str(project)
        elif first.startswith("$"):
            base = environment.get(first[1:], "")
        else:
            base, rest = "/", pattern.lstrip("/")
        if base and os.path.isabs(base):
            whole = os.path.join(glob.escape(base), rest)
            yield from (Path(found) for found in sorted(glob.glob(whole)) if os.path.exists(found))


def _of_file(entry: ClientFile, path: Path) -> Iterator[tuple[Server, Mapping[str, Any]] | Fault]:
    if not path.is_file():
        return
    try:
        document = _document(entry, path)
    except (OSError, ValueError, RecursionError) as error:
        reason = type(error).__name__ if not isinstance(error, OSError) else str(error.strerror)
        yield Fault(str(path), f"cannot be read ({reason})")  # a parser's own message may quote a secret
        return
    for key in entry.keys:
        for name, settings in _tables(document, key.split("/") if key else []):
            if isinstance(settings, dict) and ({"command", "url", "httpUrl", "serverUrl"} & settings.keys()):
                yield _server(entry.client, str(path), name, settings), settings


def _document(entry: ClientFile, path: Path) -> Any:
    if path.stat().st_size > FILE_LIMIT:
        raise ValueError("too large")
    text = path.read_text(encoding="utf-8-sig")
    if entry.format == "toml":
        return tomllib.loads(text)
    try:
        return msgspec.json.decode(text.encode())
    except msgspec.DecodeError:
        return msgspec.json.decode(_without_comments(text).encode())


def _without_comments(text: str) -> str:
    for pattern in (_COMMENT, _COMMA):
        text = pattern.sub(lambda hit: hit.group() if hit.group().startswith('"') else "", text)
    return text


def _tables(document: Any, keys: list[str]) -> Iterator[tuple[str, Any]]:
    if not isinstance(document, dict):
        return
    if not keys:
        yield from ((str(name), settings) for name, settings in document.items())
        return
    inner = document.values() if keys[0] == "*" else [document.get(keys[0])]
    for value in inner:
        yield from _tables(value, keys[1:])


def _server(client: str, path: str, name: str, settings: Mapping[str, Any]) -> Server:
    command = settings.get("command")
    program = command[0] if isinstance(command, list) and command else command
    url = next((settings[key] for key in ("url", "httpUrl", "serverUrl") if isinstance(settings.get(key), str)), "")
    named = settings.get("env", settings.get("environment"))
    return Server(
        client=client, path=path, name=name,
        transport=str(settings.get("type") or ("http" if url else "stdio")),
        command=os.path.basename(program) if isinstance(program, str) else "",
        host=_host(url),
        environment=tuple(sorted(map(str, named))) if isinstance(named, dict) else (),
        enabled=settings.get("enabled", True) is not False and settings.get("disabled", False) is not True,
    )  # fmt: skip


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def skills(environment: Mapping[str, str], project: Path) -> Iterator[Definition | Fault]:
    """The skills that clients would load, each as a definition of its own."""
    count = 0
    for directory in _paths(clients().skills, environment, project):
        for path in sorted(directory.glob("*/[Ss][Kk][Ii][Ll][Ll].md")):
            count += 1
            if count > SKILLS:
                return
            try:
                if path.stat().st_size > FILE_LIMIT:
                    raise ValueError("too large")
                text = path.read_text(encoding="utf-8", errors="replace")
            except (OSError, ValueError):
                yield Fault(str(path), "cannot be read")
                continue
            yield Definition(f"skill:{path}", {"name": path.parent.name, "description": text})
