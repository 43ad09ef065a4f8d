"""Cuts JavaScript, Ruby, Perl and PHP into names, texts and signs: as much of their grammars as it takes to see calls and constants.

Linear time: every character is passed once, and a text with code inside hands that code back as a part.
"""

import re
from typing import Literal

import msgspec

from checkrail.readers.script.texts import PAIRS, Part, Unclosed, delimited, interpolated, plain_text, regex_end, until

Kind = Literal["name", "variable", "string", "command", "words", "number", "regex", "replace", "sign", "end"]


class Token(msgspec.Struct, frozen=True):
    """A piece of a script. ``text`` of a ``variable`` has no sigil; ``parts`` are those of a text."""

    kind: Kind
    text: str
    parts: tuple[Part, ...] = ()
    spaced: bool = False


_NAME = re.compile(r"[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*[?!]?(?<![^\w][?!])")
_PLAIN_NAME = re.compile(r"[A-Za-z_$\u0080-\uffff][\w$\u0080-\uffff]*")
_PERL_NAME = re.compile(r"[A-Za-z_]\w*(?:::\w+)*|::\w+")
_NUMBER = re.compile(r"0[xX][0-9a-fA-F_]+|\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][+-]?\d+)?")
_SIGNS = re.compile(
    r"===|!==|=>|->|::|\?\.|\*\*|&&|\|\||==|!=|=~|!~|<=|>=|\+=|\.=|\.\.\.?|<<|>>|\+\+|--|[-+*/%=<>!&|^~?:.,;(){}\[\]@\\#$]"
)
_HEREDOC = {
    "ruby": re.compile(r"<<[~-]?(['\"`]?)([A-Z_]\w*)\1"),
    "perl": re.compile(r"<<~?(?:(['\"`])([^'\"`\n]*)\1|()([A-Z_]\w*))"),
    "php": re.compile(r"<<<[ \t]*(['\"]?)(\w+)\1\n"),
}
_BEFORE_VALUE = frozenset(
    [
        "return",
        "and",
        "or",
        "not",
        "if",
        "unless",
        "while",
        "until",
        "when",
        "case",
        "split",
        "grep",
        "map",
        "join",
        "push",
        "print",
        "puts",
        "typeof",
        "in",
        "of",
        "else",
        "do",
        "then",
        "x",
    ]
)


def lex(source: str, language: str) -> list[Token]:
    """The tokens of a script. Raises :class:`Unclosed`."""
    return _Lexer(source, language).run()


