"""Whether a git command that discards would lose anything: the working tree against what git holds.

Counted, never runs git, and answers no wherever it cannot tell.
"""

import re
from collections.abc import Iterable
from functools import cache

from checkrail.facts import git
from checkrail.facts.git_head import LARGEST_REFERENCES, commit_of, nothing_staged, references
from checkrail.facts.host import Host
from checkrail.knowledge import places
from checkrail.knowledge.patterns import fold, glob

MOST = 5_000
"""Files that are compared before the answer is no."""


def clean(paths: Iterable[str], host: Host) -> bool:
    """Whether every tracked file at and below the paths is as the index holds it. What is missing has nothing to lose."""
    for path in paths:
        found = git.repository(path, host)
        entries = git.tracked(found, host) if found else None
        if found is None or not entries:
            return False
        below = "" if path == found.root else git.below(path, found.root)
        names = [name for name in entries if not below or name == below or name.startswith(below + "/")]
        if not names or len(names) > MOST or any(_differs(name, found.root, entries, host) for name in names):
            return False
    return True


def _differs(name: str, root: str, entries: dict[str, git.Entry], host: Host) -> bool:
    at = f"{root.rstrip('/')}/{name}"
    stat = host.lstat(at)
    if stat is not None:
        return not git.unchanged(entries[name], stat)
    while (at := at.rpartition("/")[0]) and at != root:
        above = host.lstat(at)
        if above is not None:
            return above.kind != "directory"  # something untracked stands where the folder was
    return False


def replaceable(paths: Iterable[str], host: Host) -> bool:
    """Whether whatever is at and below the paths now, untracked files too, is as the index and the commit hold it."""
    for path in paths:
        stat = host.lstat(path)
        absent = stat is None and host.lstat(path.rpartition("/")[0]) is not None
        if not unstaged(path, host) or not (absent or clean((path,), host)):
            return False
        if stat is not None and stat.kind == "directory" and not only_rebuilt(path, host):
            return False
    return True


def unstaged(path: str, host: Host) -> bool:
    """Whether the index of the repository holds nothing that is not committed."""
    found = git.repository(path, host)
    data = host.read(f"{found.folder}/index", git.LARGEST_INDEX) if found else None
    return found is not None and data is not None and nothing_staged(found, host, data)


def only_rebuilt(path: str, host: Host, *, spared: Iterable[str] = ()) -> bool:
    """Whether all that git does not track below a folder is what a build makes again, or has a name that is spared."""
    found = git.repository(path, host)
    entries = git.tracked(found, host) if found else None
    if found is None or entries is None:
        return False
    left = frozenset(name.strip("/") for name in spared)
    pending, seen = [path], 0
    while pending:
        folder = pending.pop()
        names = host.names(folder, MOST)
        seen += len(names or ())
        if names is None or seen >= MOST:
            return False
        for name in names:
            at = f"{folder.rstrip('/')}/{name}"
            stat = host.lstat(at)
            if name == ".git":
                if folder != found.root:
                    return False
            elif (
                stat is None or git.below(at, found.root) in entries or name in left or _rebuilt().fullmatch(fold(name))
            ):
                continue
            elif stat.kind == "directory":
                pending.append(at)
            else:
                return False
    return True


def is_rebuilt(path: str) -> bool:
    """Whether a folder or file is called like what a build makes again."""
    return _rebuilt().fullmatch(fold(path.rstrip("/").rpartition("/")[2])) is not None


@cache
def _rebuilt() -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{glob(name, hidden=True).pattern})" for name in places.paths().build))


def kept_elsewhere(branch: str, path: str, host: Host) -> bool:
    """Whether another branch, here or at a remote, holds the commit that a branch names."""
    found = git.repository(path, host)
    own = f"refs/heads/{branch}"
    commit = commit_of(own, found, host) if found else ""
    if found is None or ".." in branch:
        return False
    if not commit and _no_branch(branch, found, host):
        return True  # git refuses
    if len(commit) != 40:
        return False
    if any(name != own and held == commit and name.startswith(("refs/heads/", "refs/remotes/"))
           for name, held in references(found, host).items()):  # fmt: skip
        return True
    return any(commit_of(name, found, host) == commit for name in _loose_branches(found, host) if name != own)


def _no_branch(branch: str, found: git.Repository, host: Host) -> bool:
    """Whether there is no branch of a name, in a repository whose branches lie in files."""
    packed = f"{found.common}/packed-refs"
    if host.lstat(packed) is not None and host.read(packed, LARGEST_REFERENCES) is None:
        return False
    if (
        host.lstat(f"{found.common}/reftable") is not None
        or host.lstat(f"{found.common}/refs/heads/{branch}") is not None
    ):
        return False
    return len(commit_of("HEAD", found, host)) == 40


def _loose_branches(found: git.Repository, host: Host) -> Iterable[str]:
    pending = ["refs/heads", "refs/remotes"]
    seen = 0
    while pending:
        folder = pending.pop()
        for name in host.names(f"{found.common}/{folder}", 500) or ():
            seen += 1
            stat = host.lstat(f"{found.common}/{folder}/{name}")
            if seen > 2_000 or stat is None:
                return
            if stat.kind == "directory":
                pending.append(f"{folder}/{name}")
            elif name != "HEAD":
                yield f"{folder}/{name}"
