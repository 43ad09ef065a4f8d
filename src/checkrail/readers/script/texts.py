"""Texts in scripts: where they end, what their escapes mean, and the code inside them."""

import re

Part = tuple[bool, str]
"""Of a text: whether it is code, and the code or the characters."""


class Unclosed(Exception):
    """A quote that is never closed."""


PAIRS = {"(": ")", "[": "]", "{": "}", "<": ">"}


_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "a": "\a", "e": "\x1b", "b": "\b", "f": "\f", "v": "\v"}


def interpolated(body: str, language: str) -> tuple[Part, ...]:
    """The parts of a text: characters and the code inside."""
    parts: list[Part] = []
    plain: list[str] = []
    at = 0
    while at < len(body):
        if body[at] == "\\" and at + 1 < len(body):
            text, at = _escape(body, at + 1)
            plain.append(text)
            continue
        found = _INSIDE[language].match(body, at) if body[at] in "$#{@" else None
        if found is None:
            plain.append(body[at])
            at += 1
            continue
        code, at = _code_inside(body, at, found, language)
        parts += [(False, "".join(plain)), (True, code)]
        plain = []
    return (*parts, (False, "".join(plain)))


_INSIDE = {
    "node": re.compile(r"\$(\{)"),
    "ruby": re.compile(r"#(\{)|#([@$]\w+)"),
    "php": re.compile(r"(\{)(?=\$)|\$(\{)|(\$\w+(?:\[[^\]\n]*\]|->\w+)?)"),
    "perl": re.compile(r"[$@](\{)|(\$\w+(?:::\w+)*(?:\[[^\]\n]*\]|\{[^}\n]*\}|->\[[^\]\n]*\]|->\{[^}\n]*\})?|@\w+)"),
}


def _code_inside(body: str, at: int, found: re.Match[str], language: str) -> tuple[str, int]:
    brace = next((index for index in range(1, (found.lastindex or 0) + 1) if found[index] == "{"), 0)
    if not brace:
        return found[0].lstrip("#"), found.end()
    code, end = delimited(body, found.start(brace))
    named = body[at] == "$" and re.fullmatch(r"\w+", code) is not None and language != "node"
    prefix = "$" if named else ""
    return prefix + code, end


def _escape(body: str, at: int) -> tuple[str, int]:
    character = body[at]
    if character == "x":
        found = re.compile(r"\{([0-9a-fA-F]{1,6})\}|([0-9a-fA-F]{1,2})").match(body, at + 1)
        return (chr(min(int(found[1] or found[2], 16), 0x10FFFF)), found.end()) if found else ("x", at + 1)
    if character == "u":
        found = re.compile(r"\{([0-9a-fA-F]{1,6})\}|([0-9a-fA-F]{4})").match(body, at + 1)
        return (chr(min(int(found[1] or found[2], 16), 0x10FFFF)), found.end()) if found else ("u", at + 1)
    octal = re.compile(r"[0-7]{2,3}").match(body, at)
    if octal is not None:
        return chr(int(octal[0], 8)), octal.end()
    return ("" if character == "\n" else _ESCAPES.get(character, character)), at + 1


def plain_text(body: str, *, escapes: bool) -> str:
    """A text without code inside: all escapes undone, or only those of quotes."""
    if "\\" not in body:
        return body
    if not escapes:
        return re.sub(r"\\([\\'])", r"\1", body)
    out, at = [], 0
    while at < len(body):
        if body[at] == "\\" and at + 1 < len(body):
            text, at = _escape(body, at + 1)
        else:
            text, at = body[at], at + 1
        out.append(text)
    return "".join(out)


def until(source: str, at: int, close: str) -> tuple[str, int]:
    """What stands before the next unescaped quote, and where it ends. Raises :class:`Unclosed`."""
    start = at
    while at < len(source):
        if source[at] == "\\":
            at += 2
            continue
        if source[at] == close:
            return source[start:at], at + 1
        if close == "`" and source.startswith("${", at):
            at = delimited(source, at + 1)[1]
            continue
        if close == '"' and source.startswith("#{", at):
            at = _skip_braces(source, at + 1)
            continue
        at += 1
    raise Unclosed


def _skip_braces(source: str, at: int) -> int:
    try:
        return delimited(source, at)[1]
    except Unclosed:
        return at + 1


def delimited(source: str, at: int) -> tuple[str, int]:
    """What stands between a delimiter and its end, nested pairs counted."""
    opening = source[at : at + 1]
    close = PAIRS.get(opening)
    if close is None:
        return until(source, at + 1, opening) if opening else ("", at)
    depth, start = 0, at + 1
    while at < len(source):
        character = source[at]
        if character == "\\":
            at += 1
        elif character == opening:
            depth += 1
        elif character == close:
            depth -= 1
            if depth == 0:
                return source[start:at], at + 1
        at += 1
    raise Unclosed


def regex_end(source: str, at: int) -> int:
    """Where a pattern between slashes ends on its line; -1 where it does not."""
    inside = False
    while at < len(source) and source[at] != "\n":
        character = source[at]
        if character == "\\":
            at += 1
        elif character == "[":
            inside = True
        elif character == "]":
            inside = False
        elif character == "/" and not inside:
            return at
        at += 1
    return -1
