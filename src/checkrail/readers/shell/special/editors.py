"""Editors driven from the command line: ex commands of vim, the commands of ed."""

import re
from typing import TYPE_CHECKING

from checkrail.model import HOLE
from checkrail.readers.shell import effects
from checkrail.readers.shell.state import Field

if TYPE_CHECKING:
    from checkrail.knowledge.schema import Entry
    from checkrail.readers.shell.call import Call

COMMANDS_CAP = 200
"""Editor commands that are read."""

_RANGE = r"(?:[%0-9.,$;+\-\s]|'[a-zA-Z<>]|/(?:[^/\\]|\\.)*/|\?(?:[^?\\]|\\.)*\?)*"
_MODIFIER = r"(?:(?:sil(?:ent)?|keepa(?:lt)?|keepj(?:umps)?|noa(?:utocmd)?|verb(?:ose)?|bufdo|windo|argdo|tabdo|vert(?:ical)?|bel(?:owright)?)!?\s+)*"
_EX = re.compile(rf":*\s*{_MODIFIER}{_RANGE}(!|[a-zA-Z]+[0-9]*!?|)\s*(.*)", re.DOTALL)
_RUNS = re.compile(
    r"[\"']\s*:?\s*(?:sil\w*!?\s+)?!|system(?:list)?\s*\(|job_?start\s*\(|term_?start\s*\(|termopen\s*\(|jobstart|\bdelete\s*\(|writefile\s*\(|os\.(?:execute|remove)"
    r"|io\.popen|vim\.(?:fn\.)?system|vim\.cmd|import|:!|libcall|rename\s*\("
)
_CODE = frozenset(
    (
        *(
            "py",
            "py3",
            "python",
            "python3",
            "pyx",
            "pythonx",
            "pyfile",
            "py3file",
            "lua",
            "luafile",
            "luado",
            "perl",
            "pe",
            "perldo",
        ),
        *(
            "ruby",
            "rub",
            "rubydo",
            "tcl",
            "mz",
            "mzscheme",
            "call",
            "cal",
            "exe",
            "execute",
            "let",
            "echo",
            "ec",
            "eval",
            "norm",
        ),
        *("normal", "set", "se", "autocmd", "au", "pydo", "py3do", "echom", "redir"),
    )
)
_WRITES = frozenset(
    ("w", "wr", "write", "wq", "x", "xit", "sav", "saveas", "up", "update", "mks", "mksession", "mkv", "wn")
)
_READS = frozenset(("r", "re", "read", "e", "ed", "edit", "sp", "vs", "split", "vsplit", "tabe", "tabnew", "n", "next"))


def vim(entry: "Entry", call: "Call", path: str) -> None:
    """``vim [-c command | +command] file…``; in ``-es`` mode standard input holds commands, too."""
    parsed = call.parsed
    files = [field for field in parsed.operands if not field.text.startswith("+")]
    commands = [field.tail(1) for field in parsed.operands if field.text.startswith("+") and len(field.text) > 1]
    commands += [given.value for given in parsed.options if given.name in ("-c", "--cmd") and given.value is not None]
    if parsed.has(("-s",)) and call.name != "ex" and files and not parsed.has(("-e", "-E", "-es")):
        _source(files[0], call, path)  # what would be typed
    if parsed.has(("-l",)) and files:
        call.invoke((Field("lua", call.span), *files))
    readonly = call.name in ("view", "rview") or parsed.has(("-R", "-M", "-d")) or call.name == "vimdiff"
    for field in files:
        effects.path("read" if readonly and not commands else "edit", field, call, path)
    for field in commands:
        for line in re.split(r"\n|(?<!\\)\|(?!\|)", field.text)[:COMMANDS_CAP]:
            ex(line, field, call, path)
    for given in parsed.options:
        if (
            given.name in ("-S", "-s", "-u")
            and given.value is not None
            and given.value.text not in ("NONE", "NORC", "DEFAULTS")
        ):
            _source(given.value, call, path)
    quiet = parsed.has(("-es", "-e", "-E", "-Es")) or call.name == "ex" or (parsed.has(("-s",)) and call.name == "ex")
    if quiet and call.run.stdin.known:
        for line in call.run.stdin.text.splitlines()[:COMMANDS_CAP]:
            ex(line, Field(line, call.span), call, path)
    if not commands and not quiet:
        call.run.opaque("an editor that is left open")
    del entry


