"""The two keys of an operation, which must never be mixed up.

The *classification* says what shape it has, without its data: programs, options' names, kinds of targets, rules. It groups and
counts, and authorizes nothing. The *authorization* covers every byte that decides what would happen and where.
"""

import hashlib
import itertools
import json
import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from checkrail.audit.keys import derived, mac
from checkrail.model import Event, Reading, Verdict

SCRIPTS = 64
"""Files at most that one operation would run and that an approval is bound to; with more there is no approval."""
SCRIPT_BYTES = 16 * 1024 * 1024
"""A larger file cannot be bound to within the time for an answer; with one there is no approval."""

WORDS = 500
"""Words of an operation that could not be read whole, each of which may name a file."""

_WORD = re.compile(r"[\w./+@%,:=-]{1,512}")
_OPTION = re.compile(r"-{1,2}[A-Za-z0-9][A-Za-z0-9-]{0,39}(?=$|=)|-[A-Za-z]{1,8}$")

INERT: dict[str, frozenset[str]] = {
    tool: frozenset(("description",)) for tool in ("Bash", "PowerShell", "Monitor", "Agent", "Task")
}
"""Remarks that a model writes anew each time it repeats a call, and that nothing acts on."""


class Unbindable(ValueError):
    """An operation that an approval cannot be bound to; the text says why."""


def canonical(value: Any) -> bytes:
    """One text for equal JSON values, another one for any that differ."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode()


def arguments(event: Event) -> dict[str, Any]:
    """What the tool is called with, without remarks."""
    inert = INERT.get(event.tool, frozenset())
    return {name: value for name, value in event.input.items() if name not in inert}


def _digest(path: str) -> str:
    """What a file holds. Raises :class:`Unbindable` where that cannot be told in time."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        return f"absent: {error.errno}"
    with os.fdopen(handle, "rb") as file:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):
            return "no regular file"
        if found.st_size > SCRIPT_BYTES:
            raise Unbindable(f"{path} is too large to bind an approval to")
        return hashlib.sha256(file.read(SCRIPT_BYTES + 1)).hexdigest()


def scripts(paths: Iterable[str]) -> dict[str, str]:
    """Each file that would be run, with a digest of what it holds now. Raises :class:`Unbindable`."""
    each = dict.fromkeys(paths)
    if len(each) > SCRIPTS:
        raise Unbindable("more scripts would run than an approval can be bound to")
    return {path: _digest(path) for path in each}


def _named(event: Event) -> Iterator[str]:
    """Files that are named anywhere in a call: what would run is not known where a part could not be read."""
    words = itertools.chain.from_iterable(map(_WORD.findall, _strings(arguments(event))))
    for word in itertools.islice(dict.fromkeys(words), WORDS):
        path = os.path.join(event.cwd or "/", word)
        if os.path.isfile(path):
            yield path


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for child in value.values() if isinstance(value, dict) else value:
            yield from _strings(child)


def _texts(reading: Reading) -> list[str]:
    """A digest of each text that was read: scripts, Makefiles and SQL files among them, as they were judged."""
    return [
        hashlib.sha256(canonical([payload.language, payload.text, payload.cwd, payload.host])).hexdigest()
        for payload in reading.payloads
    ]


def authorization(key: bytes, event: Event, verdict: Verdict, environment: Mapping[str, str]) -> str:
    """What an approval is bound to: who calls what with which arguments, where, in which environment, running which files.

    ``environment`` is what the hook passed on, which is what decides where programs and data are found. Raises
    :class:`Unbindable`.
    """
    reading = verdict.reading
    whole = [
        event.agent,
        event.session,
        event.tool,
        event.cwd,
        arguments(event),
        dict(environment),
        _texts(reading),
        scripts((*reading.scripts, *(_named(event) if reading.unread else ()))),
    ]
    return mac(derived(key, "approvals.authorization"), canonical(whole))


def _shape(line: str) -> tuple[str, tuple[str, ...]]:
    """Program and options' names of a command line."""
    program, *rest = line.split(" ")
    names = {found[0] for word in rest if (found := _OPTION.match(word))}
    return program.rpartition("/")[2], tuple(sorted(names))


def _sorted(parts: Iterable[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    return sorted(set(parts), key=repr)


def classification(key: bytes, event: Event, verdict: Verdict) -> str:
    """The shape of an operation: equal for equal shapes, however they are quoted and whatever data they carry."""
    reading = verdict.reading
    shape = [
        event.tool,
        sorted(event.input),
        _sorted(map(_shape, reading.commands)),
        _sorted((effect.action, effect.target.kind, effect.rule, effect.recursive) for effect in reading.effects),
        sorted({finding.rule for finding in verdict.findings}),
    ]
    return mac(derived(key, "approvals.classification"), canonical(shape))
