"""``sed``: its script may write files (``w``), run commands (``e``) and read files (``r``), and ``-i`` edits in place.

The script language is parsed as GNU sed does; one pass, linear.
"""

from typing import TYPE_CHECKING

import msgspec

from checkrail.model import HOLE, SOME
from checkrail.readers.shell import effects, flow, redirects
from checkrail.readers.shell.state import Field, Value

if TYPE_CHECKING:
    from checkrail.knowledge.schema import Entry
    from checkrail.readers.shell.call import Call

SCRIPT_CAP = 100_000
"""Characters of a script that are read."""


class Found(msgspec.Struct):
    """What a script would do."""

    writes: list[str] = []
    reads: list[str] = []
    runs: list[str] = []  # shell lines; empty where the data itself runs
    broken: str = ""


class _Script:
    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.found = Found()

    def read(self) -> Found:
        while self.position < len(self.text) and not self.found.broken:
            self._skip(" \t\n;}")
            if self.position >= len(self.text):
                break
            if self._address() and not self.found.broken:
                self._skip(" \t")
                self._skip("!")
                self._skip(" \t")
                self._command()
        return self.found

    def _skip(self, characters: str) -> None:
        while self.position < len(self.text) and self.text[self.position] in characters:
            self.position += 1

    def _peek(self) -> str:
        return self.text[self.position : self.position + 1]

    def _address(self) -> bool:
        """Skip up to two addresses; False at the end."""
        for _ in range(2):
            self._skip(" \t")
            character = self._peek()
            if character == "/":
                self.position += 1
                self._delimited("/")
            elif character == "\\":
                delimiter = self.text[self.position + 1 : self.position + 2]
                self.position += 2
                self._delimited(delimiter)
            else:
                self._skip("0123456789$+~" + HOLE + SOME)
            self._skip("IM" if character in "/\\" and character else "")
            self._skip(" \t")
            if self._peek() != ",":
                break
            self.position += 1
            self._skip(" \t~+")
        return self.position < len(self.text)

    def _delimited(self, delimiter: str) -> str:
        """The text up to an unescaped delimiter, which is skipped; a bracket expression protects it."""
        start = self.position
        bracket = False
        opened = -1
        while self.position < len(self.text):
            character = self.text[self.position]
            if character == "\\" and delimiter != "\\":
                self.position += 2
                continue
            if bracket:
                bracket = not (character == "]" and self.position > opened)
            elif character == "[" and delimiter != "[" and self._closes(delimiter):
                bracket, opened = True, self.position + 1 + (self.text[self.position + 1 : self.position + 2] == "^")
            elif character == delimiter:
                self.position += 1
                return self.text[start : self.position - 1]
            self.position += 1
        self.found.broken = "an unfinished expression"
        return self.text[start:]

    def _closes(self, delimiter: str) -> bool:
        """Whether a bracket is closed in this line before it would swallow the rest of the script."""
        end = self.text.find("]", self.position + 2)
        return end >= 0 and "\n" not in self.text[self.position : end] and delimiter in self.text[end:]

    def _line(self) -> str:
        end = self.text.find("\n", self.position)
        end = len(self.text) if end < 0 else end
        line = self.text[self.position : end]
        self.position = end
        return line.strip(" \t")

    def _command(self) -> None:
        character = self._peek()
        self.position += 1
        match character:
            case "" | "{" | "=" | "d" | "D" | "g" | "G" | "h" | "H" | "n" | "N" | "p" | "P" | "x" | "z" | "F":
                return
            case "#":
                self._line()
            case "a" | "i" | "c":
                self._text()
            case ":" | "b" | "t" | "T" | "v":
                while self.position < len(self.text) and self._peek() not in "\n;}":
                    self.position += 1
            case "l" | "L" | "q" | "Q":
                self._skip(" \t0123456789")
            case "r" | "R":
                self.found.reads.append(self._line())
            case "w" | "W":
                self.found.writes.append(self._line())
            case "e":
                self.found.runs.append(self._line().rstrip("}; "))
            case "y":
                delimiter = self._peek()
                self.position += 1
                self._delimited(delimiter)
                self._delimited(delimiter)
            case "s":
                self._substitute()
            case _:
                self.found.broken = f"the command {character!r}"

    def _text(self) -> None:
        """``a\\`` newline text, or ``a text``: up to a line end that no backslash protects."""
        while self.position < len(self.text):
            character = self.text[self.position]
            if character == "\\":
                self.position += 2
                continue
            if character == "\n":
                return
            self.position += 1

    def _substitute(self) -> None:
        delimiter = self._peek()
        if delimiter in ("", "\n"):
            self.found.broken = "an s command without a delimiter"
            return
        self.position += 1
        start = self.position
        self._delimited(delimiter)
        # What e runs is the whole line: of a part that is replaced only the replacement is known.
        around = "" if self.text[start : self.position - 1].strip("^$") == ".*" else HOLE
        replacement = self._replacement(delimiter)
        while self.position < len(self.text):
            character = self._peek()
            if character in "gpPiImM0123456789 \t" + HOLE + SOME:
                self.position += 1
            elif character == "e":
                self.position += 1
                self.found.runs.append("" if "&" in replacement or "\\" in replacement else replacement + around)
            elif character == "w":
                self.position += 1
                self.found.writes.append(self._line())
                return
            else:
                return

    def _replacement(self, delimiter: str) -> str:
        start = self.position
        while self.position < len(self.text):
            character = self.text[self.position]
            if character == "\\" and delimiter != "\\":
                self.position += 2
            elif character == delimiter:
                self.position += 1
                return self.text[start : self.position - 1]
            else:
                self.position += 1
        self.found.broken = "an unfinished s command"
        return self.text[start:]


