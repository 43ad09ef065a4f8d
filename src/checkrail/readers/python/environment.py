"""Environment variables: what a program reads of them, and what it gives to the programs it starts."""

import re
from typing import Any

from checkrail.readers.python.state import Run
from checkrail.readers.python.values import UNKNOWN, Unknown, texts

SECRET_NAME = re.compile(r"(?i)secret|token|passw|api_?key|private_?key|access_?key|credential")


def environment(run: Run, key: Any) -> Any:
    """The value of an environment variable, as far as the call shows it."""
    if not isinstance(key, str):
        return UNKNOWN
    known = dict(run.payload.variables).get(key)
    if known is not None:
        return known
    if key == "HOME":
        return run.around.home
    if key == "PWD":
        return run.store["cwd"]
    return Unknown("secret", key) if SECRET_NAME.search(key) else UNKNOWN


def set_environment(run: Run, key: Any, value: Any) -> None:
    """A variable that later programs are started with."""
    for name in texts(key):
        run.store["environ", name] = value
