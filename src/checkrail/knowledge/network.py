"""What is known about hosts, SQL and MCP tools: the schema of three tables and their loader."""

from functools import cache
from pathlib import Path
from typing import TypeVar

import msgspec

from checkrail.model import Action, Axes, Reversibility, Scope, Trust

_HERE = Path(__file__).parent


class HostClass(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One class of hosts: CIDR ranges, exact names, and suffixes (the name itself and all below it)."""

    name: str
    about: str = ""
    networks: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = ()


class Suffixes(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Name endings."""

    suffixes: frozenset[str]


class Labels(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Labels of well-known names."""

    labels: frozenset[str]


class Paths(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Beginnings of URL paths, in lower case."""

    paths: tuple[str, ...]


class Parameters(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Names of query parameters, in lower case."""

    parameters: frozenset[str]


class Endings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """File endings with their dot, in lower case."""

    endings: tuple[str, ...]


class Ports(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Ports as they are written in an address."""

    ports: frozenset[str]


class Schemes(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """URL schemes by what they do."""

    web: frozenset[str]
    transfer: frozenset[str]
    database: frozenset[str]
    inert: frozenset[str]


class Hosts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``hosts.toml``."""

    classes: tuple[HostClass, ...] = msgspec.field(name="class")
    embedding: Suffixes
    known: Labels
    confusable: dict[str, str]
    metadata: Paths
    redirect: Parameters
    executable: Endings
    credential: Parameters
    signed: Parameters
    stores: Ports
    schemes: Schemes


_T = TypeVar("_T")


def load(name: str, schema: type[_T], folder: Path = _HERE) -> _T:
    """Decode one table of ``folder``. Raises ValueError that names the file and the place in it."""
    path = folder / name
    try:
        return msgspec.toml.decode(path.read_bytes(), type=schema)
    except (OSError, msgspec.DecodeError) as error:
        raise ValueError(f"{path}: {error}") from error


@cache
def hosts() -> Hosts:
    """The table of host classes."""
    return load("hosts.toml", Hosts)


class ToolClass(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a group of verbs does."""

    name: str
    action: Action
    words: frozenset[str]


class ToolAxes(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The axes of a class of tools."""

    name: str = msgspec.field(name="class")
    reversibility: Reversibility = Reversibility.REVERSIBLE
    scope: Scope = Scope.LOCAL
    trust: Trust = Trust.TRUSTED

    def axes(self) -> Axes:
        """As the model's axes."""
        return Axes(self.reversibility, self.scope, self.trust)


class ToolObject(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Objects that turn a verb of one class into another class."""

    classes: frozenset[str]
    words: frozenset[str]
    become: str


class Words(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A set of words."""

    words: frozenset[str]


class Arguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Names of arguments, lower case, letters and digits only."""

    sql: frozenset[str]
    command: frozenset[str]
    code: frozenset[str]
    path: frozenset[str]
    maybe_path: frozenset[str]
    output: frozenset[str]
    source: frozenset[str]
    content: frozenset[str]
    previous: frozenset[str]
    prose: frozenset[str]
    task: frozenset[str]
    recipient: frozenset[str]
    person: frozenset[str]
    host: frozenset[str]
    method: frozenset[str]
    body: frozenset[str]
    action: frozenset[str]
    cwd: frozenset[str]
    repository: frozenset[str]
    argv: frozenset[str]
    force: frozenset[str]
    hosts_remote: frozenset[str]


class ToolNames(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Words in the names of servers and tools that tell what is behind them."""

    runners: frozenset[str]
    remote: frozenset[str]
    programs: frozenset[str]
    remote_files: frozenset[str]
    filish: frozenset[str]
    inner: frozenset[str]
    browser_code: frozenset[str]
    python_code: frozenset[str]
    node_code: frozenset[str]
    databases: dict[str, frozenset[str]]
    mongo: frozenset[str]
    redis: frozenset[str]


class Dangerous(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Options that make a program write, run or reach something."""

    dangerous: frozenset[str]


class Tools(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``mcp.toml``."""

    classes: tuple[ToolClass, ...] = msgspec.field(name="class")
    axes: tuple[ToolAxes, ...]
    objects: tuple[ToolObject, ...] = msgspec.field(name="object")
    nouns: Words
    weak: Words
    arguments: Arguments
    names: ToolNames
    options: Dangerous


@cache
def tools() -> Tools:
    """The table of MCP verbs, objects and arguments."""
    return load("mcp.toml", Tools)


class SqlStatement(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Statements by first word: what they do and how the reason says so."""

    words: tuple[str, ...]
    action: Action
    reversibility: Reversibility
    says: str


class SqlReads(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """First words of statements that read, unless something inside says otherwise."""

    first: frozenset[str]
    transaction: frozenset[str]


class SqlPragmas(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Pragmas by what they do."""

    showing: frozenset[str]
    session: frozenset[str]
    acting: frozenset[str]


class SqlFunctions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Functions with an effect; a name that ends in ``*`` is a prefix."""

    says: str
    names: tuple[str, ...]


class SqlFiles(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Functions that open files, and the endings of data files."""

    functions: frozenset[str]
    endings: tuple[str, ...]


class Names(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Function names; one that ends in ``*`` is a prefix."""

    names: tuple[str, ...]


class QueryLanguage(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Commands of another query language that only read, and those that change or delete."""

    name: str
    deletes: frozenset[str]
    reads: frozenset[str] = frozenset()


class Sql(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``sql.toml``."""

    statements: tuple[SqlStatement, ...] = msgspec.field(name="statement")
    reads: SqlReads
    inside: dict[str, frozenset[str]]
    clauses: Words
    settings: Words
    pragmas: SqlPragmas
    functions: tuple[SqlFunctions, ...]
    files: SqlFiles
    verbs: Words
    pure: Names
    structure: Words
    languages: tuple[QueryLanguage, ...] = msgspec.field(name="language")


@cache
def sql() -> Sql:
    """The table of SQL statements and functions."""
    return load("sql.toml", Sql)
