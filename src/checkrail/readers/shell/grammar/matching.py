"""Where a bracketed construct ends.

bash first looks for the end of ``${``, ``$((``, ``((``, ``$[``, subscripts and pattern groups by
counting brackets outside quotes, and expands the text between later. The end decides what is
outside, so it must be found in just that way.
"""

import re

from checkrail.readers.shell.grammar.lexer import ANSI_QUOTED, BACKQUOTED, DOUBLE_RUN, MAX_COPIES, Source, Stop
from checkrail.readers.shell.grammar.tree import Script

# How much is recognised inside: pattern groups see quotes only, arithmetic sees $( ) too,
# ${ } and subscripts see every substitution.
QUOTES, ARITHMETIC, ALL = 0, 1, 2

_RUNS = {
    "{": re.compile(r"[^}'\"`\\$<>]*").match,
    "[": re.compile(r"[^\[\]'\"`\\$<>]*").match,
    "(": re.compile(r"[^()'\"`\\$<>]*").match,
}
_CLOSERS = {"{": "}", "[": "]", "(": ")"}
_UNQUOTED_RUN = re.compile(r"[^}\"`\\$]*").match
_DELIMITER_RUN = re.compile(r"[^/:'\"`\\$<>?()]*").match


def single_quoted(source: Source, at: int) -> int:
    """The position after the quote that closes the one before ``at``."""
    close = source.text.find("'", at, source.end)
    if close < 0:
        raise source.fail("unclosed '", at - 1)
    return close + 1


def ansi_quoted(source: Source, at: int) -> int:
    """The position after the quote that closes ``$'`` before ``at``."""
    close: int = ANSI_QUOTED(source.text, at, source.end).end()  # type: ignore[union-attr]
    if close >= source.end:
        raise source.fail("unclosed $'", at - 2)
    return close + 1


def backquoted(source: Source, at: int) -> int:
    """The position after the backquote that closes the one before ``at``."""
    close: int = BACKQUOTED(source.text, at, source.end).end()  # type: ignore[union-attr]
    if close >= source.end:
        raise source.fail("unclosed `", at - 1)
    return close + 1


def double_quoted(source: Source, at: int) -> int:
    """The position after the quote that closes the one before ``at``."""
    begin = at - 1
    source.enter()
    while True:
        at = DOUBLE_RUN(source.text, at, source.end).end()  # type: ignore[union-attr]
        if at >= source.end:
            raise source.fail('unclosed "', begin)
        if source.text[at] == '"':
            source.depth -= 1
            return at + 1
        at = unit(source, at, ALL)


def matched(source: Source, at: int, opener: str, level: int) -> int:
    """The position of the bracket that closes the one before ``at``."""
    known = source.memo.get(at)
    if known is not None and known[0] < source.end:
        return known[0]
    begin, count, run, closer = at, 1, _RUNS[opener], _CLOSERS[opener]
    source.enter()
    while True:
        at = run(source.text, at, source.end).end()  # type: ignore[union-attr]
        if at >= source.end:
            raise source.fail(f"no closing {closer!r}", begin - 1)
        char = source.text[at]
        if char == closer:
            count -= 1
            if not count:
                break
            at += 1
        elif char == opener:
            count += 1
            at += 1
        else:
            at = unit(source, at, level)
    source.depth -= 1
    source.remember(begin, at)
    return at


def closes_without_single_quotes(source: Source, at: int, close: int) -> bool:
    """Whether the ``${`` before ``at`` ends at ``close`` too if a single quote is a mere character there.

    So it is in posix mode and in other shells.
    """
    if source.text.find("\\\n", at, close) < 0:
        before = source.state()
        source.end, source.joining, source.fixed = close + 1, False, True
        found = _closes_at_end(source, at)
        source.restore(before)
        return found
    if source.copies >= MAX_COPIES:
        return False
    part = Source(source.text[at : close + 1], source.depth, source.grammar)
    part.copies = source.copies + 1
    found = _closes_at_end(part, 0)
    source.copies = part.copies
    return found


def _closes_at_end(source: Source, at: int) -> bool:
    try:
        while True:
            at = _UNQUOTED_RUN(source.text, at, source.end).end()  # type: ignore[union-attr]
            if at >= source.end or source.text[at] == "}":
                return at == source.end - 1
            at = unit(source, at, ALL)
    except Stop as stop:
        if stop.is_syntax:
            return False
        raise


def unit(source: Source, at: int, level: int) -> int:
    """The position after the quote, escape or substitution that starts at ``at``."""
    char = source.text[at]
    if char == "\\":
        if source.joining and source.text.startswith("\\\n", at, source.end):
            source.cut(at)
            return at
        return min(at + 2, source.end)
    if char == "'":
        return single_quoted(source, at + 1)
    if char == '"':
        return double_quoted(source, at + 1)
    if char == "`":
        return backquoted(source, at + 1)
    if char == "$":
        return _dollar(source, at, level)
    if level == ALL and char in "<>" and source.peek(at + 1) == "(":
        return substitution(source, at + 2)
    return at + 1


def _dollar(source: Source, at: int, level: int) -> int:
    follower = source.peek(at + 1)
    if follower == "$":
        return at + 2
    if follower == "'" and not source.raw:
        return ansi_quoted(source, at + 2)
    if follower == "(" and level >= ARITHMETIC:
        return substitution(source, at + 2)
    if follower == "{" and level == ALL:
        return matched(source, at + 2, "{", ALL) + 1
    if follower == "[" and level == ALL:
        return matched(source, at + 2, "[", ARITHMETIC) + 1
    return at + 1


def substitution(source: Source, at: int) -> int:
    """The position after the parenthesis that closes ``$(`` or ``<(`` before ``at``."""
    if source.peek(at) == "(":
        return matched(source, at, "(", ARITHMETIC) + 1
    return parsed_substitution(source, at)[0]


def parsed_substitution(source: Source, at: int) -> tuple[int, Script]:
    """Reads the commands of ``$(`` before ``at``: the position after its end, and the commands."""
    known = source.memo.get(at)
    if known is not None and known[1] is not None and known[0] <= source.end:
        return known[0], known[1]
    before = source.pos, source.pending, source.substituted, source.joining, source.documents, source.raw
    source.pos, source.pending, source.substituted, source.joining, source.documents = at, [], True, True, 0
    source.raw = False
    source.enter()
    body = source.grammar.substitution(source)
    source.depth -= 1
    close = source.pos
    source.pos, source.pending, source.substituted, source.joining, source.documents, source.raw = before
    source.remember(at, close, body)
    return close, body


def delimiter(source: Source, at: int, wanted: str) -> int:
    """The first ``wanted`` (``/`` or ``:``) outside quotes, substitutions and parentheses, or the end."""
    depth = 0
    while True:
        at = _DELIMITER_RUN(source.text, at, source.end).end()  # type: ignore[union-attr]
        if at >= source.end:
            return source.end
        char = source.text[at]
        if char == wanted and depth <= 0:
            return at
        if char not in "/:?()":
            at = unit(source, at, ALL)
            continue
        if wanted == ":":  # a: b in a ? a : b separates nothing
            depth += (char in "(?") - (char in "):")
        at += 1
