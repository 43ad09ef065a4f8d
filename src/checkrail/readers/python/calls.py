"""Calls: of the program's own functions, of library functions that knowledge describes, of methods, of anything else."""

import ast
from typing import Any

from checkrail.knowledge.code import Call
from checkrail.model import SOME
from checkrail.readers.python import attributes, builtin_calls, computed, containers, effects, programs
from checkrail.readers.python.arguments import Arguments
from checkrail.readers.python.folding import PURE
from checkrail.readers.python.state import MISSING, Run
from checkrail.readers.python.values import (
    CALLABLE,
    UNKNOWN,
    Class,
    Function,
    Made,
    Method,
    Name,
    Partial,
    PathValue,
    Ref,
    Seq,
    Table,
    Unknown,
    choice,
    each,
    unknown,
)

FIXTURES = frozenset(("tmp_path", "tmpdir", "tmp_path_factory", "tmpdir_factory"))
"""Parameters for which pytest makes a scratch folder."""

INLINE = 8
"""How often one function is followed with its own arguments before it is judged once for any."""

LOOKS = frozenset(
    f"builtins.{name}"
    for name in [
        "dir",
        "hasattr",
        "isinstance",
        "issubclass",
        "id",
        "callable",
        "help",
        "len",
        "hash",
    ]
) | {
    "inspect.getsource",
    "inspect.getmembers",
    "inspect.signature",
    "inspect.getfile",
    "inspect.getdoc",
    "inspect.isfunction",
}
"""Functions that look at what they are given and never call it."""


def call(run: Run, callee: Any, arguments: Arguments, scope: int) -> Any:
    """The result of a call; its effects are recorded."""
    run.tick()
    results = [_call(run, option, arguments, scope) for option in each(callee)]
    return results[0] if len(results) == 1 else choice(results)


def _call(run: Run, callee: Any, arguments: Arguments, scope: int) -> Any:
    if isinstance(callee, Name):
        return call_name(run, callee.dotted, arguments, scope)
    if isinstance(callee, Method):
        return _call_method(run, callee, arguments, scope)
    if isinstance(callee, Function):
        return call_function(run, callee, arguments)
    if isinstance(callee, Partial):
        joined = Arguments(
            (*callee.arguments, *arguments.values), (*callee.keywords, *arguments.keywords), arguments.open
        )
        return call(run, callee.callee, joined, scope)
    if isinstance(callee, Class):
        return _construct(run, callee, arguments, scope)
    if isinstance(callee, Ref) and callee.kind == "object":
        return call(run, attributes.attribute(run, callee, "__call__"), arguments, scope)
    return lost(run, arguments, callee)


def call_name(run: Run, name: str, arguments: Arguments, scope: int) -> Any:
    """Call something by its full name."""
    special = builtin_calls.SPECIAL.get(name) or programs.named(name)
    if special is not None:
        return special(run, arguments, scope)
    entry = run.knowledge.calls.get(name)
    if entry is not None and applies(entry, arguments):
        return effects.apply(run, name, entry, arguments, scope)
    if name in PURE:
        return computed.pure(run, name, arguments)
    if name in LOOKS:
        return UNKNOWN
    if name.endswith(f".{builtin_calls.CHOSEN}"):
        run.note(f"a function of {name[:-2]} chosen by a name that is not known")
    module, _, last = name.rpartition(".")
    entry = run.knowledge.calls.get(f"?.{last}") if "." in module and module not in run.knowledge.owners else None
    if entry is not None and applies(entry, arguments.after(UNKNOWN)):  # a method of something that a module holds
        return effects.apply(run, f"?.{last}", entry, arguments.after(UNKNOWN), scope)
    safe = run.knowledge.modules.get(module)
    if safe is not None and last not in safe and not last[:1].isupper() and not last.startswith("__"):
        run.note(f"{name}, of which nothing is known")
    return lost(run, arguments, made=name)


