"""The shell's own commands: those that change what follows, and those that hide execution."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from checkrail.model import HOLE, Action, Axes, Decision, Reversibility, Scope, TargetKind
from checkrail.readers.shell import environment, flow, folders, inputs, parameters, printing, scripts, words
from checkrail.readers.shell.call import Call
from checkrail.readers.shell.grammar import tree
from checkrail.readers.shell.state import NO_TAGS, NOTHING, SECRET, UNKNOWN, Field, Value

if TYPE_CHECKING:
    from checkrail.readers.shell.evaluate import Evaluator


def assigned(node: tree.Assignment, run: "Evaluator") -> Value | tuple[Value, ...]:
    """The value that an assignment gives: one, or the elements of an array."""
    if node.subscript is not None:
        run.arithmetic(node.subscript, subscript=True)
    if isinstance(node.value, tree.Array):
        elements: list[Value] = []
        for subscript, word in node.value.elements:
            if subscript is not None:
                run.arithmetic(subscript, subscript=True)
            elements.extend(Value(field.text, field.tags) for field in words.fields((word,), run))
        return tuple(elements)
    return words.value(node.value, run)


def set_variable(node: tree.Assignment, value: Value | tuple[Value, ...], run: "Evaluator") -> None:
    """Let an assignment take effect."""
    state = run.state
    if isinstance(value, tuple):
        state.arrays[node.name] = (*(state.arrays.get(node.name, ()) if node.append else ()), *value)
        state.variables.pop(node.name, None)
        return
    if node.subscript is not None:
        index = words.literal(node.subscript)
        elements = list(state.arrays.get(node.name, ()))
        if index is not None and index.isdigit() and int(index) <= len(elements) <= 64:
            elements[int(index) : int(index) + 1] = [value]
            state.arrays[node.name] = tuple(elements)
        else:
            state.arrays[node.name] = (UNKNOWN,)
        return
    before = parameters.lookup(node.name, state) if node.append else NOTHING
    held = Value(before.text + value.text, before.tags | value.tags)
    state.set(node.name, held)
    if f"-i {node.name}" in state.options:
        run.number(held.text, node.span)
    if node.name in EXPORTED_ANYWAY or node.name in state.exported:
        environment.note({node.name: held}, run, node.span, "later commands")


EXPORTED_ANYWAY = frozenset(("PATH", "PROMPT_COMMAND", "LD_PRELOAD"))
"""Variables that are in the environment already, so that a plain assignment changes what follows."""


def _quiet(_call: Call) -> Value:
    return NOTHING


def _eval(call: Call) -> Value:
    text = " ".join(field.text for field in call.arguments)
    tags = NO_TAGS.union(*(field.tags for field in call.arguments)) if call.arguments else NO_TAGS
    value = Value(text, tags)
    if value.known or tags:
        flow.run_code("shell", value, call, "eval")
    elif text.strip():
        flow.run_code("shell", Value(text, tags), call, "eval")
    return UNKNOWN


_DECLARING = frozenset(("declare", "typeset", "local"))


def _export(call: Call) -> Value:
    run = call.run
    given: dict[str, Value] = {}
    operands = [field for field in call.arguments if not field.text.startswith(("-", "+"))]
    flags = "".join(field.text for field in call.arguments if field.text.startswith("-"))
    for field in operands:
        name, equals, text = field.text.partition("=")
        plain = name.removesuffix("+").partition("[")[0]
        run.prompt(name, field.span)
        if "n" in flags and call.name in _DECLARING:
            run.number(text, field.span)
            run.state.references[plain] = text
        elif equals:
            given[plain] = Value(text, field.tags)
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
    if texts[0].startswith("-") and "e" in texts[0]:
        call.run.state.options |= {"-e"}
    if "--" in texts:
        call.run.state.arguments = call.arguments[texts.index("--") + 1 :]
    elif not texts[0].startswith(("-", "+")):
        call.run.state.arguments = call.arguments
    return NOTHING


def _shift(call: Call) -> Value:
    number = call.arguments[0].text if call.arguments else "1"
    call.run.state.arguments = call.run.state.arguments[int(number) if number.isdigit() else 1 :]
    return NOTHING


def _trap(call: Call) -> Value:
    fields = [field for field in call.arguments if field.text != "--"]
    if len(fields) > 1 and fields[0].text not in ("", "-", "-l", "-p"):
        flow.run_code("shell", Value(fields[0].text, fields[0].tags), call, "trap")
    return NOTHING


def _alias(call: Call) -> Value:
    for field in call.arguments:
        name, equals, text = field.text.partition("=")
        if equals:
            call.run.state.aliases[name] = text
    return NOTHING


def _unset(call: Call) -> Value:
    for field in call.arguments:
        call.run.prompt(field.text, field.span)
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


def _history(call: Call) -> Value:
    texts = [field.text for field in call.arguments]
    if call.name == "fc" and any(text in ("-s", "-e") for text in texts):
        flow.run_code("shell", UNKNOWN, call, "fc")
    for flag, kind in (("-w", "write"), ("-a", "append"), ("-r", "read")):
        if flag in texts[:-1]:
            from checkrail.readers.shell import effects

            effects.path(kind, call.arguments[texts.index(flag) + 1], call, "history")
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
        call.run.state.aliases[texts[-1]] = texts[texts.index("-p") + 1]
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
    **dict.fromkeys(("bg", "fg", "disown", "suspend", "dirs", "type", "bind", "caller", "logout", "unalias"), _quiet),
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
    "unset": _unset,
}
"""Builtin -> what it does to the evaluation; its return value is what it prints."""
