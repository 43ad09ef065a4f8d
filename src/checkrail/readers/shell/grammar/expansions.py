"""What starts with a dollar sign or a backquote."""

import re
from collections.abc import Callable
from enum import IntEnum

from checkrail.model import Span
from checkrail.readers.shell.grammar import matching
from checkrail.readers.shell.grammar.lexer import NAME, Source, Stop
from checkrail.readers.shell.grammar.tree import (
    Arithmetic,
    CommandSub,
    Parameter,
    Part,
    ProcessSub,
    Script,
    Word,
)


class Mode(IntEnum):
    """How the text of a region is expanded."""

    OPERAND = 0  # ${x:-here}, patterns, pattern groups: quotes count, blanks do not separate
    QUOTED_OPERAND = 1  # "${x:-here}": a single quote is a character, double quotes vanish
    ARITHMETIC = 2  # as in double quotes, but double quotes count
    HEREDOC = 3  # as in double quotes, double quotes stay


SOFT_ESCAPES = '$`"\\\n'
"""What a backslash escapes in double quotes."""

Region = Callable[[Source, int, int, Mode], Word]

_SPECIAL = "@*#?$!-"
_LENGTH = re.compile(r"#([A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*#?$!-])").match
_PARAMETER = re.compile(r"(!(?=[A-Za-z_0-9#?@*]))?([A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*#?$!-])").match
_OPERATOR = re.compile(r":[-=?+]|[-=?+]|##?|%%?|/[/#%]?|\^\^?|,,?|~~?|@[A-Za-z]|:").match
_PATTERN_OPERATORS = "#%/^,~"
_PAREN = re.compile(r"""[()"]|\\.|\$'(?:[^'\\]++|\\.)*+'?|'[^']*'?""", re.DOTALL).search
_RAW_PAREN = re.compile(r"""[()"]|\\.|'[^']*'?""", re.DOTALL).search
_REWRITTEN = re.compile(r"(?<![^\s;&|()])#|\bcase\b|(?<!<)<<(?!<)").search
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)


def dollar(source: Source, at: int, region: Region, *, quoted: bool) -> Part | None:
    """The expansion at the dollar sign at ``at``, None where it is a mere character.

    Leaves the cursor behind what was read. ``$'`` and ``$"`` are the caller's.
    """
    char = source.peek(at + 1)
    if char.isascii() and (char.isalpha() or char == "_"):
        return _named(source, at, quoted=quoted)
    if char == "{":
        return _braces(source, at, region, quoted=quoted)
    if char == "(":
        return _parentheses(source, at, region, quoted=quoted)
    if char and (char in _SPECIAL or char in "0123456789"):
        source.pos = at + 2
        return Parameter(span=Span(at, at + 2), name=char, quoted=quoted)
    if char == "[":
        close = matching.matched(source, at + 2, "[", matching.ARITHMETIC)
        word = region(source, at + 2, close, Mode.ARITHMETIC)
        source.pos = close + 1
        return Arithmetic(span=Span(at, close + 1), word=word, quoted=quoted)
    source.pos = at + 1
    return None


def _named(source: Source, at: int, *, quoted: bool) -> Parameter:
    while True:
        found = NAME(source.text, at + 1, source.end)
        assert found is not None
        if not (source.joining and source.text.startswith("\\\n", found.end(), source.end)):
            break
        source.cut(found.end())
    source.pos = found.end()
    return Parameter(span=Span(at, source.pos), name=found.group(), quoted=quoted)


# $( ) and $(( )) ----------------------------------------------------------------------


def _parentheses(source: Source, at: int, region: Region, *, quoted: bool) -> Part:
    if source.peek(at + 2) != "(":
        close, body = matching.parsed_substitution(source, at + 2)
        source.pos = close
        return CommandSub(span=Span(at, close), body=body, quoted=quoted)
    close = matching.matched(source, at + 2, "(", matching.ARITHMETIC)
    tail = len(source.text) - close
    part: Part
    if _is_arithmetic(source, at, close):
        word = region(source, at + 3, close - 1, Mode.ARITHMETIC)
        part = Arithmetic(span=Span(at, close + 1), word=word, quoted=quoted)
    else:
        body = source.grammar.region(source, at + 2, close)
        close = len(source.text) - tail
        part = CommandSub(span=Span(at, close + 1), body=body, quoted=quoted)
    source.pos = close + 1
    return part


