"""What the evaluation of a shell program knows at one moment: variables, folder, functions, files it wrote."""

from typing import TypeVar

import msgspec

from checkrail.model import HOLE, NOWHERE, SOME, Span
from checkrail.readers.shell.grammar import tree

REMOTE, DECODED, SECRET, INPUT = "remote", "decoded", "secret", "input"
"""Tags of data: came over the network, came out of a decoder, holds a secret, comes from where the line does not show."""

WORKED = "worked"
"""Tag of a text that this program works out in a way that is not followed."""

EITHER = "either"
"""Tag of a text whose lines are alternatives: one of them is meant."""

FILE = "file:"
"""Prefix of a tag that names the file data comes from."""

PART = "part"
"""Tag of what is left of the environment or the history behind a filter: no list of everything, but nothing to send away."""

PLACE = "place"
"""Tag of a path that a tool of the project names: what stands there is local code, as if it had been written out."""

SCRATCH = "scratch"
"""Tag of the value of a variable that names a temporary directory."""

VARIABLE = "variable:"
"""Prefix of a tag that names the environment variable whose secret a text is."""

TESTED = "tested:"
"""Prefix of an option of the state that names a text with which something was compared."""

VITAL_PROCESS = "vital-process"
"""Tag of text that tells which processes are vital ones."""

EVERY_PROCESS = "every-process"
"""Tag of a list of all processes there are, until something picks some of them out."""

ENDLESS = "endless"
"""Tag of data that never ends, until something takes a part of it."""

NO_TAGS: frozenset[str] = frozenset()

WAYS_CAP = 16
"""How many combinations of alternative values one command is judged with."""

REFERENCES_CAP = 8
"""How many references are followed one after the other."""


class Field(msgspec.Struct, frozen=True, gc=False):
    """One argument after expansion. ``pattern``: holds an unquoted glob character."""

    text: str
    span: Span = NOWHERE
    tags: frozenset[str] = NO_TAGS
    pattern: bool = False

    @property
    def known(self) -> bool:
        """Whether every character is known."""
        return HOLE not in self.text and SOME not in self.text

    def tail(self, start: int) -> "Field":
        """The part of the field from ``start`` on."""
        return Field(self.text[start:], self.span, self.tags, self.pattern)


class Value(msgspec.Struct, frozen=True, gc=False):
    """What a variable or a stream may hold. ``text`` may hold HOLEs.

    ``ways`` are texts of which one is meant, where that is known; ``text`` then holds all of them, or a HOLE.
    """

    text: str = HOLE
    tags: frozenset[str] = NO_TAGS
    ways: tuple[str, ...] = ()

    @property
    def known(self) -> bool:
        """Whether every character is known."""
        return HOLE not in self.text and SOME not in self.text


UNKNOWN = Value()
WORKED_OUT = Value(HOLE, frozenset((WORKED,)))
NOTHING = Value("")
UNSET = Value("", frozenset(("unset",)))
"""What a variable holds that there is not."""


