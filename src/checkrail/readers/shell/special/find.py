"""``find`` and ``fd``: what they delete, write and run, with the paths they would find.

Paths are patterns: the roots with the name pattern that holds where the action stands (``src/**/*.py``), so that deleting
``__pycache__`` and deleting everything are told apart. Tests that narrow in another way (age, size) give an unknown part.
"""

from typing import TYPE_CHECKING

import msgspec

from checkrail.model import HOLE, SOME
from checkrail.readers.shell import effects
from checkrail.readers.shell.options import parse
from checkrail.readers.shell.special.xargs import PATHS
from checkrail.readers.shell.state import UNKNOWN, Field, Value

if TYPE_CHECKING:
    from checkrail.knowledge.schema import Entry
    from checkrail.readers.shell.call import Call

TARGET_CAP = 8
"""Different targets that one action is judged with."""

NAMES = frozenset(("-name", "-iname", "-lname", "-ilname"))
PATH_TESTS = frozenset(("-path", "-ipath", "-wholename", "-iwholename"))
NARROWING = frozenset(
    [
        "-amin",
        "-anewer",
        "-atime",
        "-cmin",
        "-cnewer",
        "-ctime",
        "-fstype",
        "-gid",
        "-group",
        "-inum",
        "-links",
        "-mmin",
        "-mtime",
        "-newer",
        "-perm",
        "-regex",
        "-iregex",
        "-samefile",
        "-size",
        "-uid",
        "-used",
        "-user",
        "-xtype",
        "-context",
        "-newerXY",
        "-Bmin",
        "-Btime",
        "-flags",
        "-acl",
    ]
)
VALUED = NARROWING | frozenset(["-maxdepth", "-mindepth", "-type", "-regextype", "-D", "-printf"])
FLAGS = frozenset(["-empty", "-executable", "-readable", "-writable", "-nouser", "-nogroup", "-xattr"])
WRITES = {"-fprint": 1, "-fprint0": 1, "-fls": 1, "-fprintf": 2}
RUNS = frozenset(("-exec", "-execdir", "-ok", "-okdir"))


class Scope(msgspec.Struct, frozen=True):
    """What has been tested where an action stands. ``names``: patterns of which one matches; ``path``: they are whole paths."""

    names: tuple[str, ...] = ()
    path: bool = False
    narrowed: bool = False
    typed: bool = False
    empty: bool = False

    def both(self, other: "Scope") -> "Scope":
        """``self`` and ``other`` hold."""
        names, path = (
            (other.names, other.path) if other.names and (not self.names or other.path) else (self.names, self.path)
        )
        return Scope(names, path, self.narrowed or other.narrowed, self.typed or other.typed, self.empty or other.empty)

    def either(self, other: "Scope") -> "Scope":
        """``self`` or ``other`` holds."""
        named = bool(self.names and other.names and self.path == other.path)
        narrow = all(scope.narrowed or scope.names for scope in (self, other))
        return Scope(
            self.names + other.names if named else (),
            self.path,
            narrow,
            self.typed and other.typed,
            self.empty and other.empty,
        )