def _source(field: Field, call: "Call", path: str) -> None:
    effects.path("read", field, call, path)
    held = call.run.state.files.get(call.path(field))
    if held is not None and held.known:
        for line in held.text.splitlines()[:COMMANDS_CAP]:
            ex(line, field, call, path)
    else:
        call.run.opaque(f"runs the editor script {field.text[:60]}")


def ex(line: str, at: Field, call: "Call", path: str) -> None:
    """Judge one ex command."""
    match = _EX.match(line[:2000])
    if match is None:
        return
    name, rest = match.group(1), match.group(2)
    word = name.rstrip("!")
    if name == "!" or (word in ("terminal", "ter", "term", "grep", "make", "lmake", "lgrep") and rest):
        if word not in ("make", "grep", "lmake", "lgrep"):
            call.run.shell(rest, at.span, f"{call.name} !")
    elif word in _WRITES | _READS and rest.startswith("!"):
        call.run.shell(rest[1:], at.span, f"{call.name} {word} !")
    elif word in _WRITES and rest and not rest.startswith((">>", "++")):
        effects.path("write", Field(rest.strip(), at.span), call, path)
    elif word in _WRITES and rest.startswith(">>"):
        effects.path("append", Field(rest[2:].strip(), at.span), call, path)
    elif word in _READS and rest:
        effects.path("read", Field(rest.strip(), at.span), call, path)
    elif word in ("redi", "redir") and rest.startswith(">"):
        effects.path(
            "append" if rest.startswith(">>") else "write", Field(rest.lstrip(">").strip(), at.span), call, path
        )
    elif word in ("so", "source", "luafile", "pyfile", "py3file", "runtime"):
        call.run.opaque(f"runs the editor script {rest[:60]}")
    elif word in ("g", "v", "global", "vglobal") and "!" in rest:
        inner = rest[1:].rpartition(rest[:1])[2] if rest else ""
        ex(inner, at, call, path)
    elif word in ("sh", "shell", "sus", "suspend", "st", "stop"):
        effects.named(
            "runs", call, rule=f"{path}.shell", reason="opens a shell from the editor, where no check sees what runs"
        )
    elif word in ("py", "py3", "python", "python3", "pyx", "pythonx"):
        call.run.hand_on("python", rest, at.span, call.name)
    elif word in ("lua", "perl", "ruby", "tcl") and not _RUNS.search(rest):
        call.run.opaque(f"the editor runs {word} code")
    elif (word in _CODE and _RUNS.search(rest)) or ("\x60" in rest and word in ("e", "args")):
        effects.named("runs", call, rule=f"{path}.code", reason=f"the editor runs code: {line.strip()[:80]}")
    elif word in _CODE and HOLE in rest:
        call.run.opaque("an editor command that only running would tell")


_ED = re.compile(rf"{_RANGE}([a-zA-Z!]?)\s*(.*)")


def ed(entry: "Entry", call: "Call", path: str) -> None:  # noqa: ARG001
    """``ed [file]``: its commands come from standard input."""
    for field in call.parsed.operands:
        if field.text.startswith("!"):
            call.run.shell(field.text[1:], field.span, "ed")
        else:
            effects.path("edit", field, call, path)
    if not call.run.stdin.known:
        call.run.opaque("an ed script that this line does not show")
        return
    inserting = False
    for line in call.run.stdin.text.splitlines()[:COMMANDS_CAP]:
        if inserting:
            inserting = line != "."
            continue
        match = _ED.match(line[:2000])
        if match is None:
            continue
        letter, rest = match.groups()
        if letter == "!":
            call.run.shell(rest, call.span, "ed !")
        elif letter in ("a", "i", "c"):
            inserting = True
        elif letter in ("r", "w", "e", "E", "W") and rest.startswith("!"):
            call.run.shell(rest[1:], call.span, f"ed {letter}!")
        elif letter in ("w", "W") and rest.removeprefix("q").strip():
            effects.path("write", Field(rest.removeprefix("q ").strip(), call.span), call, path)
        elif letter in ("r", "e", "E") and rest:
            effects.path("read", Field(rest.strip(), call.span), call, path)
