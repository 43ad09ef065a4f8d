"""What git's own files say, read as files: the branch that is checked out, where the repository lies, its aliases.

Each file at most 64 KiB, at most 12 folders up.
"""

import posixpath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from checkrail.readers.shell.call import Call

READ_CAP = 65_536
LEVELS = 12


def current_branch(call: "Call") -> str | None:
    """The branch that is checked out, where ``.git/HEAD`` tells."""
    folder = git_folder(call)
    text = text_of(f"{folder}/HEAD", call) if folder else ""
    return text[16:].strip() if text.startswith("ref: refs/heads/") else None


def git_folder(call: "Call") -> str:
    place = call.run.state.cwd[0]
    host = call.run.around.host
    if call.run.state.host or not place.startswith("/"):
        return ""
    for _ in range(LEVELS):
        found = host.lstat(f"{place}/.git".replace("//", "/"))
        if found is not None and found.kind == "directory":
            return f"{place}/.git"
        if found is not None and found.kind == "file":
            link = text_of(f"{place}/.git", call)
            return posixpath.normpath(posixpath.join(place, link[8:].strip())) if link.startswith("gitdir: ") else ""
        if place == "/":
            break
        place = posixpath.dirname(place)
    return ""


def text_of(path: str, call: "Call") -> str:
    content = call.run.around.host.read(path, READ_CAP)
    return content.decode("utf-8", "replace") if content is not None else ""
