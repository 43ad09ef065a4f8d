"""Reads what a build tool would run: the recipes of a make target, a script of ``package.json``, a recipe of a justfile.

The payload's text is the file; its options name the ``target`` (make, several allowed), the ``script`` with its
``arguments`` (package.json) or the ``recipe`` (just). A ``build-file`` is of whatever kind its ``path`` says, and all of
its commands count. What cannot be read is opaque: it runs local code.
"""

import json
from collections.abc import Iterator

from checkrail.context import Surroundings
from checkrail.knowledge.build_files import kind_of
from checkrail.model import Payload, Reading
from checkrail.readers.buildfiles import held, just, make
from checkrail.readers.buildfiles.state import Found, Unreadable, payloads

LIMIT = 1_000_000
INSTALL = ("preinstall", "install", "postinstall", "prepublish", "preprepare", "prepare", "postprepare")
"""Scripts that npm runs on ``install``, in order."""


def read(payload: Payload, around: Surroundings) -> Reading:
    """What the named target, script or recipe would run."""
    found = Found()
    try:
        if len(payload.text) > LIMIT:
            raise Unreadable("a build file that is too large")
        if payload.language == "package-script":
            _package(payload, found)
        elif payload.language == "build-file":
            _any(payload, found)
        elif payload.language == "justfile":
            just.follow(payload, around, found)
        else:
            make.follow(payload, around, found)
    except (Unreadable, RecursionError) as error:
        found.opaque[f"runs local code ({error})"] = None
    return Reading(payloads=payloads(payload, found), opaque=tuple(found.opaque))


def _package(payload: Payload, found: Found) -> None:
    scripts = _scripts(payload.text)
    options = dict(payload.options)
    name = options.get("script", "")
    run = [(one, scripts[one]) for one in _order(name) if one in scripts]
    if name not in ("install", "ci") and not any(one == name for one, _ in run):
        raise Unreadable(f"no script {name!r} in package.json")
    for one, text in run:
        rest = f" {options['arguments']}" if one == name and options.get("arguments") else ""
        found.add("shell", text + rest, f"package script {one}")


def _any(payload: Payload, found: Found) -> None:
    """Every command of a file, where it runs on this machine: what an image or a container runs stays inside."""
    path = dict(payload.options).get("path", "")
    kind = kind_of(path)
    for command in held.commands(kind, payload.text) if kind is not None and not kind.machine else ():
        found.add("shell", command.text, f"{path.rpartition('/')[2]}")


def _scripts(text: str) -> dict[str, str]:
    try:
        file = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Unreadable("package.json does not parse") from error
    scripts = file.get("scripts") if isinstance(file, dict) else None
    entries = scripts.items() if isinstance(scripts, dict) else ()
    return {name: script for name, script in entries if isinstance(script, str)}


def _order(name: str) -> Iterator[str]:
    if name in ("install", "ci"):
        yield from INSTALL
        return
    yield from (f"pre{name}", name, f"post{name}")
