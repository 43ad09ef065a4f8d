"""Reads PowerShell and cmd: what a text would delete, write, start, fetch and change on a Windows machine or through ``pwsh``."""

import base64
import binascii

from checkrail.context import Surroundings
from checkrail.model import Payload, Reading
from checkrail.readers.powershell import cmd, evaluate
from checkrail.readers.powershell.lexer import Unclosed
from checkrail.readers.powershell.state import Exhausted, State

LIMIT = 200_000


def read(payload: Payload, around: Surroundings) -> Reading:
    """What a PowerShell or cmd text would do. Option ``encoded`` says that the text is base64 of UTF-16."""
    state = State(payload, around)
    text = payload.text
    try:
        if "encoded" in dict(payload.options):
            text = decode(text)
        _follow(state, text)
    except (Unclosed, ValueError):
        state.unread[f"{payload.language} text that does not parse"] = None
    except (Exhausted, RecursionError):
        state.unread[f"{payload.language} text that is too large or too deep to follow"] = None
    return Reading(
        effects=tuple(state.effects), payloads=tuple(state.payloads), unread=state.unreads(), opaque=tuple(state.opaque)
    )


def _follow(state: State, text: str) -> None:
    if len(text) > LIMIT:
        raise Exhausted
    if state.payload.language == "cmd":
        cmd.statements(state, text)
    else:
        evaluate.statements(state, text)


def decode(text: str) -> str:
    """What ``-EncodedCommand`` would run. Raises ValueError where it is not base64 of UTF-16."""
    try:
        return base64.b64decode(text.strip(), validate=True).decode("utf-16-le")
    except (binascii.Error, UnicodeDecodeError) as error:
        raise ValueError(str(error)) from error
