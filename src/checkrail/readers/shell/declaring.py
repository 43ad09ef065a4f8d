"""``declare``, ``local``, ``export`` and ``readonly``: variables with attributes, and what they print."""

from checkrail.model import HOLE
from checkrail.readers.shell import assignments, environment, frames, nested, parameters
from checkrail.readers.shell.call import Call
from checkrail.readers.shell.state import NOTHING, SECRET, State, Value

DECLARING = frozenset(("declare", "typeset", "local"))
"""Those whose variables are a function's own."""

ENVIRONMENT = Value(HOLE, frozenset((SECRET, "environment")))
"""What prints the whole environment prints."""


def declare(call: Call) -> Value:
    """Give variables values and attributes; without names, what there is."""
    run = call.run
    operands = [field for field in call.arguments if not field.text.startswith(("-", "+"))]
    flags = "".join(field.text for field in call.arguments if field.text.startswith("-"))
    if "f" in flags and (call.name == "export" or "x" in flags):
        run.state.options |= {f"-f {field.text}" for field in operands}
        return NOTHING
    if "f" in flags:
        names = [field.text for field in operands] or list(run.state.sources)
        return Value("".join(f"{run.state.sources[name]}\n" for name in names if name in run.state.sources))
    given: dict[str, Value] = {}
    for field in operands:
        name, equals, text = field.text.partition("=")
        plain = name.removesuffix("+").partition("[")[0]
        run.prompt(name, field.span)
        if call.name in DECLARING and "g" not in flags:
            _own(plain, call, kept=bool(equals))
        if "A" in flags:
            run.state.options |= {f"-A {plain}"}
            run.state.arrays.setdefault(plain, ())
        if "n" in flags and call.name in DECLARING:
            run.number(text, field.span)
            run.state.references[plain] = text
            continue
        _attributes(plain, flags + ("r" if call.name == "readonly" else ""), run.state, before=True)
        if text.startswith("(") and flags.strip("-") and set("aA") & set(flags):
            nested.here(field.text, run, field.span, call.name)
        elif equals:
            given[plain] = _given(name, Value(text, field.tags), run.state)
            if "i" in flags:
                run.number(text, field.span)
        elif plain in run.state.variables and len(run.state.variables[plain]) == 1:
            given[plain] = run.state.variables[plain][0]
        _attributes(plain, flags + ("r" if call.name == "readonly" else ""), run.state, before=False)
    if call.name == "export" or "x" in flags:
        for name, value in given.items():
            run.state.exported[name] = value
        environment.note(given, run, call.span, "later commands")
    if not operands and not call.run.state.arrays and (call.name == "export" or "p" in flags):
        return ENVIRONMENT
    return NOTHING


def _own(name: str, call: Call, *, kept: bool) -> None:
    """In a function the variable is a new one, without a value at first."""
    if frames.localize(call.run, [name]) and not kept:
        parameters.unset(name, call.run.state)


def _attributes(name: str, flags: str, state: State, *, before: bool) -> None:
    """Those that change the value given with them stand before it, ``-r`` after it."""
    letters = set(flags) & set("ilu" if before else "r")
    state.options |= {f"-{letter} {name}" for letter in letters}


def _given(name: str, value: Value, state: State) -> Value:
    """The value that ``name=…``, ``name+=…`` or ``name[key]=…`` gives, which takes effect."""
    plain, bracket, rest = name.removesuffix("+").partition("[")
    key = Value(rest.removesuffix("]"))
    if name.endswith("+"):
        held = parameters.element(plain, key, state) if bracket else parameters.lookup(plain, state)
        value = Value(held.text + value.text, held.tags | value.tags)
    if bracket:
        assignments.put(plain, key, value, state)
    else:
        state.set(plain, value)
    return value
