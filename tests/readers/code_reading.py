"""What a reader says of a text, as short lines that tests can compare."""

from checkrail.context import Surroundings
from checkrail.facts.host import FrozenHost
from checkrail.model import Payload, Reading
from checkrail.readers import reader

HOST = FrozenHost(files={"/w": None, "/w/src": None})
AROUND = Surroundings(host=HOST, home="/home/dev", workspace="/w", cwd="/w")


def reading(
    language: str, text: str, *, cwd: str | None = "/w", options: tuple[tuple[str, str], ...] = (), **variables: str
) -> Reading:
    """Read a text in the folder /w of a machine made of nothing."""
    read = reader(language)
    assert read is not None
    payload = Payload(language=language, text=text, cwd=cwd, options=options, variables=tuple(variables.items()))
    return read(payload, AROUND)


def lines(found: Reading) -> list[str]:
    """Effects as ``action target``, payloads as ``language: text``, then ``unread`` and ``opaque``."""
    said = [f"{effect.action.value} {effect.target.value}" for effect in found.effects]
    said += [f"{payload.language}: {payload.text}" for payload in found.payloads]
    said += ["unread"] if found.unread else []
    said += ["opaque"] if found.opaque else []
    return list(dict.fromkeys(said))


def says(language: str, text: str, *, cwd: str | None = "/w", **variables: str) -> list[str]:
    """:func:`lines` of :func:`reading`."""
    return lines(reading(language, text, cwd=cwd, options=(), **variables))
