"""What library calls do: the shape of ``python.toml``, ``scripts.toml`` and ``powershell.toml``, and their loader."""

import functools
import hashlib
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import msgspec

from checkrail.model import Action, Axes, Decision, TargetKind


class CodeKnowledgeError(Exception):
    """A knowledge file that cannot be used; the text names file, table and key."""


class Place(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An argument: its position from 0 (-1: by name only) and its name."""

    at: int = -1
    name: str = ""


class Touch(Place, frozen=True, forbid_unknown_fields=True):
    """An argument that names a target, and what happens to it. ``default`` is the target where the argument is missing.

    ``content`` is where a written text stands. ``rest``: every argument from here on is a target. ``source``: it is moved away.
    """

    action: Action = Action.READ
    kind: TargetKind = TargetKind.PATH
    default: str = ""
    content: Place | None = None
    rest: bool = False
    source: bool = False
    suffix: str = ""  # what is added to the path


class Example(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Code, and what a reader says of it in a folder ``/w``: ``delete /w/x``, ``shell: true``, ``unread``, ``opaque``; nothing for a near miss."""

    code: str
    gives: tuple[str, ...] = ()


class Call(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Calls that do one thing. Methods are named ``type.method`` with the object as argument 0, ``?.method`` for any object.

    ``mode``: an argument that tells reading from writing, as in ``open``. ``shell``: a string that a shell runs.
    ``argv``: a program with its arguments as a list; ``words``: the same spread over the arguments from here on.
    ``code``: source that runs in ``language``. ``url`` with ``method`` (or the argument ``verb``) and ``data`` (arguments that are sent).
    ``sql``: statements in ``dialect``. ``calls``: an argument that is called, with ``passes`` as its arguments.
    ``returns``: the type of the result; ``remote``, ``environment``, ``file`` or ``decoded`` for data from there; ``like`` for the first argument.
    """

    names: tuple[str, ...]
    rule: str = ""
    language: str = ""
    touch: tuple[Touch, ...] = ()
    recursive: bool = False
    mode: Place | None = None
    default_mode: str = "r"
    shell: Place | None = None
    argv: Place | None = None
    words: Place | None = None
    code: Place | None = None
    code_language: str = ""
    url: Place | None = None
    method: str = "GET"
    verb: Place | None = None
    data: tuple[Place, ...] = ()
    sql: Place | None = None
    dialect: str = ""
    calls: Place | None = None
    passes: Place | None = None
    returns: str = ""
    action: Action | None = None
    kind: TargetKind = TargetKind.CODE
    target: str = ""
    axes: Axes | None = None
    decision: Decision | None = None
    reason: str = ""
    safer: str = ""
    unread: str = ""
    opaque: str = ""
    when: Literal["", "arguments", "no-arguments", "one-argument"] = ""
    examples: tuple[Example, ...] = ()


class Cmdlet(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A command of PowerShell or cmd. Names and parameters are in lower case, parameters without ``-`` or ``/``.

    ``values`` take a value, ``switches`` none; PowerShell's may be shortened. ``positional`` are the parameters that words without a name fill, the
    last one all that are left. ``delete``, ``write`` … list parameters that are paths. ``recursive`` and ``dry`` are switches.
    ``needs``: the entry holds only with one of these switches or first words. ``url``, ``code`` and ``program`` are parameters.
    """

    names: tuple[str, ...]
    language: str
    rule: str = ""
    values: tuple[str, ...] = ()
    switches: tuple[str, ...] = ()
    positional: tuple[str, ...] = ()
    delete: tuple[str, ...] = ()
    source: tuple[str, ...] = ()
    write: tuple[str, ...] = ()
    append: tuple[str, ...] = ()
    create: tuple[str, ...] = ()
    read: tuple[str, ...] = ()
    mode: tuple[str, ...] = ()
    content: str = ""
    recursive: tuple[str, ...] = ()
    dry: tuple[str, ...] = ("whatif",)
    needs: tuple[str, ...] = ()
    url: str = ""
    method: str = ""
    data: tuple[str, ...] = ()
    code: str = ""
    program: str = ""
    returns: str = ""
    action: Action | None = None
    kind: TargetKind = TargetKind.SYSTEM
    target: str = ""
    axes: Axes | None = None
    decision: Decision | None = None
    reason: str = ""
    safer: str = ""
    examples: tuple[Example, ...] = ()


class Module(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A module of which every function that matters is described: what is neither described nor ``safe`` is unread."""

    names: tuple[str, ...]
    safe: tuple[str, ...] = ()


class Alias(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Another full name for the same thing; a prefix of names where both end in a dot."""

    names: tuple[str, ...]
    to: str


class CodeFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One knowledge file."""

    call: tuple[Call, ...] = ()
    cmdlet: tuple[Cmdlet, ...] = ()
    module: tuple[Module, ...] = ()
    alias: tuple[Alias, ...] = ()


class Knowledge(msgspec.Struct, frozen=True):
    """A knowledge file indexed by name. ``methods`` are the last parts of all names, ``owners`` what comes before."""

    calls: Mapping[str, Call]
    modules: Mapping[str, frozenset[str]]
    aliases: Mapping[str, str]
    prefixes: tuple[tuple[str, str], ...]
    methods: Mapping[str, tuple[str, ...]]
    owners: frozenset[str] = frozenset()


FOLDER = Path(__file__).parent
NAMES = ("python", "scripts", "powershell")
"""The files of this shape."""


class _Compiled(msgspec.Struct):
    digest: bytes
    file: CodeFile


@functools.cache
def load(name: str, language: str = "") -> Knowledge:
    """The knowledge of ``<name>.toml``, of one language where the file holds several."""
    file = read_file(name)
    calls: dict[str, Call] = {}
    for index, call in enumerate(file.call):
        if call.language != language:
            continue
        for full in call.names:
            if full in calls:
                raise CodeKnowledgeError(f"knowledge/{name}.toml: $.call[{index}].names: {full!r} is described twice")
            calls[full] = call
    methods: dict[str, tuple[str, ...]] = {}
    for full in calls:
        last = full.rpartition(".")[2]
        methods[last] = (*methods.get(last, ()), full)
    modules = {full: frozenset(module.safe) for module in file.module for full in module.names}
    aliases = {full: alias.to for alias in file.alias for full in alias.names if not full.endswith(".")}
    prefixes = tuple((full, alias.to) for alias in file.alias for full in alias.names if full.endswith("."))
    owners = frozenset(full.rpartition(".")[0] for full in calls)
    return Knowledge(calls, modules, aliases, prefixes, methods, owners)


@functools.cache
def cmdlets(language: str) -> Mapping[str, tuple[Cmdlet, ...]]:
    """The commands of ``powershell`` or ``cmd`` by name, the most specific entry first."""
    found: dict[str, tuple[Cmdlet, ...]] = {}
    for entry in read_file("powershell").cmdlet:
        for name in entry.names if entry.language == language else ():
            found[name] = tuple(sorted((*found.get(name, ()), entry), key=lambda one: not one.needs))
    return found


@functools.cache
def read_file(name: str) -> CodeFile:
    """The file itself, with its examples: from the compiled form where it matches, else from TOML."""
    try:
        source = (FOLDER / f"{name}.toml").read_bytes()
        compiled = _from_compiled(name, hashlib.sha256(source).digest())
        return compiled or msgspec.convert(tomllib.loads(source.decode()), CodeFile)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise CodeKnowledgeError(f"knowledge/{name}.toml: {error}") from error


def _from_compiled(name: str, digest: bytes) -> CodeFile | None:
    try:
        found = msgspec.msgpack.decode((FOLDER / f"{name}.msgpack").read_bytes(), type=_Compiled)
    except (OSError, msgspec.DecodeError, msgspec.ValidationError):
        return None
    return found.file if found.digest == digest else None


def compile_code(folder: Path = FOLDER) -> int:
    """Write the compiled form of every file, beside the sources or elsewhere; how many files."""
    for name in NAMES:
        source = (FOLDER / f"{name}.toml").read_bytes()
        file = msgspec.convert(tomllib.loads(source.decode()), CodeFile)
        compiled = _Compiled(hashlib.sha256(source).digest(), file)
        (folder / f"{name}.msgpack").write_bytes(msgspec.msgpack.encode(compiled))
    return len(NAMES)
