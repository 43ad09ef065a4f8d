"""The format of the regression corpus: what a case says, read strictly, and rewritten in place.

A file ``regression_cases/<topic>.toml`` is a list of ``[[case]]`` tables; each is one call on a frozen machine and the
decision that it deserves. ``docs/cli.md`` describes the keys.
"""

import os
import re
import tomllib
from typing import Any, Literal

import msgspec

from checkrail.facts.host import FrozenHost
from checkrail.policy.files import File

Expectation = Literal["allow", "ask", "deny", "ask_or_deny"]


class CorpusError(ValueError):
    """A corpus file that cannot be used; the message names file, case and key."""


class Before(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A call earlier in the session of a case, and what came back. ``told`` unset: the agent says nothing of its end."""

    tool: str = "Bash"
    command: str | None = None
    input: dict[str, Any] | None = None
    result: Any = ""
    failed: bool = False
    told: bool = True
    repeat: int = 1

    def events(self, cwd: str, number: str) -> tuple[bytes, bytes]:
        """The call as it was announced, and as it was told to be finished (empty where it was not)."""
        given = self.input if self.input is not None else {"command": self.command}
        told = {"tool_name": self.tool, "tool_input": given, "cwd": cwd, "session_id": SESSION, "tool_use_id": number}
        name = "PostToolUseFailure" if self.failed else "PostToolUse"
        after = {**told, "hook_event_name": name, "error" if self.failed else "tool_response": self.result}
        before = msgspec.json.encode({**told, "hook_event_name": "PreToolUse"})
        return before, msgspec.json.encode(after) if self.told else b""


SESSION = "story"
"""The session of a case that has calls before it."""


class Case(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One call and what it deserves. Exactly one of ``command``, ``input`` and ``raw`` says what is called.

    ``files`` is the frozen machine: path to content; a path that ends in ``/`` is a directory, a content that starts
    with ``@`` a link. ``~/`` stands for ``home``. ``rules`` must all be among the findings, ``absent`` must not. ``before`` are
    calls of the same session that went before.
    """

    name: str
    expect: Expectation
    why: str = ""
    tool: str = "Bash"
    command: str | None = None
    input: dict[str, Any] | None = None
    raw: str | None = None
    agent: str = "claude"
    cwd: str = "/work/app"
    project: str = ""
    home: str = "/home/dev"
    files: dict[str, str] = {}
    environment: dict[str, str] = {}
    folds_case: bool = False
    policy: File = File()
    rules: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    before: tuple[Before, ...] = ()

    def __post_init__(self) -> None:
        """Refuses a case that says nothing, or more than one thing."""
        if sum(value is not None for value in (self.command, self.input, self.raw)) != 1:
            raise ValueError("a case needs exactly one of command, input and raw")
        if not self.cwd.startswith("/") or not self.home.startswith("/"):
            raise ValueError("cwd and home must be absolute")

    def host(self) -> FrozenHost:
        """The frozen machine of the case: its home and working directory always exist."""
        files: dict[str, str | None] = {self.home: None, self.cwd: None}
        for path, content in self.files.items():
            place = self.home + path[1:] if path.startswith("~/") else path
            files[place.rstrip("/") or "/"] = None if place.endswith("/") else content
        return FrozenHost(self.home, files, {"HOME": self.home, **self.environment}, self.folds_case)

    def event(self) -> bytes:
        """The call as the agent would send it."""
        if self.raw is not None:
            return self.raw.encode("utf-8", "surrogatepass")
        given = self.input if self.input is not None else {"command": self.command}
        told = {"hook_event_name": "PreToolUse", "tool_name": self.tool, "tool_input": given, "cwd": self.cwd}
        return msgspec.json.encode({**told, "session_id": SESSION} if self.before else told)


class Document(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One file of the corpus."""

    case: tuple[Case, ...] = ()


class Located(msgspec.Struct, frozen=True):
    """A case and where it stands: file, and its number there from 0."""

    path: str
    index: int
    case: Case


def parse(text: str, path: str) -> tuple[Located, ...]:
    """The cases of one file. Raises :class:`CorpusError` with file, case number and key."""
    try:
        cases = msgspec.convert(tomllib.loads(text), Document).case
    except tomllib.TOMLDecodeError as error:
        raise CorpusError(f"{path}: {error}") from None
    except msgspec.ValidationError as error:
        raise CorpusError(f"{path}: {_named(text, str(error))}") from None
    names = [case.name for case in cases]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise CorpusError(f"{path}: two cases are called {twice[0]!r}")
    return tuple(Located(path, index, case) for index, case in enumerate(cases))


def _named(text: str, message: str) -> str:
    """The message with the line where its case starts."""
    found = re.search(r"\$\.case\[(\d+)\]", message)
    starts = [number for number, line in enumerate(text.splitlines(), 1) if line.strip() == "[[case]]"]
    return f"line {starts[int(found[1])]}: {message}" if found and int(found[1]) < len(starts) else message


def files_of(paths: list[str]) -> list[str]:
    """The corpus files that ``paths`` (files and directories) name, sorted. Raises CorpusError for a missing one."""
    found: list[str] = []
    for path in paths:
        if os.path.isdir(path):
            below = [os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names]
            found += sorted(name for name in below if name.endswith(".toml"))
        elif os.path.isfile(path):
            found.append(path)
        else:
            raise CorpusError(f"{path}: there is no such file or directory")
    return found


def load(paths: list[str]) -> tuple[Located, ...]:
    """Every case that ``paths`` name. Raises :class:`CorpusError`."""
    found: list[Located] = []
    for path in files_of(paths):
        with open(path, encoding="utf-8") as handle:
            found += parse(handle.read(), path)
    return tuple(found)


_EXPECT = re.compile(r'^(\s*expect\s*=\s*)"[a-z_]*"', re.MULTILINE)


def rewritten(text: str, expectations: dict[int, str]) -> str:
    """``text`` with the ``expect`` of the numbered cases replaced; everything else stays byte for byte."""
    parts = re.split(r"(?m)^(?=\[\[case\]\][ \t]*(?:#.*)?$)", text)
    lead = 1 if not parts[0].startswith("[[case]]") else 0
    for index, decision in expectations.items():
        parts[index + lead] = _EXPECT.sub(rf'\g<1>"{decision}"', parts[index + lead], count=1)
    return "".join(parts)
