"""What a path or an address in prose names, by the same table of paths that judges files."""

from functools import lru_cache

from checkrail.facts import paths
from checkrail.knowledge import places as known

_SHORTEST = 3
_OUTSIDE = frozenset(("outside",))
_BEACON = frozenset(("outside", "beacon"))
"""An address that the shell completes with what it finds."""
_PROGRAM = frozenset(("outside", "executable"))


@lru_cache(maxsize=16384)
def classes(raw: str) -> frozenset[str]:
    """``private`` for a path that holds secrets, ``agent-file`` for what steers an agent, ``system-file``, ``outside`` for a URL."""
    if "://" in raw:
        return _of_url(raw)
    text = raw.rstrip(".,:*/").replace("\\", "/") or raw
    if len(text) < _SHORTEST or len(text) > 512 or text.startswith("-"):
        return frozenset()
    facts = paths.describe(text, paths.elsewhere())
    found = set()
    names = facts.classes or (facts.below if text.startswith(("~/.", "/etc", "/root")) else ())
    for name in names:
        entry = known.path_class(name)
        if entry.private or name in ("history", "credentials"):
            found.add("private")
        elif name.startswith("agent"):
            found.add("agent-file")
        elif text.startswith("/etc/") or "authorized_keys" in text:
            found.add("private")
        elif name in ("shell-start-up", "autostart", "trust", "git-internals"):
            found.add("startup")
    if "authorized_keys" in text:
        found.add("startup")  # who may log in is decided there
    if text.startswith(("~/", "/root/", "/etc/")) and not text.endswith(".pub"):
        found.add("home-file")
    return frozenset(found)


def _of_url(raw: str) -> frozenset[str]:
    if "$(" in raw or "${" in raw or "`" in raw:
        return _BEACON
    scheme = raw.split("://", 1)[0].lower()
    if "//169.254.169.254" in raw or "//metadata." in raw.lower():
        return frozenset(("private", "outside"))
    if scheme in ("http", "https", "ftp", "ws", "wss"):
        return _PROGRAM if raw.lower().endswith((".exe", ".msi", ".dmg", ".pkg", ".scr", ".bat", ".ps1")) else _OUTSIDE
    if any(word in raw.lower() for word in ("secret", "confidential", "credential", "system://", "internal://")):
        return frozenset(("private",))
    return frozenset()
