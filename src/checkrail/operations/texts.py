"""Text arguments of tools that do something: commands, code, SQL, queries and URLs as payloads."""

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from checkrail.context import Surroundings
from checkrail.knowledge import network
from checkrail.knowledge.commands import commands
from checkrail.model import Event, Payload
from checkrail.operations.files import absolute
from checkrail.operations.names import UNKNOWN, judge_words
from checkrail.operations.shapes import GRAPHQL, INSIDE, NAME, SQL, URL, Leaf, argv, beside, dialect, plain

_WEAK_SQL = (
    "show",
    "describe",
    "explain",
    "begin",
    "commit",
    "rollback",
    "values",
    "table",
    "with",
    "call",
    "pragma",
    "set",
    "vacuum",
    "exec",
    "do",
)
_DATABASE = frozenset({"sql", "db", "database"})
_MUTE = frozenset({"search", "find", "ask", "docs", "documentation", "web", "grep", "glob"})
_HEADERS = frozenset({"headers", "header", "authorization", "cookies", "auth"})
_MOST_CONTENT = 65_536
_STORING = frozenset({"create", "update", "local", "send"})
_HTTP_VERBS = frozenset({"post", "put", "patch", "delete", "head", "options", "get"})


class Tool(msgspec.Struct, frozen=True, kw_only=True):
    """A call of a tool whose arguments are looked at."""

    event: Event
    around: Surroundings
    server: str
    name: str
    said: tuple[str, ...]  # words of server and tool
    own: tuple[str, ...]  # words of the tool alone
    group: str

    @property
    def runner(self) -> bool:
        """Whether the tool runs commands, by its name."""
        return not network.tools().names.runners.isdisjoint(self.said)

    @property
    def program(self) -> str:
        """The program whose arguments the tool takes; empty where there is none."""
        names = network.tools().names
        return next((word for word in reversed(self.said) if word in names.programs and self._meant(word)), "")

    def _meant(self, word: str) -> bool:
        """Whether a program's name is meant as one: ``make_payment`` makes, ``make_target`` and ``run_make`` build."""
        if judge_words((word,)) == UNKNOWN or word not in self.own:
            return True
        near = network.tools().names.runners | {"cli", "target", "targets", "build", "makefile"}
        return self.own == (word,) or not near.isdisjoint(self.own)

    @property
    def generic(self) -> bool:
        """Whether the tool's own name says no more than "run something of this program"."""
        tables = network.tools()
        return bool(self.program) and set(self.own) <= tables.weak.words | tables.names.runners | {self.program, "cli"}

    @property
    def database(self) -> bool:
        """Whether the tool talks to an SQL database, by its name."""
        return bool(dialect(self.said)) or not _DATABASE.isdisjoint(self.said)


def _elsewhere(tool: Tool, around_value: Mapping[str, Any]) -> str:
    """Where a command would run, empty for this machine."""
    if network.tools().names.remote.isdisjoint(tool.said):
        return ""
    return (
        beside(around_value, frozenset({"host", "hostname", "connection", "container", "pod", "server"}))
        or tool.server
        or tool.name
    )


def _payload(tool: Tool, language: str, text: str, within: Mapping[str, Any], **options: str) -> Payload:
    cwd = beside(within, network.tools().arguments.cwd)
    host = _elsewhere(tool, within) if language in ("shell", "powershell", "python", "node") else ""
    return Payload(
        language=language,
        text=text,
        cwd=None if host else absolute(cwd, tool.event.cwd, tool.around.home) if cwd else tool.event.cwd or None,
        host=host,
        via=(f"{tool.server}/{tool.name}".strip("/"),),
        options=tuple((name, value) for name, value in options.items() if value),
    )


def _with_program(tool: Tool, text: str) -> str:
    first = text.split(None, 1)[0] if text.strip() else ""
    named = tool.program
    direct = not network.tools().names.runners.isdisjoint(tool.own) and named not in tool.own
    return text if not named or direct or first.rpartition("/")[2] in ("sudo", named) else f"{named} {text}"


_TYPED = frozenset({"keys", "input", "script", "text", "line", "inputtext", "chars", "keystrokes"})
"""What is typed into a running program, which as a rule is a shell."""


