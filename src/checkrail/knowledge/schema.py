"""The shape of ``knowledge/commands/*.toml``: what a command does, by subcommand, option and operand.

A file holds ``[[command]]`` tables; a command may hold ``[[command.sub]]`` tables of the same shape
(to any depth) and ``[[command.rule]]`` tables. Names are given once, most general first. Everything that is
a list of words is matched after quotes, bundles (``-xvf``), attached values (``-oF``, ``--out=F``) and
unambiguous prefixes of long options (``--out`` for ``--output``) have been undone.
"""

from typing import Literal

import msgspec

EffectName = Literal[
    "pure",  # computes or shows; reads only what its operands name
    "local",  # makes or changes something here that is easily undone or made again
    "network",  # fetches or asks over the network, changes nothing there
    "shared",  # changes shared state that can be changed back (a branch, an issue, a deployment)
    "external",  # reaches people or the public and cannot be taken back (publish, send, pay)
    "loses",  # may lose local work that is hard to get back
    "destroys",  # destroys local data for good
    "destroys-shared",  # destroys shared or remote data for good
    "host",  # changes the machine itself (services, packages, clock, network, kernel)
    "stops",  # ends processes
    "privilege",  # gains rights or weakens protection
    "secret",  # prints or hands out secrets
    "runs",  # runs other code that this line does not show in a way worth a question
    "code",  # runs the project's own code, as its developers do: no opinion
    "install",  # fetches and installs third-party code into the project: no opinion
    "packages",  # installs or refreshes packages of the system from its own sources: noted, also with root's rights
]

Role = str
"""What an operand or an option's value is to the command. One of :data:`ROLES`; ``code:LANG``, ``script:LANG``
and ``sql:DIALECT`` name a language. In a list of operand roles the last one may end in ``...`` (repeats), and a
first one may (all but the rest): ``["read...", "write"]``."""

ROLES = (
    "text",  # inert: a pattern, a name, a number
    "read",  # a file whose content is read
    "list",  # a file or directory of which only names or metadata are shown
    "write",  # a file that is created or overwritten
    "append",  # a file that is added to
    "create",  # made new; what exists stays
    "prefix",  # files are made whose names begin like this
    "edit",  # a file changed in place
    "delete",  # removed
    "source",  # moved away from here
    "mode",  # permissions, owner or attributes changed
    "send",  # a file whose content leaves the machine
    "into",  # a directory (or file) that receives copies
    "dir",  # the directory that the command works in (like git -C, make -C)
    "program",  # a program that is run
    "shell",  # a string that a shell runs
    "argv",  # the first word of a command line that runs: everything from here on
    "url",  # fetched from or talked to
    "host",  # a host talked to
    "remote-path",  # [user@]host:path or a local path
    "process",  # a process id or name
    "service",
    "package",  # a package that is removed
    "database",
    "repository",
    "cloud",
    "device",
    "assignment",  # NAME=value for what runs next
)


class Option(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An option whose value matters. ``optional``: a value counts only where it is attached."""

    names: tuple[str, ...]
    role: Role = "text"
    optional: bool = False


class Rule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An effect under a condition; every condition that is given must hold.

    ``any``/``all``/``none``: options present (as named in the entry, or ``--opt=glob`` to ask for the value too).
    ``operand``: globs of which one must match some operand; ``not_operand``: none may. ``but``: not where each operand matches one. ``first``: globs for the first operand.
    ``min``/``max``: number of operands. ``instead`` drops the entry's own effect and operand roles.
    ``roles`` replaces the operand roles while the rule holds. ``unless``: globs of assignments (``RAILS_ENV=test``) of which none
    may be in the command's environment on this line.
    """

    id: str
    reason: str = ""
    effect: EffectName | None = None
    any: tuple[str, ...] = ()
    all: tuple[str, ...] = ()
    none: tuple[str, ...] = ()
    operand: tuple[str, ...] = ()
    not_operand: tuple[str, ...] = ()
    but: tuple[str, ...] = ()
    first: tuple[str, ...] = ()
    min: int = 0
    max: int = 1_000_000
    instead: bool = False
    roles: tuple[Role, ...] = ()
    unless: tuple[str, ...] = ()
    decision: Literal["", "ask", "deny"] = ""
    safer: str = ""
    hits: tuple[str, ...] = ()
    misses: tuple[str, ...] = ()


class Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A command or subcommand.

    ``flags`` take no value, ``values`` take one that is inert, ``options`` take one that matters,
    ``attached`` may have one attached that is inert. ``recursive`` are flags that make deletion, mode changes and copies go
    down the tree (``*``: they always do); ``dry`` flags turn every effect off; ``stop`` ends options at the first operand;
    ``single`` means long options
    with one dash (``-auto-approve``, ``-out=f``); ``exact`` means no abbreviation of long options. ``unknown`` is the effect of a
    subcommand that no ``sub`` names. ``special`` names a reader of the command's little language in ``readers/shell/special``.
    ``stdin`` tells what the command takes its input for when no operand names a file: ``data`` or a language that runs it.
    ``runs`` are files of the folder that it runs as ``language:glob``: they are read where this very line writes them.
    ``output`` says what its output is: ``stdin`` (a filter), ``remote``, ``decoded``, ``secret``, ``files`` (what its reads hold), ``fresh``.
    """

    names: tuple[str, ...]
    summary: str = ""
    effect: EffectName = "pure"
    reason: str = ""
    safer: str = ""
    operands: tuple[Role, ...] = ("text...",)
    flags: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    attached: tuple[str, ...] = ()
    option: tuple[Option, ...] = ()
    recursive: tuple[str, ...] = ()
    dry: tuple[str, ...] = ()
    stop: bool = False
    single: bool = False
    exact: bool = False
    special: str = ""
    stdin: str = "data"
    runs: tuple[str, ...] = ()
    output: Literal["fresh", "stdin", "files", "remote", "decoded", "secret"] = "fresh"
    unknown: EffectName | None = None
    sub: tuple["Entry", ...] = ()
    rule: tuple[Rule, ...] = ()
    allow: tuple[str, ...] = ()
    ask: tuple[str, ...] = ()


class File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One knowledge file."""

    command: tuple[Entry, ...]
