"""``mcp.json``: closed variants, each server on its own. Nothing is started, reached or expanded here."""

import os
import posixpath
import re
from collections.abc import Iterator
from typing import Any

from checkrail.plugins import containment, expansion, remote, strict_json, versions
from checkrail.plugins.records import Fatality, Problem, Server

FILE = "mcp.json"
TRANSPORTS = ("stdio", "streamable-http", "sse")
_REMOTE = frozenset({"type", "url", "headers"})
VARIANTS = {
    "stdio": frozenset({"type", "command", "args", "env", "cwd"}),
    "streamable-http": _REMOTE,
    "sse": _REMOTE,
}
_CWD = re.compile(r"(?:\./|\$\{PLUGIN_ROOT\}(?:/|\Z)|\$\{PLUGIN_DATA\}(?:/|\Z)).*", re.DOTALL)
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")

Found = tuple[tuple[Server, ...], tuple[Problem, ...]]


def read(root: str, release: str) -> Found:
    """The servers of a resolved root whose manifest is of ``release``, and what was wrong."""
    if FILE not in containment.names(root):
        return (), ()
    try:
        raw = containment.read(root, os.path.join(root, FILE), strict_json.LIMIT)
        document = strict_json.decode(raw)
    except containment.Escapes:
        return (), (_whole(7, "mcp.escapes", "it resolves outside the package"),)
    except (containment.WrongKind, OSError) as error:
        return (), (_whole(32, "mcp.wrong-kind", getattr(error, "strerror", None) or str(error)),)
    except strict_json.Malformed as error:
        return (), (_whole(59, "mcp.not-json", str(error)),)
    return of_document(document, root, release)


def of_document(document: Any, root: str, release: str) -> Found:
    """The servers that a decoded document holds."""
    fault = _top(document, release)
    if fault is not None:
        return (), (fault,)
    servers: list[Server] = []
    problems: list[Problem] = []
    for name, entry in document["mcpServers"].items():
        found = list(_entry(name, entry, root))
        problems += found
        if not any(problem.fatality is Fatality.ENTRY for problem in found):
            servers.append(_server(name, entry))
    return tuple(servers), tuple(problems)


def _whole(requirement: int, code: str, reason: str) -> Problem:
    return Problem(requirement, code, Fatality.TYPE, FILE, reason)


def _top(document: Any, release: str) -> Problem | None:
    if not isinstance(document, dict):
        return _whole(39, "mcp.not-object", "the top level is not an object")
    unknown = sorted(document.keys() - {"$schema", "mcpServers"})
    if unknown:
        return _whole(39, "mcp.unknown-field", f"unknown top-level field {unknown[0][:60]}")
    identifier = document.get("$schema")
    named = versions.of_schema(identifier, versions.MCP) if isinstance(identifier, str) else None
    if named is None:
        return _whole(40, "mcp.schema", "$schema is missing or names no supported version")
    if named.name != release:  # equality with the manifest, not membership of what is supported
        return _whole(76, "mcp.version-differs", f"it is of {named.name}, plugin.json of {release}")
    servers = document.get("mcpServers")
    if not isinstance(servers, dict):
        return _whole(39, "mcp.servers", "mcpServers is missing or no object")
    return None


def _entry(name: str, entry: Any, root: str) -> Iterator[Problem]:
    def bad(requirement: int, code: str, reason: str) -> Problem:
        return Problem(requirement, code, Fatality.ENTRY, name, reason)

    if not isinstance(entry, dict):
        yield bad(39, "mcp.entry", "it is not an object")
        return
    kind = entry.get("type")
    if not isinstance(kind, str) or kind not in VARIANTS:
        yield bad(41, "mcp.type", f"type is not one of {', '.join(TRANSPORTS)}")
        return
    unknown = sorted(entry.keys() - VARIANTS[kind])
    if unknown:
        yield bad(41, "mcp.entry-field", f"{unknown[0][:60]} is no field of {kind}")
    if kind == "stdio":
        faults = _stdio(entry, root)
        yield from (bad(*fault) for fault in faults)
    else:
        yield from (bad(*fault) for fault in _remote(entry))
    headers, env = entry.get("headers"), entry.get("env")
    yield from remote.credentials(name, _texts(headers), _texts(env))


def _texts(value: Any) -> dict[str, str]:
    return {name: text for name, text in value.items() if isinstance(text, str)} if isinstance(value, dict) else {}


_Fault = tuple[int, str, str]


def _stdio(entry: dict[str, Any], root: str) -> Iterator[_Fault]:
    yield from _command(entry.get("command"), root)
    args = entry.get("args", [])
    if not isinstance(args, list) or not all(isinstance(arg, str) for arg in args):
        yield 41, "mcp.args", "args is not a list of texts"
    env = entry.get("env", {})
    if not isinstance(env, dict) or not all(isinstance(value, str) for value in env.values()):
        yield 41, "mcp.env", "env is not an object of texts"
    elif env.keys() & {expansion.ROOT, expansion.DATA}:
        yield 75, "mcp.env-reserved", "env sets PLUGIN_ROOT or PLUGIN_DATA"
    if "cwd" in entry:
        yield from _cwd(entry["cwd"], root)


def _command(command: Any, root: str) -> Iterator[_Fault]:
    if not isinstance(command, str) or not command:
        yield 41, "mcp.command", "command is missing, empty or no text"
    elif _CONTROL.search(command):
        yield 42, "mcp.command", "command holds control characters"
    elif command.startswith("./"):
        if not containment.stays_inside(root, command):
            yield 9, "mcp.command-escapes", "command resolves outside the package"
    elif "/" in command or "\\" in command or command in (".", ".."):
        yield 42, "mcp.command", "command is neither a bare name nor a path that begins with ./"


def _cwd(cwd: Any, root: str) -> Iterator[_Fault]:
    if not isinstance(cwd, str) or not _CWD.fullmatch(cwd):
        yield 47, "mcp.cwd", "cwd is not ./…, ${PLUGIN_ROOT} or ${PLUGIN_DATA} or below one of them"
    elif cwd.startswith("${PLUGIN_DATA}"):
        # Where the data lies is the launcher's to say, which resolves links in it; what leaves it by its letters shows here.
        if not all(_below(spelling) for spelling in (cwd, cwd.replace("\\", "/"))):
            yield 48, "mcp.cwd-escapes", "cwd resolves outside the plugin's data"
    elif not containment.stays_inside(root, expansion.expand(cwd, root=root, data="/")):
        yield 9, "mcp.cwd-escapes", "cwd resolves outside the package"


def _below(cwd: str) -> bool:
    rest = expansion.expand(cwd.removeprefix("${PLUGIN_DATA}"), root="", data="")
    normal = posixpath.normpath("data/" + rest.lstrip("/"))
    return "\0" not in rest and (normal == "data" or normal.startswith("data/"))


def _remote(entry: dict[str, Any]) -> Iterator[_Fault]:
    url = entry.get("url")
    if not isinstance(url, str) or not url:
        yield 41, "mcp.url", "url is missing, empty or no text"
    else:
        requirement, reason = remote.url_fault(url)
        if reason:
            yield requirement, "mcp.url", f"url: {reason}"
    if "headers" in entry:
        reason = remote.header_faults(entry["headers"])
        if reason:
            yield 52, "mcp.headers", reason


def _server(name: str, entry: dict[str, Any]) -> Server:
    return Server(
        name=name, transport=entry["type"], command=entry.get("command", ""), args=tuple(entry.get("args", ())),
        env=entry.get("env", {}), cwd=entry.get("cwd"), url=entry.get("url", ""), headers=entry.get("headers", {}),
    )  # fmt: skip
