"""Readers say what a text would do. One per language; the table is the only registry."""

from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module

from checkrail.context import Surroundings
from checkrail.model import Payload, Reading

Reader = Callable[[Payload, Surroundings], Reading]
"""``read(payload, around) -> Reading``. A reader never calls another: text inside its text that
does something comes back as a payload. It never raises on purpose; the queue treats an exception as unread."""

READERS: Mapping[str, str] = {
    "shell": "checkrail.readers.shell",
    "python": "checkrail.readers.python",
    "node": "checkrail.readers.script",
    "perl": "checkrail.readers.script",
    "ruby": "checkrail.readers.script",
    "php": "checkrail.readers.script",
    "sql": "checkrail.readers.sql",
    "graphql": "checkrail.readers.queries",
    "redis": "checkrail.readers.queries",
    "mongo": "checkrail.readers.queries",
    "url": "checkrail.readers.url",
    "powershell": "checkrail.readers.powershell",
    "cmd": "checkrail.readers.powershell",
    "makefile": "checkrail.readers.buildfiles",
    "package-script": "checkrail.readers.buildfiles",
    "justfile": "checkrail.readers.buildfiles",
    "build-file": "checkrail.readers.buildfiles",
    "foreign": "checkrail.readers.foreign",
    "git-config": "checkrail.readers.git_config",
}
"""Language -> module with a function ``read``. Named, not imported: a reader's libraries load when first needed."""


@cache
def reader(language: str) -> Reader | None:
    """The reader of a language, or None where there is none."""
    module = READERS.get(language)
    if module is None:
        return None
    read: Reader = import_module(module).read
    return read
