"""``python -m module``: a few modules of the standard library, else a program of its own."""

from itertools import pairwise
from typing import TYPE_CHECKING

import msgspec

from checkrail.knowledge.commands import commands
from checkrail.model import HOLE
from checkrail.readers.shell import effects, flow
from checkrail.readers.shell.special import serving
from checkrail.readers.shell.state import DECODED, Field, Value

if TYPE_CHECKING:
    from checkrail.readers.shell.call import Call


_PROGRAMS = {
    "django": "manage.py",
    "IPython": "ipython",
    "ensurepip": "pip",
    "sqlite3": "sqlite3",
    "claude_code": "claude",
}
"""Modules whose program has another name."""


_STEPS = frozenset(
    (
        "c",
        "cont",
        "continue",
        "w",
        "where",
        "bt",
        "q",
        "quit",
        "n",
        "next",
        "s",
        "step",
        "u",
        "up",
        "d",
        "down",
        "l",
        "list",
        "ll",
        "longlist",
        "a",
        "args",
        "r",
        "return",
    )
)
"""Commands of the debugger that only go on, or show where it stands."""


def _commands(rest: tuple[Field, ...]) -> list[Field]:
    return [value for given, value in pairwise(rest) if given.text in ("-c", "--command")]


def run(module: Field, rest: tuple[Field, ...], call: "Call", path: str) -> None:
    """Judge a module with its arguments; ``path`` is the rule prefix."""
    name = module.text
    operands = tuple(field for field in rest if not field.text.startswith("-"))
    match name:
        case "json.tool":
            for kind, field in zip(("read", "write"), operands, strict=False):
                effects.path(kind, field, call, path)
        case "timeit":
            for field in operands:
                call.run.hand_on("python", field.text, field.span, "python -m timeit")
        case "pdb" if any(field.text not in _STEPS for field in _commands(rest)):
            effects.named("runs", call, rule=f"{path}.debugger", reason="runs commands of the debugger")
        case "http.server" | "SimpleHTTPServer":
            parts = [field.text for field in rest]
            at = next((index for index, text in enumerate(parts[:-1]) if text in ("-d", "--directory")), -1)
            bound = next((parts[index + 1] for index, text in enumerate(parts[:-1]) if text in ("-b", "--bind")), "")
            serving.folder(rest[at + 1] if at >= 0 else None, call, path, address=bound)
            call.run.opaque(f"runs the module {name}")
        case "code" | "idlelib" | "asyncio":
            flow.run_code("python", call.run.stdin, call, f"python -m {name}")
        case "smtpd" | "aiosmtpd" if any(field.text.startswith(("localhost:", "127.0.0.1:")) for field in operands):
            call.run.opaque(f"runs the module {name}")
        case "smtpd" | "aiosmtpd":
            effects.named("runs", call, rule=f"{path}.server", reason="takes in mail over the network")
        case "cProfile" | "profile" | "trace" | "pdb" | "runpy":
            script = next((field for field in operands if field.text.endswith(".py")), None)
            if script is not None:
                call.script("python", script)
            else:
                call.run.opaque(f"runs the module {name}")
        case "base64":
            for field in operands:
                effects.path("read", field, call, path)
            call.output = Value(
                HOLE, frozenset((DECODED,)) if any(f.text in ("-d", "-u") for f in rest) else call.run.stdin.tags
            )
        case "zipfile" | "tarfile" if any(f.text in ("-e", "--extract") for f in rest) and len(operands) > 1:
            effects.path("write", operands[1], call, path, recursive=True)
        case "venv" | "virtualenv":
            for field in operands:
                effects.path("create", field, call, path)
        case (
            "platform"
            | "sysconfig"
            | "site"
            | "calendar"
            | "this"
            | "tokenize"
            | "ast"
            | "dis"
            | "inspect"
            | "pyclbr"
            | "symtable"
            | "json"
        ):
            pass
        case _:
            _program(module, rest, call)


def _program(module: Field, rest: tuple[Field, ...], call: "Call") -> None:
    """A module that is a program of its own: ``python -m pip`` is ``pip``."""
    name = _PROGRAMS.get(module.text) or module.text.removesuffix(".__main__").replace("_", "-")
    entry = commands().get(name) or commands().get(name.lower())
    if entry is None or (entry.effect == "pure" and not entry.sub and not entry.special):
        call.run.opaque(f"runs the module {module.text}")
        return
    call.run.opaque(f"runs the module {module.text}")
    call.invoke((msgspec.structs.replace(module, text=entry.names[0] if name not in entry.names else name), *rest))
