"""Names, attributes and items: how a program reaches what it calls, by whatever spelling."""

import ast
import builtins
import posixpath
import string
import sys
from typing import Any

from checkrail.model import HOLE, SOME
from checkrail.readers.locate import WILD, known
from checkrail.readers.python import builtin_calls, calls, environment
from checkrail.readers.python.arguments import Arguments, items_of
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
    owner,
    unknown,
)

REACHABLE = frozenset(
    [
        "os",
        "sys",
        "subprocess",
        "shutil",
        "builtins",
        "socket",
        "importlib",
        "posix",
        "io",
        "ctypes",
        "pty",
        "pathlib",
        "__builtins__",
        "__import__",
    ]
)
"""Modules that other modules import: reached through any object they are still themselves."""

INTROSPECTION = frozenset(
    [
        "__globals__",
        "__subclasses__",
        "__builtins__",
        "__loader__",
        "__code__",
        "f_globals",
        "f_builtins",
        "f_locals",
        "__mro__",
        "__getattribute__",
    ]
)

VALUES: dict[str, Any] = {
    "os.sep": "/",
    "os.path.sep": "/",
    "os.curdir": ".",
    "os.pardir": "..",
    "os.extsep": ".",
    "os.name": "posix",
    "os.linesep": "\n",
    "os.devnull": "/dev/null",
    "sys.executable": "python3",
    "string.ascii_lowercase": string.ascii_lowercase,
    "string.ascii_uppercase": string.ascii_uppercase,
    "string.ascii_letters": string.ascii_letters,
    "string.digits": string.digits,
    "string.punctuation": string.punctuation,
    "string.printable": string.printable,
    "tempfile.tempdir": "/tmp",
    "os.O_RDONLY": 0,
}


def free_name(run: Run, name: str) -> Any:
    """A name that the program did not assign: a builtin, or something a star import brought."""
    for module in run.stars:
        full = canonical(run, f"{module}.{name}")
        if (
            full in run.knowledge.calls
            or full in builtin_calls.SPECIAL
            or name in run.knowledge.modules.get(module, ())
        ):
            return Name(full)
    stored = run.store.get(("attr", f"builtins.{name}"), MISSING)
    if stored is not MISSING:
        return stored
    if name == "__file__":
        return dict(run.payload.options).get("file", HOLE)
    if name == "__name__":
        return "__main__"
    if name == "__builtins__":
        return Name("builtins")
    if hasattr(builtins, name):
        return Name(canonical(run, f"builtins.{name}"))
    if name in ("get_ipython", "__loader__", "__spec__"):
        return Unknown("module")
    return UNKNOWN


def canonical(run: Run, dotted: str) -> str:
    """The name under which knowledge describes a thing."""
    known = run.knowledge.aliases.get(dotted)
    if known is not None:
        return known
    for prefix, to in run.knowledge.prefixes:
        if dotted.startswith(prefix):
            return canonical(run, to + dotted[len(prefix) :])
    return dotted


def attribute(run: Run, value: Any, name: str) -> Any:
    """An attribute of a value."""
    options = each(value)
    if len(options) == 1:
        return _attribute(run, value, name)
    return choice([_attribute(run, option, name) for option in options])


def _attribute(run: Run, value: Any, name: str) -> Any:
    if name in ("__getattribute__", "__getattr__") and not isinstance(value, Ref):
        return Partial(Name("builtins.getattr"), (value,))
    if name in ("value", "_value_") and isinstance(value, (Ref, *CALLABLE)) and getattr(value, "kind", "") != "object":
        return value  # a member of an enumeration
    if isinstance(value, (Ref, Made)):
        stored = run.store.get(("attr", value, name), MISSING)
        if stored is not MISSING:
            return stored
    if isinstance(value, Name):
        return _of_name(run, value, name)
    if isinstance(value, PathValue):
        return _of_path(value, name)
    if isinstance(value, Ref) and value.kind == "object":
        return _of_class(run, run.store.get(("class", value)), name, value)
    if isinstance(value, Class):
        return _of_class(run, value, name, None)
    if isinstance(value, Made):
        known = value.fact(name, MISSING)
        return Method(value, name) if known is MISSING else known
    if name == "__subclasses__":
        run.note("a class chosen among all that are loaded")
    if name in REACHABLE and not isinstance(value, Ref):
        return Name("builtins" if name == "__builtins__" else name)
    if name in INTROSPECTION:
        return Unknown("module")
    if value is None or isinstance(value, (int, float)):
        return UNKNOWN
    return Method(owner(value), name)