class _Find:
    """One reading of an expression, left to right; linear in its length."""

    def __init__(self, call: "Call", path: str) -> None:
        self.call = call
        self.path = path
        self.arguments = call.arguments
        self.position = 0
        self.roots: list[Field] = []
        self.flat = False
        self.printed: list[str] = []
        self.acts = False
        self.unseen = False

    def run(self) -> None:
        self._roots()
        texts = [field.text for field in self.arguments]
        self.flat = any(texts[i : i + 2] == ["-maxdepth", "1"] for i in range(len(texts)))
        scope = self._alternatives(Scope(), 0)
        while self.position < len(self.arguments):
            self.position += 1
            scope = self._alternatives(Scope(), 0)
        if not self.acts:
            self._prints(scope)
        text = "\n".join(dict.fromkeys(self.printed))
        self.call.output = Value(text + "\n", frozenset((PATHS,))) if text and not self.unseen else UNKNOWN

    def _roots(self) -> None:
        while self.position < len(self.arguments):
            field = self.arguments[self.position]
            if field.text in ("-H", "-L", "-P", "-E", "-X", "-d", "-s", "-x", "--") or field.text.startswith("-O"):
                self.position += 1
            elif field.text in ("-D", "-f"):
                if field.text == "-f" and self.position + 1 < len(self.arguments):
                    self.roots.append(self.arguments[self.position + 1])
                self.position += 2
            elif field.text[:1] in ("-", "(", ")", "!", ",") and len(field.text) and field.text != "-":
                break
            else:
                self.roots.append(field)
                self.position += 1
        self.roots = self.roots or [Field(".", self.call.span)]

    def _alternatives(self, outer: Scope, depth: int) -> Scope:
        """``a -o b``; what holds if it is true."""
        found: Scope | None = None
        while True:
            one, pruned = self._conjunction(outer, depth)
            if not pruned:
                found = one if found is None else found.either(one)
            if self._peek() not in ("-o", "-or", ","):
                return found or Scope(narrowed=True)
            if self._peek() == ",":
                found = None
            self.position += 1

    def _conjunction(self, outer: Scope, depth: int) -> tuple[Scope, bool]:
        held, pruned, negated = Scope(), False, False
        while (text := self._peek()) is not None and text not in ("-o", "-or", ",", ")"):
            self.position += 1
            if text in ("!", "-not"):
                negated = not negated
                continue
            if text in ("-a", "-and"):
                continue
            if text == "(":
                inner = self._alternatives(outer.both(held), depth + 1) if depth < 50 else Scope()
                self.position += self._peek() == ")"
            else:
                inner = self._primary(text, outer.both(held))
                pruned = pruned or text == "-prune"
            if negated:
                inner = Scope()  # leaving something out does not narrow what is found to something small
            held, negated = held.both(inner), False
        return held, pruned

    def _primary(self, text: str, scope: Scope) -> Scope:
        call = self.call
        if text in NAMES or text in PATH_TESTS:
            field = self._take()
            return Scope((field.text,), text in PATH_TESTS, True) if field is not None else Scope()
        if text in RUNS:
            self._exec(text, scope)
        elif text == "-delete":
            self._delete(scope)
        elif text in WRITES:
            field = self._take()
            if field is not None:
                effects.path("write", field, call, f"{self.path}.writes")
            self.position += WRITES[text] - 1
            self.acts = True
        elif text in ("-print", "-print0"):
            self._prints(scope)
        elif text == "-printf":
            shape = self._take()
            self.acts = True
            if shape is not None and shape.text in ("%p\\n", "%p\\0", "%p"):
                self._prints(scope)
            else:
                self.unseen = True
        elif text == "-ls":
            self.acts = self.unseen = True
        elif text == "-files0-from":
            field = self._take()
            if field is not None:
                effects.path("read", field, call, self.path)
            self.roots.append(Field(SOME, call.span))
        elif text in ("-type", "-maxdepth", "-mindepth"):
            field = self._take()
            return Scope(typed=text == "-type" or (text == "-mindepth" and field is not None and field.text != "0"))
        elif text in VALUED or text.startswith("-newer"):
            self._take()
            return Scope(narrowed=text not in ("-regextype", "-D"))
        elif text in FLAGS:
            return Scope(narrowed=True, empty=text == "-empty")
        return Scope()

    def _peek(self) -> str | None:
        return self.arguments[self.position].text if self.position < len(self.arguments) else None

    def _take(self) -> Field | None:
        if self.position >= len(self.arguments):
            return None
        self.position += 1
        return self.arguments[self.position - 1]

    def _prints(self, scope: Scope) -> None:
        self.acts = True
        self.printed.extend(field.text for field in self._targets(scope))

    def _targets(self, scope: Scope) -> tuple[Field, ...]:
        found = [target(root, scope, flat=self.flat) for root in self.roots]
        fields = [field for group in found for field in group]
        return tuple(fields[:TARGET_CAP]) + tuple(self.roots) * (len(fields) > TARGET_CAP)

    def _delete(self, scope: Scope) -> None:
        self.acts = True
        if scope.empty:
            return  # empty files and folders: nothing is lost
        bare = not (scope.names or scope.narrowed)
        for field in self._targets(scope):
            effects.path("delete", field, self.call, f"{self.path}.delete", recursive=bare)

    def _exec(self, text: str, scope: Scope) -> None:
        self.acts = True
        words: list[Field] = []
        while (field := self._take()) is not None and field.text != ";":
            if field.text == "+" and words and words[-1].text == "{}":
                break
            words.append(field)
        if not words:
            return
        if text in ("-ok", "-okdir"):
            effects.named(
                "runs",
                self.call,
                rule=f"{self.path}.ok",
                reason="asks on a terminal before each file; an agent cannot answer",
                safer="list the files first, then name them",
            )
        invoke_with(tuple(words), self._targets(scope), self.call)


