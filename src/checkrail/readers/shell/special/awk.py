"""``awk``: a program may run commands (``system``, pipes), write files and open connections.

The program is cut into tokens; string constants and variables that hold them are followed, everything else is
unknown. Linear but for the look back at a pipe, which is capped.
"""

import re
from typing import TYPE_CHECKING

from checkrail.facts.hosts import is_local
from checkrail.model import HOLE, Action, Axes, Reversibility, Scope, TargetKind
from checkrail.readers.shell import effects
from checkrail.readers.shell.special.sed import edited, file_text
from checkrail.readers.shell.special.system import named
from checkrail.readers.shell.state import EVERY_PROCESS, SECRET, Field, Value

if TYPE_CHECKING:
    from checkrail.knowledge.schema import Entry
    from checkrail.readers.shell.call import Call

PROGRAM_CAP = 100_000
"""Characters of a program that are read."""

EXPRESSION_CAP = 200
"""Tokens of one expression that are looked at."""

VALUES_CAP = 8
"""Constants that one variable is followed with."""

_TOKEN = re.compile(
    r'(?P<space>[ \t\r]+|\\\r?\n|\#[^\n]*)|(?P<string>"(?:[^"\\\n]|\\.|\\\n)*"?)|(?P<name>[A-Za-z_]\w*)|(?P<number>\d[\w.]*|\.\d+)'
    r"|(?P<op>\|&|\|\||&&|>>|>=|<=|==|!=|!~|\+\+|--|\+=|-=|\*=|/=|%=|\^=|\n|.)",
    re.DOTALL,
)
_ESCAPES = {"n": "\n", "t": "\t", '"': '"', "\\": "\\", "/": "/", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
_ENDS = frozenset(("\n", ";", "{", "}"))
_JOINS = frozenset(
    ("=", "&&", "||", "?", ":", ",", "print", "printf", "(", "!", "while", "if", "return", "|", ">", ">>")
)

Token = tuple[str, str]


def tokens(text: str) -> list[Token]:
    """(kind, text) in order; a slash starts a regular expression where no operand stands before it."""
    found: list[Token] = []
    position = 0
    while position < len(text):
        if text[position] == "/" and not _operand(found):
            end = _regex_end(text, position + 1)
            found.append(("regex", text[position:end]))
            position = end
            continue
        match = _TOKEN.match(text, position)
        if match is None:
            break
        position = match.end()
        kind = match.lastgroup or "op"
        if kind != "space":
            found.append((kind, match.group()))
    return found


def _operand(found: list[Token]) -> bool:
    if not found:
        return False
    kind, text = found[-1]
    if kind == "name":
        return text not in ("print", "printf", "return", "getline", "in", "case", "else", "do")
    return kind in ("string", "number", "regex") or text in (")", "]", "$", "++", "--") or text == HOLE


def _regex_end(text: str, position: int) -> int:
    bracket = False
    while position < len(text):
        character = text[position]
        if character == "\\":
            position += 1
        elif character == "\n":
            return position
        elif character == "[":
            bracket = True
        elif character == "]":
            bracket = False
        elif character == "/" and not bracket:
            return position + 1
        position += 1
    return position


def _constant(text: str) -> str:
    body = text[1:-1] if text.endswith('"') and len(text) > 1 else text[1:]

    def plain(match: re.Match[str]) -> str:
        escaped = match.group(1)
        if escaped[0] in "01234567":
            return chr(int(escaped, 8) & 0xFF)
        if escaped[0] == "x" and len(escaped) > 1:
            return chr(int(escaped[1:], 16))
        return _ESCAPES.get(escaped, escaped)

    return re.sub(r"\\([0-7]{1,3}|x[0-9a-fA-F]{1,2}|.|\n)", plain, body, flags=re.DOTALL)


class _Program:
    def __init__(self, text: str, call: "Call", path: str, at: Field, sandbox: bool) -> None:
        self.call = call
        self.path = path
        self.at = at
        self.sandbox = sandbox
        self.tokens = tokens(text[:PROGRAM_CAP])
        self.values: dict[str, dict[str, None]] = {}

    def given(self, text: str) -> None:
        name, equals, value = text.partition("=")
        if equals:
            self.values.setdefault(name, {})[value] = None

    def run(self) -> None:
        self._assignments()
        printing = -1  # the depth of parentheses at which a print statement stands
        depth = 0
        for index, (kind, text) in enumerate(self.tokens):
            if kind == "string" and "/inet" in text:
                self._network(text)
            if text == "(":
                depth += 1
            elif text == ")":
                depth -= 1
            elif kind == "name" and text in ("print", "printf"):
                printing = depth
            elif text in _ENDS and kind == "op":
                printing, depth = -1, 0
            elif kind == "name" and text == "system" and self._text(index + 1) == "(":
                self._runs(self._evaluated(self._inside(index + 2)), "system()")
            elif text in ("|", "|&") and kind == "op":
                self._pipe(index)
            elif text in (">", ">>") and kind == "op" and printing == depth:
                self._write(index)
            elif text == "<" and kind == "op" and self._reads(index):
                self._read(index)
            elif text == "ENVIRON" and self._text(index + 1) != "[":
                self.call.output = Value(HOLE, frozenset((SECRET, "environment")))
            elif text == "@" and kind == "op":
                self._at(index)

    def _text(self, index: int) -> str:
        return self.tokens[index][1] if 0 <= index < len(self.tokens) else ""

    def _assignments(self) -> None:
        for index, (kind, text) in enumerate(self.tokens):
            if kind == "op" and text == "=" and index and self.tokens[index - 1][0] == "name":
                expression = self._forward(index + 1)
                if any(part[0] == "string" for part in expression):
                    held = self.values.setdefault(self.tokens[index - 1][1], {})
                    for value in self._evaluated(expression):
                        held[value] = None

    def _forward(self, index: int) -> list[Token]:
        """Tokens of the expression that starts here."""
        found: list[Token] = []
        depth = 0
        for kind, text in self.tokens[index : index + EXPRESSION_CAP]:
            if kind == "op" and (text in _ENDS or (depth == 0 and text in (")", ",", "|", "|&", "?", "&&", "||"))):
                break
            depth += (text == "(") - (text == ")")
            found.append((kind, text))
        return found

    def _inside(self, index: int) -> list[Token]:
        found: list[Token] = []
        depth = 1
        for kind, text in self.tokens[index : index + EXPRESSION_CAP]:
            depth += (text == "(") - (text == ")")
            if depth == 0:
                break
            found.append((kind, text))
        return found

    def _evaluated(self, expression: list[Token]) -> list[str]:
        """The texts that an expression may give; unknown parts are HOLEs."""
        texts = [""]
        depth = 0
        field = False  # the token before was the dollar of a field
        for position, (kind, text) in enumerate(expression):
            if field:
                field = text == "$"
                continue
            field = text == "$"
            following = expression[position + 1][1] if position + 1 < len(expression) else ""
            if kind == "name" and following == "(":
                texts = [f"{one}{HOLE}" for one in texts]
            if text == "(":
                called = position > 0 and expression[position - 1][0] == "name"
                depth += 1 if depth or called else 0
                continue
            if text == ")":
                depth -= 1 if depth else 0
                continue
            if depth or (kind == "name" and following == "("):
                continue
            if kind == "string":
                options = [_constant(text)]
            elif kind == "name":
                options = list(self.values.get(text, {HOLE: None}))[:VALUES_CAP]
            else:
                options = [text if kind == "number" else HOLE]
            texts = [one + option for one in texts for option in options][:VALUES_CAP]
        return [re.sub(f"{HOLE}+", HOLE, one) for one in texts]

    def _runs(self, texts: list[str], how: str) -> None:
        if self.sandbox:
            return
        for text in dict.fromkeys(texts):
            if text.strip().startswith(HOLE):
                effects.named(
                    "runs",
                    self.call,
                    rule=f"{self.path}.runs",
                    reason=f"awk runs commands that come out of its data ({how})",
                )
            elif text.strip():
                run = self.call.run
                kept, run.stdin = run.stdin, self.call.taken_in() if how == "pipe" else run.stdin
                run.shell(text, self.at.span, f"awk {how}")
                run.stdin = kept

    def _pipe(self, index: int) -> None:
        if self._text(index + 1) == "getline":
            self._runs(self._evaluated(self._backward(index)), "getline")
        elif self._text(index) == "|&":
            self._runs(self._evaluated(self._forward(index + 1)), "pipe")
        else:
            self._runs(self._evaluated(self._forward(index + 1)), "pipe")

    def _backward(self, index: int) -> list[Token]:
        found: list[Token] = []
        depth = 0
        for kind, text in reversed(self.tokens[max(0, index - EXPRESSION_CAP) : index]):
            depth += (text == ")") - (text == "(")
            if depth < 0 or (depth == 0 and text != "(" and (text in _ENDS or text in _JOINS)):
                break
            found.append((kind, text))
        return found[::-1]

    def _write(self, index: int) -> None:
        if self.sandbox:
            return
        for text in self._evaluated(self._forward(index + 1)):
            if text and text not in ("/dev/stdout", "/dev/stderr", "-"):
                kind = "append" if self._text(index) == ">>" else "write"
                effects.path(kind, Field(text, self.at.span), self.call, f"{self.path}.writes")

    def _reads(self, index: int) -> bool:
        return "getline" in (self._text(index - 1), self._text(index - 2), self._text(index - 4), self._text(index - 5))

    def _read(self, index: int) -> None:
        for text in self._evaluated(self._forward(index + 1)[:1]):
            if text and text != HOLE:
                effects.path("read", Field(text, self.at.span), self.call, self.path)

    def _at(self, index: int) -> None:
        word = self._text(index + 1)
        if word == "load" or (self.tokens[index + 1 : index + 2] and word not in ("include", "namespace", "load")):
            effects.named(
                "runs",
                self.call,
                rule=f"{self.path}.loads",
                reason="awk loads a library or calls a function by a computed name",
            )

    def _network(self, text: str) -> None:
        parts = text.strip('"').split("/")
        if len(parts) > 4 and is_local(parts[4]):
            return
        self.call.effect(
            Action.SEND,
            TargetKind.HOST,
            text.strip('"'),
            rule=f"{self.path}.network",
            axes=Axes(Reversibility.IRREVERSIBLE, Scope.EXTERNAL),
            reason=f"awk opens a network connection ({text.strip(chr(34))[:60]})",
        )


_SEARCHED = re.compile(r"""(?<!!)/([^/\n]{1,60})/|==\s*"([^"\n]{1,60})\"""")
"""A pattern that lines are searched for, or a text that a field is compared with."""


def awk(entry: "Entry", call: "Call", path: str) -> None:  # noqa: ARG001
    """``awk [options] 'program' file…``."""
    parsed = call.parsed
    if parsed.has(("--version", "--help", "-V", "-h")):
        return
    sandbox = parsed.has(("--sandbox", "-S"))
    programs: list[Field] = []
    in_place = False
    assigned = [
        given.value.text for given in parsed.options if given.name in ("-v", "--assign") and given.value is not None
    ]
    files = False
    for given in parsed.options:
        value = given.value
        if given.name in ("-o", "--pretty-print", "-p", "--profile", "-d", "--dump-variables"):
            default = "awkvars.out" if given.name in ("-d", "--dump-variables") else "awkprof.out"
            effects.path("write", value or Field(default, call.span), call, f"{path}.writes")
        elif value is None:
            continue
        elif given.name in ("-e", "--source"):
            programs.append(value)
        elif given.name in ("-f", "--file", "-E", "--exec"):
            files = True
            _program_file(value, call, path, sandbox)
        elif given.name in ("-i", "--include"):
            in_place = in_place or value.text.startswith("inplace")
            if not in_place:
                call.run.opaque(f"runs the awk program {value.text[:60]}")
        elif given.name in ("-l", "--load"):
            effects.named("runs", call, rule=f"{path}.loads", reason="awk loads a library of native code")
    operands = parsed.operands
    if not programs and not files and operands:
        programs, operands = [operands[0]], operands[1:]
    assigned += [field.text for field in operands if re.match(r"[A-Za-z_]\w*=", field.text)]
    for field in operands:
        if not re.match(r"[A-Za-z_]\w*=", field.text):
            edited(field, call, path) if in_place else effects.path("read", field, call, path)
    for field in programs:
        _judge(field.text, field, call, path, sandbox, assigned)
    tags = frozenset[str]().union(
        *(named(found[1] or found[2]) for field in programs for found in _SEARCHED.finditer(field.text))
    )
    if tags and call.output is None:
        call.output = Value(HOLE, call.run.stdin.tags - {EVERY_PROCESS} | tags)


def _judge(text: str, at: Field, call: "Call", path: str, sandbox: bool, assigned: list[str]) -> None:
    program = _Program(text, call, path, at, sandbox)
    for assignment in assigned:
        program.given(assignment)
    program.run()
    if text.strip() == HOLE or len(text) > PROGRAM_CAP:
        call.run.opaque("an awk program that only running would tell")


def _program_file(field: Field, call: "Call", path: str, sandbox: bool) -> None:
    text = file_text(field, call, path, PROGRAM_CAP)
    if text is None:
        call.run.opaque(f"runs the awk program {field.text[:60]}")
    else:
        _judge(text, field, call, path, sandbox, [])
