"""``plugin.json``: the only gate to everything else. Two faults are tolerated, all others reject the whole plugin."""

import os
import re
from collections.abc import Iterator
from typing import Any

from checkrail.plugins import containment, strict_json, versions
from checkrail.plugins.records import Fatality, Manifest, Problem

FILE = "plugin.json"
FIELDS = frozenset(
    {
        "$schema", "name", "version", "description", "author", "homepage", "repository", "license", "keywords",
        "extensions",
    }
)  # fmt: skip
_TEXTS = ("version", "description", "homepage", "repository", "license")
_AUTHOR = frozenset({"name", "email", "url"})
_NAME = re.compile(r"(?!.*(?:--|\.\.))[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?")
LONGEST_NAME = 64


def name_is_valid(name: str) -> bool:
    """Whether a text is a plugin's name."""
    return len(name) <= LONGEST_NAME and _NAME.fullmatch(name) is not None


def read(root: str, *, drafts: bool = True) -> tuple[Manifest | None, tuple[Problem, ...]]:
    """The manifest of a resolved root, None where it is rejected, and what was wrong with it."""
    raw = _raw(root)
    if isinstance(raw, Problem):
        return None, (raw,)
    try:
        document = strict_json.decode(raw)
    except strict_json.Malformed as error:
        return None, (_fatal(14, "manifest.not-json", FILE, str(error)),)
    return of_document(document, drafts=drafts)


def of_document(document: Any, *, drafts: bool = True) -> tuple[Manifest | None, tuple[Problem, ...]]:
    """The manifest that a decoded document holds."""
    if not isinstance(document, dict):
        return None, (_fatal(14, "manifest.not-object", FILE, "the top level is not an object"),)
    problems = (*_schema(document, drafts), *_name(document), *_fields(document), *_tolerated(document))
    if any(problem.fatality is Fatality.FATAL for problem in problems):
        return None, problems
    release = versions.of_schema(document["$schema"], versions.PLUGIN, drafts=drafts)
    assert release is not None
    extensions = document.get("extensions")
    found = Manifest(
        release=release.name, name=document["name"], author=document.get("author", {}),
        keywords=tuple(document.get("keywords", ())), extensions=extensions if isinstance(extensions, dict) else {},
        **{key: document[key] for key in _TEXTS if key in document},
    )  # fmt: skip
    return found, problems


def _raw(root: str) -> bytes | Problem:
    path = os.path.join(root, FILE)
    try:
        if FILE not in containment.names(root):
            return _fatal(12, "manifest.missing", FILE, "there is no plugin.json in the root")
        return containment.read(root, path, strict_json.LIMIT)
    except NotADirectoryError:
        return _fatal(1, "manifest.no-directory", FILE, "the package is not a directory")
    except containment.Escapes:
        return _fatal(6, "manifest.escapes", FILE, "it resolves outside the package")
    except containment.WrongKind as error:
        return _fatal(2, "manifest.wrong-kind", FILE, str(error))
    except OSError as error:
        return _fatal(2, "manifest.unreadable", FILE, error.strerror or "it cannot be read")


def _fatal(requirement: int, code: str, subject: str, reason: str) -> Problem:
    return Problem(requirement, code, Fatality.FATAL, subject, reason)


def _schema(document: dict[str, Any], drafts: bool) -> Iterator[Problem]:
    found = document.get("$schema")
    if "$schema" not in document:
        yield _fatal(25, "manifest.schema-missing", "$schema", "it is missing")
    elif not isinstance(found, str) or not found:
        yield _fatal(25, "manifest.schema-invalid", "$schema", "it is not a text that says something")
    else:
        release = versions.of_schema(found, versions.PLUGIN, drafts=drafts)
        if release is None:
            yield _fatal(24, "manifest.schema-unsupported", "$schema", f"unsupported version: {found[:120]}")
        elif release.draft:
            yield Problem(22, "manifest.draft", Fatality.NOTE, "$schema", f"{release.name} is a {release.why}")


def _name(document: dict[str, Any]) -> Iterator[Problem]:
    found = document.get("name")
    if "name" not in document:
        yield _fatal(25, "manifest.name-missing", "name", "it is missing")
    elif not isinstance(found, str):
        yield _fatal(25, "manifest.name-invalid", "name", "it is not a text")
    elif not name_is_valid(found):
        rule = "1 to 64 of a-z, 0-9, - and ., a letter or digit at both ends, neither -- nor .."
        yield _fatal(29, "manifest.name-invalid", "name", f"it is not {rule}")


def _fields(document: dict[str, Any]) -> Iterator[Problem]:
    for key in _TEXTS:
        if key in document and not isinstance(document[key], str):
            yield _fatal(18, "manifest.field-type", key, "it is not a text")
    if "author" in document:
        yield from _author(document["author"])
    keywords = document.get("keywords", [])
    if not isinstance(keywords, list) or not all(isinstance(word, str) for word in keywords):
        yield _fatal(18, "manifest.field-type", "keywords", "it is not a list of texts")


def _author(author: Any) -> Iterator[Problem]:
    if not isinstance(author, dict):
        yield _fatal(26, "manifest.author", "author", "it is not an object")
        return
    for key, value in author.items():
        if key not in _AUTHOR:
            yield _fatal(26, "manifest.author", f"author.{key[:60]}", "author holds only name, email and url")
        elif not isinstance(value, str):
            yield _fatal(26, "manifest.author", f"author.{key}", "it is not a text")


def _tolerated(document: dict[str, Any]) -> Iterator[Problem]:
    """The two faults that are not fatal, and what is fatal inside extensions."""
    for key in document:
        if key not in FIELDS:
            yield Problem(16, "manifest.unknown-field", Fatality.NOTE, key[:120], "unknown field; it has no meaning")
    if "extensions" not in document:
        return
    extensions = document["extensions"]
    if not isinstance(extensions, dict):
        yield Problem(34, "manifest.extensions", Fatality.NOTE, "extensions", "it is not an object and is ignored")
        return
    for key, value in extensions.items():
        if not isinstance(value, dict):
            yield _fatal(65, "manifest.extension-value", f"extensions.{key[:120]}", "it is not an object")
        if not _NAMESPACE.fullmatch(key):
            yield Problem(63, "manifest.namespace", Fatality.NOTE, key[:120], "it is not a reverse domain name")


_NAMESPACE = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)+")
