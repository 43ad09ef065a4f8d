"""Database clients: statements on the line, in files and on the standard input go to the reader of their language."""

import shlex
from typing import TYPE_CHECKING

import msgspec

from checkrail.facts.paths import is_guarded
from checkrail.readers.shell import effects, flow, redirects, unlisted
from checkrail.readers.shell.state import DECODED, INPUT, REMOTE, Field, Value

if TYPE_CHECKING:
    from checkrail.knowledge.schema import Entry
    from checkrail.readers.shell.call import Call

_LANGUAGES = ("sql", "code", "script")


def database(entry: "Entry", call: "Call", path: str) -> None:
    """A client whose ``stdin`` word names the language; roles ``sql``, ``code`` and ``script`` tell where text stands."""
    parsed = call.parsed
    roles = [(name.removesuffix("..."), field) for name, field in effects.assigned(entry.operands, parsed.operands)]
    plain = msgspec.structs.replace(
        parsed, operands=() if any(_is_text(name) for name, _ in roles) else parsed.operands
    )
    plain = msgspec.structs.replace(plain, options=tuple(given for given in parsed.options if not _is_text(given.role)))
    effects.apply(entry, plain, call, path)
    if parsed.has(entry.dry):
        return
    for name, field in roles:
        if name == "database":
            unlisted.secret(field, call)
            if is_guarded(
                call.path(field), call.run.around
            ):  # whoever opens it can write it, whatever the statement says
                effects.path("write", field, call, path)
    target = next((field.text for name, field in roles if name == "database"), "")
    texts = [(given.role, given.value) for given in parsed.options if given.value is not None and _is_text(given.role)]
    texts += [(name, field) for name, field in roles if _is_text(name)]
    for role, field in texts:
        _text(role, field, target, entry, call)
    first = parsed.operands[0].text if parsed.operands else ""
    if not texts and not (entry.stdin == "sql" and first.isalpha() and not parsed.has(("-S", "-h", "--host"))):
        _statements(entry.stdin, call.run.stdin, target, call, f"standard input of {call.name}")


def _is_text(role: str) -> bool:
    return role.partition(":")[0] in _LANGUAGES


def _text(role: str, field: Field, target: str, entry: "Entry", call: "Call") -> None:
    kind = role.partition(":")[0]
    if kind != "script":
        language = entry.stdin if kind == "sql" else role.partition(":")[2]
        _statements(language, Value(field.text, field.tags), target, call, f"{call.name} statement", field)
    elif redirects.is_standard_input(field.text, call.run):
        _statements(entry.stdin, call.run.stdin, target, call, f"standard input of {call.name}", field)
    else:
        held = redirects.content(field.text, call.run, field.span)
        _statements(entry.stdin, held, target, call, f"statements in {field.text}", field)


def _statements(language: str, value: Value, target: str, call: "Call", how: str, field: Field | None = None) -> None:
    """Hand on what is known of a text, even with unknown parts; what is wholly unknown asks."""
    name, _, dialect = language.partition(":")
    if value.text.strip("\ufffc \n") and not value.tags & {REMOTE, DECODED}:
        options = (("dialect", dialect), ("client", call.name), ("target", target))
        if name == "mongo" and ("require" in value.text or "import(" in value.text):  # its shell is a node
            call.run.hand_on("node", value.text, field.span if field is not None else call.span, how)
        call.run.hand_on(name, value.text, field.span if field is not None else call.span, how, options=options)
    elif value.text or not value.known:
        flow.run_code(language, value, call, how, span=field.span if field is not None else None)


def redis_cli(entry: "Entry", call: "Call", path: str) -> None:
    """``redis-cli [options] command argument ...``."""
    parsed, operands = call.parsed, call.parsed.operands
    effects.apply(entry, msgspec.structs.replace(parsed, operands=()), call, path)
    if operands:
        text = " ".join(shlex.quote(field.text) for field in operands)
        call.run.hand_on("redis", text, operands[0].span, call.name)
    elif not parsed.has(
        (
            "--scan",
            "--bigkeys",
            "--memkeys",
            "--hotkeys",
            "--latency",
            "--latency-history",
            "--latency-dist",
            "--stat",
            "--rdb",
            "--eval",
            "--intrinsic-latency",
            "--version",
            "-v",
            "--help",
            "--cluster",
            "--pipe",
        )
    ):
        flow.run_code("redis", call.run.stdin, call, f"standard input of {call.name}")
    elif parsed.has(("--pipe", "--eval")):
        effects.named("runs", call, rule=f"{path}.script", reason="runs Redis commands that this line does not show")


def shell_of(entry: "Entry", call: "Call", path: str) -> None:
    """A framework's shell (``manage.py shell``): code in an option, else the standard input."""
    effects.apply(entry, call.parsed, call, path)
    if not any(given.value is not None and _is_text(given.role) for given in call.parsed.options):
        flow.run_code(entry.stdin, call.run.stdin, call, f"standard input of {call.name}")


def confirmed(entry: "Entry", call: "Call", path: str) -> None:
    """A command that asks before it resets a database: with answers on its standard input nobody is asked."""
    effects.apply(entry, call.parsed, call, path)
    if INPUT not in call.run.stdin.tags:
        effects.named(
            "destroys-shared",
            call,
            rule=f"{path}.confirmed",
            reason="answers the question whether the database may be reset",
            safer="run it without answers",
        )
