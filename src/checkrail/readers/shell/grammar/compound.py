"""Compound commands, from their reserved word to their last redirection."""

import itertools
import re
from collections.abc import Callable

from msgspec.structs import force_setattr

from checkrail.model import Span
from checkrail.readers.shell.grammar import conditional, heredocs, lists, matching, redirections
from checkrail.readers.shell.grammar.expansions import Mode
from checkrail.readers.shell.grammar.lexer import BREAKS, Source
from checkrail.readers.shell.grammar.tree import (
    AnyCommand,
    ArithCommand,
    ArithFor,
    Case,
    CaseArm,
    Command,
    For,
    Group,
    If,
    Redirect,
    Script,
    Subshell,
    While,
    Word,
)
from checkrail.readers.shell.grammar.words_parser import region, word

_DESCRIPTOR = re.compile(r"(?:[0-9]+|\{[A-Za-z_][^\s;&|()'\"`\\{}]*\})(?=[<>])").match


def _redirected(source: Source, node: Command) -> AnyCommand:
    """Adds the redirections behind a compound command; its span grows over them."""
    redirects: list[Redirect] = []
    end = source.pos
    while char := source.skip():
        start, fd = source.pos, None
        if char in "0123456789{":
            found = _DESCRIPTOR(source.text, start, source.end)
            if found is None:
                source.settle()
                found = _DESCRIPTOR(source.text, start, source.end)
            if found is None:
                break
            source.pos = found.end()
            fd = redirections.descriptor(source, start)
            if fd is None:
                source.pos = start
                break
            char = source.text[source.pos]
        if not redirections.is_redirection(source, char):
            break
        redirects.append(redirections.redirection(source, start, fd))
        end = source.pos
    if redirects:
        force_setattr(node, "redirects", tuple(redirects))
        force_setattr(node, "span", Span(node.span.start, end))
    return node  # type: ignore[return-value]


def _keyword(source: Source, wanted: str) -> None:
    """Moves over a reserved word that must stand here."""
    if lists.reserved(source) != wanted:
        raise source.unexpected()
    source.pos += len(wanted)


def _body(source: Source, *stops: str) -> Script:
    """A list that must not be empty, up to one of the reserved words, which stays unread."""
    script = lists.script(source, frozenset(stops))
    if not script.items:
        raise source.unexpected()
    return script


# ( ) and (( )) ------------------------------------------------------------------------


def parentheses(source: Source) -> AnyCommand:
    """A subshell or an arithmetic command."""
    start = source.pos
    if source.peek(start + 1) == "(":
        close = matching.matched(source, start + 2, "(", matching.ARITHMETIC)
        if source.text.startswith(")", close + 1, source.end):
            content = region(source, start + 2, close, Mode.ARITHMETIC)
            source.pos = close + 2
            return _redirected(source, ArithCommand(span=Span(start, close + 2), word=content))
    source.enter()
    source.pos = start + 1
    body = _body(source, ")")
    source.pos += 1
    source.depth -= 1
    return _redirected(source, Subshell(span=Span(start, source.pos), body=body))


# Groups and loops ---------------------------------------------------------------------


def _compound(read: Callable[[Source, int], Command]) -> Callable[[Source], AnyCommand]:
    """Wraps the reading of one compound command in what all of them share."""

    def parse(source: Source) -> AnyCommand:
        start = source.pos
        source.enter()
        source.count()
        node = read(source, start)
        source.depth -= 1
        return _redirected(source, node)

    return parse


def _group(source: Source, start: int) -> Command:
    source.pos += 1
    body = _body(source, "}")
    source.pos += 1
    return Group(span=Span(start, source.pos), body=body)


def _if(source: Source, start: int) -> Command:
    arms: list[tuple[Script, Script]] = []
    otherwise: Script | None = None
    reserved = "if"
    while reserved in ("if", "elif"):
        source.pos += len(reserved)
        condition = _body(source, "then")
        _keyword(source, "then")
        arms.append((condition, _body(source, "elif", "else", "fi")))
        reserved = lists.reserved(source)
    if reserved == "else":
        source.pos += len("else")
        otherwise = _body(source, "fi")
    _keyword(source, "fi")
    return If(span=Span(start, source.pos), arms=tuple(arms), otherwise=otherwise)


def _while(source: Source, start: int) -> Command:
    until = source.text[start] == "u"
    source.pos += len("while")
    condition = _body(source, "do")
    return While(condition=condition, body=_loop_body(source), span=Span(start, source.pos), until=until)


