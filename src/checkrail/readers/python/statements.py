"""Follows the statements of a Python program: assignments, branches, loops, definitions, imports."""

import ast
from collections.abc import Callable
from functools import partial
from typing import Any

from checkrail.readers.python import attributes, builtin_calls, calls
from checkrail.readers.python.arguments import Arguments, items_of
from checkrail.readers.python.expressions import evaluate, operate
from checkrail.readers.python.state import Run, join, moved, widen
from checkrail.readers.python.values import (
    CALLABLE,
    UNKNOWN,
    WAYS,
    Class,
    Function,
    Made,
    Name,
    PathValue,
    Ref,
    Seq,
    choice,
    each,
)


def block(run: Run, statements: list[ast.stmt], scope: int) -> bool:
    """Follow statements in order; True where the block surely ends what it is in."""
    return any(statement(run, node, scope) for node in statements)


def statement(run: Run, node: ast.stmt, scope: int) -> bool:
    """Follow one statement; True where nothing after it in its block runs."""
    run.tick()
    run.depth += 1
    try:
        handler = STATEMENTS.get(type(node))
        return bool(handler(run, node, scope)) if handler is not None else False
    finally:
        run.depth -= 1


def _expression(run: Run, node: ast.Expr, scope: int) -> None:
    evaluate(run, node.value, scope)


def _assign(run: Run, node: ast.Assign, scope: int) -> None:
    value = evaluate(run, node.value, scope)
    for target in node.targets:
        attributes.bind(run, target, value, scope)


def _annotated(run: Run, node: ast.AnnAssign, scope: int) -> None:
    evaluate(run, node.annotation, scope)
    if node.value is not None:
        attributes.bind(run, node.target, evaluate(run, node.value, scope), scope)


def _augmented(run: Run, node: ast.AugAssign, scope: int) -> None:
    load = ast.copy_location(_loading(node.target), node)
    before, added = evaluate(run, load, scope), evaluate(run, node.value, scope)
    if isinstance(node.op, ast.Add) and isinstance(before, Ref) and before.kind == "list":
        calls.call(run, attributes.attribute(run, before, "extend"), Arguments((added,)), scope)
        return
    attributes.bind(run, node.target, operate(run, node.op, before, added), scope)


def _loading(target: Any) -> Any:
    if isinstance(target, ast.Name):
        return ast.Name(target.id, ast.Load())
    if isinstance(target, ast.Attribute):
        return ast.Attribute(target.value, target.attr, ast.Load())
    return ast.Subscript(target.value, target.slice, ast.Load())


def _if(run: Run, node: ast.If, scope: int) -> bool:
    evaluate(run, node.test, scope)
    ended: list[bool] = []
    run.branch(lambda: ended.append(block(run, node.body, scope)), lambda: ended.append(block(run, node.orelse, scope)))
    return all(ended)


def _for(run: Run, node: ast.For | ast.AsyncFor, scope: int) -> None:
    items, more = items_of(run, evaluate(run, node.iter, scope))
    if not more and len(items) <= WAYS:
        for item in items:
            attributes.bind(run, node.target, item, scope)
            block(run, node.body, scope)
    else:
        value = choice(items) if items else UNKNOWN
        _loop(run, partial(_turn, run, node, value, scope))
    block(run, node.orelse, scope)


def _turn(run: Run, node: ast.For | ast.AsyncFor, value: Any, scope: int) -> None:
    attributes.bind(run, node.target, value, scope)
    block(run, node.body, scope)


def _while(run: Run, node: ast.While, scope: int) -> None:
    _loop(run, lambda: (evaluate(run, node.test, scope), block(run, node.body, scope)))
    block(run, node.orelse, scope)


def _loop(run: Run, body: Callable[[], Any]) -> None:
    for turn in range(7):
        before = run.store
        run.wide += turn > 0
        run.branch(lambda: None, body)
        run.wide -= turn > 0
        keys = moved(before, run.store)
        if not keys:
            return
        run.store = {**run.store, **{key: widen(run.store[key], strongly=turn > 1 or run.wide > 0) for key in keys}}
    run.note("a loop whose values do not settle")


def _with(run: Run, node: ast.With | ast.AsyncWith, scope: int) -> bool:
    for item in node.items:
        value = evaluate(run, item.context_expr, scope)
        if item.optional_vars is not None:
            attributes.bind(run, item.optional_vars, choice([_entered(run, option) for option in each(value)]), scope)
        elif isinstance(value, Ref) and value.kind == "object":
            _entered(run, value)
    return block(run, node.body, scope)


def _entered(run: Run, value: Any) -> Any:
    if isinstance(value, Made):
        return value.fact("enter", value)
    if isinstance(value, Ref) and value.kind == "object":
        enter = attributes.attribute(run, value, "__enter__")
        return calls.call(run, enter, Arguments(), 0) if isinstance(enter, Function) else value
    if isinstance(value, PathValue):
        return value
    if isinstance(value, Ref):
        return choice(items_of(run, value)[0])
    return value


