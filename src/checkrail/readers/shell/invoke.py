"""From a command line to what it does: functions, builtins, wrappers, programs, scripts."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from checkrail.knowledge import places
from checkrail.knowledge.commands import commands
from checkrail.knowledge.schema import Entry
from checkrail.model import HOLE, SOME, Action, Decision, Effect, Span, Target, TargetKind
from checkrail.readers.shell import (
    addresses,
    assignments,
    builtins,
    declaring,
    effects,
    environment,
    flow,
    frames,
    installs,
    merging,
    nested,
    outputs,
    redirects,
    scripts,
    special,
    unlisted,
    words,
    zsh,
)
from checkrail.readers.shell.call import Call
from checkrail.readers.shell.grammar import tree
from checkrail.readers.shell.options import Parsed, parse
from checkrail.readers.shell.state import EITHER, NOTHING, PLACE, UNKNOWN, WAYS_CAP, WORKED, Field, State, Value

if TYPE_CHECKING:
    from checkrail.readers.shell.evaluate import Evaluator

Body = Callable[[], Value]

PROGRAM_FOLDERS = (
    "/bin/",
    "/sbin/",
    "/usr/bin/",
    "/usr/sbin/",
    "/usr/local/bin/",
    "/usr/local/sbin/",
    "/opt/homebrew/bin/",
    "/opt/local/bin/",
    "/snap/bin/",
)
"""Programs there are what their names say; anywhere else a name proves nothing."""

ANYTHING = ("text...",)
"""Operands of which an entry says nothing."""

KEEPING = frozenset(
    (":", ".", "eval", "exec", "export", "readonly", "return", "set", "shift", "source", "trap", "unset")
)
"""Builtins that keep the assignments before them, in POSIX shells and not in bash."""

NOT_FOUND = ("command_not_found_handle", "command_not_found_handler")
"""Functions that bash and zsh call where there is no program of a name."""

DEPTH_CAP = 24
"""Wrappers within wrappers that are followed."""


def simple(node: tree.Simple, run: "Evaluator") -> Value:
    """Judge a simple command with its redirections; what it prints."""
    if not node.redirects:
        return _simple(node, run)
    stays = len(node.words) == 1 and words.literal(node.words[0]) == "exec"
    with redirects.applied(node.redirects, run, stays=stays) as streams:
        if not node.words and not node.assignments and [redirect.op for redirect in node.redirects] == ["<"]:
            return run.stdin  # $(< file)
        return streams.written(_simple(node, run))


def _simple(node: tree.Simple, run: "Evaluator") -> Value:
    fields = words.fields(node.words, run) if node.words else []
    if not fields:
        for assignment in node.assignments:
            assignments.take_effect(assignment, assignments.assigned(assignment, run), run)
        return NOTHING
    prefix: dict[str, Value] = {}
    with assignments.in_turn(run) as give:
        for assignment in node.assignments:
            value = assignments.assigned(assignment, run)
            if isinstance(value, Value):
                prefix[assignment.name] = value
                give(assignment.name, value)
    if any(field.text.startswith("-") and "A" in field.text for field in fields[1:]):
        run.state.options |= {f"-A {assignment.name}" for assignment in node.declared}
    if node.declared and fields[0].text in declaring.DECLARING:
        frames.localize(run, [assignment.name for assignment in node.declared])
    for assignment in node.declared:
        assignments.take_effect(assignment, assignments.assigned(assignment, run), run)
    output = command(tuple(fields), prefix, run, node.span)
    run.state.last = Value(fields[-1].text, fields[-1].tags)
    whole = zsh.whole_array(node, run)
    if whole:
        command((*whole, *fields[1:]), prefix, run, node.span)
    return output


def command(fields: tuple[Field, ...], prefix: dict[str, Value], run: "Evaluator", span: Span) -> Value:
    """Judge one command line (already expanded) with its assignment prefix; what it prints."""
    run.steps += 1
    run.found.commands[" ".join([field.text for field in fields])] = None
    first = fields[0]
    if EITHER in first.tags:
        return _either(fields, prefix, run, span)
    if prefix:
        environment.note(prefix, run, span, first.text)
        with assignments.prefixed(prefix, run):
            output = _command(fields, prefix, run, span)
        if first.text in KEEPING:
            for name, value in prefix.items():
                held = run.state.variables.get(name, (UNKNOWN,))
                run.state.variables[name] = tuple(dict.fromkeys((*held, value)))[:WAYS_CAP]
        return output
    return _command(fields, prefix, run, span)


def _command(fields: tuple[Field, ...], prefix: dict[str, Value], run: "Evaluator", span: Span) -> Value:
    first, state = fields[0], run.state
    name = first.text
    if len(state.stack) > DEPTH_CAP:
        run.unread("commands nested deeper than are read", span)
        return UNKNOWN
    name = zsh.program(name)
    made_of_paths = WORKED in first.tags and any(mark in name for mark in "*?[")
    if (
        made_of_paths
        or HOLE in name
        or (SOME in name and not _made_up(name))
        or first.pattern
        or not name
        or zsh.expands(name)
    ):
        return _computed(fields, run, span)
    if name in state.functions or name in state.aliases:
        defined = frames.named(name, fields, run, span, lambda: as_program(fields, prefix, run, span))
        if defined is not None:
            return defined
    if started := zsh.ending(name, state.aliases):
        words_behind = "".join(f" {_quoted(field.text)}" for field in fields)
        return nested.here(started + words_behind, run, span, f"alias -s {name}")
    if "/" in name:
        plain = plain_name(name)
        if plain is None:
            output = scripts.run_program(Call(name, fields[1:], run, span, dict(prefix)))
            plain = _named_like(name)
            if plain is None:
                return output
        name = plain
    if name[0] == "=" and known(name[1:]) is not None:
        name = name[1:]  # zsh puts the program's path there; bash finds no such command
    call = Call(name, fields[1:], run, span, dict(prefix))
    builtin = builtins.BUILTINS.get(name)
    if builtin is not None:
        return builtin(call)
    for handler in NOT_FOUND:
        for function in state.functions.get(handler, ()):
            if function is not None and handler != name:  # which programs there are, is not known
                frames.call(run, function, fields)
    entry = known(name)
    if entry is None:
        return unlisted.program(call)
    state.stack = (*state.stack, "")
    try:
        return _known(entry, call)
    finally:
        run.state.stack = run.state.stack[:-1]


def as_program(fields: tuple[Field, ...], prefix: dict[str, Value], run: "Evaluator", span: Span) -> Value:
    """Judge a command line whose name is neither a function's nor an alias."""
    with frames.hidden(fields[0].text, run):
        return _command(fields, prefix, run, span)


