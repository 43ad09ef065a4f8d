"""What the reading of a build file found."""

import msgspec

from checkrail.model import Payload

COUNT = 200
"""Commands taken from one build file."""


class Unreadable(Exception):
    """A build file that cannot be followed; the text says why."""


class Found(msgspec.Struct):
    """Texts that would run, as (language, text, how it was reached), and what cannot be judged."""

    texts: dict[tuple[str, str, str], None] = {}
    opaque: dict[str, None] = {}

    def add(self, language: str, text: str, via: str) -> None:
        """Add a text that would run. Raises :class:`Unreadable` where there are too many."""
        if len(self.texts) >= COUNT:
            raise Unreadable("too many commands")
        if text.strip():
            self.texts[language, text, via] = None


def payloads(payload: Payload, found: Found) -> tuple[Payload, ...]:
    """What was found, as payloads beside the given one."""
    return tuple(
        msgspec.structs.replace(payload, language=language, text=text, via=(*payload.via, via), options=())
        for language, text, via in found.texts
    )
