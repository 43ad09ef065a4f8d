"""The shell reader. Its parts are imported when the first program is read."""

from checkrail.context import Surroundings
from checkrail.model import Payload, Reading


def read(payload: Payload, around: Surroundings) -> Reading:
    """What a shell program would do."""
    from checkrail.readers.shell.reader import read as read_program

    return read_program(payload, around)
