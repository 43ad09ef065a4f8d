"""Cuts SQL into tokens by the rules of one database: where strings, names and comments end is where databases differ."""

import re

import msgspec

from checkrail.model import HOLE, SOME

LONGEST = 262_144
_WORD = re.compile(r"[^\W\d][\w$]*")
_NUMBER = re.compile(r"0[xX][0-9a-fA-F]+|\d[\d_]*(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?")
_PARAMETER = re.compile(r"(?:@@?|::?|\$)\w[\w.]*|%\(\w+\)s|%s|\?\d*|\{\{[^{}]{0,200}\}\}|#\{[^{}]{0,200}\}")
_DOLLAR = re.compile(r"\$(?:[^\W\d]\w*)?\$")
_BLANK = re.compile(r"[\s\u00a0\ufeff\u200b]+")
_LINE = re.compile(r"[^\r\n]*")
_EXECUTABLE = re.compile(r"/\*M?!\d*")
_EDGE = re.compile(r"/\*|\*/")
_UESCAPE = re.compile(r"\s{0,100}uescape\s{0,100}'.'", re.IGNORECASE)
_UNICODE = re.compile(r"\\(?:\+([0-9a-fA-F]{6})|([0-9a-fA-F]{4})|(\\))")


class Mode(msgspec.Struct, frozen=True, kw_only=True):
    """How one family of databases cuts its text."""

    name: str
    backslash: bool = False  # \' inside a string does not end it
    double_string: bool = False  # "…" is a string, not a name
    hash_comment: bool = False
    slash_comment: bool = False
    dash_blank: bool = False  # -- starts a comment only before a blank
    nested: bool = False  # comments nest
    dollar: bool = False  # $tag$…$tag$
    bracket: bool = False  # [name]
    backtick: bool = True
    executable: bool = False  # /*! … */ is code
    triple: bool = False  # '''…'''


MODES = {
    "postgres": Mode(name="postgres", nested=True, dollar=True, backtick=False),
    "mysql": Mode(
        name="mysql", backslash=True, double_string=True, hash_comment=True, dash_blank=True, executable=True
    ),
    "sqlite": Mode(name="sqlite", bracket=True),
    "tsql": Mode(name="tsql", bracket=True, nested=True, backtick=False),
    "snowflake": Mode(name="snowflake", backslash=True, dollar=True, slash_comment=True),
    "bigquery": Mode(name="bigquery", backslash=True, double_string=True, hash_comment=True, triple=True),
    "duckdb": Mode(name="duckdb", nested=True, dollar=True, backtick=False),
    "clickhouse": Mode(name="clickhouse", backslash=True, hash_comment=True, nested=True),
}
ALIASES = {
    "postgresql": "postgres",
    "redshift": "postgres",
    "psql": "postgres",
    "mariadb": "mysql",
    "sqlite3": "sqlite",
    "mssql": "tsql",
    "sqlserver": "tsql",
}
UNKNOWN = ("postgres", "mysql", "sqlite", "tsql")
_TELLING = re.compile(r"[\\\"#\[$`]|/\*|//|--")


class Token(msgspec.Struct, frozen=True, gc=False):
    """``kind``: word, name (quoted), string, number, parameter, hole or sign. Words and names are in lower case."""

    kind: str
    text: str
    start: int
    end: int


class Lexed(msgspec.Struct, frozen=True):
    """Tokens, and what stopped the reading before the end (empty where nothing did)."""

    tokens: tuple[Token, ...]
    fault: str = ""
    comments: bool = False


def modes(dialect: str, text: str) -> tuple[Mode, ...]:
    """The ways to cut a text whose database is ``dialect``; all that differ where it is not known."""
    name = ALIASES.get(dialect.lower(), dialect.lower())
    if name in MODES:
        return (MODES[name],)
    if not _TELLING.search(text):
        return (MODES["sqlite"],)
    return tuple(MODES[entry] for entry in UNKNOWN)


class _Stop(Exception):
    """The text ends inside something."""