def applies(entry: Call, arguments: Arguments) -> bool:
    """Whether a call has the arguments that an entry asks for (the object of a method counts as one)."""
    count = len(arguments.values) - 1 + len(arguments.keywords)
    if entry.when == "one-argument":
        return len(arguments.values) == 2 and not arguments.keywords
    if entry.when == "no-arguments":
        return count == 0 or (
            all(name == "missing_ok" for name, _ in arguments.keywords) and len(arguments.values) == 1
        )
    return entry.when == "" or count > 0


def _call_method(run: Run, method: Method, arguments: Arguments, scope: int) -> Any:
    receiver, name = method.receiver, method.name
    if name == "__call__":
        return call(run, receiver, arguments, scope)
    if isinstance(receiver, (str, bytes)):
        return computed.text_method(run, receiver, name, arguments)
    if isinstance(receiver, Ref) and receiver.kind != "object":
        return containers.method(run, receiver, name, arguments)
    if isinstance(receiver, PathValue):
        found = containers.path_method(run, receiver, name, arguments)
        return (
            found if found is not MISSING else call_name(run, f"pathlib.Path.{name}", arguments.after(receiver), scope)
        )
    if isinstance(receiver, Made):
        return _made_method(run, receiver, name, arguments, scope)
    if isinstance(receiver, Unknown):
        return _unknown_method(run, receiver, name, arguments, scope)
    return lost(run, arguments, receiver)


def _made_method(run: Run, receiver: Made, name: str, arguments: Arguments, scope: int) -> Any:
    full = f"{receiver.kind}.{name}"
    if full in run.knowledge.calls or full in builtin_calls.SPECIAL:
        return call_name(run, full, arguments.after(receiver), scope)
    if name in ("__enter__", "__aenter__"):
        return receiver
    return _unknown_method(run, UNKNOWN if receiver.kind != "remote" else Unknown("remote"), name, arguments, scope)


def _unknown_method(run: Run, receiver: Unknown, name: str, arguments: Arguments, scope: int) -> Any:
    if receiver.origin == "processes" and name in programs.ENDS:
        return programs.ended(run, arguments)
    full = f"cloud.{name}" if receiver.origin == "cloud" else f"?.{name}"
    entry = run.knowledge.calls.get(full)
    if entry is not None and applies(entry, arguments.after(receiver)):
        return effects.apply(run, full, entry, arguments.after(receiver), scope)
    if receiver.origin == "module":
        found = [one for one in run.knowledge.methods.get(name, ()) if one.count(".") == 1 and one[0] != "?"]
        if found:
            return choice([call_name(run, one, arguments, scope) for one in found[:6]])
        if name in ("system", "__subclasses__", "getattr"):
            run.note(f"{name} of a module that is not known")
    if name in ("run_line_magic", "run_cell_magic", "run_cell"):
        run.note("an IPython magic")
    return lost(run, arguments, receiver)


def call_function(run: Run, function: Function, arguments: Arguments) -> Any:
    """Follow a call of one of the program's own functions."""
    node = function.node
    key = id(node)
    count = run.inlined.get(key, 0)
    if key in run.active or count > INLINE:
        return run.results.get(key, UNKNOWN)
    run.inlined[key] = count + 1
    if count == INLINE:
        arguments = Arguments(open=True)
    result = _inline(run, function, arguments)
    run.results[key] = choice((result, run.results.get(key, UNKNOWN)))
    return result


def _inline(run: Run, function: Function, arguments: Arguments) -> Any:
    node = function.node
    scope = run.number()
    run.parents[scope] = function.scope
    _bind_parameters(
        run, node, scope, Arguments((*function.bound, *arguments.values), arguments.keywords, arguments.open)
    )
    run.active.append(id(node))
    run.depth += 2
    try:
        if isinstance(node, ast.Lambda):
            return run.evaluate(run, node.body, scope)
        run.returns.append([])
        run.block(run, node.body, scope)
        return choice(run.returns.pop() or [None])
    finally:
        run.depth -= 2
        run.active.pop()