def aliased(text: str, fields: tuple[Field, ...], run: "Evaluator", span: Span) -> Value:
    """Judge a command line whose name an alias replaces."""
    name = fields[0].text
    rest = "".join(f" {_quoted(field.text)}" for field in fields[1:])
    with frames.hidden(name, run):
        return nested.here(text + rest, run, span, f"alias {name}")


ALTERNATIVE_CAP = 8
"""Programs of which one is meant (``$(which a || which b)``) that are judged one by one."""


def _either(fields: tuple[Field, ...], prefix: dict[str, Value], run: "Evaluator", span: Span) -> Value:
    """A command word that is one of several: each is judged with the rest."""
    count = next((index for index, field in enumerate(fields) if EITHER not in field.tags), len(fields))
    names = [name for field in fields[:count] for name in field.text.split("\n") if name]
    if not names or len(names) > ALTERNATIVE_CAP:
        names = [HOLE]
    tags = fields[0].tags - {EITHER}
    outputs = [command((Field(name, fields[0].span, tags), *fields[count:]), prefix, run, span) for name in names]
    return merging.alternatives(outputs)


def known(name: str) -> Entry | None:
    """The entry of a command name; versions in names (``python3.12``, ``gcc-13``) are cut off."""
    table = commands()
    entry = table.get(name)
    if entry is not None:
        return entry
    return table.get(name.rstrip("0123456789.-")) if name[-1:].isdigit() else None


def plain_name(name: str) -> str | None:
    """The name of a program that a path in a program folder names; None where the path proves nothing."""
    folder, _, base = name.rpartition("/")
    return base if f"{folder}/" in PROGRAM_FOLDERS or folder.endswith("/.venv/bin") or folder == ".venv/bin" else None


def _made_up(name: str) -> bool:
    """Whether only a folder's name is made up at run time (``mktemp -d``), and the program below it is named."""
    folder, _, base = name.rpartition("/")
    return SOME not in base and any(folder.startswith(f"{root}/") for root in places.paths().scratch)


def _named_like(name: str) -> str | None:
    """A program elsewhere that bears a known name is judged as that too, which can only make the answer stricter. Of relative
    paths only tools of the project count (``./gradlew``, ``node_modules/.bin/prisma``): ``./format`` may be anything."""
    folder, _, base = name.rpartition("/")
    entry = known(base)
    if entry is None or base in builtins.BUILTINS:
        return None
    return base if name.startswith("/") or folder.endswith("bin") or entry.effect == "code" else None


def _known(entry: Entry, call: Call) -> Value:
    path = entry.names[0]
    arguments = call.arguments
    installs.note(call)
    if call.run.state.unpacked and entry.effect in ("code", "install"):
        scripts.fetched(call)
    if call.run.state.files and (entry.runs or entry.effect in ("code", "install")):
        scripts.beside(entry, call)
    above: Entry | None = None
    parents: list[tuple[Entry, str, Parsed]] = []
    while True:
        parsed = parse(entry, arguments, above)
        if not entry.sub or not parsed.operands:
            break
        found = _sub(entry, parsed.operands[0].text)
        if found is None:
            output = _unknown_sub(entry, parsed, call, path)
            return outputs.known(call) or output
        effects.folder(parsed, call)
        _roles_of(parsed, call, path)
        parents.append((entry, path, parsed))
        above, entry = entry, found
        path = f"{path}.{found.names[0]}"
        arguments = parsed.operands[1:]
    call.parsed = _with_parents(parsed, parents)
    try:
        for parent, where, given in parents:
            _rules_of(parent, given, parsed, call, where)
        if _only_help(entry, parsed) or any(effects.is_dry(parent, given) for parent, _, given in parents):
            return UNKNOWN
        parsed = call.parsed
        addresses.arguments(entry, parsed, call)
        if entry.special:
            special.run(entry, call, path)
        else:
            effects.apply(entry, parsed, call, path)
            flow.standard_input(entry, call)
            if entry.effect in ("code", "install"):
                unlisted.carried(call)
                unlisted.outputs(call)
            unlisted.secrets(parsed, call, operands=entry.operands == ANYTHING)
        flow.leaks(call, entry)
        return outputs.archived(call, outputs.known(call) or call.printed(entry))
    finally:
        call.leave()


