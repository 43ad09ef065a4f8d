"""Help for tests of the evaluation: what a program does, as short strings."""

from typing import Any

from checkrail.context import Surroundings
from checkrail.facts.host import FrozenHost
from checkrail.model import HOLE, SOME, Payload, Reading
from checkrail.readers.shell import read


def reading(
    text: str, *, cwd: str | None = "/work/app", files: dict[str, str | None] | None = None, **more: Any
) -> Reading:
    """The reading of a program in an ordinary project."""
    host = FrozenHost(home="/home/dev", files=dict(files or {}))
    around = Surroundings(host=host, home="/home/dev", workspace="/work/app", cwd="/work/app")
    return read(Payload(language="shell", text=text, cwd=cwd, **more), around)


def plain(text: str) -> str:
    """Unknown parts made visible."""
    return text.replace(HOLE, "?").replace(SOME, "#")


def effects(text: str, **more: Any) -> set[str]:
    """Effects as ``action value``."""
    return {f"{effect.action.value} {plain(effect.target.value)}" for effect in reading(text, **more).effects}


def rules(text: str, **more: Any) -> set[str]:
    """Rule ids of all effects."""
    return {effect.rule for effect in reading(text, **more).effects}


def payloads(text: str, **more: Any) -> set[str]:
    """Texts that something runs, as ``language: text``: those handed on and the shell's own."""
    found = reading(text, **more)
    handed = {f"{payload.language}: {plain(payload.text)}" for payload in found.payloads}
    return handed | {f"shell: {plain(inner)}" for inner in found.texts}
