"""Database clients: statements on the line, in files and on the standard input go to the reader of their language."""

import re
import shlex
from itertools import pairwise
from typing import TYPE_CHECKING

import msgspec

from checkrail.facts.paths import is_guarded
from checkrail.facts.production import is_rehearsal
from checkrail.model import HOLE
from checkrail.readers.shell import effects, flow, redirects, unlisted
from checkrail.readers.shell.state import DECODED, FILE, INPUT, REMOTE, SECRET, Field, Value

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
    options = (("dialect", dialect), ("client", call.name), ("target", target), ("near", _near(call, target)))
    if value.text.strip("\ufffc \n") and not value.tags & {REMOTE, DECODED}:
        if name == "mongo" and ("require" in value.text or "import(" in value.text):  # its shell is a node
            call.run.hand_on("node", value.text, field.span if field is not None else call.span, how)
        call.run.hand_on(name, value.text, field.span if field is not None else call.span, how, options=options)
    elif value.text or not value.known:
        if name == "sql" and value.text == HOLE and _own_script(value, call) and is_rehearsal(_near(call, target)):
            call.run.opaque(f"runs the project's own statements ({how})")
            return
        span = field.span if field is not None else None
        flow.run_code(language, value, call, how, span=span, options=options if name == "sql" else ())


def _own_script(held: Value, call: "Call") -> bool:
    """Whether a text comes from a file that cannot be read now, and is the project's: another line may make it, as with any script."""
    own = call.run.around.workspace.rstrip("/") + "/"
    files = [tag.removeprefix(FILE) for tag in held.tags if tag.startswith(FILE)]
    plain = len(files) == 1 and files[0].startswith(own) and not held.tags & {REMOTE, DECODED, INPUT, SECRET}
    return plain and HOLE not in files[0] and flow.from_file(held, call) is None


_HOSTS = ("-h", "--host", "-S", "--socket", "--protocol", "--login-path", "--defaults-file", "--defaults-extra-file")
_VARIABLES = ("PGHOST", "PGHOSTADDR", "PGSERVICE", "PGDATABASE", "MYSQL_HOST")
_CLIENTS = ("psql", "pgcli", "mysql", "mariadb", "mycli", "mongosh", "mongo", "redis-cli")
_HERE = ("localhost", "127.0.0.1", "::1")
_MONGO = re.compile(r"mongodb://(?:localhost|127\.0\.0\.1)(?::\d+)?/([\w-]+)")


def _near(call: "Call", target: str) -> str:
    """The name of the database where the server is this machine's (``?`` where none is named), else empty."""
    state, given = call.run.state, call.parsed
    elsewhere = [option.value for option in given.options if option.name in _HOSTS]
    if call.name not in _CLIENTS or any(value is None or value.text not in _HERE for value in elsewhere):
        return ""
    host = call.run.around.host
    if any(name in call.environment or name in state.exported or host.variable(name) for name in _VARIABLES):
        return ""
    named = given.value("-d", "--dbname", "-D", "--database")
    found = _MONGO.fullmatch(target)
    if found is not None:
        return found[1]
    return (named.text if named is not None else target) or "?"


def redis_cli(entry: "Entry", call: "Call", path: str) -> None:
    """``redis-cli [options] command argument ...``."""
    parsed, operands = call.parsed, call.parsed.operands
    effects.apply(entry, msgspec.structs.replace(parsed, operands=()), call, path)
    if operands:
        text = " ".join(shlex.quote(field.text) for field in operands)
        near = "" if parsed.has(("-u", "--cluster")) else _near(call, "")
        call.run.hand_on("redis", text, operands[0].span, call.name, options=(("near", near),))
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
    """A framework's shell (``manage.py shell``): code in an option or after ``--``, else the standard input."""
    effects.apply(entry, call.parsed, call, path)
    statements = _handed_on(call) if entry.stdin == "sql" else []
    for field in statements:
        _statements(entry.stdin, Value(field.text, field.tags), "", call, f"{call.name} statement", field)
    if not statements and not any(given.value is not None and _is_text(given.role) for given in call.parsed.options):
        flow.run_code(entry.stdin, call.run.stdin, call, f"standard input of {call.name}")


def _handed_on(call: "Call") -> list[Field]:
    """Statements among what goes on to the client behind a shell: ``-- -c 'select 1'``, and for SQLite ``-- 'select 1'``."""
    texts = [field.text for field in call.arguments]
    after = call.arguments[texts.index("--") + 1 :] if "--" in texts else ()
    if any(field.text in _SCRIPTS or field.text.startswith(_LONG_SCRIPTS) for field in after):
        return []
    named = [value for given, value in pairwise(after) if given.text in _STATEMENTS]
    return named or [field for field in after if " " in field.text.strip() and not field.text.startswith("-")]


_STATEMENTS = ("-c", "--command", "-e", "--execute")
_SCRIPTS = ("-f", "--file", "-init")
_LONG_SCRIPTS = ("--file=", "--init-command", "-f")

_CONSOLES = {"console": "ruby", "dbconsole": "sql", "tinker": "php"}
"""Rules about a console, with the language that it takes."""


def with_console(entry: "Entry", call: "Call", path: str) -> None:
    """A framework's command with a console among its subcommands: text on the standard input is read as what it takes."""
    held = next((rule for rule in entry.rule if rule.id in _CONSOLES and effects.holds(rule, call.parsed)), None)
    if held is not None and INPUT not in call.run.stdin.tags:
        entry = msgspec.structs.replace(entry, rule=tuple(rule for rule in entry.rule if rule is not held))
        flow.run_code(_CONSOLES[held.id], call.run.stdin, call, f"standard input of {call.name}")
    effects.apply(entry, call.parsed, call, path)
    unlisted.carried(call)
    unlisted.secrets(call.parsed, call, operands=True)


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
