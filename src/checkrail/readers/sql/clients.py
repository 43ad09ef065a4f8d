"""The own commands of database clients (``\\!`` of psql, ``.shell`` of sqlite3, ``system`` of mysql): what is no SQL.

``split`` takes them out of a text and says what they do; what is left is SQL.
"""

import posixpath
import re
import shlex
from collections.abc import Callable, Iterator

from checkrail.context import Surroundings
from checkrail.model import (
    HOLE,
    SOME,
    Action,
    Axes,
    Effect,
    Payload,
    Reading,
    Reversibility,
    Scope,
    Target,
    TargetKind,
    Unread,
)
from checkrail.readers.sql import lexer

_DOT = re.compile(r"^[ \t]*\.(\w+)([^\r\n]*)$", re.MULTILINE)
_MYSQL = re.compile(
    r"^[ \t]*(?:\\([!.TPuCcGgpqrstwWR#e]|system|source)|(system|source|tee|pager|edit|use|delimiter|charset|prompt|nopager|notee|print|status|rehash|warnings|nowarning|quit|exit|help)\b)([^\r\n]*)$",
    re.MULTILINE | re.IGNORECASE,
)
_BACKSLASH = re.compile(r"\\(!|\?|;|[A-Za-z_]\w*\+?)([^\r\n]*)")
_BACKTICK = re.compile(r"`([^`\n]{1,4000})`")
_COPY = re.compile(
    r"(?is)\s*(?P<what>\(.*\)|\S+(?:\s*\([^)]*\))?)\s+(?P<way>from|to)\s+(?P<program>program\s+)?(?P<where>'(?:[^']|'')*'|\S+)"
)
_LARGEST = 262_144


class _Commands:
    """Collects what the commands of one text do."""

    def __init__(self, payload: Payload) -> None:
        self.payload = payload
        self.effects: list[Effect] = []
        self.payloads: list[Payload] = []
        self.unread: list[Unread] = []
        self.opaque: list[str] = []

    def shell(self, text: str) -> None:
        """A command for the system's shell."""
        own = self.payload
        self.payloads.append(
            Payload(language="shell", text=text.strip(), cwd=own.cwd, span=own.span, host=own.host, via=own.via)
        )

    def path(self, action: Action, name: str) -> str:
        """An effect on a file; gives its absolute path."""
        path = posixpath.normpath(posixpath.join(self.payload.cwd or HOLE, name))
        target = Target(TargetKind.PATH, path, self.payload.host)
        self.effects.append(
            Effect(action=action, target=target, rule="sql.client-file", span=self.payload.span, via=self.payload.via)
        )
        return path

    def change(self, rule: str, reason: str, action: Action = Action.CHANGE) -> None:
        """A change of the database that asks."""
        own = self.payload
        target = Target(TargetKind.DATABASE, dict(own.options).get("target", ""), own.host)
        axes = Axes(Reversibility.HARD, Scope.SHARED)
        self.effects.append(
            Effect(action=action, target=target, rule=rule, axes=axes, reason=reason, span=own.span, via=own.via)
        )

    def sink(self, argument: str) -> None:
        """Where output goes: a file, or a program after ``|``."""
        argument = argument.strip().strip("'\"")
        if argument.startswith("|"):
            self.shell(argument[1:])
        elif argument and argument not in ("stdout", "off"):
            self.path(Action.WRITE, argument)

    def source(self, argument: str, around: Surroundings) -> None:
        """A script that is run: its text, where it can be read."""
        argument = argument.strip().strip("'\";")
        if argument.startswith("|"):
            self.shell(argument[1:])
            return
        if not argument or HOLE in argument or SOME in argument:
            self.unread.append(
                Unread(
                    what="SQL: a script that is not known before running", span=self.payload.span, via=self.payload.via
                )
            )
            return
        path = self.path(Action.READ, argument)
        found = around.host.read(path, _LARGEST) if not self.payload.host else None
        if found is None:
            self.opaque.append(f"SQL script {path}")
            return
        own = self.payload
        text = found.decode("utf-8", "replace")
        self.payloads.append(
            Payload(language="sql", text=text, cwd=own.cwd, span=own.span, via=(*own.via, path), options=own.options)
        )

    def reading(self) -> Reading:
        """All of it."""
        return Reading(
            effects=tuple(self.effects),
            payloads=tuple(self.payloads),
            unread=tuple(self.unread),
            opaque=tuple(self.opaque),
        )


def _words(argument: str) -> list[str]:
    try:
        return shlex.split(argument)
    except ValueError:
        return argument.split()


_Deed = Callable[[_Commands, str, Surroundings], None]
_WRITING: _Deed = lambda found, argument, _: found.sink(argument)  # noqa: E731
_SOURCING: _Deed = lambda found, argument, around: found.source(argument, around)  # noqa: E731
_RUNNING: _Deed = lambda found, argument, _: found.shell(argument)  # noqa: E731


def _last_written(found: _Commands, argument: str, around: Surroundings) -> None:  # noqa: ARG001
    words = [word for word in _words(argument) if not word.startswith("-")]
    found.sink(words[-1] if words else "")


def _imported(found: _Commands, argument: str, around: Surroundings) -> None:  # noqa: ARG001
    words = [word for word in _words(argument) if not word.startswith("-")]
    if words and words[0].startswith("|"):
        found.shell(words[0][1:])
    elif words:
        found.path(Action.READ, words[0])
    found.change("sql.import", f"imports into {words[-1] if words else 'a table'}")


def _loaded(found: _Commands, argument: str, around: Surroundings) -> None:  # noqa: ARG001
    found.change("sql.load", f"loads the extension {argument.strip()}", Action.EXECUTE)