def _of_name(run: Run, value: Name, name: str) -> Any:
    if name == "__dict__":
        return value
    full = canonical(run, f"{value.dotted}.{name}")
    stored = run.store.get(("attr", full), MISSING)
    if stored is not MISSING:
        return stored
    if full in VALUES:
        return VALUES[full]
    if full == "sys.argv":
        return run.cell(Seq((HOLE,), open=True))
    if name in INTROSPECTION:
        return Unknown("module")
    if (
        name in REACHABLE
        and name != value.dotted
        and full not in run.knowledge.modules
        and full not in run.knowledge.calls
    ):
        return Name(canonical(run, name)) if name != "__builtins__" else Name("builtins")
    return Name(full)


def _of_class(run: Run, holder: Any, name: str, bound: Any) -> Any:
    for option in each(holder):
        if not isinstance(option, Class):
            continue
        found = run.store.get((option.scope, name), MISSING)
        if found is not MISSING:
            return _bound(run, found, bound)
        for base in option.bases:
            if isinstance(base, Class):
                return _of_class(run, base, name, bound)
            if isinstance(base, Name) and not base.dotted.startswith("builtins."):
                return attribute(run, base, name)
    return Method(UNKNOWN, name)


def _bound(run: Run, found: Any, bound: Any) -> Any:
    return choice([_bind_function(run, option, bound) for option in each(found)])


def _bind_function(run: Run, found: Any, bound: Any) -> Any:
    if bound is None or not isinstance(found, Function) or isinstance(found.node, ast.Lambda):
        return found
    decorators = [getattr(item, "id", getattr(item, "attr", "")) for item in found.node.decorator_list]
    if "staticmethod" in decorators:
        return found
    method = Function(found.node, found.scope, (bound,))
    if "property" in decorators or "cached_property" in decorators:
        return calls.call_function(run, method, Arguments())
    return method


_PATH_PARTS = {
    "name": posixpath.basename,
    "parent": lambda text: posixpath.dirname(text.rstrip("/")) or ("/" if text.startswith("/") else "."),
    "stem": lambda text: posixpath.splitext(posixpath.basename(text))[0],
    "suffix": lambda text: posixpath.splitext(text)[1],
}


def _of_path(value: PathValue, name: str) -> Any:
    part = _PATH_PARTS.get(name)
    if part is None:
        if name == "parents":
            return Seq(tuple(PathValue(parent) for parent in _parents(value.text)), open=HOLE in value.text)
        return Method(value, name)
    if value.text in (HOLE, SOME, WILD):
        return PathValue(HOLE) if name == "parent" else HOLE
    text = part(value.text)
    return PathValue(text) if name == "parent" else text


def _parents(text: str) -> list[str]:
    found: list[Any] = []
    while text not in ("", "/", ".") and len(found) < 30:
        text = posixpath.dirname(text.rstrip("/")) or "."
        found.append(text)
    return found or [text]


def item(run: Run, value: Any, key: Any) -> Any:
    """An item of a value."""
    return choice([_item(run, option, one) for option in each(run.content(value)) for one in each(key)])


def _item(run: Run, value: Any, key: Any) -> Any:
    if isinstance(value, Seq):
        if isinstance(key, int) and not value.open and -len(value.items) <= key < len(value.items):
            return value.items[key]
        if isinstance(key, int) and 0 <= key < len(value.items) - 1:
            return value.items[key]
        return choice(value.items) if value.items else UNKNOWN
    if isinstance(value, Table):
        found = [item for known, item in value.items if type(known) is type(key) and known == key]
        if found:
            return found[-1]
        return choice([*(item for _, item in value.items), UNKNOWN])
    if isinstance(value, (str, bytes)):
        exact = (
            isinstance(key, int) and -len(value) <= key < len(value) and not (isinstance(value, str) and HOLE in value)
        )
        return value[key] if exact else UNKNOWN
    if isinstance(value, Name):
        return _item_of_name(run, value, key)
    if isinstance(value, Method):
        calls.escape(run, value.receiver)
        return unknown(value)
    if isinstance(value, Made) and value.kind == "namespace":
        return _in_namespace(run, value, key)
    if isinstance(value, Unknown) and value.origin == "module" and isinstance(key, str):
        return Name(canonical(run, key)) if key in REACHABLE else Method(value, key)
    if isinstance(value, Made):
        return Made(value.kind, value.facts)
    return unknown(value)


