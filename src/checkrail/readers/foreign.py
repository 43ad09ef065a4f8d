"""Source code of languages without a reader (Rust, Go, C, Java, Gradle, Meson …): constant command lines and paths that it removes.

Not a parse: the text is cut into statements, and a statement that names a way to start or to remove something is looked at for
its string literals. What is found is judged as a guess; the code itself stays local code of which there is no opinion.
"""

import re
import shlex
from collections.abc import Iterator, Sequence

import msgspec

from checkrail.context import Surroundings
from checkrail.model import Action, Axes, Effect, Payload, Reading, Reversibility, Scope, Target, TargetKind
from checkrail.readers.locate import locate

LIMIT = 65_536
COUNT = 100
"""Statements of one text that are followed."""
LONGEST = 400
"""Characters of a literal that are looked at."""

_TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?(?:\*/|\Z))|(?P<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`]*`)"""
    r"""|(?P<name>[A-Za-z_][\w]*)|(?P<sign>[()\[\]{};\n.])""",
    re.DOTALL,
)
_STARTS = frozenset(
    [
        "command",
        "commandline",
        "exec",
        "execl",
        "execlp",
        "execle",
        "execv",
        "execve",
        "execvp",
        "execute",
        "system",
        "system2",
        "popen",
        "spawn",
        "run",
        "shell",
        "sh",
        "bash",
        "process",
        "processbuilder",
        "callcommand",
        "run_command",
        "runcommand",
        "run_program",
        "cmd",
        "program",
        "startprocess",
        "posix_spawn",
        "winexec",
        "shellexecute",
        "createprocess",
        "executable",
        "genrule",
        "custom_target",
        "proc",
    ]
)
_REMOVES = frozenset(
    [
        "removeall",
        "remove",
        "remove_all",
        "remove_dir",
        "remove_dir_all",
        "remove_file",
        "removefile",
        "removedir",
        "removedirectory",
        "removeitem",
        "unlink",
        "rmdir",
        "delete",
        "deletesync",
        "deletedirectory",
        "deleterecursively",
        "deletefile",
        "deletedir",
        "deleteonexit",
        "removetree",
        "rmtree",
        "cleandirectory",
        "forcedelete",
        "removerecursive",
        "rm_rf",
    ]
)
_EMPTIES = frozenset(
    ["delete_all", "deleteall", "delete_many", "deletemany", "destroy_all", "drop_table", "droptable", "drop_database", "dropdatabase", "truncate_table"]
)  # fmt: skip
"""What database libraries call the removal of many rows, in whatever language."""
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}


class _Statement(msgspec.Struct):
    names: list[str] = []
    texts: list[str] = []

    @property
    def empties(self) -> bool:
        """Whether it removes many rows of a database."""
        return not _EMPTIES.isdisjoint(self.names)


def read(payload: Payload, around: Surroundings) -> Reading:
    """See :data:`checkrail.readers.Reader`."""
    payloads: list[Payload] = []
    effects: list[Effect] = []
    for statement in _statements(payload.text[:LIMIT]):
        if len(payloads) + len(effects) >= COUNT:
            break
        if not _STARTS.isdisjoint(statement.names):
            payloads.extend(_payload(payload, line) for line in _lines(statement.texts))
        if not _REMOVES.isdisjoint(statement.names):
            effects.extend(_removed(payload, path, around) for path in statement.texts if path.startswith(("/", "~")))
        if statement.empties:
            effects.append(_emptied(payload))
    return Reading(payloads=tuple(payloads[:COUNT]), effects=tuple(effects[:COUNT]), opaque=("runs local code",))


def _statements(source: str) -> Iterator[_Statement]:
    """Names in lower case and literals, up to the end of each line or the sign that ends it; a chain of calls is one."""
    held, depth, ended = _Statement(), 0, False
    for token in _TOKEN.finditer(source):
        sign = token["sign"]
        if token["comment"] is not None:
            if token["comment"].startswith("//go:generate "):
                yield _Statement(["command"], [token["comment"][14:].strip()])
            continue
        if ended and sign != "\n":
            if sign != "." and (held.texts or held.empties):
                yield held
            held, ended = held if sign == "." else _Statement(), False
        if token["name"] is not None:
            if source[token.end() : token.end() + 1] != ".":  # System.out, process.env
                held.names.append(token["name"].lower())
        elif token["text"] is not None:
            held.texts.append(_literal(token["text"]))
        elif sign in ("(", "["):
            depth += 1
        elif sign in (")", "]"):
            depth = max(0, depth - 1)
        elif sign in (";", "{", "}") or (sign == "\n" and not depth):
            ended = True
    if held.texts or held.empties:
        yield held


def _literal(text: str) -> str:
    return re.sub(r"\\(.)", lambda found: _ESCAPES.get(found[1], found[1]), text[1:-1][:LONGEST], flags=re.DOTALL)


def _lines(texts: Sequence[str]) -> Iterator[str]:
    """The command lines that literals of one statement may be: each text of several words, and all of them as words."""
    yield from (text for text in texts if " " in text.strip())
    if len(texts) > 1:
        yield from (shlex.join(texts[at:]) for at in range(min(len(texts) - 1, 3)))


def _payload(payload: Payload, line: str) -> Payload:
    return msgspec.structs.replace(
        payload,
        language="shell",
        text=line,
        depth=payload.depth + 1,
        via=(*payload.via, "a command line in code"),
        options=(("guess", ""),),
    )


def _removed(payload: Payload, path: str, around: Surroundings) -> Effect:
    return Effect(
        action=Action.DELETE,
        target=Target(TargetKind.PATH, locate(path, payload.cwd, around.home), payload.host),
        rule="foreign.remove",
        reason="code that is written and run here removes it",
        recursive=True,
        span=payload.span,
        via=payload.via,
    )


def _emptied(payload: Payload) -> Effect:
    return Effect(
        action=Action.DELETE,
        target=Target(TargetKind.DATABASE, "a database", payload.host),
        axes=Axes(Reversibility.IRREVERSIBLE, Scope.SHARED),
        rule="foreign.rows",
        reason="code that is written and run here deletes the rows of a database",
        span=payload.span,
        via=payload.via,
    )
