"""Which project an agent works in."""

from checkrail.facts.host import Host

MARKS = (".git", ".hg", ".jj", ".svn")


def workspace(project: str, cwd: str, host: Host) -> str:
    """The project that the host names, else the repository around ``cwd``, else ``cwd``. Never home or a folder above it."""
    if project.startswith("/") and _fits(project, host):
        return project.rstrip("/") or "/"
    folder = cwd.rstrip("/") or "/"
    while _fits(folder, host):
        if any(host.lstat(f"{folder}/{mark}") is not None for mark in MARKS):
            return folder
        folder = folder.rpartition("/")[0] or "/"
    return cwd.rstrip("/") or "/"


def _fits(folder: str, host: Host) -> bool:
    home = host.home.rstrip("/")
    return folder not in ("", "/", home) and not home.startswith(folder.rstrip("/") + "/")
