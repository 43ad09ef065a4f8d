"""What a command of PowerShell or cmd does with its arguments, from knowledge."""

import re
from collections.abc import Sequence

import msgspec

from checkrail.knowledge.code import Cmdlet, cmdlets
from checkrail.model import HOLE, Action, TargetKind
from checkrail.readers.powershell.state import HARD, State

COMMON_VALUES = (
    "erroraction",
    "errorvariable",
    "warningaction",
    "outvariable",
    "informationaction",
    "outbuffer",
    "pipelinevariable",
    "ea",
    "ev",
    "wa",
)
COMMON_SWITCHES = ("verbose", "debug", "confirm", "whatif", "vb", "db", "wi", "cf")
READ_VERBS = frozenset(
    [
        "get",
        "test",
        "measure",
        "select",
        "where",
        "sort",
        "group",
        "foreach",
        "write",
        "out",
        "format",
        "convertto",
        "convertfrom",
        "compare",
        "find",
        "join",
        "split",
        "resolve",
        "show",
        "read",
        "import",
        "wait",
        "enter",
        "exit",
        "push",
        "pop",
        "trace",
        "receive",
        "tee",
        "search",
        "debug",
        "watch",
        "use",
    ]
)
"""Verbs of cmdlets that change nothing that lasts."""
DESTRUCTIVE_VERBS = frozenset(
    [
        "remove",
        "clear",
        "uninstall",
        "disable",
        "reset",
        "revoke",
        "unregister",
        "dismount",
        "unpublish",
        "deny",
        "block",
        "format",
        "initialize",
    ]
)
PATHS = (
    ("delete", Action.DELETE), ("source", Action.DELETE), ("write", Action.WRITE), ("append", Action.APPEND), ("create", Action.CREATE),
    ("read", Action.READ), ("mode", Action.MODE),
)  # fmt: skip


class Word(msgspec.Struct, frozen=True):
    """An argument after expansion. ``remote``: it came from elsewhere; ``bare``: without quotes; ``also``: the rest of a list."""

    text: str
    remote: bool = False
    bare: bool = True
    also: tuple[str, ...] = ()

    def each(self) -> list["Word"]:
        """The words of a list one by one."""
        return [Word(text, self.remote, self.bare) for text in (self.text, *self.also)]


class Given(msgspec.Struct):
    """What a command was given: parameter name to its values; switches have an empty list."""

    named: dict[str, list[Word]] = {}
    words: list[Word] = []


def entry_for(language: str, name: str, words: Sequence[Word]) -> Cmdlet | None:
    """The knowledge of a command as it is called."""
    said = {word.text.lower().lstrip("-/") for word in words} if words else set()
    for entry in cmdlets(language).get(name, ()):
        if not entry.needs or any(_needs(need, said) for need in entry.needs):
            return entry
    return None


def _needs(need: str, said: set[str]) -> bool:
    return any(word == need or (need.endswith("*") and word.startswith(need[:-1])) for word in said)


def arguments(entry: Cmdlet, words: Sequence[Word]) -> Given:
    """Words sorted into parameters, as PowerShell binds them."""
    given = Given({}, list(words))
    free: list[Word] = []
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        if not word.bare or not re.match(r"[-–—][A-Za-z]", word.text):
            free.append(word)
            continue
        name, _, value = word.text[1:].partition(":")
        full, takes = _parameter(entry, name.lower())
        values = given.named.setdefault(full, [])
        if value:
            values.append(Word(value, word.remote))
        elif (takes and at < len(words) and word.text[-1:] != ":") or (word.text[-1:] == ":" and at < len(words)):
            values.extend(words[at].each())
            at += 1
    _position(entry, given, free)
    return given


def _parameter(entry: Cmdlet, name: str) -> tuple[str, bool]:
    for switch in (*entry.switches, *COMMON_SWITCHES):
        if switch == name:
            return switch, False
    values = (*entry.values, *COMMON_VALUES)
    for value in values:
        if value == name:
            return value, True
    for switch in entry.switches:
        if switch.startswith(name):
            return switch, False
    for value in values:
        if value.startswith(name):
            return value, True
    if set(name) <= set("rf") and "recurse" in entry.switches:
        return "recurse", False  # rm -rf, as on other systems
    return name, False


def _position(entry: Cmdlet, given: Given, free: list[Word]) -> None:
    open_places = [name for name in entry.positional if name not in given.named]
    for index, word in enumerate(free):
        if not open_places:
            return
        name = open_places[min(index, len(open_places) - 1)]
        given.named.setdefault(name, []).extend(word.each())


def judge(state: State, entry: Cmdlet, given: Given, piped: Word | None) -> None:
    """Record what a command does."""
    if any(name in given.named for name in entry.dry):
        return
    recursive = any(name in given.named for name in entry.recursive)
    if entry.action is not None:
        target = entry.target or _all(given, entry.positional) or entry.names[0]
        state.effect(entry.action, entry.kind, target, entry, recursive=recursive)
    content = _all(given, (entry.content,)) if entry.content else None
    for field, action in PATHS:
        for parameter in getattr(entry, field):
            for word in _values(given, parameter, piped if parameter == entry.positional[0] else None):
                suffix = entry.rule + ".source" if field == "source" else ""
                state.path(
                    action,
                    word.text,
                    entry,
                    recursive=recursive,
                    content=content if action is Action.WRITE else None,
                    rule=suffix,
                )
    if entry.url:
        _url(state, entry, given)
    if entry.program:
        _program(state, entry, given)


def _values(given: Given, parameter: str, piped: Word | None) -> list[Word]:
    if parameter in given.named:
        return [word for word in given.named[parameter] if word.text]
    return [] if piped is None else [piped]


def _all(given: Given, parameters: Sequence[str]) -> str:
    return " ".join(word.text for name in parameters for word in given.named.get(name, []))


def _url(state: State, entry: Cmdlet, given: Given) -> None:
    said = [word.text for word in given.named.get(entry.url, [])]
    address = next((text for text in said if "://" in text), " ".join(said))
    if not address:
        return
    method = (_all(given, ("method",)) or entry.method or "GET").upper()
    sent = [name for name in entry.data if name in given.named]
    kind = (
        "file"
        if "infile" in sent
        else "unknown"
        if any(HOLE in _all(given, (name,)) for name in sent)
        else "literal"
        if sent
        else ""
    )
    body = " ".join(_all(given, (name,)) for name in sent)
    carried = (("data", kind), ("body", body), ("headers", _all(given, ("headers",))))
    options = (("method", method), *((key, text) for key, text in carried if text))
    state.nested("url", address, entry.names[0], options)


def _program(state: State, entry: Cmdlet, given: Given) -> None:
    name = _all(given, (entry.program,))
    rest = [word.text for parameter in ("argumentlist", "arguments") for word in given.named.get(parameter, [])]
    if name:
        state.nested("shell", " ".join([name, *rest]), entry.names[0])


def unknown(state: State, name: str) -> None:
    """Record a cmdlet that knowledge does not describe, by its verb."""
    verb = name.partition("-")[0]
    if verb in READ_VERBS:
        return
    if verb in DESTRUCTIVE_VERBS:
        made = Cmdlet(
            names=(name,),
            language="powershell",
            rule="powershell.destructive-verb",
            reason=f"{name} takes something away",
        )
        state.effect(Action.CHANGE, TargetKind.SYSTEM, name, made, axes=HARD)
        return
    state.opaque[f"the cmdlet {name}"] = None
