"""From knowledge to effects: what an entry's roles and rules say of the arguments at hand."""

import fnmatch
from collections.abc import Iterator
from typing import TYPE_CHECKING

import msgspec

from checkrail.facts.hosts import is_local
from checkrail.knowledge.schema import Entry, Rule
from checkrail.model import (
    HOLE,
    SCRATCHED,
    SOME,
    Action,
    Axes,
    Decision,
    Effect,
    Reversibility,
    Scope,
    Target,
    TargetKind,
)
from checkrail.readers.shell import addresses, filling, keys, redirects
from checkrail.readers.shell.options import Parsed
from checkrail.readers.shell.state import ENDLESS, SCRATCH, SECRET, Field, Value, worked

if TYPE_CHECKING:
    from checkrail.readers.shell.call import Call

_R, _S = Reversibility, Scope

KINDS: dict[str, tuple[Action, TargetKind, Axes]] = {
    "local": (Action.CHANGE, TargetKind.SYSTEM, Axes()),
    "network": (Action.RECEIVE, TargetKind.HOST, Axes()),
    "shared": (Action.CHANGE, TargetKind.CLOUD, Axes(_R.REVERSIBLE, _S.SHARED)),
    "packages": (Action.CHANGE, TargetKind.PACKAGE, Axes(_R.REVERSIBLE, _S.SHARED)),
    "external": (Action.SEND, TargetKind.CLOUD, Axes(_R.IRREVERSIBLE, _S.EXTERNAL)),
    "loses": (Action.DELETE, TargetKind.REPOSITORY, Axes(_R.HARD, _S.LOCAL)),
    "destroys": (Action.DELETE, TargetKind.SYSTEM, Axes(_R.IRREVERSIBLE, _S.LOCAL)),
    "destroys-shared": (Action.DELETE, TargetKind.CLOUD, Axes(_R.IRREVERSIBLE, _S.SHARED)),
    "host": (Action.CONFIGURE, TargetKind.SYSTEM, Axes(_R.HARD, _S.LOCAL)),
    "stops": (Action.STOP, TargetKind.PROCESS, Axes()),
    "privilege": (Action.PRIVILEGE, TargetKind.SYSTEM, Axes(_R.HARD, _S.LOCAL)),
    "secret": (Action.READ, TargetKind.SECRET, Axes(_R.IRREVERSIBLE, _S.LOCAL)),
    "runs": (Action.EXECUTE, TargetKind.CODE, Axes(_R.HARD, _S.LOCAL)),
}
"""Effect names of the knowledge that say something by themselves. ``pure``, ``code`` and ``install`` do not."""

PATH_ACTIONS = {
    "read": Action.READ,
    "send": Action.READ,
    "write": Action.WRITE,
    "append": Action.APPEND,
    "create": Action.CREATE,
    "edit": Action.WRITE,
    "delete": Action.DELETE,
    "source": Action.DELETE,
    "mode": Action.MODE,
    "device": Action.WRITE,
}


def named(
    kind: str, call: "Call", *, rule: str, reason: str, safer: str = "", decision: str = "", target: str = ""
) -> None:
    """Note the effect that an effect name stands for."""
    if kind in ("code", "install"):
        call.run.opaque(
            reason or f"{call.name} runs the project's own code" if kind == "code" else f"{call.name} installs packages"
        )
        return
    if kind == "pure":
        return
    action, target_kind, axes = KINDS[kind]
    call.run.effect(
        Effect(
            action=action,
            target=Target(target_kind, target or call.line, call.run.state.host),
            rule=rule,
            axes=axes,
            decision=Decision(decision) if decision else None,
            reason=reason,
            safer=safer,
            command=call.name,
            span=call.span,
            via=call.run.payload.via,
        )
    )


def apply(entry: Entry, parsed: Parsed, call: "Call", path: str) -> None:
    """Note everything that an entry says of a call. ``path`` is the entry's name with its parents' (``git.push``)."""
    if entry.dry and is_dry(entry, parsed):
        return
    held = [rule for rule in entry.rule if holds(rule, parsed) and not _spared(rule, call)]
    instead = any(rule.instead for rule in held)
    roles = next((rule.roles for rule in held if rule.roles), () if instead else entry.operands)
    folder(parsed, call)
    recursive = "*" in entry.recursive or parsed.has(entry.recursive)
    for given in parsed.options:
        if given.value is not None and given.role != "text":
            role(given.role, given.value, call, path, recursive=recursive)
    for index, (name, field) in enumerate(assigned(roles, parsed.operands)):
        if name == "into":
            into(field, parsed.operands[:-1], call, path, recursive=recursive)
        elif name == "argv":
            call.invoke(parsed.operands[index:])
            break
        elif name != "text":
            role(name, field, call, path, recursive=recursive)
    if not instead:
        named(entry.effect, call, rule=path, reason=entry.reason, safer=entry.safer)
    for rule in held:
        ruled(rule, call, path)