def command(tool: Tool, leaf: Leaf) -> Payload | None:
    """A shell command in a text argument."""
    known = network.tools().arguments
    keyed = leaf.key in known.command
    acting = leaf.key in known.action and tool.generic
    keys = leaf.key in _TYPED and not network.tools().names.runners.isdisjoint(tool.own)
    if (
        not (keyed or acting or keys)
        or leaf.key in known.argv
        or (tool.group == "read" and not (keyed or acting))
        or (tool.group == "create" and not (keyed or acting or keys))
    ):
        return None
    if not tool.runner and not tool.program and NAME.fullmatch(leaf.value):
        return None
    words = argv(next((value for name, value in leaf.beside.items() if plain(str(name)) in known.argv), None))
    text = f"{leaf.value} {words}" if words else leaf.value
    language = "powershell" if {"powershell", "pwsh"} & {*tool.said, leaf.key} else "shell"
    return _payload(tool, language, _with_program(tool, text), leaf.beside)


def command_list(tool: Tool, key: str, value: Sequence[Any], within: Mapping[str, Any]) -> Payload | None:
    """A list of texts that is one command line (``["git", "reset", "--hard"]``) or the arguments of a known program."""
    known = network.tools().arguments
    words = argv(value)
    if not words or any(plain(str(name)) in known.command and isinstance(entry, str) for name, entry in within.items()):
        return None
    if key in known.command and not any(" " in entry for entry in value):
        return _payload(tool, "shell", _with_program(tool, words), within)
    if key in known.argv and (tool.program or not network.tools().names.runners.isdisjoint(tool.own)):
        return _payload(tool, "shell", _with_program(tool, words), within)
    return None


def bare_command(tool: Tool, key: str, value: Sequence[Any]) -> Payload | None:
    """``args: ["git", "push", "--force"]`` for a tool whose name tells nothing: what it would do as a command line.

    It adds to the answer and never stands for it: the tool may do something else with the list.
    """
    words = argv(value)
    if not words or key not in network.tools().arguments.argv or tool.group not in ("execute", "unknown"):
        return None
    first = value[0].rpartition("/")[2]
    return _payload(tool, "shell", words, {}, guess="yes") if first in commands() and len(value) > 1 else None


_MOST_GUESSED = 2_000


def guessed(tool: Tool, leaf: Leaf) -> Payload | None:
    """A text under a name that tells nothing, for a tool that runs something: only what it would harm as a command counts."""
    if tool.group not in ("execute", "unknown") or leaf.key in network.tools().arguments.prose - {"query", "value"}:
        return None
    first, space, _ = leaf.value.strip().partition(" ")
    known = space and len(leaf.value) < _MOST_GUESSED and first.rpartition("/")[2] in commands()
    return _payload(tool, "shell", leaf.value, leaf.beside, guess="yes") if known else None


_GIT = frozenset({"push", "reset", "clean", "rebase", "merge", "checkout", "branch", "stash", "tag", "commit", "pull", "fetch", "add", "revert", "restore", "switch", "rm", "mv", "worktree", "remote", "cherry"})  # fmt: skip
_GIT_WORDS = ("remote", "remotename", "name", "branch", "branchname", "ref", "revision", "target", "commit", "commitref", "source", "path", "paths", "files", "startpoint")  # fmt: skip


def _git_mode(verb: str, mode: str) -> list[str]:
    """A ``mode`` or ``operation`` argument as the words of git's command line."""
    if not NAME.fullmatch(mode):
        return []
    if verb in ("branch", "tag", "reset", "merge", "rebase", "clean", "checkout"):
        return {"delete": ["-D"] if verb == "branch" else ["-d"], "create": [], "show": [], "start": []}.get(
            mode, [f"--{mode}"]
        )
    return [mode]


def git_line(tool: Tool, given: Mapping[str, Any]) -> Payload | None:
    """The command line that a tool such as ``git_push`` stands for, so that it meets the same rules as in a shell."""
    if len(tool.own) < 2 or tool.own[0] != "git" or tool.own[1] not in _GIT:
        return None
    verb = "cherry-pick" if tool.own[1] == "cherry" else tool.own[1]
    flags = [
        f"--{name.replace('_', '-')}" for name, value in given.items() if value is True and NAME.fullmatch(str(name))
    ]
    mode = _git_mode(verb, beside(given, frozenset({"mode", "operation", "action", "subcommand"})))
    words = [beside(given, frozenset({key})) for key in _GIT_WORDS]
    values = [line for word in words for line in word.split("\n") if line and not line.startswith("-")]
    message = ["-m", "message"] if verb == "commit" else []
    return _payload(tool, "shell", shlex.join(["git", verb, *mode, *flags, *message, *values]), given)


_CODE = frozenset({"code", "script", "js", "javascript", "python", "pythoncode", "py", "pagefunction", "sourcecode"})
"""Names that mean code even for a tool that only looks."""