def _restored(found: _Commands, argument: str, around: Surroundings) -> None:  # noqa: ARG001
    found.change("sql.restore", f"overwrites the database from {argument.strip()}")


def _copied(found: _Commands, argument: str, around: Surroundings) -> None:  # noqa: ARG001
    match = _COPY.match(argument)
    if not match:
        found.unread.append(Unread(what=f"SQL: \\copy {argument.strip()[:80]}", span=found.payload.span))
        return
    where = match["where"].strip("'")
    if match["program"]:
        found.shell(where)
    elif where.lower() not in ("stdin", "stdout", "pstdin", "pstdout"):
        found.path(Action.READ if match["way"].lower() == "from" else Action.WRITE, where)
    if match["way"].lower() == "from":
        found.change("sql.copy", f"copies rows into {match['what']}")
    elif match["what"].startswith("("):
        own = found.payload
        inner = match["what"][1:-1]
        found.payloads.append(
            Payload(language="sql", text=inner, cwd=own.cwd, span=own.span, via=own.via, options=own.options)
        )


def _executed(found: _Commands, argument: str, around: Surroundings) -> None:  # noqa: ARG001
    found.change("sql.gexec", "runs the result of a query as statements", Action.EXECUTE)


def _objects(found: _Commands, argument: str, around: Surroundings) -> None:  # noqa: ARG001
    found.change("sql.object", "changes large objects or a password")


def _moved(found: _Commands, argument: str, around: Surroundings) -> None:  # noqa: ARG001
    found.opaque.append("another database or folder is opened")


_PSQL: dict[str, _Deed] = {
    "!": _RUNNING,
    "o": _WRITING, "out": _WRITING, "w": _WRITING, "write": _WRITING, "g": _WRITING, "gx": _WRITING, "s": _WRITING,
    "i": _SOURCING, "ir": _SOURCING, "include": _SOURCING, "include_relative": _SOURCING,
    "copy": _copied,
    "gexec": _executed,
    "lo_import": _objects, "lo_export": _objects, "lo_unlink": _objects, "password": _objects,
    "c": _moved, "connect": _moved, "cd": _moved, "e": _moved, "edit": _moved, "ef": _moved, "ev": _moved, "setenv": _moved,
}  # fmt: skip
_SQLITE: dict[str, _Deed] = {
    "shell": _RUNNING, "system": _RUNNING,
    "read": _SOURCING,
    "output": _WRITING, "once": _WRITING, "log": _WRITING, "trace": _WRITING,
    "import": _imported,
    "load": _loaded,
    "restore": _restored, "recover": _moved, "archive": _restored, "ar": _restored,
    "backup": _last_written, "save": _last_written, "clone": _last_written, "open": _moved, "cd": _moved,
    "excel": _moved, "www": _moved, "session": _moved, "vfsname": _moved,
}  # fmt: skip
_MYSQL_DEEDS: dict[str, _Deed] = {
    "!": _RUNNING, "system": _RUNNING, "pager": _RUNNING, "P": _RUNNING,
    "source": _SOURCING, ".": _SOURCING,
    "tee": _WRITING, "T": _WRITING,
    "edit": _moved, "e": _moved,
}  # fmt: skip


def _cut_psql(text: str) -> Iterator[tuple[int, int, str, str]]:
    """Backslash commands outside quotes: start, end, name, argument."""
    done = 0
    for token in lexer.lex(text, lexer.MODES["postgres"]).tokens:
        if token.text == "\\" and token.kind == "sign" and token.start >= done:
            match = _BACKSLASH.match(text, token.start)
            if match:
                done = match.end()
                yield match.start(), done, match[1], match[2]


def _cut_dot(text: str) -> Iterator[tuple[int, int, str, str]]:
    for match in _DOT.finditer(text):
        yield match.start(), match.end(), match[1].lower(), match[2]


def _cut_mysql(text: str) -> Iterator[tuple[int, int, str, str]]:
    for match in _MYSQL.finditer(text):
        name, argument, end = match[1] or match[2].lower(), match[3], match.end()
        if ";" in argument and name != "delimiter":  # the command ends there; what follows is the next statement
            end = match.start(3) + argument.index(";")
            argument = argument if name in ("!", "system") else argument[: argument.index(";")]
        yield match.start(), end, name, argument


_CUTS = {
    "psql": (_cut_psql, _PSQL),
    "sqlite3": (_cut_dot, _SQLITE),
    "duckdb": (_cut_dot, _SQLITE),
    "mysql": (_cut_mysql, _MYSQL_DEEDS),
}
_CLIENTS = {
    "sqlite": "sqlite3",
    "mariadb": "mysql",
    "postgres": "psql",
    "postgresql": "psql",
    "pgcli": "psql",
    "mycli": "mysql",
    "litecli": "sqlite3",
}


def _act(found: _Commands, deed: _Deed | None, argument: str, around: Surroundings) -> None:
    """One command; back-quotes in any argument of psql run a shell."""
    if deed is not _RUNNING:
        for match in _BACKTICK.finditer(argument):
            found.shell(match[1])
    if deed is not None and (argument.strip() or deed not in (_WRITING, _RUNNING)):
        deed(found, argument, around)


def split(payload: Payload, client: str, around: Surroundings) -> tuple[str, Reading]:
    """The SQL of a text, and what the commands of ``client`` in it do."""
    cuts = _CUTS.get(_CLIENTS.get(client, client))
    if cuts is None:
        return payload.text, Reading()
    cut, deeds = cuts
    found, kept, at = _Commands(payload), [], 0
    for start, end, name, argument in cut(payload.text):
        kept += [payload.text[at:start], ";"]
        at = end
        _act(found, deeds.get(name), argument, around)
    return "".join([*kept, payload.text[at:]]), found.reading()
