"""``$x`` and ``${x…}``: what a parameter expands to, operators included."""

from typing import TYPE_CHECKING

from checkrail.model import HOLE, SOME
from checkrail.readers.shell import arithmetic, patterns
from checkrail.readers.shell.grammar import tree
from checkrail.readers.shell.state import (
    NO_TAGS,
    NOTHING,
    SCRATCH,
    UNKNOWN,
    UNSET,
    VARIABLE,
    VITAL_PROCESS,
    WORKED,
    WORKED_OUT,
    State,
    Value,
    one_of,
)
from checkrail.redaction import names_a_secret

if TYPE_CHECKING:
    from checkrail.readers.shell.words import Substitutes

_PATTERNED = frozenset("#%/^,")
"""First characters of the operators whose first operand is a pattern."""

_NUMBERS = frozenset(
    (
        "$",
        "!",
        "?",
        "#",
        "-",
        "RANDOM",
        "SRANDOM",
        "SECONDS",
        "LINENO",
        "UID",
        "EUID",
        "BASHPID",
        "EPOCHSECONDS",
        "HOSTNAME",
        "USER",
        "LOGNAME",
        "HOSTTYPE",
        "OSTYPE",
        "COLUMNS",
        "LINES",
    )
)


TEMPORARY = frozenset(("TMPDIR", "RUNNER_TEMP", "BATS_TMPDIR", "BATS_TEST_TMPDIR", "PYTEST_DEBUG_TEMPROOT"))
"""Variables that name a temporary directory, if they are set at all."""


def expand(node: tree.Parameter, run: "Substitutes") -> tuple[tuple[Value, ...], bool]:
    """The values, and whether they are separate fields where quoted (``$@``, ``${a[@]}``)."""
    state = run.state
    if node.subscript is not None:
        values, many = _element(node, run)
    elif node.name in ("@", "*"):
        values = tuple(Value(field.text, field.tags) for field in state.arguments)
        if node.op == ":":
            values = _sliced((Value("bash"), *values), node, run)
        many = node.name == "@" or not node.quoted
        if not many:
            values = (_joined(values, state),)
    else:
        values, many = (lookup(node.name, state),), False
    if node.length:
        return (_length(values, listed=_is_list(node)),), False
    if node.indirect and node.op in ("*", "@"):
        return (_names(node.name, state),), False
    if node.indirect:
        values = tuple(_indirect(value, node, run) for value in values)
    if node.op and not (node.op == ":" and _is_list(node)):
        values = tuple(found for value in values or (NOTHING,) for found in _operated(node, value, run))
    return values, many


def _length(values: tuple[Value, ...], *, listed: bool) -> Value:
    if not all(value.known for value in values):
        return Value(SOME)
    return Value(str(len(values) if listed else sum(len(value.text) for value in values)))


def _is_list(node: tree.Parameter) -> bool:
    from checkrail.readers.shell import words

    return node.name in ("@", "*") or (node.subscript is not None and words.literal(node.subscript) in ("@", "*"))


def _names(prefix: str, state: State) -> Value:
    """``${!prefix*}``: the names of variables; the environment may hold more of them than the program."""
    return WORKED_OUT if any(name.startswith(prefix) for name in (*state.variables, *state.arrays)) else UNKNOWN


def _indirect(value: Value, node: tree.Parameter, run: "Substitutes") -> Value:
    """``${!x}``: the variable, or the element, that the value names."""
    run.number(value.text, node.span)
    if node.name == "#" and run.state.arguments:
        last = run.state.arguments[-1]
        return Value(last.text, last.tags)
    return lookup(value.text, run.state) if value.known else one_of((value,)) if value.tags else UNKNOWN