def target(root: Field, scope: Scope, *, flat: bool = False) -> list[Field]:
    """The patterns of what is found under one root."""
    base = root.text.rstrip("/") or ("/" if root.text.startswith("/") else ".")
    flat = flat or HOLE in base  # below a folder that nobody knows, depth tells nothing more
    below = base if base == "/" else base + "/"
    if scope.names:
        texts = [_joined(below, name, path=scope.path, flat=flat) for name in scope.names]
    elif scope.narrowed:
        texts = [f"{below}{SOME}"]
    elif scope.typed:
        texts = [f"{below}*"]
    else:
        return [root]
    return [Field(text, root.span, root.tags, True) for text in texts]


def _joined(below: str, name: str, *, path: bool, flat: bool) -> str:
    if name.strip("*") == "":
        return f"{below}*"
    if HOLE in below:
        return below + name.rpartition("/")[2]
    if not path:
        return below + name if flat else f"{below}**/{name}"
    if name.startswith("*"):
        return f"{below}**/{name.lstrip('*').lstrip('/')}" if name.startswith("*/") else f"{below}**/{name}"
    return name


def invoke_with(words: tuple[Field, ...], targets: tuple[Field, ...], call: "Call") -> None:
    """Judge a command with targets in the place of ``{}``."""
    from checkrail.readers.shell.special.xargs import replaced

    if any("{}" in field.text and field.text != "{}" for field in words):
        for item in targets:
            call.invoke(tuple(replaced(field, "{}", item) for field in words))
        return
    filled: list[Field] = []
    for field in words:
        filled.extend(targets if field.text == "{}" else (field,))
    call.invoke(tuple(filled))


def find(entry: "Entry", call: "Call", path: str) -> None:  # noqa: ARG001
    """``find``: see the module."""
    _Find(call, path).run()


_EXEC = ("-x", "--exec", "-X", "--exec-batch")


def fd(entry: "Entry", call: "Call", path: str) -> None:  # noqa: ARG001
    """``fd [pattern] [path…] [-x command | -X command]``."""
    texts = [field.text for field in call.arguments]
    cut = next((index for index, text in enumerate(texts) if text.partition("=")[0] in _EXEC), len(texts))
    parsed = parse(entry, call.arguments[:cut])
    scope = _fd_scope(
        parsed.value("-e", "--extension"), parsed.operands[:1], parsed.has(("-g", "--glob", "-F", "--fixed-strings"))
    )
    roots = list(parsed.operands[1:])
    for name in ("--search-path", "--base-directory"):
        given = parsed.value(name)
        if given is not None:
            roots.append(given)
    targets = tuple(field for root in roots or [Field(".", call.span)] for field in target(root, scope))
    if cut == len(texts):
        call.output = Value("\n".join(field.text for field in targets) + "\n", frozenset((PATHS,)))
        return
    words = list(call.arguments[cut + 1 :])
    if "=" in texts[cut]:
        words.insert(0, call.arguments[cut].tail(texts[cut].index("=") + 1))
    if ";" in [word.text for word in words]:
        words = words[: [word.text for word in words].index(";")]
    if not words:
        return
    if not any("{" in word.text and "}" in word.text for word in words):
        words.append(Field("{}", call.span))
    whole = tuple(
        msgspec.structs.replace(word, text="{}") if word.text in ("{.}", "{/}", "{//}", "{/.}") else word
        for word in words
    )
    invoke_with(whole, targets[:TARGET_CAP], call)


def _fd_scope(extension: Field | None, pattern: tuple[Field, ...], glob: bool) -> Scope:
    if extension is not None:
        return Scope((f"*.{extension.text.lstrip('.')}",), narrowed=True)
    if not pattern or pattern[0].text in (".", "", ".*"):
        return Scope(typed=True)
    text = pattern[0].text
    if glob:
        return Scope((text,), narrowed=True)
    plain = text.replace("\\.", ".").strip("^$")
    if all(character.isalnum() or character in "_.-" for character in plain):
        left, right = "" if text.startswith("^") else "*", "" if text.endswith("$") else "*"
        return Scope((f"{left}{plain}{right}",), narrowed=True)
    return Scope(narrowed=True)