def _item_of_name(run: Run, value: Name, key: Any) -> Any:
    if value.dotted == "os.environ":
        return environment.environment(run, key)
    if value.dotted == "sys.modules":
        return Name(canonical(run, key)) if isinstance(key, str) and HOLE not in key else Unknown("module")
    if not isinstance(key, str):
        if value.dotted in run.knowledge.modules and not isinstance(key, int):
            run.note(f"something of {value.dotted} chosen by a name that is not known")
        return UNKNOWN
    return attribute(run, value, key)


def _in_namespace(run: Run, value: Made, key: Any) -> Any:
    if not isinstance(key, str) or HOLE in key:
        return Unknown("module")
    found = run.read(value.fact("scope", 0), key)
    return free_name(run, key) if found is MISSING else found


def sliced(run: Run, value: Any, bounds: list[Any]) -> Any:
    """A slice of a value."""
    if not all(bound is None or isinstance(bound, int) for bound in bounds):
        bounds = [UNKNOWN]
    exact = UNKNOWN not in bounds and 0 not in bounds[2:]
    if isinstance(value, Seq):
        if exact and not value.open:
            return run.cell(Seq(value.items[slice(*bounds)]))
        return run.cell(Seq((choice(value.items), UNKNOWN) if value.items else (), open=True))
    if isinstance(value, (str, bytes)):
        if exact and not (isinstance(value, str) and not known(value)):
            return value[slice(*bounds)]
        return UNKNOWN
    return unknown(value)


def bind(run: Run, target: ast.expr, value: Any, scope: int) -> None:
    """Assign a value to a name, attribute, item or a pattern of them."""
    if isinstance(target, ast.Name):
        run.assign(scope, target.id, value)
    elif isinstance(target, (ast.Tuple, ast.List)):
        _bind_each(run, target.elts, value, scope)
    elif isinstance(target, ast.Starred):
        bind(run, target.value, run.cell(Seq((value,), open=True)), scope)
    elif isinstance(target, ast.Attribute):
        set_attribute(run, run.evaluate(run, target.value, scope), target.attr, value)
    elif isinstance(target, ast.Subscript):
        holder = run.evaluate(run, target.value, scope)
        set_item(run, holder, run.evaluate(run, target.slice, scope), value)


def _bind_each(run: Run, targets: list[ast.expr], value: Any, scope: int) -> None:
    items, more = items_of(run, value)
    starred = any(isinstance(target, ast.Starred) for target in targets)
    for index, target in enumerate(targets):
        if more or starred or len(items) != len(targets):
            bind(run, target, choice(items) if items else unknown(value), scope)
        else:
            bind(run, target, items[index], scope)


def set_attribute(run: Run, holder: Any, name: str, value: Any) -> None:
    """Assign an attribute; where the holder is not known, a callable counts as called."""
    for option in each(holder):
        if isinstance(option, Name):
            full = canonical(run, f"{option.dotted}.{name}")
            run.store["attr", full] = choice((value, run.store.get(("attr", full), Name(full))))
        elif isinstance(option, (Ref, Made)):
            run.store["attr", option, name] = value
        elif isinstance(option, Class):
            run.store[option.scope, name] = value
        elif isinstance(value, CALLABLE):
            calls.escape(run, value)


def set_item(run: Run, holder: Any, key: Any, value: Any) -> None:
    """Assign an item."""
    for option in each(holder):
        if isinstance(option, Ref):
            run.update(option, lambda content: _with_item(content, key, value))
        elif isinstance(option, Name) and option.dotted == "os.environ":
            environment.set_environment(run, key, value)
        elif isinstance(option, Name) and isinstance(key, str):
            set_attribute(run, option, key, value)
        elif isinstance(option, Made) and option.kind == "namespace" and isinstance(key, str):
            run.assign(option.fact("scope", 0), key, value)
        elif isinstance(value, CALLABLE):
            calls.escape(run, value)


def _with_item(content: Any, key: Any, value: Any) -> Any:
    if isinstance(content, Table):
        kept = tuple((known, item) for known, item in content.items if known != key or type(known) is not type(key))
        return Table((*kept, (key, value))[-500:], open=content.open or not isinstance(key, (str, int)))
    if isinstance(content, Seq):
        if isinstance(key, int) and not content.open and -len(content.items) <= key < len(content.items):
            items = list(content.items)
            items[key] = value
            return Seq(tuple(items))
        return Seq((*(choice((item, value)) for item in content.items), UNKNOWN), open=True)
    return content


STANDARD = sys.stdlib_module_names
