"""Where a path leads: lexically, and through the symbolic links that exist now."""

from collections.abc import Iterable

from checkrail.facts.host import Host

LINKS = 40
"""As many links are followed as a kernel would."""


def normal(path: str, cwd: str = "/") -> str:
    """An absolute path without ``.``, ``..`` and doubled slashes, as text alone says."""
    if not path.startswith("/"):
        path = f"{cwd}/{path}"
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            del parts[-1:]
        elif part and part != ".":
            parts.append(part)
    return "/" + "/".join(parts)


def real(path: str, host: Host, *, follow: bool = True, known: set[str] | None = None) -> str:
    """The path with every link on the way resolved, from the nearest ancestor that exists.

    ``..`` goes to the parent of what a link points to, as the kernel does. With ``follow`` unset the last component
    stays what it is, as for a deletion. ``known`` remembers directories that are no links. Loops stay as written.
    """
    known = set() if known is None else known
    pending = [part for part in reversed(path.split("/")) if part and part != "."]
    at, links, exists = "", 0, True
    while pending:
        part = pending.pop()
        if part == "..":
            at = at.rpartition("/")[0]
            exists = True
            continue
        here = f"{at}/{part}"
        if not exists or here in known or (not pending and not follow):
            at = here
            continue
        found = host.lstat(here)
        if found is None:
            exists = False
        elif found.kind == "link":
            target = host.readlink(here)
            links += 1
            if target is None or links > LINKS:
                exists = False
            else:
                at = "" if target.startswith("/") else at
                pending.extend(_steps(target))
                continue
        elif found.kind == "directory":
            known.add(here)
        at = here
    return at or "/"


def _steps(target: str) -> Iterable[str]:
    return [part for part in reversed(target.split("/")) if part and part != "."]