def _sub(entry: Entry, name: str) -> Entry | None:
    import fnmatch

    for sub in entry.sub:
        if name in sub.names:
            return sub
    for sub in entry.sub:
        if any(("*" in glob or "?" in glob) and fnmatch.fnmatchcase(name, glob) for glob in sub.names):
            return sub
    return None


def _unknown_sub(entry: Entry, parsed: Parsed, call: Call, path: str) -> Value:
    call.parsed = parsed
    effects.folder(parsed, call)
    _roles_of(parsed, call, path)
    _rules_of(entry, parsed, parse(entry, parsed.operands[1:]), call, path)
    if entry.special:
        special.run(entry, call, path)
    elif entry.unknown is None:
        call.run.opaque(f"unknown subcommand {call.name} {parsed.operands[0].text[:40]}")
    else:
        effects.named(entry.unknown, call, rule=f"{path}.unknown", reason=entry.reason or f"runs {call.line[:80]}")
    if not entry.special and entry.unknown in (None, "code"):
        unlisted.handed_shell(call)
        unlisted.secrets(parsed, call, operands=True)
    if entry.unknown != "pure":
        addresses.unlisted(call)
    flow.leaks(call, entry)
    call.leave()
    return call.printed(entry)


def _with_parents(parsed: Parsed, parents: list[tuple[Entry, str, Parsed]]) -> Parsed:
    """A subcommand's arguments with the plain options that stood before it (``npm -g uninstall x``)."""
    before = tuple(option for _, _, given in parents for option in given.options if option.role == "text")
    return Parsed((*before, *parsed.options), parsed.operands, parsed.strange) if before else parsed


def _roles_of(parsed: Parsed, call: Call, path: str) -> None:
    """What the values of options before a subcommand do by themselves (``git -c core.pager=…``)."""
    for given in parsed.options:
        if given.value is not None and given.role not in ("text", "dir"):
            effects.role(given.role, given.value, call, path)


def _rules_of(entry: Entry, parsed: Parsed, below: Parsed, call: Call, path: str) -> None:
    """A parent's rules about options. Long options and values count after the subcommand too; short flags may mean something else."""
    later = tuple(option for option in below.options if option.name.startswith("--") or option.value is not None)
    given = Parsed((*parsed.options, *later), parsed.operands) if later else parsed
    for rule in entry.rule:
        if (rule.any or rule.all) and effects.holds(rule, given):
            effects.ruled(rule, call, path)


def _only_help(entry: Entry, parsed: Parsed) -> bool:
    if entry.effect in ("code", "runs"):
        return False
    asked = ("--help", "--version", "-help") if entry.single else ("--help", "--version")
    return any(option.name in asked for option in parsed.options if option.value is None)


def _computed(fields: tuple[Field, ...], run: "Evaluator", span: Span) -> Value:
    """A command word that only running would tell."""
    name = fields[0].text
    if fields[0].tags == {PLACE} and name.startswith(f"{HOLE}/"):
        return _placed(fields, run, span)
    run.effect(
        Effect(
            action=Action.EXECUTE,
            target=Target(TargetKind.CODE, name, run.state.host),
            rule="shell.computed-command",
            decision=Decision.ASK if flow.suspicious(fields) else None,
            reason="the command word is computed; what would run cannot be known",
            command=name,
            span=span,
            via=run.payload.via,
        )
    )
    run.opaque("a computed command")
    return UNKNOWN


def _placed(fields: tuple[Field, ...], run: "Evaluator", span: Span) -> Value:
    """A program in a folder that a tool names: local code, and judged as what its name says where that is known."""
    base = fields[0].text.rpartition("/")[2]
    run.opaque("runs a program that a tool of the project names")
    if HOLE in base or known(base) is None or base in builtins.BUILTINS:
        return UNKNOWN
    return command((Field(base, fields[0].span), *fields[1:]), {}, run, span)


def fork_bomb(function: tree.Function, state: State) -> Effect:
    """The effect of a function that starts itself again, in a pipe or in the background."""
    return Effect(
        action=Action.STOP,
        target=Target(TargetKind.SYSTEM, "processes", state.host),
        rule="shell.fork-bomb",
        decision=Decision.DENY,
        reason=f"function {function.name} starts itself without end (a fork bomb)",
        span=function.span,
    )


def _quoted(text: str) -> str:
    import shlex

    return shlex.quote(text)
