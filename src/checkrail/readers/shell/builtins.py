"""The shell's own commands: those that change what follows, and those that hide execution."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from checkrail.model import HOLE, Action, Axes, Decision, Reversibility, Scope, TargetKind
from checkrail.readers.shell import environment, flow, folders, inputs, nested, printing, scripts, zsh
from checkrail.readers.shell.call import Call
from checkrail.readers.shell.state import NO_TAGS, NOTHING, SECRET, UNKNOWN, Field, Value

if TYPE_CHECKING:
    pass


def _quiet(_call: Call) -> Value:
    return NOTHING


def _eval(call: Call) -> Value:
    text = " ".join(field.text for field in call.arguments)
    tags = NO_TAGS.union(*(field.tags for field in call.arguments)) if call.arguments else NO_TAGS
    value = Value(text, tags)
    return flow.run_code("shell", value, call, "eval", here=True) if text.strip() else NOTHING


_DECLARING = frozenset(("declare", "typeset", "local"))


def _cased(value: Value, flags: str) -> Value:
    text = value.text.lower() if "l" in flags else value.text.upper() if "u" in flags else value.text
    return Value(text, value.tags)


def _export(call: Call) -> Value:
    run = call.run
    given: dict[str, Value] = {}
    operands = [field for field in call.arguments if not field.text.startswith(("-", "+"))]
    flags = "".join(field.text for field in call.arguments if field.text.startswith("-"))
    if "f" in flags and (call.name == "export" or "x" in flags):
        run.state.options |= {f"-f {field.text}" for field in operands}
        return NOTHING
    if "f" in flags:
        names = [field.text for field in operands] or list(run.state.sources)
        return Value("".join(f"{run.state.sources[name]}\n" for name in names if name in run.state.sources))
    for field in operands:
        name, equals, text = field.text.partition("=")
        plain = name.removesuffix("+").partition("[")[0]
        run.prompt(name, field.span)
        if "A" in flags:
            run.state.options |= {f"-A {plain}"}
            run.state.arrays.setdefault(plain, ())
        if "n" in flags and call.name in _DECLARING:
            run.number(text, field.span)
            run.state.references[plain] = text
        elif text.startswith("(") and flags.strip("-") and set("aA") & set(flags):
            nested.here(field.text, run, field.span, call.name)
        elif equals:
            given[plain] = _cased(Value(text, field.tags), flags)
            run.state.set(plain, given[plain])
            if "i" in flags:
                run.number(text, field.span)
        if "i" in flags:
            run.state.options |= {f"-i {plain}"}
        elif plain in run.state.variables and len(run.state.variables[plain]) == 1:
            given[plain] = run.state.variables[plain][0]
    if call.name == "export" or "x" in flags:
        for name, value in given.items():
            run.state.exported[name] = value
        environment.note(given, run, call.span, "later commands")
    if not operands and not call.run.state.arrays and (call.name == "export" or "p" in flags):
        return ENVIRONMENT
    return NOTHING


ENVIRONMENT = Value(HOLE, frozenset((SECRET, "environment")))
"""What prints the whole environment prints."""


def _set(call: Call) -> Value:
    texts = [field.text for field in call.arguments]
    if not texts:
        return ENVIRONMENT
    if texts == ["+o", "history"]:
        from checkrail.readers.shell import effects

        effects.named("loses", call, rule="history.off", reason="keeps what follows out of the shell's history")
    if texts[0].startswith("-"):
        call.run.state.options |= {f"-{letter}" for letter in "ae" if letter in texts[0]}
        call.run.state.options |= {"-a"} if "allexport" in texts else frozenset()
    if "--" in texts:
        call.run.state.arguments = call.arguments[texts.index("--") + 1 :]
    elif not texts[0].startswith(("-", "+")):
        call.run.state.arguments = call.arguments
    return NOTHING


def _shift(call: Call) -> Value:
    number = call.arguments[0].text if call.arguments else "1"
    call.run.state.arguments = call.run.state.arguments[int(number) if number.isdigit() else 1 :]
    return NOTHING


AT_ANY_TIME = frozenset(("DEBUG", "RETURN", "ERR"))
"""Traps that run between commands; the others run when the shell ends, or cannot be told from that."""


def _trap(call: Call) -> Value:
    fields = [field for field in call.arguments if field.text != "--"]
    if len(fields) > 1 and fields[0].text not in ("", "-", "-l", "-p"):
        run, value = call.run, Value(fields[0].text, fields[0].tags)
        if (
            not value.known
            or value.tags
            or AT_ANY_TIME & {field.text.removeprefix("SIG").upper() for field in fields[1:]}
        ):
            before = run.state.copy()
            flow.run_code("shell", value, call, "trap", here=True)
            run.state.merge(before)
        run.traps.append((value.text, call.span))
    return NOTHING


def _alias(call: Call) -> Value:
    flags = "".join(field.text[1:] for field in call.arguments if field.text.startswith("-"))
    for field in call.arguments:
        name, equals, text = field.text.partition("=")
        if equals and "g" in flags:
            zsh.everywhere(text, call)
        elif equals:
            call.run.state.aliases[f"{zsh.ENDING}{name}" if "s" in flags else name] = text
    return NOTHING


def _unset(call: Call) -> Value:
    for field in call.arguments:
        call.run.prompt(field.text, field.span)
        environment.unset(field.text, call.run, field.span)
        if not field.text.startswith("-"):
            call.run.state.variables[field.text] = (NOTHING,)
            call.run.state.functions.pop(field.text, None)
            call.run.state.arrays.pop(field.text, None)
    return NOTHING


def _command(call: Call) -> Value:
    """``command`` and ``builtin``: -v and -V only show, else the rest runs."""
    fields = list(call.arguments)
    while fields and fields[0].text.startswith("-") and len(fields[0].text) > 1:
        option = fields.pop(0).text
        if "v" in option.lower() and option != "--":
            return Value(fields[0].text + "\n", fields[0].tags) if fields else UNKNOWN
    return _past_functions(call, tuple(fields)) if fields else NOTHING


def _past_functions(call: Call, fields: tuple[Field, ...]) -> Value:
    held = call.run.state.functions.pop(fields[0].text, None)
    try:
        return call.invoke(fields)
    finally:
        if held is not None:
            call.run.state.functions[fields[0].text] = held


def _exec(call: Call) -> Value:
    fields = list(call.arguments)
    while fields and fields[0].text.startswith("-") and len(fields[0].text) > 1:
        if fields.pop(0).text.endswith("a") and fields:
            fields.pop(0)
    if not fields:
        return NOTHING
    output = call.invoke(tuple(fields))
    call.run.state.dead = True
    return output


def _exit(call: Call) -> Value:
    call.run.state.dead = True
    return NOTHING


def _pwd(call: Call) -> Value:
    return Value(call.run.state.cwd[0] + "\n")


def _test(call: Call) -> Value:
    for field in call.arguments:
        call.run.prompt(field.text, field.span)
    return NOTHING


_SILENT = ("-c", "-d", "-w", "-a", "-n", "-r", "-s")
"""Options with which ``history`` prints nothing."""


def _history(call: Call) -> Value:
    texts = [field.text for field in call.arguments]
    if call.name == "fc" and any(text in ("-s", "-e") for text in texts):
        flow.run_code("shell", UNKNOWN, call, "fc")
    for flag, kind in (("-w", "write"), ("-a", "append"), ("-r", "read")):
        if flag in texts[:-1]:
            from checkrail.readers.shell import effects

            effects.path(kind, call.arguments[texts.index(flag) + 1], call, "history")
    if call.name == "history" and any(text.startswith(_SILENT) for text in texts):
        if any(text.startswith("-") and set(text) & set("cd") for text in texts):
            from checkrail.readers.shell import effects

            effects.named("loses", call, rule="history.clears", reason="takes lines out of the shell's history")
        return NOTHING
    return Value(HOLE, frozenset(("history",)))


def _source(call: Call) -> Value:
    return scripts.source(call)


def _let(call: Call) -> Value:
    for field in call.arguments:
        call.run.number(field.text, field.span)
    return NOTHING


def _enable(call: Call) -> Value:
    if any(field.text.startswith("-f") for field in call.arguments):
        call.effect(
            Action.EXECUTE,
            TargetKind.CODE,
            call.line,
            rule="shell.loads-library",
            axes=Axes(Reversibility.HARD, Scope.LOCAL),
            decision=Decision.ASK,
            reason="loads a library into the shell",
        )
    return NOTHING


def _hash(call: Call) -> Value:
    texts = [field.text for field in call.arguments]
    if "-p" in texts and len(texts) > texts.index("-p") + 2:
        program, name = texts[texts.index("-p") + 1], texts[-1]
        call.run.state.aliases[name] = program
        if program.rpartition("/")[2] != name:
            call.effect(
                Action.CONFIGURE,
                TargetKind.CODE,
                call.line,
                rule="shell.hash-path",
                axes=Axes(Reversibility.HARD, Scope.LOCAL),
                reason=f"lets the name {name} start {program}",
            )
    return NOTHING


def _bind(call: Call) -> Value:
    """``bind -x '"key": line'``: the line runs when the key is pressed."""
    if any(field.text.startswith("-x") for field in call.arguments):
        for field in call.arguments:
            _, colon, line = field.text.partition(":")
            if colon:
                call.run.shell(line.strip().strip("'"), field.span, call.name)
    return NOTHING


def _completion(call: Call) -> Value:
    texts = [field.text for field in call.arguments]
    for flag in ("-C", "-W"):
        if flag in texts[:-1]:
            text = texts[texts.index(flag) + 1]
            if flag == "-C":
                call.run.shell(text, call.span, call.name)
            else:
                call.run.prompt(text, call.span)
    return UNKNOWN


BUILTINS: Mapping[str, Callable[[Call], Value]] = {
    **dict.fromkeys((":", "true", "false", "jobs", "times", "ulimit", "umask", "shopt", "return"), _quiet),
    **dict.fromkeys(("bg", "fg", "disown", "suspend", "dirs", "type", "caller", "logout", "unalias"), _quiet),
    **dict.fromkeys(("break", "continue"), _quiet),
    **dict.fromkeys(("cd", "chdir"), folders.cd),
    **dict.fromkeys(("export", "declare", "typeset", "local", "readonly"), _export),
    **dict.fromkeys(("eval",), _eval),
    **dict.fromkeys(("source", "."), _source),
    **dict.fromkeys(("mapfile", "readarray"), inputs.mapfile),
    **dict.fromkeys(("command", "builtin"), _command),
    **dict.fromkeys(("test", "[", "wait", "getopts"), _test),
    **dict.fromkeys(("history", "fc"), _history),
    **dict.fromkeys(("compgen", "complete"), _completion),
    "alias": _alias,
    "bind": _bind,
    "echo": printing.echo,
    "enable": _enable,
    "exec": _exec,
    "exit": _exit,
    "hash": _hash,
    "let": _let,
    "popd": folders.popd,
    "printf": printing.printf,
    "pushd": folders.pushd,
    "pwd": _pwd,
    "read": inputs.read,
    "set": _set,
    "shift": _shift,
    "trap": _trap,
    "print": zsh.printed,
    "zargs": zsh.zargs,
    "unset": _unset,
}
"""Builtin -> what it does to the evaluation; its return value is what it prints."""
