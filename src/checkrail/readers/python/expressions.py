"""What a Python expression is worth, and what evaluating it would do."""

import ast
from collections.abc import Callable
from functools import partial
from typing import Any

from checkrail.model import HOLE
from checkrail.readers.python import attributes, calls
from checkrail.readers.python.arguments import Arguments, items_of
from checkrail.readers.python.folding import LIMIT, fold_percent
from checkrail.readers.python.state import MISSING, Run
from checkrail.readers.python.values import (
    UNKNOWN,
    WAYS,
    Choice,
    Function,
    Name,
    PathValue,
    Ref,
    Seq,
    Table,
    Unknown,
    choice,
    each,
    join_paths,
    merged,
    origin,
    text_of,
    unknown,
)


def evaluate(run: Run, node: ast.expr | None, scope: int) -> Any:
    """The value of an expression; its effects are recorded in the run."""
    if node is None:
        return None
    run.tick()
    run.depth += 1
    try:
        handler = EXPRESSIONS.get(type(node))
        return handler(run, node, scope) if handler is not None else _parts(run, node, scope)
    finally:
        run.depth -= 1


def _parts(run: Run, node: ast.AST, scope: int) -> Any:
    values = [evaluate(run, child, scope) for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]
    return unknown(*values)


def _constant(_run: Run, node: ast.Constant, _scope: int) -> Any:
    return node.value


def _name(run: Run, node: ast.Name, scope: int) -> Any:
    value = run.read(scope, node.id)
    if value is not MISSING:
        return value
    return attributes.free_name(run, node.id)


def _attribute(run: Run, node: ast.Attribute, scope: int) -> Any:
    return attributes.attribute(run, evaluate(run, node.value, scope), node.attr)


def _call(run: Run, node: ast.Call, scope: int) -> Any:
    callee = evaluate(run, node.func, scope)
    values: list[Any] = []
    open_end = False
    for argument in node.args:
        if isinstance(argument, ast.Starred):
            items, more = items_of(run, evaluate(run, argument.value, scope))
            values.extend(items)
            open_end = open_end or more
        else:
            values.append(evaluate(run, argument, scope))
    keywords: list[tuple[str, Any]] = []
    for keyword in node.keywords:
        value = evaluate(run, keyword.value, scope)
        if keyword.arg is not None:
            keywords.append((keyword.arg, value))
            continue
        table = run.content(value)
        if isinstance(table, Table):
            keywords.extend((key, item) for key, item in table.items if isinstance(key, str))
            open_end = open_end or table.open
        else:
            open_end = True
    run.at(node)
    return calls.call(run, callee, Arguments(tuple(values), tuple(keywords), open_end), scope)


def _binary(run: Run, node: ast.BinOp, scope: int) -> Any:
    return operate(run, node.op, evaluate(run, node.left, scope), evaluate(run, node.right, scope))


def operate(run: Run, operator: ast.operator, left: Any, right: Any) -> Any:
    """The result of a binary operator."""
    run.at(operator)
    lefts, rights = each(run.content(left)), each(run.content(right))
    if len(lefts) * len(rights) > WAYS:
        lefts, rights = (unknown(left),), (unknown(right),)
    handler = OPERATORS.get(type(operator))
    if handler is None:
        return unknown(left, right)
    return choice([handler(run, one, other) for one in lefts for other in rights])


def _add(run: Run, one: Any, other: Any) -> Any:
    if isinstance(one, Seq) or isinstance(other, Seq):
        return run.cell(_seq_sum(one, other))
    if isinstance(one, bytes) and isinstance(other, bytes) and len(one) + len(other) < LIMIT:
        return one + other
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        return one + other if abs(one) + abs(other) < 1e15 else UNKNOWN
    if isinstance(one, str) or isinstance(other, str):
        whole = merged(text_of(one) + text_of(other))
        if len(whole) < LIMIT and whole.startswith(ADDRESSES) and origin(one, other):
            return choice((whole, unknown(one, other)))  # where it goes, and whence what it carries
        if len(whole) < LIMIT and not _remote(one, other):
            return whole
    return unknown(one, other)


ADDRESSES = ("http://", "https://")


def _remote(*values: Any) -> bool:
    return any(type(value) is Unknown and value.origin in ("remote", "secret", "environment") for value in values)


def _seq_sum(one: Any, other: Any) -> Seq:
    first = one if isinstance(one, Seq) else Seq((UNKNOWN,), open=True)
    second = other if isinstance(other, Seq) else Seq((UNKNOWN,), open=True)
    if first.open:
        return Seq((*first.items, *second.items, choice((*first.items[-1:], *second.items, UNKNOWN))), open=True)
    return Seq((*first.items, *second.items)[:1000], open=second.open)


