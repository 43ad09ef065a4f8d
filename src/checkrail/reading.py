"""The payload queue: every text that does something is read, and what is inside it, until nothing is left or a cap is met."""

from collections import deque
from collections.abc import Iterable

import msgspec

from checkrail.context import Surroundings
from checkrail.model import Action, Effect, Payload, Reading, Unread
from checkrail.readers import mounts, reader, rights

DEPTH_CAP = 12
PAYLOAD_CAP = 200
TEXT_CAP = 4_000_000
"""Nesting, number and total characters of the texts that one operation is read with."""


def read_all(payloads: Iterable[Payload], around: Surroundings) -> Reading:
    """One reading of all payloads and of what they hold. A reader that fails leaves an unread, never silence."""
    waiting = deque(payloads)
    seen: set[tuple[str, str, str | None, str, tuple[tuple[str, str], ...], tuple[tuple[str, str], ...]]] = set()
    effects: list[Effect] = []
    unread: list[Unread] = []
    opaque: dict[str, None] = {}
    commands: dict[str, None] = {}
    scripts: dict[str, None] = {}
    texts: dict[str, None] = {}
    done: list[Payload] = []
    characters = 0
    while waiting:
        payload = waiting.popleft()
        key = (payload.language, payload.text, payload.cwd, payload.host, payload.options, payload.variables)
        if key in seen:
            continue
        seen.add(key)
        characters += len(payload.text)
        if payload.depth > DEPTH_CAP or len(seen) > PAYLOAD_CAP or characters > TEXT_CAP:
            unread.append(Unread(what="more nested or longer texts than are read", span=payload.span, via=payload.via))
            break
        done.append(payload)
        options = dict(payload.options)
        found = rights.weighed(_read(payload, around), payload)
        if "guess" in options:
            found = _harm(found)
        written = options.get("written", "")
        seen_here = [effect for inner in found.effects for effect in mounts.here(inner)]
        effects.extend(seen_here if not written else (_as_written(effect, written) for effect in seen_here))
        unread.extend(found.unread if not written else ())
        opaque.update(dict.fromkeys(found.opaque if not written else ()))
        commands.update(dict.fromkeys(found.commands if not written else ()))
        scripts.update(dict.fromkeys(found.scripts if not written else ()))
        texts.update(dict.fromkeys(found.texts))
        kept = tuple((name, options[name]) for name in ("written", WORKED) if options.get(name))
        for inner in found.payloads:
            waiting.append(inner if not kept else _with(inner, kept))
    return Reading(
        effects=tuple(effects),
        payloads=tuple(done),
        unread=tuple(unread),
        opaque=tuple(opaque),
        commands=tuple(commands),
        scripts=tuple(scripts),
        texts=tuple(texts),
    )


def _read(payload: Payload, around: Surroundings) -> Reading:
    try:
        read = reader(payload.language)
        if read is None:
            return Reading(opaque=(f"{payload.language} code",))
        return read(payload, around)
    except Exception as error:
        what = f"the {payload.language} text: reading it failed ({type(error).__name__}: {str(error)[:120]})"
        return Reading(unread=(Unread(what=what, span=payload.span, via=payload.via),))


WORKED = "worked"
"""Option of a text, and of those in it: its holes are what a program has worked out, not what its environment holds."""

HARMFUL = frozenset((Action.DELETE, Action.STOP, Action.PRIVILEGE, Action.SEND, Action.MODE))


def _harm(reading: Reading) -> Reading:
    """What counts of a text that may be no text of this language at all."""
    harm = tuple(
        effect
        for effect in reading.effects
        if effect.action in HARMFUL or effect.rule.startswith("flow.") or effect.rule == "shell.fork-bomb"
    )
    inner = tuple(
        msgspec.structs.replace(payload, options=(*payload.options, ("guess", ""))) for payload in reading.payloads
    )
    return Reading(effects=harm, payloads=inner)


def _as_written(effect: Effect, path: str) -> Effect:
    """Text that is only written down does nothing yet."""
    return msgspec.structs.replace(effect, via=(f"written to {path}", *effect.via))


def _with(payload: Payload, options: tuple[tuple[str, str], ...]) -> Payload:
    return msgspec.structs.replace(payload, options=(*payload.options, *options))