def ruled(rule: Rule, call: "Call", path: str) -> None:
    """Note what a rule of an entry says, where it names an effect."""
    if rule.effect is not None:
        named(rule.effect, call, rule=f"{path}.{rule.id}", reason=rule.reason, safer=rule.safer, decision=rule.decision)


def is_dry(entry: Entry, parsed: Parsed) -> bool:
    """Whether a dry-run flag is given; ``--dry-run=none`` says the opposite."""
    return any(
        option.name in entry.dry
        and (option.value is None or option.value.text.lower() not in ("none", "false", "no", "0", "off"))
        for option in parsed.options
    )


def holds(rule: Rule, parsed: Parsed) -> bool:
    """Whether every condition of a rule is met."""
    if rule.any and not any(_given(condition, parsed) for condition in rule.any):
        return False
    if not all(_given(condition, parsed) for condition in rule.all):
        return False
    if any(_given(condition, parsed) for condition in rule.none):
        return False
    if not rule.min <= len(parsed.operands) <= rule.max:
        return False
    texts = [field.text for field in parsed.operands]
    if rule.first and not (texts and _matches(texts[0], rule.first)):
        return False
    if rule.operand and not any(_matches(text, rule.operand) for text in texts):
        return False
    if rule.but and texts and all(_matches(text, rule.but) for text in texts):
        return False
    return not (rule.not_operand and any(_matches(text, rule.not_operand) for text in texts))


def _spared(rule: Rule, call: "Call") -> bool:
    """Whether the environment that the line gives takes the rule's ground away."""
    if not rule.unless:
        return False
    given = {**call.run.state.exported, **call.environment}
    return any(_matches(f"{name}={value.text}", rule.unless) for name, value in given.items() if value.known)


def _matches(text: str, globs: tuple[str, ...]) -> bool:
    return any(fnmatch.fnmatchcase(text, glob) for glob in globs)


def _given(condition: str, parsed: Parsed) -> bool:
    name, equals, glob = condition.partition("=")
    for option in parsed.options:
        if option.name == name:
            if not equals:
                return True
            if option.value is not None and fnmatch.fnmatchcase(option.value.text, glob):
                return True
    return False


def assigned(roles: tuple[str, ...], operands: tuple[Field, ...]) -> Iterator[tuple[str, Field]]:
    """(role, operand) in order, none left out but at the end. The one role with ``...`` takes what the others leave."""
    count = len(operands)
    repeated = next((index for index, name in enumerate(roles) if name.endswith("...")), None)
    if repeated is None:
        for index, name in enumerate(roles[:count]):
            yield name, operands[index]
        return
    after = len(roles) - repeated - 1
    tail = max(count - after, min(repeated, count))
    for index, field in enumerate(operands):
        if index < repeated:
            name = roles[index]
        elif index < tail or (count <= repeated + after and index < repeated + 1 and not after):
            name = roles[repeated][:-3]
        else:
            name = roles[len(roles) - (count - index)]
        yield name, field


def folder(parsed: Parsed, call: "Call") -> None:
    """Apply options that choose the folder (``git -C``, ``make -C``) to the paths that follow."""
    for given in parsed.options:
        if given.role == "dir" and given.value is not None:
            call.enter(redirects.resolve(given.value.text, call.run))


SENDS = (("method", "POST"), ("data", "file"))
"""Options of a URL payload to which a file goes."""


def role(name: str, field: Field, call: "Call", rule: str, *, recursive: bool = False) -> None:
    """Note what one operand or option value is to the command."""
    run = call.run
    kind, _, detail = name.partition(":")
    if kind == "read" and addresses.of(field.text):
        addresses.hand_on(field, call)
    elif kind in PATH_ACTIONS:
        call.sends = call.sends or kind == "send"
        path(kind, field, call, rule, recursive=recursive)
    elif kind == "prefix":
        path("create", Field(f"{field.text}{SOME}", field.span, field.tags), call, rule)
    elif kind == "shell":
        run.shell(field.text, field.span, f"{call.name}")
    elif kind == "program":
        call.invoke((field,))
    elif kind == "url":
        if field.text.startswith(("/", "./", "../")):
            path("read", field, call, rule)
        else:
            run.hand_on("url", field.text, field.span, call.name, options=SENDS if call.sends else ())
    elif kind == "code":
        run.hand_on(detail, field.text, field.span, call.name, options=worked(field.text, field.tags))
    elif kind == "sql":
        run.hand_on("sql", field.text, field.span, call.name, options=(("dialect", detail), ("client", call.name)))
    elif kind == "script":
        call.script(detail, field)
    elif kind == "assignment":
        call.assign(field)
    elif kind == "host":
        if call.sends and not is_local(field.text.partition(":")[0]):
            named("external", call, rule=f"{rule}.file", reason=f"sends a file to {field.text[:80]}")
        _noted(call, Action.RECEIVE, TargetKind.HOST, field, rule)
    elif kind == "process":
        _noted(call, Action.STOP, TargetKind.PROCESS, field, rule)
    elif kind == "package":
        _noted(call, Action.DELETE, TargetKind.PACKAGE, field, rule)


