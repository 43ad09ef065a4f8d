"""Bodies of here-documents: read when the line that announced them ends."""

from msgspec.structs import force_setattr

from checkrail.model import Span
from checkrail.readers.shell.grammar.expansions import Mode
from checkrail.readers.shell.grammar.lexer import Pending, Source
from checkrail.readers.shell.grammar.tree import Heredoc, Redirect, Text, Word
from checkrail.readers.shell.grammar.words_parser import region


def announce(source: Source, redirect: Redirect, target: Word, *, tabs: bool) -> None:
    """Takes note of ``<<`` or ``<<-`` with its end word."""
    if any(not isinstance(part, Text) for part in target.parts):
        raw = source.text[target.span.start : target.span.end]
        if any(mark in raw for mark in "`({["):
            # bash compares lines with its own rewriting of the substitution.
            source.pos = target.span.start
            raise source.fail("here-document whose end word holds a substitution")
        delimiter, quoted = _spelled(source, target), any(mark in raw for mark in "'\"\\")
    else:
        delimiter = "".join(part.value for part in target.parts if isinstance(part, Text))
        quoted = any(part.quoted for part in target.parts if isinstance(part, Text))
    source.documents += 1
    source.pending.append(Pending(redirect, delimiter=delimiter, quoted=quoted, tabs=tabs))


def _spelled(source: Source, target: Word) -> str:
    """The end word with ``$x`` left as written: only quotes are removed from it."""
    return "".join(
        part.value if isinstance(part, Text) else source.text[part.span.start : part.span.end] for part in target.parts
    )


def newlines(source: Source) -> str:
    """Moves over blanks, comments and newlines (and the documents behind them); returns the character there."""
    while (char := source.skip()) == "\n":
        source.pos += 1
        if source.pending:
            gather(source)
    return char


def gather(source: Source) -> None:
    """Reads the pending bodies; the cursor stands behind the newline before them and moves behind them."""
    waiting, source.pending = source.pending, []
    for pending in waiting:
        source.pos = _body(source, pending, source.pos)


def gather_ahead(source: Source) -> None:
    """The bodies of documents announced in a substitution that ends on the same line.

    They begin on the next line, though the rest of this one is still to be read: so they are taken out.
    """
    newline = source.text.find("\n", source.pos, source.end)
    here = source.pos
    source.pos = source.end if newline < 0 else newline + 1
    begin = source.pos
    gather(source)
    length = source.pos - begin
    source.pos = here
    if length:
        source.cut(begin, length)


def abandon(source: Source) -> None:
    """Documents whose line is the last one have an empty body."""
    waiting, source.pending = source.pending, []
    for pending in waiting:
        _body(source, pending, source.end)


def _body(source: Source, pending: Pending, start: int) -> int:
    border, behind, closed = _find(source, pending, start, source.end)
    raw = source.text[start:border]
    joined = not pending.quoted and "\\\n" in source.text[start:behind]
    if joined:
        raw, behind, closed = _joined(source, pending, start)
        source.work(border - start)
        border = behind
    elif pending.tabs and "\t" in raw:
        raw = "\n".join(line.lstrip("\t") for line in raw.split("\n"))
    span = Span(start, border)
    heredoc = Heredoc(span=span, word=_word(source, pending, raw, span), raw=raw, quoted=pending.quoted, closed=closed)
    force_setattr(pending.redirect, "heredoc", heredoc)
    return behind


def _word(source: Source, pending: Pending, raw: str, span: Span) -> Word:
    if not raw:
        return Word(span=span, parts=())
    if pending.quoted or not ("$" in raw or "`" in raw or "\\" in raw):
        return Word(span=span, parts=(Text(span=span, value=raw, quoted=True),))
    if len(raw) == span.end - span.start:
        return region(source, span.start, span.end, Mode.HEREDOC)
    return source.derive(raw, span, lambda part: region(part, 0, part.end, Mode.HEREDOC))


def _find(source: Source, pending: Pending, start: int, end: int) -> tuple[int, int, bool]:
    """Where the body ends, where the text goes on, and whether the end word was found."""
    text, delimiter = source.text, pending.delimiter
    if "\n" in delimiter:
        return end, end, False
    at = start
    while at < end:
        found = _line_start(text, delimiter, at, end, tabs=pending.tabs)
        if found < 0:
            break
        border, word = found, found
        while pending.tabs and text[word] == "\t" and not text.startswith(delimiter, word, end):
            word += 1
        behind = word + len(delimiter)
        if behind >= end:
            return border, end, True
        if text[behind] == "\n":
            return border, behind + 1, True
        newline = text.find("\n", behind, end)
        newline = end if newline < 0 else newline
        if source.substituted and text.find(")", behind, newline) >= 0:
            return border, behind, False
        at = newline + 1
    return end, end, False


def _line_start(text: str, delimiter: str, at: int, end: int, *, tabs: bool) -> int:
    """The start of the first line from ``at`` that begins with the end word (after tabs), -1 for none."""
    while at < end:
        if text.startswith(delimiter, at, end):
            return at
        if tabs and text[at] == "\t":
            word = at
            while word < end and text[word] == "\t" and not text.startswith(delimiter, word, end):
                word += 1
            if text.startswith(delimiter, word, end):
                return at
        found = text.find("\n" if tabs or not delimiter else "\n" + delimiter, at, end)
        if found < 0:
            return -1
        at = found + 1
    return -1


def _joined(source: Source, pending: Pending, start: int) -> tuple[str, int, bool]:
    """The body where lines are continued: a continued line is compared with the end word as a whole."""
    text, end, lines, at = source.text, source.end, list[str](), start
    while at < end:
        line, at = _logical_line(text, at, end)
        bare = line.lstrip("\t") if pending.tabs else line
        for candidate in (line, bare):
            if candidate.rstrip("\n") == pending.delimiter and candidate.count("\n") <= 1:
                return "".join(lines), at, True
        if source.substituted and bare.startswith(pending.delimiter) and ")" in bare[len(pending.delimiter) :]:
            raise source.fail("here-document that ends with its substitution after a continued line", start)
        lines.append(bare)
    return "".join(lines), end, False


def _logical_line(text: str, at: int, end: int) -> tuple[str, int]:
    """One line with its continuations removed, its newline included, and the position behind it."""
    pieces: list[str] = []
    while True:
        newline = text.find("\n", at, end)
        stop = end if newline < 0 else newline
        piece = text[at:stop]
        at = min(stop + 1, end)
        if newline < 0 or (len(piece) - len(piece.rstrip("\\"))) % 2 == 0:
            pieces += (piece, "\n" if newline >= 0 else "")
            return "".join(pieces), at
        pieces.append(piece[:-1])