def _multiply(run: Run, one: Any, other: Any) -> Any:
    if isinstance(other, (str, bytes, Seq)):
        one, other = other, one
    if isinstance(one, Seq):
        known = isinstance(other, int) and 0 <= other * len(one.items) <= 100 and not one.open
        return run.cell(Seq(one.items * other if known else (*one.items, UNKNOWN), open=not known))
    if isinstance(one, (str, bytes)) and isinstance(other, int):
        return one * other if 0 <= other * len(one) <= LIMIT // 20 else unknown()
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        return one * other if abs(one) < 1e9 and abs(other) < 1e9 else UNKNOWN
    return unknown(one, other)


def _divide(_run: Run, one: Any, other: Any) -> Any:
    if isinstance(one, PathValue) or (isinstance(other, PathValue) and isinstance(one, (str, Unknown))):
        return PathValue(join_paths(text_of(one), text_of(other)))
    if type(one) is Unknown and isinstance(other, str):
        return PathValue(join_paths(HOLE, other))
    return unknown(one, other)


def _modulo(_run: Run, one: Any, other: Any) -> Any:
    if isinstance(one, str):
        if isinstance(other, Seq):
            values: Any = tuple(_printable(item) for item in other.items) if not other.open else HOLE
        elif isinstance(other, Table):
            values = {key: _printable(item) for key, item in other.items} if not other.open else HOLE
        else:
            values = _printable(other)
        return choice([fold_percent(one, values)])
    return unknown(one, other)


def _printable(value: Any) -> Any:
    return value.text if isinstance(value, PathValue) else value


def _either(_run: Run, one: Any, other: Any) -> Any:
    if isinstance(one, bool | int) and isinstance(other, bool | int):
        return one | other
    return choice((one, other))


def _xor(_run: Run, one: Any, other: Any) -> Any:
    return one ^ other if isinstance(one, int) and isinstance(other, int) else unknown(one, other)


def _subtract(_run: Run, one: Any, other: Any) -> Any:
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        return one - other
    return unknown(one, other)


def _bool_op(run: Run, node: ast.BoolOp, scope: int) -> Any:
    values = [evaluate(run, node.values[0], scope)]
    for part in node.values[1:]:
        run.branch(_nothing, partial(_append_value, run, part, scope, values))
    return choice(values)


def _nothing() -> None:
    """The way on which nothing happens."""


def _append_value(run: Run, node: ast.expr, scope: int, values: list[Any]) -> None:
    values.append(evaluate(run, node, scope))


def _if_expression(run: Run, node: ast.IfExp, scope: int) -> Any:
    evaluate(run, node.test, scope)
    values: list[Any] = []
    run.branch(
        partial(_append_value, run, node.body, scope, values), partial(_append_value, run, node.orelse, scope, values)
    )
    return choice(values)


def _compare(run: Run, node: ast.Compare, scope: int) -> Any:
    for part in (node.left, *node.comparators):
        evaluate(run, part, scope)
    return UNKNOWN


def _unary(run: Run, node: ast.UnaryOp, scope: int) -> Any:
    value = evaluate(run, node.operand, scope)
    if isinstance(node.op, ast.USub) and isinstance(value, (int, float)):
        return -value
    return UNKNOWN


def _joined(run: Run, node: ast.JoinedStr, scope: int) -> Any:
    ways: list[str] = [""]
    strong: list[Any] = []
    read: list[Any] = []
    for part in node.values:
        value = evaluate(run, part, scope)
        read.append(value)
        strong.extend(option for option in each(value) if _remote(option))
        pieces = list(dict.fromkeys(text_of(option) for option in each(value)))
        if len(ways) * len(pieces) > WAYS:
            pieces = [HOLE]
        ways = [merged(way + piece) for way in ways for piece in pieces]
    if ways[0].startswith(ADDRESSES) and origin(*read):
        strong.append(unknown(*read))
    return choice([*ways, *strong]) if strong else choice(list(ways))


def _formatted(run: Run, node: ast.FormattedValue, scope: int) -> Any:
    value = evaluate(run, node.value, scope)
    if node.format_spec is not None:
        evaluate(run, node.format_spec, scope)
        return unknown(value)
    if node.conversion == ord("r") and isinstance(value, str):
        return repr(value) if HOLE not in value else value
    return value