class State:
    """Mutable on purpose: it follows a program from command to command. ``copy`` makes a subshell's."""

    __slots__ = (
        "absent",
        "aliases",
        "arguments",
        "arrays",
        "before_cd",
        "cwd",
        "dead",
        "exported",
        "files",
        "forked",
        "functions",
        "git",
        "host",
        "last",
        "links",
        "made",
        "opened",
        "options",
        "privileged",
        "references",
        "sources",
        "stack",
        "unpacked",
        "variables",
    )

    def __init__(self, cwd: str | None, *, host: str = "") -> None:
        self.cwd: tuple[str, ...] = (cwd if cwd is not None else HOLE,)
        self.host = host
        self.variables: dict[str, tuple[Value, ...]] = {}
        self.arrays: dict[str, tuple[Value, ...]] = {}
        self.exported: dict[str, Value] = {}
        self.functions: dict[str, tuple[tree.Function | None, ...]] = {}  # one of these, None for none at all
        self.sources: dict[str, str] = {}  # function -> its text
        self.aliases: dict[str, tuple[str, ...]] = {}  # one of these texts
        self.references: dict[
            str, str
        ] = {}  # a name declared with -n -> the variable it stands for, empty until it is given
        self.files: dict[str, Value] = {}  # path -> what this program wrote there
        self.links: dict[str, str] = {}  # path of a link that this program made -> where it points
        self.absent: frozenset[str] = frozenset()  # paths that a test has just found missing
        self.made: dict[str, None] = {}  # paths that this program created
        self.unpacked: frozenset[str] = frozenset()  # folders that hold what came over the network in an archive
        self.git: dict[
            str, str
        ] = {}  # what this program told git: "remote NAME" -> address, "staged" -> a file of credentials
        self.arguments: tuple[Field, ...] = ()
        self.stack: tuple[str, ...] = ()  # names of functions being called
        self.forked = False  # inside a pipeline or background job of the innermost function
        self.dead = False  # exit, return or exec has ended this path
        self.privileged = False
        self.before_cd: str | None = None  # the folder we are still in if the last cd failed
        self.options: frozenset[str] = frozenset()
        self.opened: dict[str, str] = {}  # descriptor -> path that it writes to
        self.last = UNKNOWN  # $_, the last argument of the command before

    def copy(self) -> "State":
        """An independent state that starts from this one."""
        other = State.__new__(State)
        for name in State.__slots__:
            value = getattr(self, name)
            setattr(other, name, dict(value) if isinstance(value, dict) else value)
        return other

    def compare(self, text: str) -> None:
        """Note that something was compared with a text."""
        self.options |= {f"{TESTED}{text[:100]}"}

    def keep(self, inner: "State") -> None:
        """Take over what outlives a subshell: what it did to files and repositories."""
        self.files, self.made, self.unpacked, self.git = inner.files, inner.made, inner.unpacked, inner.git

    def merge(self, *others: "State") -> None:
        """Become what holds after one of several ways was taken: the alternatives of all that live on."""
        alive = [state for state in (self, *others) if not state.dead] or [self]
        first = alive[0]
        names = {name for state in alive for name in state.variables}
        merged = {}
        for name in names:
            values: dict[Value, None] = {}
            for state in alive:
                for value in state.variables.get(name, state.arrays.get(name, ())[:1] or (UNKNOWN,)):
                    values[value] = None
            merged[name] = tuple(values) if len(values) <= WAYS_CAP else (one_of(tuple(values)),)
        cwd = dict.fromkeys(path for state in alive for path in state.cwd)
        arrays = {key: value for state in alive for key, value in state.arrays.items()}
        for name in arrays:
            arrays[name] = _either([state.arrays.get(name, ()) for state in alive])
        self.arguments = tuple(
            value if isinstance(value, Field) else Field(value.text, tags=value.tags)
            for value in _either([state.arguments for state in alive])
        )
        functions = {
            name: _defined([state.functions.get(name, (None,)) for state in alive])
            for name in dict.fromkeys(name for state in alive for name in state.functions)
        }
        aliases: dict[str, tuple[str, ...]] = {}
        for state in alive:
            for name, texts in state.aliases.items():
                aliases[name] = tuple(dict.fromkeys((*aliases.get(name, ()), *texts)))
        files = {key: value for state in alive for key, value in state.files.items()}
        for path, content in files.items():
            if any(state.files.get(path, content) != content for state in alive):
                files[path] = Value(
                    HOLE,
                    frozenset((WORKED,)).union(*(state.files[path].tags for state in alive if path in state.files)),
                )
        exported = {key: value for state in alive for key, value in state.exported.items()}
        sources = {key: value for state in alive for key, value in state.sources.items()}
        self.sources = {name: text if len(functions.get(name, ())) < 2 else HOLE for name, text in sources.items()}
        self.options = self.options.union(
            *({option for option in state.options - self.options if not option.startswith(TESTED)} for state in alive)
        )
        self.opened = {key: value for state in alive for key, value in state.opened.items()}
        self.last = self.last if all(state.last == first.last for state in alive) else WORKED_OUT
        self.references = {key: value for state in alive for key, value in state.references.items()}
        made = {path: None for state in alive for path in state.made}
        self.links = {key: value for state in alive for key, value in state.links.items()}
        self.unpacked = frozenset().union(*(state.unpacked for state in alive))
        self.git = {key: value for state in alive for key, value in state.git.items()}
        self.dead = first.dead
        self.variables, self.functions, self.aliases = merged, functions, aliases
        self.files, self.exported, self.made, self.arrays = files, exported, made, arrays
        self.cwd = tuple(cwd)[:4] if len(cwd) <= 4 else (*tuple(cwd)[:3], HOLE)

    def set(self, name: str, value: Value) -> None:
        """Give a variable one value; a reference hands it on."""
        if self.references.get(name) == "":
            self.references[name] = value.text
            return
        name = self.named(name)
        if name.endswith("]") and "[" in name:
            self.arrays[name.partition("[")[0]] = (WORKED_OUT,)
        elif name in self.arrays and name not in self.variables:  # its first element
            self.arrays[name] = (self._cased(name, value), *self.arrays[name][1:])
        elif f"-r {name}" in self.options:  # bash refuses; whether what follows runs then, is another question
            self.variables[name] = tuple(dict.fromkeys((*self.variables.get(name, ()), value)))[:WAYS_CAP]
        else:
            self.variables[name] = (self._cased(name, value),)
        if name in self.exported:
            self.exported[name] = value

    def _cased(self, name: str, value: Value) -> Value:
        """The value as a variable keeps it that was declared with -l or -u."""
        lower, upper = f"-l {name}" in self.options, f"-u {name}" in self.options
        text = value.text.lower() if lower else value.text.upper() if upper else value.text
        return Value(text, value.tags) if lower or upper else value

    def become(self, first: "State", *rest: "State") -> None:
        """Be what one state is, or what one of several is."""
        for name in State.__slots__:
            setattr(self, name, getattr(first, name))
        self.merge(*rest)

    def named(self, name: str) -> str:
        """The variable that a name stands for."""
        for _ in range(REFERENCES_CAP):
            if name not in self.references:
                break
            name = self.references[name]
        return name


def one_of(values: tuple[Value, ...]) -> Value:
    """Many values as one: the program works it out, in a way that is not followed."""
    return Value(HOLE, frozenset((WORKED,)).union(*(value.tags for value in values)))


def worked(text: str, tags: frozenset[str]) -> tuple[tuple[str, str], ...]:
    """The option of a text in another language whose holes the program works out."""
    return ((WORKED, "yes"),) if HOLE in text and WORKED in tags else ()


def _defined(ways: list[tuple[tree.Function | None, ...]]) -> tuple[tree.Function | None, ...]:
    """What a name stands for after one of several ways was taken."""
    first = ways[0]
    if all(way is first for way in ways):
        return first
    found = {id(function): function for way in ways for function in way}
    return tuple(found.values())


_Held = TypeVar("_Held", Value, Field)


def _either(ways: list[tuple[_Held, ...]]) -> tuple[_Held | Value, ...]:
    """A list that came about in several ways: what is the same in all, and what is worked out one way or another."""
    first, *rest = ways
    if all(way == first for way in rest):
        return first
    if any(len(way) != len(first) for way in rest):
        return (WORKED_OUT,)
    return tuple(held[0] if all(other == held[0] for other in held) else WORKED_OUT for held in zip(*ways, strict=True))
