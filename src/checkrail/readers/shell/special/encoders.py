"""``base64``, ``xxd``: what they decode is known where their input is, so that hidden commands are read."""

import base64 as codec
import binascii
from typing import TYPE_CHECKING

from checkrail.model import HOLE
from checkrail.readers.shell import effects
from checkrail.readers.shell.state import DECODED, Value

if TYPE_CHECKING:
    from checkrail.knowledge.schema import Entry
    from checkrail.readers.shell.call import Call

TEXT_CAP = 200_000
"""Characters that are decoded."""

DECODES = frozenset(("-d", "-D", "--decode", "-r", "-revert"))


def encoder(entry: "Entry", call: "Call", path: str) -> None:
    """``base64 [-d] [file]``, ``xxd [-r] [in [out]]``."""
    effects.apply(entry, call.parsed, call, path)
    taken = call.taken_in()
    decodes = call.name in ("uudecode", "b64decode") or any(option.name in DECODES for option in call.parsed.options)
    if not decodes:
        text = codec.b64encode(taken.text.encode()).decode() + "\n" if call.name == "base64" and taken.known else HOLE
        call.output = Value(text, taken.tags)
    else:
        call.output = Value(_decoded(call.name, taken), taken.tags | {DECODED})
    for field in call.parsed.operands[1:2] if call.name == "xxd" else ():
        call.run.state.files[call.path(field)] = call.output


def _decoded(name: str, value: Value) -> str:
    if not value.known or len(value.text) > TEXT_CAP:
        return HOLE
    text = "".join(value.text.split())
    try:
        if name == "xxd":
            data = bytes.fromhex(text)
        elif name == "base32":
            data = codec.b32decode(text)
        else:
            data = codec.b64decode(
                text + "=" * (-len(text) % 4), altchars=b"-_" if "-" in text or "_" in text else None
            )
    except (ValueError, binascii.Error):
        return HOLE
    return data.decode("utf-8", "replace")