def _sequence(run: Run, node: ast.List | ast.Tuple | ast.Set, scope: int) -> Any:
    values: list[Any] = []
    open_end = False
    for item in node.elts:
        if isinstance(item, ast.Starred):
            items, more = items_of(run, evaluate(run, item.value, scope))
            values.extend(items)
            open_end = open_end or more
        elif open_end:
            values.append(choice((UNKNOWN, evaluate(run, item, scope))))
        else:
            values.append(evaluate(run, item, scope))
    run.at(node)
    return run.cell(Seq(tuple(values), open=open_end))


def _dict(run: Run, node: ast.Dict, scope: int) -> Any:
    items: list[tuple[Any, Any]] = []
    open_end = False
    for key_node, value_node in zip(node.keys, node.values, strict=True):
        value = evaluate(run, value_node, scope)
        if key_node is None:
            table = run.content(value)
            items.extend(table.items if isinstance(table, Table) else ())
            open_end = open_end or not isinstance(table, Table) or table.open
            continue
        items.append((evaluate(run, key_node, scope), value))
    run.at(node)
    return run.cell(Table(tuple(items), open=open_end))


def _subscript(run: Run, node: ast.Subscript, scope: int) -> Any:
    value = evaluate(run, node.value, scope)
    if isinstance(node.slice, ast.Slice):
        bounds = [evaluate(run, part, scope) for part in (node.slice.lower, node.slice.upper, node.slice.step)]
        return choice([attributes.sliced(run, option, bounds) for option in each(run.content(value))])
    return attributes.item(run, value, evaluate(run, node.slice, scope))


def _lambda(run: Run, node: ast.Lambda, scope: int) -> Any:
    made = Function(node, scope)
    run.pending.append(made)
    return made


def _comprehension(run: Run, node: Any, scope: int) -> Any:
    inner = run.number()
    run.parents[inner] = scope
    results: list[Any] = []
    exact = _generate(run, node, 0, inner, results)
    run.at(node)
    if isinstance(node, ast.DictComp):
        return run.cell(Table(tuple(results), open=not exact))
    return run.cell(Seq(tuple(results), open=not exact))


def _generate(run: Run, node: Any, level: int, scope: int, results: list[Any]) -> bool:
    if level == len(node.generators):
        if isinstance(node, ast.DictComp):
            results.append((evaluate(run, node.key, scope), evaluate(run, node.value, scope)))
        else:
            results.append(evaluate(run, node.elt, scope))
        return True
    part = node.generators[level]
    items, more = items_of(run, evaluate(run, part.iter, scope))
    exact = not more and not part.ifs and len(items) <= WAYS
    for item in items if exact else (choice(items),):
        attributes.bind(run, part.target, item, scope)
        for test in part.ifs:
            evaluate(run, test, scope)
        exact = _generate(run, node, level + 1, scope, results) and exact
    return exact


def _named(run: Run, node: ast.NamedExpr, scope: int) -> Any:
    value = evaluate(run, node.value, scope)
    run.assign(scope, node.target.id, value)
    return value


def _await(run: Run, node: ast.Await, scope: int) -> Any:
    return evaluate(run, node.value, scope)


def _yield(run: Run, node: ast.Yield | ast.YieldFrom, scope: int) -> Any:
    value = evaluate(run, node.value, scope)
    if run.returns:
        items = items_of(run, value)[0] if isinstance(node, ast.YieldFrom) else (value,)
        run.returns[-1].extend(run.cell(Seq((item,), open=True)) for item in items)
    return UNKNOWN


EXPRESSIONS: dict[type, Callable[..., Any]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Call: _call,
    ast.BinOp: _binary,
    ast.BoolOp: _bool_op,
    ast.IfExp: _if_expression,
    ast.Compare: _compare,
    ast.UnaryOp: _unary,
    ast.JoinedStr: _joined,
    ast.FormattedValue: _formatted,
    ast.List: _sequence,
    ast.Tuple: _sequence,
    ast.Set: _sequence,
    ast.Dict: _dict,
    ast.Subscript: _subscript,
    ast.Lambda: _lambda,
    ast.ListComp: _comprehension,
    ast.SetComp: _comprehension,
    ast.GeneratorExp: _comprehension,
    ast.DictComp: _comprehension,
    ast.NamedExpr: _named,
    ast.Await: _await,
    ast.Yield: _yield,
    ast.YieldFrom: _yield,
}

OPERATORS: dict[type, Callable[..., Any]] = {
    ast.Add: _add,
    ast.Mult: _multiply,
    ast.Div: _divide,
    ast.Mod: _modulo,
    ast.BitOr: _either,
    ast.BitXor: _xor,
    ast.Sub: _subtract,
}

__all__ = ["Choice", "Name", "Ref", "evaluate", "operate"]
