"""``$x`` and ``${x…}``: what a parameter expands to, operators included."""

import fnmatch
import re
from typing import TYPE_CHECKING

from checkrail.model import HOLE, SOME
from checkrail.readers.shell import arithmetic
from checkrail.readers.shell.grammar import tree
from checkrail.readers.shell.state import (
    NOTHING,
    SCRATCH,
    UNKNOWN,
    VARIABLE,
    VITAL_PROCESS,
    WORKED,
    WORKED_OUT,
    State,
    Value,
)
from checkrail.redaction import names_a_secret

if TYPE_CHECKING:
    from checkrail.readers.shell.words import Substitutes

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
    if node.indirect and node.op not in ("*", "@"):
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


def _indirect(value: Value, node: tree.Parameter, run: "Substitutes") -> Value:
    """``${!x}``: the variable, or the element, that the value names."""
    run.number(value.text, node.span)
    return lookup(value.text, run.state) if value.known else UNKNOWN


def lookup(name: str, state: State) -> Value:
    """The value of a plain variable; UNKNOWN where it has several or may be set by the environment."""
    name = state.named(name)
    held = state.variables.get(name)
    if held is not None:
        if len(held) == 1:
            return held[0]
        return Value(HOLE, frozenset((WORKED,)).union(*(value.tags for value in held)))
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
    return (*state.arrays[name], *(value for held in keyed for value in held))


def element(name: str, key: Value, state: State) -> Value:
    """One element of an array, or of a plain variable, which is its own first element."""
    if name not in state.arrays:
        return lookup(name, state) if key.text.strip() in ("0", "-1") else WORKED_OUT
    index = None if f"-A {name}" in state.options else arithmetic.worked_out(key.text, state)
    dense = state.arrays[name]
    if dense == (WORKED_OUT,) or (index is None and not (key.known and f"-A {name}" in state.options)):
        return Value(HOLE, frozenset((WORKED,)).union(*(value.tags for value in elements(name, state) or ())))
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
        if node.op == ":":
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

    arguments = [words.value(word, run) for word in node.args]
    first = arguments[0] if arguments else NOTHING
    op = node.op
    tags = value.tags.union(*(argument.tags for argument in arguments))
    if op == ":":
        for argument in arguments:
            run.number(argument.text, node.span)
    if op in (":-", "-", ":=", "="):
        chosen = _default(value, first, op)
        if "=" in op and chosen is first:
            run.state.set(node.name, first)
        return [chosen]
    if op in (":+", "+"):
        return [first] if value.known and value.text else [NOTHING] if value.known else [first]
    if op in (":?", "?"):
        return [value if value.known and value.text else Value(value.text.replace(HOLE, SOME) or SOME, value.tags)]
    if op == "@P":
        run.prompt(value.text, node.span)
        return [Value(HOLE, tags)]
    if op.startswith("@") or not value.known or any(not argument.known for argument in arguments):
        return [Value(value.text if op == "@Q" else HOLE if HOLE in value.text or value.known else SOME, tags)]
    return [Value(_text(value.text, op, [argument.text for argument in arguments]), tags)]


def _default(value: Value, default: Value, op: str) -> Value:
    if value.known:
        return value if value.text or op in ("-", "=") else default
    if value.text == HOLE:
        # Unknown and perhaps unset: the default is what would be taken then, so the strictest guess is both.
        return Value(default.text, default.tags | value.tags) if default.text else value
    return value


def _text(text: str, op: str, arguments: list[str]) -> str:
    first = arguments[0] if arguments else ""
    if op in ("^^", "^"):
        return text.upper() if op == "^^" else text[:1].upper() + text[1:]
    if op in (",,", ","):
        return text.lower() if op == ",," else text[:1].lower() + text[1:]
    if op == ":":
        return _substring(text, arguments)
    if len(text) > 4096 or len(first) > 256:
        return HOLE
    if op in ("#", "##", "%", "%%"):
        return _trimmed(text, op, first)
    if op.startswith("/"):
        return _replaced(text, op, first, arguments[1] if len(arguments) > 1 else "")
    return HOLE


def _substring(text: str, arguments: list[str]) -> str:
    try:
        start = int(arguments[0].strip() or "0")
        length = int(arguments[1].strip()) if len(arguments) > 1 else None
    except ValueError:
        return HOLE
    start = max(start + len(text), 0) if start < 0 else start
    if length is None:
        return text[start:]
    return text[start : len(text) + length] if length < 0 else text[start : start + length]


def _trimmed(text: str, op: str, pattern: str) -> str:
    cuts = range(len(text) + 1)
    matches = [cut for cut in cuts if fnmatch.fnmatchcase(text[:cut] if op[0] == "#" else text[cut:], pattern)]
    if not matches:
        return text
    if op[0] == "#":
        return text[max(matches) if op == "##" else min(matches) :]
    return text[: min(matches) if op == "%%" else max(matches)]


def _replaced(text: str, op: str, pattern: str, replacement: str) -> str:
    if any(character in pattern for character in "*?[\\"):
        return HOLE if not re.fullmatch(r"[\w.\-*?]*", pattern) else _glob_replaced(text, op, pattern, replacement)
    if op == "/#":
        return replacement + text[len(pattern) :] if text.startswith(pattern) else text
    if op == "/%":
        return text[: len(text) - len(pattern)] + replacement if text.endswith(pattern) else text
    return text.replace(pattern, replacement, -1 if op == "//" else 1) if pattern else text


def _glob_replaced(text: str, op: str, pattern: str, replacement: str) -> str:
    expression = "".join(".*" if c == "*" else "." if c == "?" else re.escape(c) for c in pattern)
    expression = expression if pattern.count("*") <= 2 else ""
    if not expression:
        return HOLE
    anchored = {"/#": f"\\A{expression}", "/%": f"{expression}\\Z"}.get(op, expression)
    return re.sub(anchored, lambda _: replacement, text, count=0 if op == "//" else 1, flags=re.DOTALL)