def _is_arithmetic(source: Source, at: int, close: int) -> bool:
    """Whether ``$((`` opens arithmetic: else bash takes it for ``$( (``.

    bash counts parentheses and quotes in its own rewriting of the substitutions inside, without comments and
    without the first parenthesis of a case pattern. Where that may matter the text is read as commands, which
    shows all that could run, and named.
    """
    if source.text[close - 1] != ")":
        return False
    nested = source.text.find("$(", at + 3, close)
    counted = (nested < 0 or _REWRITTEN(source.text, nested, close) is None) and _balanced(source, at + 3, close - 1)
    if counted != (matching.matched(source, at + 3, "(", matching.ARITHMETIC) == close - 1):
        source.note("arithmetic or commands", at, close + 1)
    return counted


def _balanced(source: Source, at: int, end: int) -> bool:
    """Whether the parentheses outside quotes match, those of substitutions among them; no open quote does."""
    try:
        return _depth(source, at, end) == 0
    except Stop as stop:
        if stop.is_syntax:
            return False
        raise


def _depth(source: Source, at: int, end: int) -> int:
    """Opening less closing parentheses, negative as soon as one closes too many."""
    depth = 0
    while depth >= 0:
        found = (_RAW_PAREN if source.raw else _PAREN)(source.text, at, end)
        if found is None:
            return depth
        char, at = found.group(), found.end()
        if char == '"':
            at = matching.double_quoted(source, at)
        elif char in "()":
            depth += 1 if char == "(" else -1
    return depth


def process_substitution(source: Source, at: int) -> ProcessSub:
    """``<( )`` or ``>( )`` at ``at``; leaves the cursor behind it."""
    direction = source.text[at]
    if source.peek(at + 2) == "(":
        close = matching.matched(source, at + 2, "(", matching.ARITHMETIC)
        tail = len(source.text) - close
        body = source.grammar.region(source, at + 2, close)
        close = len(source.text) - tail + 1
    else:
        close, body = matching.parsed_substitution(source, at + 2)
    source.pos = close
    return ProcessSub(span=Span(at, close), body=body, direction="<" if direction == "<" else ">")


# Backquotes ---------------------------------------------------------------------------


def backquote(source: Source, at: int, *, quoted: bool, first: Callable[[str], str] = str) -> CommandSub:
    """The old-style substitution at ``at``; leaves the cursor behind it.

    ``first`` is what the quotes around it do to backslashes before the backquotes do.
    """
    close = matching.backquoted(source, at + 1)
    body = source.text[at + 1 : close - 1]
    # The pairs are taken from left to right, so that an escaped backslash escapes nothing.
    text = _ESCAPED.sub(_unescaped, first(body)) if "\\" in body else body
    script: Script
    if text == body:
        script = source.grammar.region(source, at + 1, close - 1)
    else:
        script = source.derive(text, Span(at, close), source.grammar.program)
    source.pos = close
    return CommandSub(span=Span(at, close), body=script, quoted=quoted)


def unescape_quotes(body: str) -> str:
    """Double quotes take the backslash from ``\\"`` in backquotes."""
    return _ESCAPED.sub(lambda pair: '"' if pair.group(1) == '"' else pair.group(), body)


def unescape_others(body: str) -> str:
    """Double quotes in a quoted operand take it from what they cannot escape."""
    return _ESCAPED.sub(lambda pair: pair.group() if pair.group(1) in SOFT_ESCAPES else pair.group(1), body)


def _unescaped(pair: re.Match[str]) -> str:
    char = pair.group(1)
    if char == "\n":
        return ""
    return str(char) if char in "\\`$" else pair.group()


# ${ } ---------------------------------------------------------------------------------


def _braces(source: Source, at: int, region: Region, *, quoted: bool) -> Part:
    source.enter()
    close = matching.matched(source, at + 2, "{", matching.ALL)
    start = at + 2
    if source.text[start : start + 1] in (" ", "\t", "\n", "|") and start < close:
        part: Part = _function_substitution(source, at, close, quoted=quoted)
    else:
        part = _length(source, at, close, region, quoted=quoted) or _parameter(source, at, close, region, quoted=quoted)
    source.depth -= 1
    return part


def _function_substitution(source: Source, at: int, close: int, *, quoted: bool) -> CommandSub:
    start = at + 2 + (source.text[at + 2] == "|")
    tail = len(source.text) - close
    body = source.grammar.region(source, start, close)
    close = len(source.text) - tail
    source.pos = close + 1
    if source.text[start:close].rstrip(" \t")[-1:] not in (";", "\n", "&"):
        # Older shells see a bad substitution, newer ones look for a closing brace further on.
        source.note("${ …; } without a closing ;", at, close + 1)
    return CommandSub(span=Span(at, close + 1), body=body, quoted=quoted)


