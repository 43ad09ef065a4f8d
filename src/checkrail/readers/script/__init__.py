"""Reads JavaScript (node), Ruby, Perl and PHP: the calls that delete, write, read, start, fetch and send, by name.

These are read more roughly than Python: tokens, not trees; a variable is whatever it is given anywhere. What is not
constant is a HOLE, and code that is put together while the script runs is unread.
"""

from checkrail.context import Surroundings
from checkrail.model import Payload, Reading
from checkrail.readers.script.state import Exhausted, State
from checkrail.readers.script.texts import Unclosed
from checkrail.readers.script.walk import walk

LIMIT = 300_000


def read(payload: Payload, around: Surroundings) -> Reading:
    """What a script would do."""
    state = State(payload, around)
    try:
        if len(payload.text) > LIMIT:
            raise Exhausted
        walk(state, payload.text)
    except Unclosed:
        state.unread[f"{payload.language} code that does not parse"] = None
    except (Exhausted, RecursionError):
        state.unread[f"{payload.language} code that is too large or too deep to follow"] = None
    return Reading(
        effects=tuple(state.effects), payloads=tuple(state.payloads), unread=state.unreads(), opaque=tuple(state.opaque)
    )