def _try(run: Run, node: Any, scope: int) -> bool:
    reached = [dict(run.store)]
    ended = False
    for part in node.body:
        ended = statement(run, part, scope) or ended
        reached.append(dict(run.store))
        run.tick(len(run.store) // 40)
        if ended:
            break
    after = run.store
    merged = reached[0]
    for store in reached[1:]:
        merged = join(merged, store)
    ways = [after]
    for handler in node.handlers:
        run.store = dict(merged)
        if handler.type is not None:
            evaluate(run, handler.type, scope)
        if handler.name:
            run.assign(scope, handler.name, UNKNOWN)
        block(run, handler.body, scope)
        ways.append(run.store)
    run.store = ways[0]
    block(run, node.orelse, scope)
    for store in ways[1:]:
        run.store = join(run.store, store)
    block(run, node.finalbody, scope)
    return ended and not node.handlers


def _function(run: Run, node: ast.FunctionDef | ast.AsyncFunctionDef, scope: int) -> None:
    made: Any = Function(node, scope)
    run.pending.append(made)
    for decorator in reversed(node.decorator_list):
        wrapper = evaluate(run, decorator, scope)
        if any(isinstance(option, CALLABLE) and not _transparent(option) for option in each(wrapper)):
            result = calls.call(run, wrapper, Arguments((made,)), scope)
            made = choice((made, *(option for option in each(result) if isinstance(option, CALLABLE))))
    run.assign(scope, node.name, made)


def _transparent(wrapper: Any) -> bool:
    return isinstance(wrapper, Name) and wrapper.dotted.rpartition(".")[2] in {
        "staticmethod", "classmethod", "property", "cache", "lru_cache", "contextmanager", "wraps", "abstractmethod", "dataclass",
        "fixture", "total_ordering", "cached_property", "overload",
    }  # fmt: skip


def _class(run: Run, node: ast.ClassDef, scope: int) -> None:
    bases = tuple(evaluate(run, base, scope) for base in node.bases)
    for keyword in node.keywords:
        evaluate(run, keyword.value, scope)
    inner = run.number()
    run.parents[inner] = scope
    block(run, node.body, inner)
    for key, value in list(run.store.items()):
        if type(key) is tuple and key[0] == inner and isinstance(value, Function):
            run.store[key] = Function(value.node, scope, value.bound)
        elif type(key) is tuple and key[0] == inner and isinstance(value, CALLABLE) and str(key[1]).startswith("__"):
            calls.escape(run, value)
    run.assign(scope, node.name, Class(node.name, inner, bases))


def _import(run: Run, node: ast.Import, scope: int) -> None:
    for alias in node.names:
        run.opaque.update(dict.fromkeys(builtin_calls.foreign(run, alias.name)))
        full = alias.name if alias.asname else alias.name.partition(".")[0]
        run.assign(scope, alias.asname or full, Name(attributes.canonical(run, full)))


def _import_from(run: Run, node: ast.ImportFrom, scope: int) -> None:
    module = "." * node.level + (node.module or "")
    run.opaque.update(dict.fromkeys(builtin_calls.foreign(run, module)))
    for alias in node.names:
        if alias.name == "*":
            run.stars.append(attributes.canonical(run, module))
            continue
        value = attributes.attribute(run, Name(attributes.canonical(run, module)), alias.name)
        run.assign(scope, alias.asname or alias.name, value)


def _return(run: Run, node: ast.Return, scope: int) -> bool:
    value = evaluate(run, node.value, scope)
    if run.returns:
        run.returns[-1].append(value)
    return True


def _raise(run: Run, node: ast.Raise, scope: int) -> bool:
    evaluate(run, node.exc, scope)
    evaluate(run, node.cause, scope)
    return True


def _assert(run: Run, node: ast.Assert, scope: int) -> None:
    evaluate(run, node.test, scope)
    evaluate(run, node.msg, scope)


def _ends(_run: Run, _node: ast.stmt, _scope: int) -> bool:
    return True


def _global(run: Run, node: ast.Global | ast.Nonlocal, scope: int) -> None:
    run.globals.update((scope, name) for name in node.names)


def _delete(run: Run, node: ast.Delete, scope: int) -> None:
    for target in node.targets:
        if isinstance(target, ast.Name):
            run.store.pop((scope, target.id), None)
        elif isinstance(target, (ast.Attribute, ast.Subscript)):
            evaluate(run, target.value, scope)


def _match(run: Run, node: ast.Match, scope: int) -> None:
    subject = evaluate(run, node.subject, scope)
    ways: list[Callable[[], Any]] = [lambda: None]
    ways.extend(partial(_case, run, case, subject, scope) for case in node.cases)
    run.branch(*ways)


def _case(run: Run, case: ast.match_case, subject: Any, scope: int) -> None:
    for part in ast.walk(case.pattern):
        name = getattr(part, "name", None) or getattr(part, "rest", None)
        if isinstance(name, str):
            items = items_of(run, subject)[0]
            run.assign(scope, name, choice((subject, *items, UNKNOWN)))
        if isinstance(part, ast.MatchValue):
            evaluate(run, part.value, scope)
    evaluate(run, case.guard, scope)
    block(run, case.body, scope)


STATEMENTS: dict[type, Callable[..., Any]] = {
    ast.Expr: _expression,
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.If: _if,
    ast.For: _for,
    ast.AsyncFor: _for,
    ast.While: _while,
    ast.With: _with,
    ast.AsyncWith: _with,
    ast.Try: _try,
    ast.TryStar: _try,
    ast.FunctionDef: _function,
    ast.AsyncFunctionDef: _function,
    ast.ClassDef: _class,
    ast.Import: _import,
    ast.ImportFrom: _import_from,
    ast.Return: _return,
    ast.Raise: _raise,
    ast.Assert: _assert,
    ast.Break: _ends,
    ast.Continue: _ends,
    ast.Global: _global,
    ast.Nonlocal: _global,
    ast.Delete: _delete,
    ast.Match: _match,
}

__all__ = ["Seq", "block"]
