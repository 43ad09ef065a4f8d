"""A conforming package from one description: what is written is read back by our own reader first. Equal input, equal bytes.

The description is TOML: ``[plugin]`` (the fields of plugin.json), ``[[skill]]`` (the fields of SKILL.md, ``body`` and ``files``),
``[servers.NAME]`` (an entry of mcp.json) and ``[[operation]]`` (declarations).
"""

import tempfile
import tomllib
from pathlib import Path
from typing import Any

import msgspec

from checkrail.plugins import declarations, mcp_config, package, unpack, versions
from checkrail.plugins.manifest import FIELDS
from checkrail.plugins.unpack import File

LIMIT = 8 * 1024 * 1024
RELEASE = "1.0.0"
_ORDER = ("name", "version", "description", "author", "homepage", "repository", "license", "keywords", "extensions")
_SKILL = ("name", "description", "license", "compatibility", "allowed-tools", "metadata")


class Unfit(Exception):
    """A description from which no conforming package follows; the text says why."""


class Description(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All of a package."""

    plugin: dict[str, Any]
    skill: tuple[dict[str, Any], ...] = ()
    servers: dict[str, dict[str, Any]] = {}
    operation: tuple[dict[str, Any], ...] = ()


def parse(raw: bytes) -> Description:
    """A description from the bytes of its file. Raises :class:`Unfit`."""
    if len(raw) > LIMIT:
        raise Unfit(f"the description is larger than {LIMIT} bytes")
    try:
        return msgspec.convert(tomllib.loads(raw.decode("utf-8")), Description)
    except (ValueError, RecursionError) as error:  # not UTF-8, not TOML, a number too long, not of this shape
        raise Unfit(f"the description cannot be read: {error}") from None


def files(description: Description) -> dict[str, File]:
    """The files of the package. Raises :class:`Unfit` where our own reader would find anything wrong with them."""
    found = {"plugin.json": _json(_manifest(description))}
    if description.servers:
        schema = versions.schema(RELEASE, versions.MCP)
        servers = {name: description.servers[name] for name in sorted(description.servers)}
        found[mcp_config.FILE] = _json({"$schema": schema, "mcpServers": servers})
    for skill in description.skill:
        found |= _skill(skill)
    try:
        tree = unpack.checked((name, File(text.encode("utf-8"))) for name, text in sorted(found.items()))
    except (unpack.Refused, UnicodeEncodeError) as error:
        raise Unfit(str(error)) from None
    _checked(description, tree)
    return tree


def _json(document: Any) -> str:
    try:
        return msgspec.json.format(msgspec.json.encode(document), indent=2).decode() + "\n"
    except (TypeError, ValueError, RecursionError) as error:
        raise Unfit(f"the description holds what JSON cannot hold: {error}") from None


def _manifest(description: Description) -> dict[str, Any]:
    given = dict(description.plugin)
    given.pop("$schema", None)
    unknown = sorted(given.keys() - FIELDS)
    if unknown:
        raise Unfit(f"plugin.{unknown[0]} is no field of plugin.json")
    if description.operation:
        said, faults = declarations.of_list(description.operation)
        if faults:
            raise Unfit(f"operation {faults[0].subject}: {faults[0].reason}")
        listed = sorted(description.operation, key=lambda entry: str(entry["id"]))
        extensions = given.get("extensions", {})
        if not isinstance(extensions, dict) or declarations.NAMESPACE in extensions or len(said) != len(listed):
            raise Unfit(f"operations stand in [[operation]], each once, and not in {declarations.NAMESPACE} besides")
        own = {"operations": [{key: entry[key] for key in sorted(entry)} for entry in listed]}
        given["extensions"] = {**extensions, declarations.NAMESPACE: own}
    ordered = {key: given[key] for key in _ORDER if key in given}
    return {"$schema": versions.schema(RELEASE, versions.PLUGIN), **ordered}


def _skill(skill: dict[str, Any]) -> dict[str, str]:
    name = skill.get("name")
    unknown = sorted(skill.keys() - {*_SKILL, "body", "files"})
    if not isinstance(name, str) or unknown:
        raise Unfit(f"skill: {f'{unknown[0]} is no field of it' if unknown else 'name is missing'}")
    folder = f"skills/{name}"
    body, beside = skill.get("body", ""), skill.get("files", {})
    if (
        not isinstance(body, str)
        or not isinstance(beside, dict)
        or not all(isinstance(t, str) for t in beside.values())
    ):
        raise Unfit(f"skill {name}: body is a text, files a table of texts")
    if any(key.casefold() == "skill.md" for key in beside):
        raise Unfit(f"skill {name}: SKILL.md is written from its fields")
    head = "".join(_field(key, skill[key]) for key in _SKILL if key in skill)
    whole = f"---\n{head}---\n\n{body.strip()}\n"
    return {f"{folder}/SKILL.md": whole, **{f"{folder}/{path}": text for path, text in sorted(beside.items())}}


def _field(key: str, value: Any) -> str:
    """A field of front matter; a JSON string is a YAML string."""
    if isinstance(value, dict):
        inner = "".join(f"  {_quoted(name)}: {_quoted(text)}\n" for name, text in sorted(value.items()))
        return f"{key}:\n{inner}" if inner else ""
    return f"{key}: {_quoted(value)}\n"


def _quoted(value: Any) -> str:
    if not isinstance(value, str):
        raise Unfit("the fields of a skill are texts")
    return msgspec.json.encode(value).decode().replace("\x7f", "\\x7f")


def _checked(description: Description, tree: dict[str, File]) -> None:
    with tempfile.TemporaryDirectory(prefix="checkrail-") as base:
        folder = Path(base) / "package"
        unpack.write(tree, folder)
        found = package.read(str(folder), drafts=False)
    worst = next(iter(found.problems), None)
    if worst is not None:
        raise Unfit(f"{worst.subject}: {worst.reason}")
    if len(found.skills) != len(description.skill) or len(found.servers) != len(description.servers):
        raise Unfit("not every skill and server would be found again")