def lookup(name: str, state: State) -> Value:
    """The value of a plain variable; UNKNOWN where it has several or may be set by the environment."""
    name = state.named(name)
    if name == "_":
        return state.last
    held = state.variables.get(name)
    if held is not None:
        if len(held) == 1:
            return NOTHING if held[0] is UNSET else held[0]
        return one_of(held)
    if name == "#" and state.arguments and all(field.known for field in state.arguments):
        return Value(str(len(state.arguments)))
    if name.endswith("]") and "[" in name:
        base, _, key = name.partition("[")
        return element(base, Value(key[:-1]), state)
    if name == "PWD":
        return Value(state.cwd[0] if len(state.cwd) == 1 else HOLE)
    if name in state.arrays:
        return state.arrays[name][0] if state.arrays[name] else NOTHING
    if name.isdigit():
        return _positional(int(name), state)
    if name == "PPID":
        return Value(SOME, frozenset((VITAL_PROCESS,)))
    if name in _NUMBERS:
        return Value(SOME)
    if name in TEMPORARY:
        return Value(HOLE, frozenset((SCRATCH,)))
    return Value(HOLE, frozenset((VARIABLE + name,))) if names_a_secret(name) else UNKNOWN


def _positional(number: int, state: State) -> Value:
    if number == 0:
        return Value("bash")
    if number <= len(state.arguments):
        field = state.arguments[number - 1]
        return Value(field.text, field.tags)
    return NOTHING if state.stack else UNKNOWN


def elements(name: str, state: State) -> tuple[Value, ...] | None:
    """Every element of an array, None where there is no such array."""
    if name not in state.arrays:
        return None
    keyed = (held for other, held in state.variables.items() if other.startswith(f"{name}["))
    return (*state.arrays[name], *(held[0] if len(held) == 1 else one_of(held) for held in keyed))


def element(name: str, key: Value, state: State) -> Value:
    """One element of an array, or of a plain variable, which is its own first element."""
    if name == "BASH_ALIASES":
        texts = state.aliases.get(key.text, ("",)) if key.known else (HOLE,)
        return WORKED_OUT if len(texts) > 1 or HOLE in texts[0] else Value(texts[0])
    if name not in state.arrays:
        return lookup(name, state) if key.text.strip() in ("0", "-1") else WORKED_OUT
    index = None if f"-A {name}" in state.options else arithmetic.worked_out(key.text, state)
    dense = state.arrays[name]
    if dense == (WORKED_OUT,) or (index is None and not (key.known and f"-A {name}" in state.options)):
        return one_of(elements(name, state) or ())
    if index is not None and index < 0 and any(other.startswith(f"{name}[") for other in state.variables):
        return one_of(elements(name, state) or ())
    if index is not None and -len(dense) <= index < len(dense):
        return dense[index]
    held = state.variables.get(f"{name}[{key.text if index is None else index}]", (NOTHING,))
    return held[0] if len(held) == 1 else WORKED_OUT


def _element(node: tree.Parameter, run: "Substitutes") -> tuple[tuple[Value, ...], bool]:
    from checkrail.readers.shell import words  # the two call each other: a subscript is a word

    assert node.subscript is not None
    subscript, name = words.literal(node.subscript), run.state.named(node.name)
    if subscript in ("@", "*"):
        found = elements(name, run.state)
        if found is None:
            return (lookup(name, run.state),), False
        if node.op == ":" and len(found) > len(run.state.arrays[name]):
            found = (one_of(found),)  # counted by keys, with gaps
        elif node.op == ":":
            found = _sliced(found, node, run)
        if subscript == "*" and node.quoted:
            return (_joined(found, run.state),), False
        return found, True
    run.arithmetic(node.subscript, subscript=True)
    return (element(name, words.value(node.subscript, run, tildes=False), run.state),), False


def _sliced(values: tuple[Value, ...], node: tree.Parameter, run: "Substitutes") -> tuple[Value, ...]:
    """``${a[@]:1:2}``, ``${@:2}``: of these values, those from one place on."""
    from checkrail.readers.shell import words

    texts = [words.value(word, run).text for word in node.args]
    for text in texts:
        run.number(text, node.span)
    numbers = [arithmetic.worked_out(text, run.state) for text in texts]
    start = numbers[0] if numbers else None
    length = numbers[1] if len(numbers) > 1 else len(values)
    if start is None or length is None or length < 0 or WORKED_OUT in values:
        return (WORKED_OUT,)
    start = max(start + len(values), 0) if start < 0 else start
    return values[start : start + length]


