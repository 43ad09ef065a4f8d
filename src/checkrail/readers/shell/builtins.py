"""The shell's own commands: those that change what follows, and those that hide execution."""

from collections.abc import Callable, Mapping

from checkrail.model import HOLE, Action, Axes, Decision, Reversibility, Scope, TargetKind
from checkrail.readers.shell import (
    declaring,
    environment,
    flow,
    folders,
    frames,
    inputs,
    loops,
    parameters,
    printing,
    scripts,
    traps,
    zsh,
)
from checkrail.readers.shell.call import Call
from checkrail.readers.shell.state import NO_TAGS, NOTHING, UNKNOWN, WORKED, Value


def _quiet(_call: Call) -> Value:
    return NOTHING


def _eval(call: Call) -> Value:
    text = " ".join(field.text for field in call.arguments)
    tags = NO_TAGS.union(*(field.tags for field in call.arguments)) if call.arguments else NO_TAGS
    value = Value(text, tags)
    return flow.run_code("shell", value, call, "eval", here=True) if text.strip() else NOTHING


def _set(call: Call) -> Value:
    state, fields = call.run.state, list(call.arguments)
    if not fields:
        return declaring.ENVIRONMENT
    if [field.text for field in fields] == ["+o", "history"]:
        from checkrail.readers.shell import effects

        effects.named("loses", call, rule="history.off", reason="keeps what follows out of the shell's history")
    while fields and fields[0].text[:1] in ("-", "+"):
        option = fields.pop(0).text
        if option in ("-", "--"):
            state.arguments = tuple(fields) if fields or option == "--" else state.arguments
            return NOTHING
        word = fields.pop(0).text if option[-1] in "oO" and fields else ""
        state.options |= {f"-{letter}" for letter in "ae" if letter in option} if option[0] == "-" else frozenset()
        state.options |= {"-a"} if word == "allexport" else frozenset()
    if fields:
        state.arguments = tuple(fields)
    return NOTHING


def _shift(call: Call) -> Value:
    number = call.arguments[0].text if call.arguments else "1"
    arguments = call.run.state.arguments
    count = int(number) if number.isdigit() and len(number) < 5 else 1
    several = tuple(field for field in arguments[:count] if field.text == HOLE)  # each may be any number of arguments
    call.run.state.arguments = several + arguments[count:]
    return NOTHING


def _alias(call: Call) -> Value:
    flags = "".join(field.text[1:] for field in call.arguments if field.text.startswith("-"))
    for field in call.arguments:
        name, equals, text = field.text.partition("=")
        if equals and "g" in flags:
            zsh.everywhere(text, call)
        elif equals:
            call.run.state.aliases[f"{zsh.ENDING}{name}" if "s" in flags else name] = (text,)
    return NOTHING


def _unset(call: Call) -> Value:
    state = call.run.state
    flags = "".join(field.text for field in call.arguments if field.text.startswith("-"))
    for field in call.arguments:
        call.run.prompt(field.text, field.span)
        environment.unset(field.text, call.run, field.span)
        if field.text.startswith("-"):
            continue
        if "n" in flags:
            state.references.pop(field.text, None)
            continue
        name = state.named(field.text)
        held = name in state.variables or name in state.arrays
        if "f" not in flags:
            parameters.unset(name, state)
        if "f" in flags:
            state.functions.pop(name, None)
        elif "v" not in flags and not held and name in state.functions:  # of the two, bash unsets the variable
            state.functions[name] = (*state.functions[name], None)
    return NOTHING


def _getopts(call: Call) -> Value:
    _test(call)
    given = call.arguments[2:] or call.run.state.arguments
    tags = frozenset((WORKED,)) if given else NO_TAGS
    for name in ("OPTARG", *(field.text for field in call.arguments[1:2])):
        call.run.state.set(name, Value(HOLE, tags.union(*(field.tags for field in given))))
    return NOTHING


def _return(call: Call) -> Value:
    frames.leave(call.run)
    return NOTHING


def _break(call: Call) -> Value:
    levels = call.arguments[0].text if call.arguments else "1"
    count = max(1, int(levels)) if levels.isdecimal() and len(levels) < 4 else 1
    loops.jump(call.run, count, ends=call.name == "break")
    return NOTHING


def _command(call: Call) -> Value:
    """``command`` and ``builtin``: -v and -V only show, else the rest runs."""
    fields = list(call.arguments)
    while fields and fields[0].text.startswith("-") and len(fields[0].text) > 1:
        option = fields.pop(0).text
        if "v" in option.lower() and option != "--":
            return Value(fields[0].text + "\n", fields[0].tags) if fields else UNKNOWN
    return call.invoke(tuple(fields)) if fields else NOTHING


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
    traps.maybe_now(call.run)
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
    with frames.entered(call.run):
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
        call.run.state.aliases[name] = (program,)
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
    **dict.fromkeys((":", "true", "false", "jobs", "times", "ulimit", "umask", "shopt"), _quiet),
    **dict.fromkeys(("bg", "fg", "disown", "suspend", "dirs", "type", "caller", "logout", "unalias"), _quiet),
    **dict.fromkeys(("break", "continue"), _break),
    **dict.fromkeys(("cd", "chdir"), folders.cd),
    **dict.fromkeys(("export", "declare", "typeset", "local", "readonly"), declaring.declare),
    **dict.fromkeys(("eval",), _eval),
    **dict.fromkeys(("source", "."), _source),
    **dict.fromkeys(("mapfile", "readarray"), inputs.mapfile),
    **dict.fromkeys(("command", "builtin"), _command),
    **dict.fromkeys(("test", "[", "wait"), _test),
    **dict.fromkeys(("history", "fc"), _history),
    **dict.fromkeys(("compgen", "complete"), _completion),
    "alias": _alias,
    "bind": _bind,
    "echo": printing.echo,
    "enable": _enable,
    "exec": _exec,
    "exit": _exit,
    "getopts": _getopts,
    "hash": _hash,
    "let": _let,
    "popd": folders.popd,
    "printf": printing.printf,
    "pushd": folders.pushd,
    "pwd": _pwd,
    "read": inputs.read,
    "return": _return,
    "set": _set,
    "shift": _shift,
    "trap": traps.trap,
    "print": zsh.printed,
    "zargs": zsh.zargs,
    "unset": _unset,
}
"""Builtin -> what it does to the evaluation; its return value is what it prints."""
