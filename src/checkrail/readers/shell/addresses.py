"""Addresses among arguments to which no role says what they are: repositories, package indexes, what a program opens.

``git clone URL``, ``pip install --index-url URL`` and ``some-tool URL`` reach the same host as ``curl URL`` does, so the fetch
gate gets to see them. A text that is only shown or stored names no address: commands that only compute are left out,
and of an argument only the whole counts.
"""

import re
from typing import TYPE_CHECKING

from checkrail.model import HOLE, SOME
from checkrail.readers.shell.options import INERT, Parsed
from checkrail.readers.shell.state import Field

if TYPE_CHECKING:
    from checkrail.knowledge.schema import Entry
    from checkrail.readers.shell.call import Call

ARGUMENT_CAP = 40
"""Arguments of one command that are looked at."""
LONGEST = 4_096

_ADDRESS = re.compile(
    r"(?:git\+|svn\+|sparse\+|registry\+|web\+)?(?P<url>(?:https?|wss?|ftps?|git|ssh|sftp)://[^\s/\"'<>{}`]\S*)"
)
_SCP = re.compile(r"[\w.+-]{1,64}@(?:\[[0-9A-Fa-f:.]+\]|[\w.-]{1,253}):(?!//)\S+")
_PIP = re.compile(r"[A-Za-z][\w.,\[\]-]* ?@ ?")


def of(text: str, *, scp: bool = False) -> str:
    """The address that a whole argument is (``git+https://…``, ``name @ https://…``); empty for anything else.

    What only running would tell is none. ``scp``: ``user@host:path`` is one, too.
    """
    if len(text) > LONGEST or HOLE in text or SOME in text:
        return ""
    bare = _PIP.sub("", text, count=1) if "@" in text and "://" in text and not _ADDRESS.match(text) else text
    found = _ADDRESS.fullmatch(bare)
    if found:
        return found["url"]
    return f"ssh://{text.partition(':')[0]}/" if scp and _SCP.fullmatch(text) else ""


def arguments(entry: "Entry", parsed: Parsed, call: "Call") -> None:
    """Hand on addresses among inert values of options and inert operands."""
    if entry.effect == "pure":
        return
    values = [given.value for given in parsed.options if given.value is not None and given.role == INERT]
    inert = all(role.removesuffix("...") in (INERT, "create", "repository") for role in entry.operands)
    for field in (*values, *(parsed.operands if inert else ()))[:ARGUMENT_CAP]:
        hand_on(field, call, scp=call.name == "git")


def unlisted(call: "Call") -> None:
    """The same for a program that nobody described, ``--name=URL`` included."""
    for field in call.arguments[:ARGUMENT_CAP]:
        name, equals, _ = field.text.partition("=")
        hand_on(field.tail(len(name) + 1) if equals and name.startswith("-") else field, call)


def hand_on(field: Field, call: "Call", *, scp: bool = False) -> None:
    """Hand on an argument that is an address."""
    found = of(field.text, scp=scp)
    if found:
        call.run.hand_on("url", found, field.span, call.name)