def _joined(values: tuple[Value, ...], state: State) -> Value:
    """``"$*"``: the values with the first character of IFS between them."""
    tags = frozenset[str]().union(*(value.tags for value in values))
    held = state.variables.get("IFS", (Value(" "),))
    between = held[0].text[:1] if len(held) == 1 and held[0].known else " "
    return Value(between.join(value.text for value in values), tags)


def _operated(node: tree.Parameter, value: Value, run: "Substitutes") -> list[Value]:
    from checkrail.readers.shell import words

    op = node.op
    arguments = [words.value(word, run) for word in node.args]
    if arguments and op[:1] in _PATTERNED:
        arguments[0] = words.pattern(node.args[0], run, again=arguments[0])
    first = arguments[0] if arguments else NOTHING
    tags = value.tags.union(*(argument.tags for argument in arguments))
    if op == ":":
        for argument in arguments:
            run.number(argument.text, node.span)
    unset = node.subscript is None and UNSET in run.state.variables.get(run.state.named(node.name), ())
    if op in (":-", "-", ":=", "="):
        chosen = first if unset else _default(value, first, op)
        if WORKED in value.tags and op in (":-", "-"):
            return [run.choose((chosen, value))]
        if "=" in op and chosen is first:
            run.state.set(node.name, first)
        return [chosen]
    if op in (":+", "+"):
        if unset or (op == ":+" and value.known and not value.text):
            return [NOTHING]
        return [first if value.known else run.choose((first, NOTHING))]
    if op in (":?", "?"):
        return [value if value.known and value.text else Value(value.text.replace(HOLE, SOME) or SOME, value.tags)]
    if op == "@P":
        run.prompt(value.text, node.span)
        return [Value(HOLE, tags | ({WORKED} if value.known and value.text else NO_TAGS))]
    if op == "@Q":
        return [Value("'" + value.text.replace("'", "'\\''") + "'", tags)]
    if not value.known:
        whole = value.text in (HOLE, SOME)
        return [Value(HOLE if HOLE in value.text else SOME, tags if whole else tags | {WORKED})]
    made = HOLE
    if all(argument.known for argument in arguments):
        texts = [argument.text for argument in arguments]
        made = _substring(value.text, texts, run.state) if op == ":" else patterns.operated(value.text, op, texts)
    return [Value(made, tags | ({WORKED} if made == HOLE else NO_TAGS))]


def _default(value: Value, default: Value, op: str) -> Value:
    if value.known:
        return value if value.text or op in ("-", "=") else default
    if value.text == HOLE:
        # Unknown and perhaps unset: the default is what would be taken then, so the strictest guess is both.
        return Value(default.text, default.tags | value.tags) if default.text else value
    return value


def _substring(text: str, arguments: list[str], state: State) -> str:
    numbers = [arithmetic.worked_out(argument, state) if argument.strip() else 0 for argument in arguments]
    start, length = numbers[0] if numbers else 0, numbers[1] if len(numbers) > 1 else None
    if start is None or (len(numbers) > 1 and length is None):
        return HOLE
    start = start + len(text) if start < 0 else start
    if start < 0:
        return ""
    if length is None:
        return text[start:]
    return text[start : len(text) + length] if length < 0 else text[start : start + length]


def unset(name: str, state: State) -> None:
    """Take away a variable, an array, or an element of one."""
    base, bracket, _ = name.partition("[")
    if bracket and base in state.arrays:
        state.arrays[base] = (WORKED_OUT,)
        state.variables.pop(name, None)
        return
    state.variables[name] = (UNSET,)
    if state.arrays.pop(name, None) is not None:
        for other in [other for other in state.variables if other.startswith(f"{name}[")]:
            del state.variables[other]
