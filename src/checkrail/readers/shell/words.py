"""Words to arguments, as bash would: braces, tilde, parameters, substitutions, splitting.

What cannot be known stays a HOLE. Globs are kept as patterns: the facts about paths know what
a pattern covers. Substitutions are run by the evaluator that is passed in.
"""

from typing import Protocol

import msgspec

from checkrail.model import HOLE, Span
from checkrail.readers.shell import braces, parameters, patterns
from checkrail.readers.shell.grammar import tree
from checkrail.readers.shell.state import NO_TAGS, WORKED, Field, State, Value

LENGTH_CAP = 200_000
"""Characters of one expanded word; what is longer becomes unknown."""


class Substitutes(Protocol):
    """Who evaluates what stands inside a word."""

    state: State
    depth: int
    worked: bool

    def substitute(self, node: tree.CommandSub) -> Value:
        """Evaluate the body; what its output may be."""

    def process(self, node: tree.ProcessSub) -> Value:
        """Evaluate the body; the path it stands for."""

    def choose(self, options: tuple[Value, ...]) -> Value:
        """The one of several that is meant."""

    def arithmetic(self, word: tree.Word, *, subscript: bool = False) -> Value:
        """Evaluate what an arithmetic text would run; its number. A subscript is expanded twice."""

    def number(self, text: str, span: Span) -> None:
        """Evaluate what an expanded arithmetic text would run."""

    def prompt(self, text: str, span: Span) -> None:
        """Evaluate a value that is expanded once more (``${x@P}``, subscripts in arithmetic)."""


class _Piece(msgspec.Struct, gc=False):
    text: str
    quoted: bool
    tags: frozenset[str] = NO_TAGS
    splits: bool = False
    breaks: bool = False  # a field ends after this piece ("$@")


def fields(words: tuple[tree.Word, ...], run: Substitutes) -> list[Field]:
    """The arguments that a list of words becomes."""
    found: list[Field] = []
    for word in words:
        if found and found[0].text in DECLARE and _assigns(word):
            held = value(word, run)
            found.append(Field(held.text, word.span, held.tags))
            continue
        parts = word.parts
        if len(parts) == 1:
            part = parts[0]
            if type(part) is tree.Text:
                text = part.value
                if part.quoted or not _special(text):
                    found.append(Field(text, word.span, _made(text, run)))
                    continue
        found.extend(_fields(word, run))
    return found


DECLARE = frozenset(("alias", "declare", "typeset", "local", "export", "readonly"))
"""Commands whose arguments bash does not split where they are assignments."""


def _assigns(word: tree.Word) -> bool:
    """Whether a word begins with ``name=`` in plain letters."""
    first = word.parts[0] if len(word.parts) > 1 else None
    if not isinstance(first, tree.Text) or first.quoted:
        return False
    name, equals, _ = first.value.partition("=")
    return bool(equals) and name.removesuffix("+").partition("[")[0].isidentifier()


def value(word: tree.Word, run: Substitutes, *, tildes: bool = True) -> Value:
    """The one string that a word becomes where nothing is split (assignments, redirections, case)."""
    pieces = _pieces(word.parts, run, tilde=tildes)
    text = "".join(piece.text + " " * piece.breaks for piece in pieces)
    tags = NO_TAGS.union(*(piece.tags for piece in pieces)) if pieces else NO_TAGS
    return Value(text if len(text) <= LENGTH_CAP else HOLE, tags)


def pattern(word: tree.Word, run: Substitutes, *, again: Value) -> Value:
    """The pattern that a word becomes: what is quoted in it stands for itself. ``again`` is its :func:`value`."""
    if all(type(part) is tree.Text and not part.quoted for part in word.parts):
        return again
    if any(not isinstance(part, tree.Text | tree.Parameter) for part in word.parts):
        return again if literal(word) is not None or not _may_match(again.text) else Value(HOLE, again.tags)
    pieces = _pieces(word.parts, run, tilde=True)
    text = "".join(patterns.escaped(piece.text) if piece.quoted else piece.text for piece in pieces)
    return Value(text, again.tags)


def _may_match(text: str) -> bool:
    return any(character in patterns.SPECIAL for character in text)


def literal(word: tree.Word) -> str | None:
    """The text of a word without any expansion, or None where it holds one."""
    if all(type(part) is tree.Text for part in word.parts):
        return "".join(part.value for part in word.parts if type(part) is tree.Text)
    return None


def _made(text: str, run: Substitutes) -> frozenset[str]:
    """Tags of a text of the program itself: a hole in one that another text has put together is worked out there."""
    return frozenset((WORKED,)) if HOLE in text and (run.depth or run.worked) else NO_TAGS


def _special(text: str) -> bool:
    return "{" in text or "~" in text or "*" in text or "?" in text or "[" in text


def _fields(word: tree.Word, run: Substitutes) -> list[Field]:
    found: list[Field] = []
    for parts in _braced(word):
        found.extend(_split(_pieces(parts, run, tilde=True), run.state, word.span))
    return found


