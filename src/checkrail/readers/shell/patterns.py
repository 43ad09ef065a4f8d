"""Bash's patterns, and the operators of ``${x…}`` that work with text: what they make of a known value."""

import re

from checkrail.model import HOLE

TEXT_CAP = 4096
PATTERN_CAP = 256
"""Characters of a text, and of a pattern, that are worked with."""

SPECIAL = "\\*?[]+@!()|"
"""Characters that mean something in a pattern; a backslash before them says otherwise."""

_CLASSES = {
    "alpha": "a-zA-Z", "digit": "0-9", "alnum": "a-zA-Z0-9", "upper": "A-Z", "lower": "a-z", "space": " \t\n\r\f\v", "blank": " \t",
    "xdigit": "0-9a-fA-F", "word": "a-zA-Z0-9_", "punct": "!-/:-@\\[-`{-~", "cntrl": "\0-\x1f\x7f", "print": " -~", "graph": "!-~",
}  # fmt: skip


def escaped(text: str) -> str:
    """A pattern that matches exactly a text."""
    return "".join(f"\\{character}" if character in SPECIAL else character for character in text)


def expression(pattern: str) -> str | None:
    """The regular expression of a pattern; None where it is more than stars, marks and brackets."""
    if len(pattern) > PATTERN_CAP or re.search(r"(?<!\\)[+@!*?]\(", pattern):
        return None
    out: list[str] = []
    at = 0
    while at < len(pattern):
        character = pattern[at]
        at += 1
        if character == "*":
            out += [] if out[-1:] == [".*"] else [".*"]
        elif character == "?":
            out.append(".")
        elif character == "\\" and at < len(pattern):
            out.append(re.escape(pattern[at]))
            at += 1
        elif character == "[":
            found = _bracket(pattern, at)
            if found is None:
                return None
            text, at = found
            out.append(text)
        else:
            out.append(re.escape(character))
    return "".join(out) if out.count(".*") <= 2 else None


_BRACKET = re.compile(r"([!^]?)((?:\]|\[:\w+:\]|\\.|[^\]\\\[/])(?:\[:\w+:\]|\\.|[^\]\\\[/])*)\]", re.DOTALL)


def _bracket(pattern: str, at: int) -> tuple[str, int] | None:
    match = _BRACKET.match(pattern, at)
    if match is None:
        return (r"\[", at) if "]" not in pattern[at:] else None
    inner = ""
    for part in re.findall(r"\[:\w+:\]|\\.|.", match[2], re.DOTALL):
        if part.startswith("[:"):
            if part[2:-2] not in _CLASSES:
                return None
            inner += _CLASSES[part[2:-2]]
        else:
            inner += part if part == "-" else re.escape(part[-1])
    return f"[{'^' if match[1] else ''}{inner}]", match.end()


def operated(text: str, op: str, arguments: list[str]) -> str:
    """What an operator with its arguments makes of a text; a HOLE where that is not followed. The first argument is a pattern."""
    if len(text) > TEXT_CAP:
        return HOLE
    first = arguments[0] if arguments else ""
    if op in ("@U", "@u", "@L"):
        return operated(text, {"@U": "^^", "@u": "^", "@L": ",,"}[op], [])
    found = expression(first)
    if found is None:
        return HOLE
    try:
        return _with(re.compile(found, re.DOTALL), text, op, first, arguments[1] if len(arguments) > 1 else "")
    except re.error:
        return HOLE


def _with(pattern: re.Pattern[str], text: str, op: str, first: str, replacement: str) -> str:
    if op[0] in "^,":
        changed = str.upper if op[0] == "^" else str.lower
        return "".join(
            changed(character)
            if (index == 0 or len(op) == 2) and (not first or pattern.fullmatch(character))
            else character
            for index, character in enumerate(text)
        )
    if op[0] in "#%":
        return _trimmed(pattern, text, op)
    if op[0] != "/" or "&" in replacement or "\\" in replacement:  # newer shells put the match in place of an &
        return HOLE
    return _replaced(pattern, text, op, first, replacement)


def _trimmed(pattern: re.Pattern[str], text: str, op: str) -> str:
    front = op[0] == "#"
    cuts = range(len(text) + 1) if front == (len(op) == 1) else range(len(text), -1, -1)
    for cut in cuts:
        if pattern.fullmatch(text, 0, cut) if front else pattern.fullmatch(text, cut):
            return text[cut:] if front else text[:cut]
    return text


def _replaced(pattern: re.Pattern[str], text: str, op: str, first: str, replacement: str) -> str:
    if op == "/" and first[:1] in ("#", "%"):  # a mark that an expansion has put there
        return HOLE
    if not first:
        return replacement + text if op == "/#" else text + replacement if op == "/%" else text
    if op == "/#":
        match = pattern.match(text)
        return replacement + text[match.end() :] if match else text
    if op == "/%":
        match = re.compile(f"(?:{pattern.pattern})\\Z", re.DOTALL).search(text)
        return text[: match.start()] + replacement if match else text
    return pattern.sub(lambda match: replacement if match[0] else "", text, count=0 if op == "//" else 1)