class _Lexer:
    """A cursor over one text; heredoc bodies wait for the end of their line."""

    def __init__(self, source: str, language: str) -> None:
        self.source = source
        self.language = language
        self.at = 0
        self.found: list[Token] = []
        self.heredocs: list[tuple[int, str, bool]] = []
        self.spaced = False

    def run(self) -> list[Token]:
        size = len(self.source)
        while self.at < size:
            before = self.at
            self.step()
            if self.at == before:
                self.at += 1
        return self.found

    def step(self) -> None:
        character = self.source[self.at]
        if character == "\n":
            self.newline()
        elif character.isspace():
            self.at += 1
            self.spaced = True
        elif self.comment() or self.heredoc() or self.quoted(character) or self.quote_like() or self.regex(character):
            pass
        else:
            self.plain(character)

    def add(self, kind: Kind, text: str, parts: tuple[Part, ...] = ()) -> None:
        self.found.append(Token(kind, text, parts, self.spaced))
        self.spaced = False

    def newline(self) -> None:
        self.at += 1
        for index, mark, raw in self.heredocs:
            self.heredoc_body(index, mark, raw)
        self.heredocs = []
        self.spaced = True
        if self.language in ("ruby", "node") and self.found and self.found[-1].kind != "end":
            self.add("end", "\n")

    def comment(self) -> bool:
        source, at = self.source, self.at
        if source[at] == "#" and self.language != "node":
            return self.to_line_end()
        if source.startswith("//", at) and self.language in ("node", "php"):
            return self.to_line_end()
        if source.startswith("/*", at) and self.language in ("node", "php"):
            end = source.find("*/", at + 2)
            self.at = len(source) if end < 0 else end + 2
            return True
        at_line_start = at == 0 or source[at - 1] == "\n"
        if at_line_start and self.language == "perl" and re.match(r"=[a-z]+", source[at : at + 10]):
            end = source.find("\n=cut", at)
            self.at = len(source) if end < 0 else end + 5
            return True
        if at_line_start and self.language == "ruby" and source.startswith("=begin", at):
            end = source.find("\n=end", at)
            self.at = len(source) if end < 0 else end + 5
            return True
        if at_line_start and re.match(r"__(END|DATA)__\b", source[at : at + 9]) and self.language in ("perl", "ruby"):
            self.at = len(source)
            return True
        if source.startswith(("<?php", "<?=", "?>"), at) and self.language == "php":
            self.at += 5 if source.startswith("<?php", at) else 3 if source.startswith("<?=", at) else 2
            return True
        return False

    def to_line_end(self) -> bool:
        end = self.source.find("\n", self.at)
        self.at = len(self.source) if end < 0 else end
        return True

    def heredoc(self) -> bool:
        pattern = _HEREDOC.get(self.language)
        if pattern is None or not self.source.startswith("<<", self.at):
            return False
        found = pattern.match(self.source, self.at)
        if found is None:
            return False
        groups = [group for group in found.groups() if group]
        mark, quote = groups[-1] if groups else "", found[1] or ""
        self.at = found.end()
        self.add("command" if quote == "`" else "string", "")
        if self.language == "php":
            self.heredoc_body(len(self.found) - 1, mark, quote == "'")
        else:
            self.heredocs.append((len(self.found) - 1, mark, quote == "'"))
        return True

    def heredoc_body(self, index: int, mark: str, raw: bool) -> None:
        found = re.compile(r"^[ \t]*" + re.escape(mark) + r"\b", re.MULTILINE).search(self.source, self.at)
        end = found.start() if found is not None else len(self.source)
        body = self.source[self.at : end]
        self.at = found.end() if found is not None else end
        parts = ((False, body),) if raw else interpolated(body, self.language)
        token = self.found[index]
        self.found[index] = Token(token.kind, body, parts, token.spaced)

    def quoted(self, character: str) -> bool:
        if character not in "'\"`" or (character == "'" and self.language == "perl" and self.previous_is_sigil()):
            return False
        body, self.at = until(self.source, self.at + 1, character)
        if character == "'":
            self.add("string", "", ((False, plain_text(body, escapes=self.language == "node")),))
        elif character == "`" and self.language != "node":
            self.add("command", body, interpolated(body, self.language))
        else:
            plain = self.language == "node" and character == '"'
            self.add(
                "string",
                body,
                ((False, plain_text(body, escapes=True)),) if plain else interpolated(body, self.language),
            )
        return True

    def previous_is_sigil(self) -> bool:
        return bool(self.found) and not self.spaced and self.found[-1].text in ("$", "&")

    def quote_like(self) -> bool:
        if self.language == "ruby":
            return self.ruby_percent()
        if self.language == "perl" and self.source[self.at] == "<" and self.perl_glob():
            return True
        return self.perl_quote() if self.language == "perl" else False

    def ruby_percent(self) -> bool:
        found = re.compile(r"%([qQwWiIxr]?)([(\[{<|!/^])").match(self.source, self.at)
        if found is None or (not found[1] and not self.expects_value()):
            return False
        body, self.at = delimited(self.source, found.end() - 1)
        if found[1] in ("w", "W", "i", "I"):
            self.add("words", body, tuple((False, word) for word in body.split()))
        elif found[1] == "x":
            self.add("command", body, interpolated(body, "ruby"))
        elif found[1] == "r":
            self.add("regex", body)
        else:
            self.add("string", body, ((False, body),) if found[1] == "q" else interpolated(body, "ruby"))
        return True

    def perl_quote(self) -> bool:
        found = _PERL_QUOTE.match(self.source, self.at)
        previous = self.found[-1].text if self.found else ""
        if (
            found is None
            or previous in ("->", "sub", "$", "@", "%", "&")
            or (previous == "{" and self.source[found.end() - 1 : found.end()] == "}")
        ):
            return False
        word, start = found[1], found.end() - 1
        if self.source[start] == "=" and self.source[start + 1 : start + 2] in (">", "=", "~"):
            return False
        if self.source[start] in ",;)":
            return False
        body, self.at = delimited(self.source, start)
        if word in ("s", "tr", "y"):
            self.perl_replace(word, body, start)
        elif word == "qw":
            self.add("words", body, tuple((False, item) for item in body.split()))
        elif word in ("m", "qr"):
            self.add("regex", body)
        elif word == "q":
            self.add("string", body, ((False, body),))
        else:
            self.add("command" if word == "qx" else "string", body, interpolated(body, "perl"))
        return True

    def perl_glob(self) -> bool:
        """``<~/x*>`` is ``glob("~/x*")``."""
        found = _PERL_GLOB.match(self.source, self.at)
        if found is None or not (self.spaced or self.expects_value()):
            return False
        self.at = found.end()
        self.add("name", "glob")
        self.add("sign", "(")
        self.add("string", found[1], interpolated(found[1], "perl"))
        self.add("sign", ")")
        return True

    def perl_replace(self, word: str, pattern: str, start: int) -> None:
        if self.source[start] in PAIRS:
            gap = re.compile(r"\s*").match(self.source, self.at)
            self.at = gap.end() if gap is not None else self.at
            body, self.at = delimited(self.source, self.at)
        else:
            body, self.at = until(self.source, self.at, self.source[start])
        flags = re.compile(r"[a-z]*").match(self.source, self.at)
        said = flags[0] if flags is not None else ""
        self.at += len(said)
        code = word == "s" and "e" in said
        self.add("replace", "ee" if said.count("e") > 1 else pattern, ((True, body),) if code else ())

    def regex(self, character: str) -> bool:
        if character != "/" or self.language == "php":
            return False
        if not self.expects_value():
            self.doubt()
            return False
        end = regex_end(self.source, self.at + 1)
        if end < 0:
            return False
        self.add("regex", self.source[self.at + 1 : end])
        self.at = end + 1
        flags = re.compile(r"[a-z]*").match(self.source, self.at)
        self.at = flags.end() if flags is not None else self.at
        return True

    def doubt(self) -> None:
        """A slash after a bracket divides or opens a pattern; with quotes inside, the two readings part."""
        if self.found[-1].text in (")", "}"):
            end = regex_end(self.source, self.at + 1)
            if end > 0 and re.search("['\"`]", self.source[self.at : end]):
                raise Unclosed

    def expects_value(self) -> bool:
        if not self.found:
            return True
        last = self.found[-1]
        if last.kind == "name":
            return last.text in _BEFORE_VALUE or (
                self.language == "ruby" and self.spaced and self.source[self.at + 1 : self.at + 2] not in (" ", "=")
            )
        return last.kind == "end" or (last.kind == "sign" and last.text not in (")", "]", "}"))

    def plain(self, character: str) -> None:
        number = _NUMBER.match(self.source, self.at)
        if number is not None:
            self.at = number.end()
            self.add("number", number[0])
            return
        if self.variable(character):
            return
        pattern = {"node": _PLAIN_NAME, "perl": _PERL_NAME}.get(self.language, _NAME)
        name = pattern.match(self.source, self.at)
        if name is not None:
            self.at = name.end()
            self.add("name", name[0])
            return
        sign = _SIGNS.match(self.source, self.at)
        text = sign[0] if sign is not None else character
        self.at += len(text)
        self.add("end" if text == ";" else "sign", text)

    def variable(self, character: str) -> bool:
        pattern = _VARIABLE.get(self.language)
        found = pattern.match(self.source, self.at) if pattern is not None and character in "$@%&" else None
        if found is None or (character in "%&" and not self.expects_value()):
            return False
        self.at = found.end()
        self.add("variable", next(group for group in found.groups() if group is not None))
        return True


_PERL_QUOTE = re.compile(
    r"(?<![\w$@%&>])(qq|qw|qx|qr|q|m|s|tr|y)(?:\s*(?=[^\w\s,;)])|\s+(?=[^\s\w,;)=#]))(.)", re.DOTALL
)
_PERL_GLOB = re.compile(r"<((?=[^<>\s]*[*?/~])[~/.$\w{][^<>\s=;()]*)>")
_VARIABLE = {
    "php": re.compile(r"\$(\w+)"),
    "perl": re.compile(r"[$@%&]\{?\^?([A-Za-z_]\w*(?:::\w+)*)\}?|[$@]([_0-9&!@/\\,;.])"),
    "ruby": re.compile(r"@@?(\w+)|\$(\w+|[!@&~0-9*$?:\"<>,./\\;])"),
}
