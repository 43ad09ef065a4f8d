"""MCP servers that clients on this machine are configured to start, without the secrets that stand beside them."""

import glob
import os
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec

from checkrail.jsonc import plain
from checkrail.knowledge.speech import ClientFile, clients

FILE_LIMIT = 16 * 1024 * 1024
"""Bytes of one configuration or skill."""
YAML_LIMIT = 256 * 1024
"""Bytes of YAML, whose reader is slow."""
DEEPEST = 32
_URLS = ("url", "httpUrl", "serverUrl", "uri")
_STARTS = frozenset(("command", "cmd", *_URLS))
_TRANSPORTS = frozenset(
    (
        "stdio",
        "http",
        "sse",
        "ws",
        "local",
        "remote",
        "streamable-http",
        "streamable_http",
        "streamableHttp",
        "streamable-HTTP",
    )
)


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
    """How a client would start a server, or reach it. It holds secrets, so it is never printed as it is."""

    server: Server
    words: tuple[str, ...] = ()
    environment: dict[str, str] = {}
    url: str = ""
    headers: dict[str, str] = {}


class Fault(msgspec.Struct, frozen=True):
    """A configuration that could not be read."""

    path: str
    reason: str


def servers(environment: Mapping[str, str], project: Path) -> Iterator[Server | Fault]:
    """Every server of every client, in the order of the table."""
    for entry in _entries(environment, project):
        yield entry if isinstance(entry, Fault) else entry[0]


def launches(environment: Mapping[str, str], project: Path) -> Iterator[Launch]:
    """Every enabled server, each command and address once."""
    seen: set[tuple[str, ...]] = set()
    for entry in _entries(environment, project):
        if isinstance(entry, Fault):
            continue
        server, settings = entry
        words, url = _words(settings), _url(settings)
        if server.enabled and (words or server.host) and (server.name, url, *words) not in seen:
            seen.add((server.name, url, *words))
            yield (
                Launch(server=server, words=words, environment=_texts(_variables(settings)))
                if words
                else Launch(server=server, url=url, headers=_texts(settings.get("headers")))
            )


def _texts(named: Any) -> dict[str, str]:
    return (
        {str(key): value for key, value in named.items() if isinstance(value, str)} if isinstance(named, dict) else {}
    )


def _url(settings: Mapping[str, Any]) -> str:
    return next((settings[key] for key in _URLS if isinstance(settings.get(key), str)), "")


def _variables(settings: Mapping[str, Any]) -> Any:
    return next((settings[key] for key in ("env", "environment", "envs") if key in settings), None)


def _words(settings: Mapping[str, Any]) -> tuple[str, ...]:
    command, more = settings.get("command", settings.get("cmd")), settings.get("args", [])
    words = [*command] if isinstance(command, list) else [command, *(more if isinstance(more, list) else ["\0"])]
    whole = all(isinstance(word, str) and word and "\0" not in word for word in words)
    return tuple(words) if whole else ()


def _entries(environment: Mapping[str, str], project: Path) -> Iterator[tuple[Server, Mapping[str, Any]] | Fault]:
    seen: set[Path] = set()
    for entry in clients().files:
        for path in paths(entry.paths, environment, project):
            if path in seen:
                continue
            seen.add(path)
            yield from _of_file(entry, path)


def paths(patterns: tuple[str, ...], environment: Mapping[str, str], project: Path) -> Iterator[Path]:
    """What is there of the paths of a table (:class:`checkrail.knowledge.speech.ClientFile`)."""
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
        yield Fault(shown(path), f"cannot be read ({reason})")  # a parser's own message may quote a secret
        return
    for key in entry.keys:
        for name, settings in _tables(document, key.split("/") if key else []):
            if isinstance(settings, dict) and not _STARTS.isdisjoint(settings):
                yield _server(entry.client, shown(path), name, settings), settings


def _document(entry: ClientFile, path: Path) -> Any:
    if path.stat().st_size > FILE_LIMIT:
        raise ValueError("too large")
    text = path.read_text(encoding="utf-8-sig")
    if entry.format == "toml":
        return tomllib.loads(text)
    if entry.format == "yaml":
        return _yaml(text)
    try:
        return msgspec.json.decode(text.encode())
    except msgspec.DecodeError:
        return msgspec.json.decode(plain(text).encode())


def _yaml(text: str) -> Any:
    """A YAML document. Raises ValueError, also for one that is too long or too deep, or whose parts stand for others."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError
    from ruamel.yaml.events import AliasEvent, CollectionEndEvent, CollectionStartEvent

    if len(text) > YAML_LIMIT:
        raise ValueError("too large")
    depth = 0
    try:
        for event in YAML(typ="base", pure=True).parse(text):
            depth += isinstance(event, CollectionStartEvent) - isinstance(event, CollectionEndEvent)
            if depth > DEEPEST or isinstance(event, AliasEvent):
                raise ValueError("too deep, or with aliases")
        return YAML(typ="base", pure=True).load(text)
    except (YAMLError, TypeError, KeyError, IndexError, AttributeError) as error:
        raise ValueError("no YAML") from error  # the library lets a few errors of its own scanner through


def shown(path: Path | str) -> str:
    """A path as text that can be written out: a name on the disk need not be any."""
    return os.fsencode(path).decode("utf-8", "replace")


def _tables(document: Any, keys: list[str]) -> Iterator[tuple[str, Any]]:
    if isinstance(document, list) and not keys:  # tables that hold their own names
        yield from ((str(entry.get("name", "")), entry) for entry in document if isinstance(entry, dict))
    if not isinstance(document, dict):
        return
    if not keys:
        yield from ((str(name), settings) for name, settings in document.items())
        return
    inner = document.values() if keys[0] == "*" else [document.get(keys[0])]
    for value in inner:
        yield from _tables(value, keys[1:])


def _server(client: str, path: str, name: str, settings: Mapping[str, Any]) -> Server:
    url = _url(settings)
    named, kind = _variables(settings), settings.get("type", settings.get("transport"))
    return Server(
        client=client, path=path, name=name,
        transport=kind if isinstance(kind, str) and kind in _TRANSPORTS else "http" if url else "stdio",
        command=_program(settings.get("command", settings.get("cmd"))),
        host=_host(url),
        environment=tuple(sorted(str(key).partition("=")[0] for key in named)) if isinstance(named, dict) else (),
        enabled=str(settings.get("enabled", True)).lower() != "false" and str(settings.get("disabled", False)).lower() != "true",
    )  # fmt: skip


def _program(command: Any) -> str:
    """The name of the program: of a whole line, too, in which variables and arguments may be secrets."""
    first = command[0] if isinstance(command, list) and command else command
    words = first.split() if isinstance(first, str) else []
    return next((os.path.basename(word) for word in words if "=" not in word), "")


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""