def _noted(call: "Call", action: Action, kind: TargetKind, field: Field, rule: str) -> None:
    call.run.effect(
        Effect(
            action=action,
            target=Target(kind, field.text, call.run.state.host),
            rule=rule,
            command=call.name,
            span=field.span,
            via=call.run.payload.via,
        )
    )


def _ending(kind: str, field: Field) -> str:
    """What the rule of an effect tells the gate beside the path: moved away from here, below the temporary directory."""
    if kind == "source":
        return ".source"
    below = field.text.removeprefix(f"{HOLE}/")
    plain = SCRATCH in field.tags and below != field.text and HOLE not in below and SOME not in below
    return SCRATCHED if kind == "delete" and plain and below.strip("*?./") and ".." not in below.split("/") else ""


def _only_names(call: "Call") -> bool:
    return call.run.masked or keys.shows_names(call.name, [field.text for field in call.arguments])


def _stays_secret(where: str, call: "Call") -> bool:
    """Whether a key of the project only goes into another file for keys: ``cat a.crt a.key > a.pem``."""
    own = call.run.around.workspace.rstrip("/") + "/"
    return call.name == "cat" and call.run.hidden and where.startswith(own) and where.endswith((".key", ".pem"))


READS_CAP = 5_000
"""Effects of a program after which no further file that is read is looked at."""
TOO_MANY_FILES = "more files than are looked at"


def path(
    kind: str, field: Field, call: "Call", rule: str, *, recursive: bool = False, content: str | None = None
) -> None:
    """Note an effect on a path, given as the command would get it."""
    run = call.run
    text = field.text
    if kind == "read" and text == "-":
        return
    if kind == "read" and len(run.found.effects) >= READS_CAP:
        run.unread_once(TOO_MANY_FILES, field.span)
        return
    if kind == "read" and text.startswith("@/"):
        text = text[1:]  # a file of further arguments
    where = redirects.resolve(text, run) if text else HOLE
    if kind in ("read", "send"):
        if where in redirects.STANDARD_INPUT or where == "/dev/tty":
            call.read(run.stdin if where != "/dev/tty" else redirects.TERMINAL)
            return
        if where in filling.SOURCES:
            call.read(Value(HOLE, frozenset((ENDLESS,))))
            return
        if where in redirects.INERT or where in run.state.files:
            held = run.state.files.get(where, Value(""))
            call.read(held)
            if SECRET not in held.tags or not redirects.secret_path(where, run):
                return
        if kind == "read" and keys.spared(where, run) and _only_names(call):
            return
        if kind == "read" and _stays_secret(where, call):
            call.reads_path(where)
            return
        call.reads_path(where)
    elif where in redirects.INERT:
        return
    target = redirects.spelled(text, run, removes=kind in ("delete", "source", "create"))
    action = PATH_ACTIONS[kind]
    if action in (Action.WRITE, Action.CREATE, Action.APPEND):
        if run.around.host.lstat(where) is None:
            run.state.made[where] = None
        run.state.files[where] = call.output_for(where) if content is None else Value(content)
        filling.note(run, where, run.state.files[where], field.span)
    run.effect(
        Effect(
            action=action,
            target=Target(TargetKind.PATH, target if text else HOLE, run.state.host),
            rule=f"{rule}{_ending(kind, field)}",
            command=call.name,
            recursive=recursive,
            span=field.span,
            content=content,
            via=run.payload.via,
        )
    )

    left = run.state.before_cd
    if kind == "delete" and left is not None and not text.startswith("/") and (field.pattern or text.strip("./") == ""):
        # "cd x; rm -rf *": where x is not there, everything here goes instead.
        run.state.before_cd, here = None, run.state.cwd
        run.state.cwd = (left,)
        path(kind, field, call, f"{rule}.failed-cd", recursive=recursive)
        run.state.before_cd, run.state.cwd = left, here


def into(field: Field, sources: tuple[Field, ...], call: "Call", rule: str, *, recursive: bool) -> None:
    """Note copies into a folder, or onto one file."""
    run = call.run
    where = redirects.resolve(field.text, run)
    found = run.around.host.lstat(where)
    is_folder = field.text.endswith("/") or len(sources) > 1 or (found is not None and found.kind != "file")
    if field.text in (".", "..") or field.text.endswith(("/.", "/..")):
        is_folder = True
    if not is_folder:
        path("write", field, call, rule, recursive=recursive)
        for source in sources:
            _carry(source, where, call)
        return
    for source in sources or (Field(HOLE),):
        base = source.text.rstrip("/").rpartition("/")[2] or HOLE
        whole = source.text.endswith(("/.", "/..", "/")) or base in (".", "..")
        target = field.text.rstrip("/") or "/"
        inner = field if whole and recursive else msgspec.structs.replace(field, text=f"{target}/{base}")
        path("write", inner, call, rule, recursive=recursive)
        _carry(source, redirects.resolve(inner.text, run), call)


def _carry(source: Field, where: str, call: "Call") -> None:
    held = call.run.state.files.get(redirects.resolve(source.text, call.run))
    if held is not None:
        call.run.state.files[where] = held