class _Lexer:
    def __init__(self, text: str, mode: Mode) -> None:
        self.text = text
        self.mode = mode
        self.at = 0
        self.comments = False
        self.executing = 0
        self.tokens: list[Token] = []

    def run(self) -> Lexed:
        fault = "" if len(self.text) <= LONGEST else "longer than what is read"
        try:
            while self.at < min(len(self.text), LONGEST):
                self._step()
        except _Stop as stop:
            fault = str(stop)
        return Lexed(tuple(self.tokens), fault, self.comments)

    def _add(self, kind: str, end: int, text: str | None = None) -> None:
        self.tokens.append(Token(kind, self.text[self.at : end] if text is None else text, self.at, end))
        self.at = end

    def _step(self) -> None:
        text, at, mode = self.text, self.at, self.mode
        letter = text[at]
        blank = _BLANK.match(text, at)
        if blank:
            self.at = blank.end()
        elif self._comment(letter):
            self.comments = True
        elif letter == "'":
            self._string(at, backslash=mode.backslash)
        elif letter == '"':
            self._double(at)
        elif letter == "`" and mode.backtick:
            self._quoted(at, "`", "`", "name")
        elif letter == "[" and mode.bracket:
            self._quoted(at, "[", "]", "name")
        elif letter == "$" and mode.dollar and _DOLLAR.match(text, at):
            self._dollar()
        elif letter in (HOLE, SOME):
            self._add("hole", at + 1)
        else:
            self._plain()

    def _comment(self, letter: str) -> bool:
        text, at, mode = self.text, self.at, self.mode
        pair = text[at : at + 2]
        if pair == "*/" and self.executing:
            self.executing -= 1
            self.at += 2
            return True
        dashes = pair == "--" and (not mode.dash_blank or text[at + 2 : at + 3] in ("", " ", "\t", "\n", "\r"))
        if dashes or (letter == "#" and mode.hash_comment) or (pair == "//" and mode.slash_comment):
            self.at = _LINE.match(text, at).end()  # type: ignore[union-attr]  # matches anything
            return True
        if pair != "/*":
            return False
        if mode.executable and (found := _EXECUTABLE.match(text, at)):
            self.executing += 1
            self.at = found.end()
            return True
        self._skip_comment()
        return True

    def _skip_comment(self) -> None:
        depth = 0
        for found in _EDGE.finditer(self.text, self.at):
            if found[0] == "*/":
                depth -= 1
            elif self.mode.nested or not depth:
                depth += 1
            if not depth:
                self.at = found.end()
                return
        if self.mode.name != "sqlite":  # SQLite takes the end of the text for the end of the comment
            raise _Stop("a comment does not end")
        self.at = len(self.text)

    def _end(self, at: int, close: str, backslash: bool) -> int:
        """The end of a quoted text that starts at ``at``; a doubled quote stays inside."""
        while True:
            found = self.text.find(close, at)
            if found < 0:
                raise _Stop("a quoted text does not end")
            if backslash:
                back = found
                while back > at and self.text[back - 1] == "\\":
                    back -= 1
                if (found - back) % 2:
                    at = found + 1
                    continue
            if self.text.startswith(close, found + 1):
                at = found + 2
                continue
            return found + 1

    def _triple(self, at: int, mark: str) -> bool:
        if not self.mode.triple or not self.text.startswith(mark * 3, at):
            return False
        end = self.text.find(mark * 3, at + 3)
        if end < 0:
            raise _Stop("a quoted text does not end")
        self._add("string", end + 3, self.text[at + 3 : end])
        return True

    def _string(self, at: int, *, backslash: bool) -> None:
        if not self._triple(at, "'"):
            end = self._end(at + 1, "'", backslash)
            self._add("string", end, self.text[at + 1 : end - 1])

    def _double(self, at: int) -> None:
        if not self.mode.double_string:
            self._quoted(at, '"', '"', "name")
        elif not self._triple(at, '"'):
            end = self._end(at + 1, '"', self.mode.backslash)
            self._add("string", end, self.text[at + 1 : end - 1])

    def _quoted(self, at: int, mark: str, close: str, kind: str) -> None:
        end = self._end(at + len(mark), close, False)
        self._add(kind, end, self.text[at + len(mark) : end - 1].replace(close * 2, close).lower())

    def _dollar(self) -> None:
        tag = _DOLLAR.match(self.text, self.at)[0]  # type: ignore[index]  # looked at before
        end = self.text.find(tag, self.at + len(tag))
        if end < 0:
            raise _Stop("a quoted text does not end")
        self._add("string", end + len(tag), self.text[self.at + len(tag) : end])

    def _prefixed(self, word: str, end: int) -> bool:
        """E'…', N'…', U&'…', U&"…": a word that belongs to the quote after it."""
        text, lower = self.text, word.lower()
        following = text[end : end + 1]
        if lower == "u" and text[end : end + 2] in ("&'", '&"'):
            self._unicode(end + 1)
            return True
        if following == "'" and lower in (
            "e",
            "n",
            "b",
            "x",
            "r",
            "rb",
            "br",
            "_utf8",
            "_utf8mb4",
            "_latin1",
            "_binary",
        ):
            start = self.at
            self.at = end
            self._string(
                end, backslash=self.mode.backslash or (lower == "e" and self.mode.name in ("postgres", "duckdb"))
            )
            last = self.tokens[-1]
            self.tokens[-1] = Token(last.kind, last.text, start, last.end)
            return True
        return False

    def _unicode(self, at: int) -> None:
        """A text or name with ``\\0041`` escapes. UESCAPE may name another escape, so such a name stays a hole."""
        mark = self.text[at]
        end = self._end(at + 1, mark, False)
        inner = self.text[at + 1 : end - 1]
        if mark == '"':
            decoded = _UNICODE.sub(_letter, inner).lower()
            custom = _UESCAPE.match(self.text, end)
            self._add("hole" if custom else "name", custom.end() if custom else end, HOLE if custom else decoded)
        else:
            self._add("string", end, inner)

    def _plain(self) -> None:
        text, at = self.text, self.at
        word = _WORD.match(text, at)
        if word:
            if not self._prefixed(word[0], word.end()):
                self._add("word", word.end(), word[0].lower())
            return
        number = _NUMBER.match(text, at)
        if number:
            self._add("number", number.end())
            return
        parameter = None if text.startswith("::", at) else _PARAMETER.match(text, at)
        if parameter:
            self._add("parameter", parameter.end())
        else:
            self._add("sign", at + 1)


def _letter(match: re.Match[str]) -> str:
    code = match[1] or match[2]
    return chr(int(code, 16)) if code and int(code, 16) < 0x110000 else "\\"


def lex(text: str, mode: Mode) -> Lexed:
    """The tokens of a text under one mode, in linear time. Never raises."""
    return _Lexer(text, mode).run()


def statements(tokens: tuple[Token, ...]) -> list[tuple[Token, ...]]:
    """Tokens between semicolons, empty statements left out."""
    found: list[list[Token]] = [[]]
    for token in tokens:
        if token.kind == "sign" and token.text == ";":
            found.append([])
        else:
            found[-1].append(token)
    return [tuple(entry) for entry in found if entry]