def _loop_body(source: Source, *, braces: bool = False) -> Script:
    """``do … done``, or ``{ … }`` where a ``for`` allows it."""
    if braces and lists.reserved(source) == "{":
        source.pos += 1
        body = _body(source, "}")
        source.pos += 1
        return body
    _keyword(source, "do")
    body = _body(source, "done")
    _keyword(source, "done")
    return body


def _for(source: Source, start: int) -> Command:
    select = source.text[start] == "s"
    source.pos += len("select" if select else "for")
    char = source.skip()
    if not select and char == "(" and source.peek(source.pos + 1) == "(":
        return _arithmetic_for(source, start)
    name = raw_word(source)
    words: tuple[Word, ...] | None = None
    char = heredocs.newlines(source)
    if _plain_token(source, "in"):
        source.pos += 2
        words = _word_list(source)
        heredocs.newlines(source)
    elif char == ";":
        source.pos += 1
        heredocs.newlines(source)
    body = _loop_body(source, braces=True)
    return For(span=Span(start, source.pos), name=name, words=words, body=body, select=select)


def raw_word(source: Source) -> str:
    """A word as written, taken as a name."""
    begin = source.pos
    word(source)
    if source.pos == begin:
        raise source.unexpected()
    return source.text[begin : source.pos]


def _plain_token(source: Source, wanted: str) -> bool:
    """Whether the token at the cursor is exactly this word, unquoted."""
    run = source.settle()
    behind = source.pos + len(run)
    return run == wanted and (behind >= source.end or source.text[behind] in BREAKS)


def _word_list(source: Source) -> tuple[Word, ...]:
    words: list[Word] = []
    while (char := source.skip()) not in ("", "\n", ";"):
        begin = source.pos
        words.append(word(source))
        if source.pos == begin:
            raise source.unexpected()
    if not char:
        raise source.unexpected()
    if char == ";":
        source.pos += 1
    return tuple(words)


def _arithmetic_for(source: Source, start: int) -> Command:
    begin = source.pos + 2
    close = matching.matched(source, begin, "(", matching.ARITHMETIC)
    if not source.text.startswith(")", close + 1, source.end):
        source.pos = close
        raise source.unexpected()
    header = tuple(_header(source, begin, close))
    source.pos = close + 2
    if source.skip() == ";":
        source.pos += 1
    heredocs.newlines(source)
    return ArithFor(header=header, body=_loop_body(source, braces=True), span=Span(start, source.pos))


def _header(source: Source, begin: int, close: int) -> list[Word]:
    """The three expressions; as one where semicolons stand in quotes or substitutions."""
    borders = [begin - 1, *(i for i in range(begin, close) if source.text[i] == ";"), close]
    if len(borders) != 4 or any(mark in source.text[begin:close] for mark in "$`\"'\\"):
        return [region(source, begin, close, Mode.ARITHMETIC)]
    return [region(source, before + 1, after, Mode.ARITHMETIC) for before, after in itertools.pairwise(borders)]


# case ---------------------------------------------------------------------------------


def _case(source: Source, start: int) -> Command:
    source.pos += len("case")
    source.skip()
    begin = source.pos
    subject = word(source)
    if source.pos == begin:
        raise source.unexpected()
    heredocs.newlines(source)
    if not _plain_token(source, "in"):
        raise source.unexpected()
    source.pos += len("in")
    arms: list[CaseArm] = []
    while True:
        heredocs.newlines(source)
        if _plain_token(source, "esac"):
            break
        arms.append(_arm(source))
        if not arms[-1].end:
            break
    _keyword(source, "esac")
    return Case(span=Span(start, source.pos), word=subject, arms=tuple(arms))


def _arm(source: Source) -> CaseArm:
    start = source.pos
    if source.text.startswith("(", start, source.end):
        source.pos += 1
    patterns: list[Word] = []
    while True:
        source.skip()
        begin = source.pos
        patterns.append(word(source))
        if source.pos == begin:
            raise source.unexpected()
        char = source.skip()
        if char == ")":
            break
        if char != "|" or source.peek(source.pos + 1) in ("|", "&"):
            raise source.unexpected()
        source.pos += 1
    source.pos += 1
    body = lists.script(source, frozenset((";;", "esac")))
    end = ""
    if source.text.startswith(";", source.pos):
        end = next(mark for mark in (";;&", ";;", ";&") if source.text.startswith(mark, source.pos))
    source.pos += len(end)
    return CaseArm(span=Span(start, source.pos), patterns=tuple(patterns), body=body, end=end)


BODIES: dict[str, Callable[[Source], AnyCommand]] = {
    "{": _compound(_group),
    "if": _compound(_if),
    "while": _compound(_while),
    "until": _compound(_while),
    "for": _compound(_for),
    "select": _compound(_for),
    "case": _compound(_case),
    "[[": _compound(conditional.conditional),
}