def _bind_parameters(run: Run, node: Any, scope: int, arguments: Arguments) -> None:
    spec = node.args
    parameters = [*spec.posonlyargs, *spec.args]
    defaults = [MISSING] * (len(parameters) - len(spec.defaults)) + list(spec.defaults)
    outer = run.parents[scope]
    for index, (parameter, default) in enumerate(zip(parameters, defaults, strict=True)):
        _bind_one(run, scope, outer, parameter.arg, arguments.get(index, parameter.arg), default, arguments.open)
    for parameter, default in zip(spec.kwonlyargs, spec.kw_defaults, strict=True):
        _bind_one(run, scope, outer, parameter.arg, arguments.get(-1, parameter.arg), default, arguments.open)
    if spec.vararg is not None:
        run.assign(scope, spec.vararg.arg, run.cell(Seq(arguments.values[len(parameters) :], open=arguments.open)))
    if spec.kwarg is not None:
        run.assign(scope, spec.kwarg.arg, run.cell(Table(arguments.keywords, open=arguments.open)))


def _bind_one(run: Run, scope: int, outer: int, name: str, given: Any, default: Any, open_end: bool) -> None:
    if default is not MISSING and default is not None and (given is MISSING or (open_end and given is UNKNOWN)):
        value = run.evaluate(run, default, outer)
        given = value if given is MISSING else choice((value, UNKNOWN))
    if run.in_tests and name in FIXTURES and (given is MISSING or given is UNKNOWN):
        given = PathValue(f"/tmp/{SOME}")
    run.assign(scope, name, UNKNOWN if given is MISSING else given)


def _construct(run: Run, owner: Class, arguments: Arguments, scope: int) -> Any:
    made = Ref("object", run.number())
    run.store["class", made] = owner
    initialise = attributes.attribute(run, made, "__init__")
    if isinstance(initialise, (Function, Name)):
        call(run, initialise, arguments, scope)
    else:
        for key, value in arguments.keywords:
            run.store["attr", made, key] = value
    return made


def lost(run: Run, arguments: Arguments, callee: Any = None, made: str = "") -> Any:
    """A call that cannot be followed: what could be called through its arguments counts as called."""
    for value in arguments.all():
        escape(run, value)
    if made and made.rpartition(".")[2][:1].isupper():
        return Made(made, tuple((key, value) for key, value in arguments.keywords))
    return unknown(callee, *run.flat(*arguments.all()))


def escape(run: Run, value: Any) -> None:
    """A value goes where it cannot be followed: a callable may be called there with anything."""
    for option in each(value):
        if isinstance(option, Function):
            call_function(run, option, Arguments(open=True))
        elif isinstance(option, Partial):
            call(run, option, Arguments(open=True), 0)
        elif isinstance(option, Name):
            _escape_name(run, option.dotted)
        elif isinstance(option, Method) and isinstance(option.receiver, (PathValue, Made)):
            call(run, option, Arguments(open=True), 0)
        elif isinstance(option, Method) and isinstance(option.receiver, Ref):
            escape(run, option.receiver)
        elif isinstance(option, Ref) and option.kind != "object":
            for item in run.flat(option)[1:]:
                if any(isinstance(way, CALLABLE) for way in each(item)):
                    escape(run, item)


def _escape_name(run: Run, name: str) -> None:
    entry = run.knowledge.calls.get(name)
    special = builtin_calls.SPECIAL.get(name) if not name.startswith("builtins.") else None
    if entry is not None:
        effects.apply(run, name, entry, Arguments(open=True), 0)
    elif special is not None:
        special(run, Arguments(open=True), 0)
    elif name in ("builtins.exec", "builtins.eval", "builtins.__import__", "builtins.compile"):
        run.note(f"{name.rpartition('.')[2]} handed to code that is not followed")
    elif name in run.knowledge.modules and name not in ("sys", "pathlib"):
        run.note(f"the module {name} handed to code that is not followed")