def code(tool: Tool, leaf: Leaf) -> tuple[Payload | None, str]:
    """Source code in an argument: a payload where the language is known, else the name of what stays opaque."""
    names = network.tools().names
    if leaf.key not in network.tools().arguments.code or tool.group in ("create", "update", "send"):
        return None, ""
    if tool.group in ("read", "compute") and leaf.key not in _CODE:
        return None, ""
    told = beside(leaf.beside, frozenset({"language", "lang", "runtime", "interpreter"})).lower()
    said = {*tool.said, told, leaf.key}
    if not names.browser_code.isdisjoint(said):
        return None, "code that runs in a page"
    for language, known in (
        ("python", names.python_code),
        ("node", names.node_code),
        ("shell", frozenset({"bash", "sh", "shell"})),
    ):
        if not known.isdisjoint(said):
            return _payload(tool, language, leaf.value, leaf.beside), ""
    if leaf.value.startswith("#!"):
        return _payload(tool, "shell", leaf.value, leaf.beside), ""
    return None, ""


def sql(tool: Tool, leaf: Leaf) -> Payload | None:
    """SQL in an argument: under a name for it, or by its own look under any other."""
    known = network.tools().arguments
    match = SQL.match(leaf.value)
    named = leaf.key in (
        "sql",
        "statement",
        "statements",
        "sqlquery",
        "rawsql",
        "querytext",
        "sqlstatement",
        "sqltext",
        "ddl",
    )
    target = tool.server or tool.name
    options = {"dialect": dialect(tool.said), "target": target}
    if tool.database and (named or (leaf.key in ("query", "queries", "q") and not GRAPHQL.match(leaf.value))):
        return _payload(tool, "sql", leaf.value, leaf.beside, **options)
    if not match or (leaf.key not in known.sql and leaf.key in known.prose):
        return None
    head = match[0].strip(" \t\r\n;(").split(None, 1)[0].lower() if match[0].strip() else ""
    weak = head.startswith(_WEAK_SQL)
    if not tool.database and not named and (weak or _MUTE & set(tool.own) or leaf.key in known.prose - {"query"}):
        return None
    return _payload(tool, "sql", leaf.value, leaf.beside, **options)


def query(tool: Tool, leaf: Leaf) -> Payload | None:
    """GraphQL and Redis commands."""
    names = network.tools().names
    if leaf.key in ("query", "mutation", "graphql", "document", "operation", "gql") and GRAPHQL.match(leaf.value):
        return _payload(tool, "graphql", leaf.value, leaf.beside)
    if leaf.key in ("command", "cmd", "query") and not names.redis.isdisjoint(tool.said):
        return _payload(tool, "redis", leaf.value, leaf.beside)
    if (
        leaf.key in ("command", "cmd", "query", "script", "eval")
        and not names.mongo.isdisjoint(tool.said)
        and "db." in leaf.value
    ):
        return _payload(tool, "mongo", leaf.value, leaf.beside)
    return None


def _method(tool: Tool, within: Mapping[str, Any]) -> str:
    told = beside(within, network.tools().arguments.method).upper()
    if told:
        return told
    verb = next((word for word in tool.own if word in _HTTP_VERBS), "")
    if verb and tool.group in ("send", "delete", "update", "create"):
        return verb.upper()
    return "POST" if tool.group in ("send", "publish") else ""


def _content(within: Mapping[str, Any], names: frozenset[str]) -> str:
    """What stands under one of the names as one text, an object as JSON."""
    for name, value in within.items():
        if plain(str(name)) in names and isinstance(value, str | dict | list):
            return value if isinstance(value, str) else msgspec.json.encode(value).decode()[:_MOST_CONTENT]
    return ""


_FETCHING = frozenset({"fetch", "scrape", "crawl", "browse"})


def urls(tool: Tool, leaf: Leaf) -> tuple[Payload, ...]:
    """URLs: a text that is one, or those inside an instruction to something that will follow it."""
    known = network.tools().arguments
    if tool.group in _STORING and leaf.key in known.prose | known.content:
        return ()  # a text that is kept or read by people: nothing follows it now
    if URL.match(leaf.value) and not any(letter.isspace() for letter in leaf.value.strip()):
        body = _content(leaf.beside, known.body - {leaf.key})
        method, data = _method(tool, leaf.beside), "literal" if body else ""
        headers = _content(leaf.beside, _HEADERS)
        options = {"method": method, "data": data if method else "", "body": body, "headers": headers}
        return (_payload(tool, "url", leaf.value, {}, **options),)
    if leaf.key in known.task and (tool.group != "read" or not _FETCHING.isdisjoint(tool.own)):
        found = dict.fromkeys(INSIDE.findall(leaf.value)[:32])
        return tuple(_payload(tool, "url", text, {}) for text in found)
    return ()
