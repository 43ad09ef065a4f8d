"""Paths as code spells them, made absolute and lexically normal without looking at the machine."""

import posixpath

from checkrail.model import HOLE, SOME

WILD = "\ufff9"
"""In a path out of a listing, what a wildcard stands for: each thing there in turn. It never leaves a reader."""


def known(text: str) -> bool:
    """Whether every character of a text is known."""
    return HOLE not in text and SOME not in text and WILD not in text


def locate(text: str, cwd: str | None, home: str = "") -> str:
    """The absolute form of a path. ``home`` is given where the program expands ``~`` itself.

    Relative to an unknown folder the result starts with a HOLE. A ``..`` cannot climb out of an unknown
    part, so there the path ends in that part.
    """
    if home and (text == "~" or text.startswith("~/")):
        text = home + text[1:]
    if not text.startswith(("/", HOLE)):
        text = (HOLE if cwd is None else cwd) + "/" + text
    if HOLE not in text:
        return posixpath.normpath("/" + text.lstrip("/"))
    return _normal(text)


def _normal(text: str) -> str:
    parts: list[str] = []
    for part in text.split("/"):
        if part.startswith((f".{HOLE}", f"..{HOLE}")):
            part = HOLE  # "./x" or "../x": not a name that begins with a dot
        if part == ".." and parts and HOLE in parts[-1]:
            continue
        if part == "..":
            parts[-1:] = []
        elif part not in ("", "."):
            parts.append(part)
    return ("" if text.startswith(HOLE) else "/") + "/".join(parts)
