"""Programs that serve a folder over the network: what they open is judged by the folder."""

from typing import TYPE_CHECKING

from checkrail.facts.paths import Place, describe
from checkrail.readers.shell import effects
from checkrail.readers.shell.state import Field

if TYPE_CHECKING:
    from checkrail.knowledge.schema import Entry
    from checkrail.readers.shell.call import Call

_PRIVATE = frozenset((Place.HOME, Place.OTHER_HOME, Place.ROOT, Place.SYSTEM))
_LOOPBACK = ("localhost", "127.", "::1", "[::1]")


def folder(named: Field | None, call: "Call", path: str, *, address: str = "") -> None:
    """Note that a folder (or the one we are in) is opened to whoever connects."""
    if address.startswith(_LOOPBACK) or call.run.state.host:
        return
    where = call.path(named) if named is not None else call.run.state.cwd[0]
    found = describe(where, call.run.around)
    if found.place in _PRIVATE or "credentials" in found.classes:
        effects.named(
            "external",
            call,
            rule=f"{path}.serves",
            reason=f"opens {where} with all that lies below to whoever connects",
            safer="serve a folder of the project, on 127.0.0.1",
        )


def serve(entry: "Entry", call: "Call", path: str) -> None:
    """``http-server folder``, ``httpd -h folder``."""
    effects.apply(entry, call.parsed, call, path)
    named = call.parsed.value("-h", "-d", "--root", "--directory", "--path") or next(iter(call.parsed.operands), None)
    address = call.parsed.value("-a", "--host", "--bind", "-p", "-l", "--listen")
    folder(named, call, path, address=address.text if address is not None else "")


def serve_files(entry: "Entry", call: "Call", path: str) -> None:
    """``openssl s_server -WWW``: hands out the files of the folder it is started in."""
    effects.apply(entry, call.parsed, call, path)
    if call.parsed.has(("-WWW", "-HTTP")):
        folder(None, call, path)
