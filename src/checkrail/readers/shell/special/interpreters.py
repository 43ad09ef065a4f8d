"""Interpreters: code on the line, a module, a script file, or the standard input.

Arguments are walked here, because everything after the code, the module or the script belongs to the program that runs.
"""

import base64
import binascii
from typing import TYPE_CHECKING
from urllib.parse import unquote

import msgspec

from checkrail.knowledge.commands import commands
from checkrail.model import HOLE
from checkrail.readers.shell import effects, flow
from checkrail.readers.shell.special import foreign, python_modules, serving
from checkrail.readers.shell.special.interpreter_syntax import (
    NODE,
    OTHER,
    PERL,
    PYTHON,
    RUBY,
    SYNTAX,
    Given,
    Syntax,
    taken,
)
from checkrail.readers.shell.state import DECODED, REMOTE, Field, Value, worked

if TYPE_CHECKING:
    from checkrail.knowledge.schema import Entry
    from checkrail.readers.shell.call import Call


def interpreter(entry: "Entry", call: "Call", path: str) -> None:
    """``python``, ``node``, ``ruby`` and their like."""
    syntax = SYNTAX.get(entry.names[0], OTHER)
    given = taken(_own_arguments(entry, call), syntax)
    if syntax is NODE:
        _loaded(call)
    if syntax is RUBY and "-run" in (field.text for field in call.arguments):
        _utility(given, call, path)
    elif given.codes:
        for field in given.codes:
            _code(syntax, field, call, path, prints=bool({"-p", "--print"} & set(given.flags)) and syntax is NODE)
        _operands(syntax, given, call, path)
        if "-i" in given.flags and syntax is PYTHON:
            flow.run_code(syntax.language, call.run.stdin, call, f"{call.name} -i")
    elif given.module is not None:
        python_modules.run(given.module, given.rest, call, path)
    elif given.script is not None:
        shows = set(given.flags) & set(syntax.shows)
        if not shows or syntax is PERL or (syntax is RUBY and shows == {"-v"}):  # those two run the script all the same
            _script(syntax, given, call)
    elif set(given.flags) & set(syntax.opens):
        call.run.opaque(f"runs local code {call.line[:80]}")
        if "-S" in given.flags:
            texts = [field.text for field in call.arguments]
            at = texts.index("-t") + 1 if "-t" in texts[:-1] else 0
            bound = next((text for text in texts if text[:1] != "-"), "")
            serving.folder(call.arguments[at] if at else None, call, path, address=bound)
    elif not set(given.flags) & set(syntax.shows):
        _standard_input(syntax, call, path)


def _utility(given: Given, call: "Call", path: str) -> None:
    """``ruby -run -e NAME -- …``: Ruby's own versions of ``rm``, ``cp`` and others, and a web server."""
    named, rest = next(iter(given.codes), None), tuple(field for field in given.rest if field.text != "--")
    if named is None:
        return
    if named.text != "httpd":
        call.invoke((named, *rest))
        return
    texts = [field.text for field in rest]
    bound = next((text.partition("=")[2] for text in texts if text.startswith("--bind-address=")), "")
    where = next(
        (field for at, field in enumerate(rest) if field.text[:1] != "-" and texts[at - 1 : at] != ["-p"]), None
    )
    serving.folder(where, call, path, address=bound)


_LOADS = ("--import", "--require", "-r", "--loader", "--experimental-loader", "--preload")


def _loaded(call: "Call") -> None:
    """``--import data:text/javascript,…``: a module that stands in its own address."""
    for index, field in enumerate(call.arguments):
        name, equals, _ = field.text.partition("=")
        following = call.arguments[index + 1] if index + 1 < len(call.arguments) else None
        value = field.tail(len(name) + 1) if equals else following
        if name not in _LOADS or value is None or not value.text.startswith("data:"):
            continue
        kind, _, body = value.text.partition(",")
        text = unquote(body)
        if kind.endswith(";base64"):
            try:
                text = base64.b64decode(text + "==").decode("utf-8", "replace")
            except binascii.Error:
                call.run.unread("a module in an address that does not decode", value.span)
                continue
        flow.run_code("node", Value(text, value.tags | ({DECODED} if kind.endswith(";base64") else set())), call, name)


def _own_arguments(entry: "Entry", call: "Call") -> tuple[Field, ...]:
    """``deno run`` has its own arguments after the subcommand."""
    if entry.names[0] != "run":
        return call.arguments
    at = next((index for index, field in enumerate(call.arguments) if field.text in entry.names), -1)
    return call.arguments[at + 1 :]


def _code(syntax: Syntax, field: Field, call: "Call", path: str, *, prints: bool = False) -> None:
    how = f"{call.name} code"
    value = Value(field.text, field.tags)
    if field.text.strip(HOLE) and not field.tags & {REMOTE, DECODED}:
        options = ((("prints", "yes"),) if prints else ()) + worked(field.text, field.tags)
        call.run.hand_on(syntax.language or call.name, field.text, field.span, how, options=options)
        if not syntax.language:
            foreign.code(field, call, path)
    else:
        flow.run_code(syntax.language or call.name, value, call, how, span=field.span)


def _operands(syntax: Syntax, given: Given, call: "Call", path: str) -> None:
    """With code on the line, operands of ``-n``, ``-p`` and ``-i`` are files."""
    if not syntax.files:
        return
    kind = "edit" if syntax.edits in given.flags else "read" if set(given.flags) & set(syntax.files) else ""
    for field in given.rest if kind else ():
        effects.path(kind, field, call, path)


def _script(syntax: Syntax, given: Given, call: "Call") -> None:
    script = given.script
    if script is None:
        return
    call.script(syntax.language or call.name, script)
    if not syntax.language:
        foreign.held(script, call, call.name)
    base = script.text.rpartition("/")[2]
    known = commands().get(base)
    if (known is not None and known.effect == "code" and "." in base) or base in (
        "artisan",
        "console",
        "cake",
        "spark",
        "yii",
        "rails",
        "rake",
    ):
        call.invoke((msgspec.structs.replace(script, text=base), *given.rest))


def _standard_input(syntax: Syntax, call: "Call", path: str) -> None:
    held = call.run.stdin
    flow.run_code(syntax.language or call.name, held, call, f"standard input of {call.name}")
    if not syntax.language:
        foreign.code(Field(held.text, call.span, held.tags), call, path)
