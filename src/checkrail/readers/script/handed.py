"""Functions that are handed on and called by another: by a list, a promise, ``Reflect``, Ruby's ``method``, ``File::Find``."""

from collections.abc import Sequence

from checkrail.knowledge.code import Call
from checkrail.model import HOLE, Action, Axes, Reversibility, Scope, TargetKind
from checkrail.readers.script.functions import text_of
from checkrail.readers.script.lexer import Token
from checkrail.readers.script.state import State
from checkrail.readers.script.tokens import CLOSE, OPEN, canonical, chain, closing, split
from checkrail.readers.script.values import alternatives

CALLERS = frozenset(
    {
        "setTimeout",
        "setInterval",
        "setImmediate",
        "queueMicrotask",
        "nextTick",
        "from",
        "forEach",
        "map",
        "then",
        "each",
        "some",
        "every",
        "filter",
        "find",
        "flatMap",
        "finally",
        "apply",
        "call",
    }
)
"""Methods that call what they are given."""

RISKY = "a program or a deletion that is handed on and called with what is not followed"


def on(state: State, tokens: Sequence[Token], index: int, at: int, dotted: str) -> None:
    """Note what is handed on at a position: see the module."""
    if dotted in KILLS and at < len(tokens):
        _parent(state, tokens, at)
    if state.language == "node":
        _worker(state, tokens, at, dotted)
        _to_method(state, tokens, index, at, dotted)
        _reflected(state, tokens, at, dotted)
    elif state.language == "ruby" and dotted.rpartition(".")[2] in ("method", "public_method"):
        _method(state, tokens, at)
    elif state.language == "perl" and dotted in ("find", "finddepth", "File::Find.find", "File.Find.find"):
        _found(state, tokens, at)


KILLS = frozenset({"process.kill", "Process.kill", "kill", "posix_kill"})


def _parent(state: State, tokens: Sequence[Token], at: int) -> None:
    """``process.kill(process.ppid)``: the program that started this one."""
    end = closing(tokens, at) if tokens[at].text == "(" else at + 8
    given = tokens[at:end]
    if any(token.text in ("ppid", "getppid", "posix_getppid") for token in given) and not any(
        token.text == "0" for token in given
    ):
        entry = Call(
            names=("kill",), rule=f"{state.language}.kill.vital", reason="ends the program that started this one"
        )
        state.effect(Action.STOP, TargetKind.PROCESS, "the parent", entry, axes=Axes(Reversibility.HARD, Scope.LOCAL))


def _worker(state: State, tokens: Sequence[Token], at: int, dotted: str) -> None:
    """``new Worker(code, {eval: true})``, ``import("data:…")``."""
    if dotted.startswith("data:"):
        state.unread["a module that stands in its own address"] = None
    if at >= len(tokens):
        return
    if dotted.rpartition(".")[2] == "Worker":
        end = next((position for position in range(at, len(tokens)) if tokens[position].text == "("), at)
        if any(token.text == "eval" for token in tokens[end : closing(tokens, end)]):
            state.unread["code that a worker runs"] = None


def _acts(entry: Call | None) -> bool:
    """Whether a call starts something, runs code or deletes."""
    if entry is None:
        return False
    deletes = any(touch.action is Action.DELETE for touch in entry.touch)
    return deletes or any(place is not None for place in (entry.shell, entry.words, entry.argv, entry.code))


def _entry(state: State, dotted: str) -> Call | None:
    name = canonical(state, dotted)
    return state.knowledge.calls.get(name) or state.knowledge.calls.get(f"?.{name.rpartition('.')[2]}")


def _to_method(state: State, tokens: Sequence[Token], index: int, at: int, dotted: str) -> None:
    """``list.forEach(execSync)``, ``promise.then(eval)``."""
    if at >= len(tokens) or tokens[at].text not in (")", ",") or not _acts(_entry(state, dotted)):
        return
    opening = _opening(tokens, index)
    if opening > 0 and tokens[opening - 1].text in CALLERS:
        state.unread[RISKY] = None


def _opening(tokens: Sequence[Token], index: int) -> int:
    """Where the bracket opens around an argument that starts at a position; 0 where there is none."""
    depth = 0
    for position in range(index - 1, max(-1, index - 200), -1):
        token = tokens[position]
        if token.kind != "sign":
            continue
        depth += (token.text in CLOSE) - (token.text in OPEN)
        if depth < 0:
            return position if token.text == "(" and tokens[index - 1].text in ("(", ",") else 0
    return 0


def _reflected(state: State, tokens: Sequence[Token], at: int, dotted: str) -> None:
    """``Reflect.get(fs, name)`` and ``Reflect.apply(fs.rmSync, …)``."""
    if (
        dotted not in ("Reflect.get", "Reflect.apply", "Reflect.construct")
        or at >= len(tokens)
        or tokens[at].text != "("
    ):
        return
    arguments = split(tokens[at + 1 : closing(tokens, at)][:420])
    target = chain(arguments[0])[0] if arguments else ""
    whole = canonical(state, target) in (
        "fs",
        "child_process",
        "fs/promises",
        "fs.promises",
        "process",
        "vm",
        "globalThis",
    )
    if whole or _acts(_entry(state, target)):
        state.unread[RISKY] = None


def _method(state: State, tokens: Sequence[Token], at: int) -> None:
    """``method(:system).call(x)``, ``each(&method(:system))``: whatever it is called with."""
    if at >= len(tokens) or tokens[at].text != "(":
        return
    inner = tokens[at + 1 : closing(tokens, at)]
    name = inner[-1].text if inner and inner[-1].kind == "name" else ""
    texts = [text_of(value) for value in alternatives(state, inner)] if inner else []
    if _acts(_entry(state, name)) or any(HOLE not in text and _acts(_entry(state, text.lstrip(":"))) for text in texts):
        state.unread[RISKY] = None


def _found(state: State, tokens: Sequence[Token], at: int) -> None:
    """``find(sub { unlink }, folder)`` of ``File::Find``: what the function removes lies anywhere below the folders."""
    if at >= len(tokens) or tokens[at].text != "(":
        return
    arguments = split(tokens[at + 1 : closing(tokens, at)][:420])
    if not arguments or arguments[0][0].text not in ("sub", "\\", "{"):
        return
    removes = any(
        token.kind == "name" and token.text in ("unlink", "rmdir", "rmtree", "remove_tree") for token in tokens
    )
    entry = Call(names=("find",), rule="perl.find-remove", reason="removes what lies below a folder", recursive=True)
    for argument in arguments[1:] if removes else ():
        for value in alternatives(state, argument):
            for text in value if isinstance(value, tuple) else (value,):
                state.path(Action.DELETE, text_of(text), entry)