def _subscript(source: Source, at: int, close: int, region: Region) -> tuple[Word | None, int]:
    if at >= close or source.text[at] != "[":
        return None, at
    before = source.state()
    source.end, source.joining, source.fixed = close, False, True
    try:
        bracket = matching.matched(source, at + 1, "[", matching.ALL)
    except Stop as stop:
        if not stop.is_syntax:
            raise
        return None, at
    finally:
        source.restore(before)
    return region(source, at + 1, bracket, Mode.ARITHMETIC), bracket + 1


def _length(source: Source, at: int, close: int, region: Region, *, quoted: bool) -> Parameter | None:
    found = _LENGTH(source.text, at + 2, close)
    if found is None:
        return None
    behind = found.end()
    if behind < close and (source.text[behind] != "[" or not NAME(found.group(1))):
        return None
    subscript, behind = _subscript(source, behind, close, region)
    if behind != close:
        return None
    source.pos = close + 1
    return Parameter(span=Span(at, close + 1), name=found.group(1), subscript=subscript, length=True, quoted=quoted)


def _parameter(source: Source, at: int, close: int, region: Region, *, quoted: bool) -> Parameter:
    found = _PARAMETER(source.text, at + 2, close)
    if found is None:
        return _bad(source, at, close, region, quoted=quoted)
    indirect, name, behind = found.group(1) is not None, found.group(2), found.end()
    subscript: Word | None = None
    if NAME(name):
        subscript, behind = _subscript(source, behind, close, region)
    span = Span(at, close + 1)
    if behind == close:
        source.pos = close + 1
        return Parameter(span=span, name=name, subscript=subscript, indirect=indirect, quoted=quoted)
    rest = source.text[behind:close]
    operator = _OPERATOR(rest)
    args: tuple[Word, ...] = ()
    if indirect and rest in ("*", "@"):
        op = rest
    elif operator is None or (rest[0] == "@" and len(rest) > 2):
        return _bad(source, at, close, region, quoted=quoted)
    else:
        op = operator.group()
        args = _operands(source, op, behind + len(op), close, region, quoted=quoted)
    source.pos = close + 1
    return Parameter(span=span, name=name, op=op, args=args, subscript=subscript, indirect=indirect, quoted=quoted)


def _operands(source: Source, op: str, start: int, close: int, region: Region, *, quoted: bool) -> tuple[Word, ...]:
    if op[0] == "@":
        return ()
    if op in (":", "/", "//", "/#", "/%"):
        mode = Mode.ARITHMETIC if op == ":" else Mode.OPERAND
        border = _border(source, start, close, op[0])
        first = region(source, start, border, mode)
        return (first, region(source, border + 1, close, mode)) if border < close else (first,)
    soft = quoted and op[0] not in _PATTERN_OPERATORS
    if soft and "'" in source.text[start:close] and not matching.closes_without_single_quotes(source, start, close):
        # set -o posix on an earlier line, or sh in place of bash, would make it end elsewhere.
        source.note('single quotes in "${…}" that decide where it ends', start, close)
    if soft and op[-1] == "?" and "$'" in source.text[start:close]:
        source.note("$'…' that decodes to an expansion", start, close)
    # The message of :? is expanded as if nothing were quoted yet.
    mode = Mode.QUOTED_OPERAND if soft and op[-1] != "?" else Mode.OPERAND
    return (region(source, start, close, mode),)


def _border(source: Source, start: int, close: int, wanted: str) -> int:
    before = source.state()
    source.end, source.joining, source.fixed = close, False, True
    border = matching.delimiter(source, start, wanted)
    source.restore(before)
    return border


_FOREIGN = re.compile(r'[A-Za-z_]\w*(?:\[(?:[^]$`\\]|\\")*\])?[.(](?:[^$`\\<>;&|\n]|\\")*|\{ [^$`\\<>;&|\n{}]*')
"""``${row["price"].mean()}``, ``${{ github.sha }}``: an expression of another language. Every shell refuses it before anything else of its command runs."""


def _bad(source: Source, at: int, close: int, region: Region, *, quoted: bool) -> Parameter:
    """What bash calls a bad substitution when it comes to expand it; shown with all it holds."""
    if _FOREIGN.fullmatch(source.text, at + 2, close) is None:
        source.note("bad substitution", at, close + 1)
    word = region(source, at + 2, close, Mode.OPERAND)
    source.pos = close + 1
    return Parameter(span=Span(at, close + 1), name="", op="?", args=(word,), quoted=quoted)