def script(text: str) -> Found:
    """What a sed script would do."""
    if len(text) > SCRIPT_CAP:
        return Found(broken=f"a script of over {SCRIPT_CAP} characters")
    return _Script(text).read()


def sed(entry: "Entry", call: "Call", path: str) -> None:  # noqa: ARG001
    """``sed``: scripts, files read or edited, and what the scripts do besides."""
    parsed = call.parsed
    if parsed.has(("--help", "--version")):
        return
    operands = parsed.operands
    in_place = parsed.has(("-i", "--in-place"))
    if in_place and operands and operands[0].text == "":
        operands = operands[1:]  # the empty suffix of BSD sed
    scripts = [
        given.value for given in parsed.options if given.name in ("-e", "--expression") and given.value is not None
    ]
    files = [given.value for given in parsed.options if given.name in ("-f", "--file") and given.value is not None]
    if not scripts and not files and operands:
        if in_place and len(operands) > 1 and operands[0].text.startswith(".") and script(operands[0].text).broken:
            operands = operands[1:]  # BSD sed: the suffix is a word of its own
        scripts, operands = [operands[0]], operands[1:]
    for field in operands:
        edited(field, call, path) if in_place else effects.path("read", field, call, path)
    for field in files:
        _script_file(field, call, path)
    if scripts and not parsed.has(("--sandbox",)):
        _judge(script("\n".join(field.text for field in scripts)), scripts[0], call, path)


def edited(field: Field, call: "Call", path: str) -> None:
    """Note a file that is changed in place: what this program wrote there is no longer known, any other stays what it was."""
    files = call.run.state.files
    where = call.path(field)
    before = files.get(where)
    effects.path("edit", field, call, path)
    if before is None:
        files.pop(where, None)
    else:
        files[where] = Value(HOLE, before.tags)


def _script_file(field: Field, call: "Call", path: str) -> None:
    text = file_text(field, call, path, SCRIPT_CAP)
    if text is None:
        call.run.opaque(f"runs the sed script {field.text[:60]}")
    else:
        _judge(script(text), field, call, path)


def file_text(field: Field, call: "Call", path: str, limit: int) -> str | None:
    """What a program file holds: written in this line, on standard input, or small enough to be read; else None."""
    if redirects.is_standard_input(field.text, call.run):
        flow.provenance(call.run.stdin, call, f"the program of {call.name}")
        return call.run.stdin.text if call.run.stdin.known else None
    effects.path("read", field, call, path)
    where = call.path(field)
    held = call.run.state.files.get(where)
    if held is not None:
        flow.provenance(held, call, f"the program of {call.name}", span=field.span)
        return held.text if held.known else None
    content = None if call.run.state.host or HOLE in where else call.run.around.host.read(where, limit)
    return content.decode("utf-8", "replace") if content is not None else None


def _judge(found: Found, at: Field, call: "Call", path: str) -> None:
    """Note what a script does; ``at`` is where it stands."""
    for name in found.writes:
        effects.path("write", Field(name or HOLE, at.span), call, f"{path}.writes")
    for name in found.reads:
        effects.path("read", Field(name or HOLE, at.span), call, path)
    for text in found.runs:
        if text:
            call.run.shell(text, at.span, "sed e")
        else:
            effects.named("runs", call, rule=f"{path}.runs", reason="sed runs the text that it edits as a command (e)")
    if HOLE in at.text or SOME in at.text:
        call.run.opaque("a sed script that only running would tell")
    elif found.broken:
        call.run.unread(f"a sed script with {found.broken}", at.span)
