"""The words of Checkrail, each defined once: frozen data, no logic beyond order.

Everything that crosses a module border is one of these. Strings are kept as the
program would receive them; a part that cannot be known before running is the
one character :data:`HOLE`, never a guess.
"""

import enum
from typing import Any, Literal

import msgspec

HOLE = "\ufffc"
"""Stands in a resolved text for a part that only running would tell. Input that holds the
character itself is treated as unknown too, which can only make an answer stricter."""

SOME = "\ufffb"
"""Like :data:`HOLE`, but surely not empty and no path by itself: a process id, a date, the name that
``mktemp`` makes up. A path under a known folder stays under it."""


class Ordered(enum.StrEnum):
    """A string enumeration whose members are ordered as written."""

    @property
    def rank(self) -> int:
        """Position in the definition, from 0."""
        return list(type(self)).index(self)


class Decision(Ordered):
    """What the agent is told. The strictest of several wins."""

    ALLOW = "allow"
    ASK = "ask"
    DENY = "deny"


class Band(Ordered):
    """Projection of the axes (see :mod:`checkrail.bands`)."""

    AUTO = "auto"
    SOFT_ACK = "soft-ack"
    ESCALATE = "escalate"


class Reversibility(Ordered):
    """Can the actor undo the effect without anyone's help?"""

    REVERSIBLE = "reversible"
    HARD = "hard-to-reverse"
    IRREVERSIBLE = "irreversible"


class Scope(Ordered):
    """Where the effect lands."""

    LOCAL = "local"
    SHARED = "shared-remote"
    EXTERNAL = "external"


class Trust(Ordered):
    """Where the parameters of an operation come from."""

    TRUSTED = "trusted"
    UNTRUSTED = "untrusted"


class EventKind(enum.StrEnum):
    """What moment of the agent's work an event reports."""

    PRE = "pre"
    POST = "post"
    SESSION = "session"
    CONFIG = "config"
    OTHER = "other"


class Asking(enum.StrEnum):
    """Whether the agent that sends an event can put a question to a person."""

    SHOWS = "shows"  # it shows the question itself
    CANNOT = "cannot"  # headless, a mode that swallows questions, an event or an agent without any
    ASKING = "asking"  # a person is being asked already


class Action(enum.StrEnum):
    """What an effect does to its target."""

    READ = "read"
    WRITE = "write"
    APPEND = "append"
    CREATE = "create"  # makes something new, keeps what is there
    DELETE = "delete"
    MODE = "mode"  # permissions, ownership, attributes
    EXECUTE = "execute"
    SEND = "send"
    RECEIVE = "receive"
    STOP = "stop"  # ends a process, service or machine
    PRIVILEGE = "privilege"
    CONFIGURE = "configure"
    CHANGE = "change"  # any other change of state


class TargetKind(enum.StrEnum):
    """What kind of thing an effect touches."""

    PATH = "path"
    URL = "url"
    HOST = "host"
    REPOSITORY = "repository"
    DATABASE = "database"
    PROCESS = "process"
    SERVICE = "service"
    PACKAGE = "package"
    CONTAINER = "container"
    CLOUD = "cloud"
    CODE = "code"
    SECRET = "secret"  # a secret that is not a file: the environment, a keychain, a vault
    SYSTEM = "system"
    TOOL = "tool"


class Span(msgspec.Struct, frozen=True, gc=False):
    """Characters ``start`` to ``end`` (exclusive) of the root text of an operation."""

    start: int = 0
    end: int = 0


NOWHERE = Span()


class Axes(msgspec.Struct, frozen=True, gc=False):
    """The three axes; the default is the harmless end of each."""

    reversibility: Reversibility = Reversibility.REVERSIBLE
    scope: Scope = Scope.LOCAL
    trust: Trust = Trust.TRUSTED


class Target(msgspec.Struct, frozen=True, gc=False):
    """What is touched. A path is absolute and lexically normal unless it starts with a HOLE.

    ``host`` is empty for this machine; otherwise the path lies elsewhere (an ssh host, a
    container) and nothing about it can be looked up here.
    """

    kind: TargetKind
    value: str = ""
    host: str = ""


SCRATCHED = ".scratch"
"""End of the rule of a deletion below ``$TMPDIR``, wherever that is: temporary by its name, unless it is not set."""


