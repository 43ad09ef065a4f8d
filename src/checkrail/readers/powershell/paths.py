"""What a Windows path names, as far as its spelling tells. POSIX path facts cannot judge these."""

import re

from checkrail.model import HOLE
from checkrail.readers.locate import locate

_DRIVE_ROOT = re.compile(r"(?:\\\\[?.]\\)?[a-z]:[\\/]*[*.]*(?:[\\/]\*(?:\.\*)?)?|\\+|\\\*", re.IGNORECASE)
_SYSTEM = re.compile(
    r"[a-z]:[\\/]+(?:windows|winnt|program files(?: \(x86\))?|programdata|users|boot|system volume information|efi|recovery)"
    r"(?:[\\/]+(?:system32|syswow64))?[\\/]*\*?(?:\.\*)?",
    re.IGNORECASE,
)
_PROFILE = re.compile(r"[a-z]:[\\/]+users[\\/]+[^\\/]+[\\/]*\*?(?:\.\*)?|~[\\/]*\*?", re.IGNORECASE)
_VARIABLE = re.compile(
    r"(?:\$home|\$\{?env:(?:userprofile|homedrive|homepath|systemdrive|systemroot|windir|programfiles|appdata|localappdata|home)\}?|"
    r"%(?:userprofile|homepath|homedrive|systemdrive|systemroot|windir|programfiles|programdata|homedrive%%homepath)%)[\\/]*\*?(?:\.\*)?",
    re.IGNORECASE,
)
_ABSOLUTE = re.compile(r"[a-z]:[\\/]|\\\\|[a-z]:$|%\w+%|hk(?:lm|cu|cr|u|cc):", re.IGNORECASE)


def catastrophic(text: str) -> bool:
    """Whether a path is a drive's root, the system or a user's whole profile."""
    text = text.strip("\"' ")
    return any(pattern.fullmatch(text) for pattern in (_DRIVE_ROOT, _SYSTEM, _PROFILE, _VARIABLE))


def windows_only(text: str) -> bool:
    """Whether a path means nothing on POSIX: a drive, a share, a registry key, a variable of cmd."""
    return _ABSOLUTE.match(text) is not None


def place(text: str, cwd: str | None, home: str) -> str:
    """The path as given where it is Windows's own, else absolute as PowerShell on this machine would take it."""
    if windows_only(text):
        return text
    spelled = text.replace("\\", "/")
    for name in ("$home", "$env:home", "$env:userprofile"):
        if spelled.lower() == name or spelled.lower().startswith(name + "/"):
            return locate(home + spelled[len(name) :], cwd, home)
    return locate(re.sub(r"\$\{?[\w:]+\}?", HOLE, spelled), cwd, home)