def _braced(word: tree.Word) -> list[tuple[tree.Part, ...]]:
    if not any(type(part) is tree.Text and not part.quoted and "{" in part.value for part in word.parts):
        return [word.parts]
    # Everything that is not unquoted text becomes one private character, so that braces are matched on plain text.
    kept: list[tree.Part] = []
    flat = []
    for part in word.parts:
        if type(part) is tree.Text and not part.quoted:
            flat.append(part.value)
        else:
            flat.append(chr(0xF0000 + len(kept)))
            kept.append(part)
    words = braces.expand("".join(flat))
    if words is None:
        return [(tree.Text(span=word.span, value=HOLE),)]
    if len(words) == 1:
        return [word.parts]
    return [_unflatten(text, kept, word.span) for text in words]


def _unflatten(text: str, kept: list[tree.Part], span: Span) -> tuple[tree.Part, ...]:
    parts: list[tree.Part] = []
    run = ""
    for character in text:
        index = ord(character) - 0xF0000
        if 0 <= index < len(kept):
            if run:
                parts.append(tree.Text(span=span, value=run))
                run = ""
            parts.append(kept[index])
        else:
            run += character
    if run:
        parts.append(tree.Text(span=span, value=run))
    return tuple(parts)


def _pieces(parts: tuple[tree.Part, ...], run: Substitutes, *, tilde: bool) -> list[_Piece]:
    found: list[_Piece] = []
    for index, part in enumerate(parts):
        kind = type(part)
        if kind is tree.Text:
            text = part.value  # type: ignore[union-attr]
            quoted = part.quoted  # type: ignore[union-attr]
            if tilde and index == 0 and not quoted and text.startswith("~"):
                whole = len(parts) == 1 or "/" in text
                found.extend(_tilde(text, run.state) if whole else [_Piece(text, False)])
            else:
                found.append(_Piece(text, quoted, _made(text, run)))
        elif kind is tree.Parameter:
            found.extend(_parameter(part, run))  # type: ignore[arg-type]
        elif kind is tree.CommandSub:
            got = run.substitute(part)  # type: ignore[arg-type]
            quoted = part.quoted  # type: ignore[union-attr]
            found.append(_Piece(got.text, quoted, got.tags, splits=not quoted))
        elif kind is tree.ProcessSub:
            got = run.process(part)  # type: ignore[arg-type]
            found.append(_Piece(got.text, True, got.tags))
        else:
            got = run.arithmetic(part.word)  # type: ignore[union-attr]
            found.append(_Piece(got.text, True, got.tags))
    return found


def _tilde(text: str, state: State) -> list[_Piece]:
    name, slash, rest = text.partition("/")
    home = state.variables.get("HOME")
    if name == "~":
        base = home[0].text if home and len(home) == 1 else HOLE
    elif name == "~+":
        base = state.cwd[0] if len(state.cwd) == 1 else HOLE
    elif name == "~-":
        base = parameters.lookup("OLDPWD", state).text
    elif name[1:].lstrip("+").isdigit():  # an entry of the stack that pushd keeps
        stack, index = state.arrays.get("DIRSTACK", ()), int(name[1:].lstrip("+")[:4])
        base = stack[index].text if index < len(stack) else HOLE
    elif name == "~root":
        base = "/root"
    elif name[1:].replace("-", "").replace("_", "").replace(".", "").isalnum() and not name[1:2].isdigit():
        base = f"/home/{name[1:]}"
    else:
        return [_Piece(text, False)]
    return [_Piece(base, True), _Piece(slash + rest, False)]


def _parameter(node: tree.Parameter, run: Substitutes) -> list[_Piece]:
    values, many = parameters.expand(node, run)
    if many and len(values) != 1:
        pieces = [_Piece(got.text, node.quoted, got.tags, splits=not node.quoted, breaks=True) for got in values]
        if pieces:
            pieces[-1].breaks = False
        return pieces
    return [_Piece(got.text, node.quoted, got.tags, splits=not node.quoted) for got in values]


def _split(pieces: list[_Piece], state: State, span: Span) -> list[Field]:
    marks = separators(state) if any(piece.splits for piece in pieces) else ""
    found: list[Field] = []
    text, tags, pattern, open_field = "", NO_TAGS, False, False
    for piece in pieces:
        if piece.splits and any(character in piece.text for character in marks):
            words = _on(piece.text, marks)
            for index, word in enumerate(words):
                if index and open_field:
                    found.append(Field(text, span, tags, pattern))
                    text, tags, pattern, open_field = "", NO_TAGS, False, False
                if word or (index == 0 and text):
                    text, open_field = text + word, True
                    tags = tags | piece.tags
                    pattern = pattern or _globs(word)
        else:
            text += piece.text
            open_field = open_field or piece.quoted or bool(piece.text)
            tags = tags | piece.tags
            pattern = pattern or (not piece.quoted and _globs(piece.text))
        if piece.breaks and open_field:
            found.append(Field(text, span, tags, pattern))
            text, tags, pattern, open_field = "", NO_TAGS, False, False
    if open_field:
        found.append(Field(text if len(text) <= LENGTH_CAP else HOLE, span, tags, pattern))
    return found


def separators(state: State) -> str:
    """What IFS splits at."""
    held = state.variables.get("IFS")
    return held[0].text if held and len(held) == 1 and held[0].known else " \t\n"


def _on(text: str, separators: str) -> list[str]:
    for separator in separators[1:]:
        text = text.replace(separator, separators[0])
    return text.split(separators[0])


def _globs(text: str) -> bool:
    return "*" in text or "?" in text or ("[" in text and "]" in text)