class Effect(msgspec.Struct, frozen=True, kw_only=True):
    """One thing an operation would do.

    ``axes`` and ``decision`` are set where knowledge states them; otherwise the gates judge
    by the target. ``rule`` names the knowledge that produced the effect.
    """

    action: Action
    target: Target
    rule: str
    axes: Axes | None = None
    decision: Decision | None = None
    reason: str = ""
    safer: str = ""
    command: str = ""
    recursive: bool = False
    span: Span = NOWHERE
    content: str | None = None  # for writes: what is written, where it is known
    previous: str | None = None  # for edits: what the content replaces
    via: tuple[str, ...] = ()  # how the text was reached, outermost first


class Payload(msgspec.Struct, frozen=True, kw_only=True):
    """A piece of text that does something, in a language that a reader knows.

    ``cwd`` is None where it cannot be known. ``host`` is where it would run (empty: here).
    """

    language: str
    text: str
    cwd: str | None
    variables: tuple[tuple[str, str], ...] = ()
    span: Span = NOWHERE
    host: str = ""
    depth: int = 0
    via: tuple[str, ...] = ()
    options: tuple[tuple[str, str], ...] = ()  # e.g. ("dialect", "postgres")


class Unread(msgspec.Struct, frozen=True, kw_only=True):
    """Something a reader could not read, by name: it is never taken as harmless."""

    what: str
    span: Span = NOWHERE
    via: tuple[str, ...] = ()


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """What a piece of text would do.

    ``opaque`` names things that run but cannot be judged (an unknown program, the project's
    own code): no opinion, and no explicit allow. ``commands`` are the command lines that would
    run, expanded, for the policy's rows about commands; ``scripts`` are the files on this machine whose code would run, as
    absolute paths, whether or not they could be read; ``texts`` are the shell texts within the text that were followed.
    """

    effects: tuple[Effect, ...] = ()
    payloads: tuple[Payload, ...] = ()
    unread: tuple[Unread, ...] = ()
    opaque: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    scripts: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()


UNNAMED = "?"
"""Stands for a parent session of which the agent tells that there is one, and not which."""


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """What an agent said, decoded. ``fault`` says why it could not be understood whole."""

    agent: str
    kind: EventKind
    name: str = ""  # the event in the agent's own words, which the answer has to repeat
    tool: str = ""
    input: dict[str, Any] = {}
    cwd: str = ""
    project: str = ""
    session: str = ""
    parent: str = ""  # the session that started this one, where a sub-agent has one of its own
    subagent: str = ""
    call: str = ""
    mode: str = ""
    plugin: str = ""
    server: str = ""  # the MCP server whose tool is called, where the agent says so
    launch: str = ""  # its command line or address, where the agent says that instead
    asking: Asking = Asking.SHOWS
    fault: str = ""
    result: Any = None


class Operation(msgspec.Struct, frozen=True, kw_only=True):
    """An event made uniform: what it does directly, and the texts it would run."""

    kind: str  # command, file, fetch, mcp, agent, search, unknown
    summary: str
    text: str = ""  # the root text that spans point into
    effects: tuple[Effect, ...] = ()
    payloads: tuple[Payload, ...] = ()
    unread: tuple[Unread, ...] = ()
    opaque: tuple[str, ...] = ()


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One judgement: the rule, what it weighs, where in the text, why, and a safer way."""

    rule: str
    reason: str
    gate: str
    axes: Axes | None = None
    decision: Decision | None = None
    safer: str = ""
    span: Span = NOWHERE
    target: str = ""
    floor: bool = False
    hard: bool = False  # no profile moves it
    via: tuple[str, ...] = ()


class Approval(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a question outside the agent. The number authorizes nothing.

    ``state`` is waiting (a person may still answer), used (a person said yes to exactly this call, and this was the one
    time) or refused. ``after`` is the number of a request for the same call whose approval is used up: the call is a replay.
    """

    state: Literal["waiting", "used", "refused"]
    request: int
    uid: int | None = None
    user: str = ""
    tty: str = ""
    time: str = ""
    after: int = 0


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """The answer and everything that led to it.

    ``judged`` is what rules and policy said, where the answer differs from it; see :mod:`checkrail.approvals`.
    """

    decision: Decision
    band: Band
    findings: tuple[Finding, ...] = ()
    errors: tuple[str, ...] = ()
    understood: bool = False  # every part was read and known
    reads_only: bool = False  # nothing but harmless reads: an explicit allow may be given
    stakes: tuple[str, ...] = ()  # what a person should know before saying yes
    operation: Operation | None = None
    reading: Reading = Reading()
    guidance: tuple[str, ...] = ()  # rules that the agent is told, where it has to judge for itself
    judged: Decision | None = None
    approval: Approval | None = None
