"""Methods of lists, mappings and paths."""

from collections.abc import Callable
from typing import Any

from checkrail.model import HOLE, SOME
from checkrail.readers.code_words import some
from checkrail.readers.locate import locate
from checkrail.readers.python import calls
from checkrail.readers.python.arguments import items_of
from checkrail.readers.python.state import MISSING, Run
from checkrail.readers.python.values import UNKNOWN, PathValue, Ref, Seq, Table, choice, each, join_paths, texts


def method(run: Run, receiver: Ref, name: str, arguments: Any) -> Any:
    """Call a method of a list or mapping."""
    handler = METHODS.get(name)
    if handler is not None:
        return handler(run, receiver, arguments)
    if name in ("sort", "__getitem__", "__setitem__", "index", "count"):
        return _rare(run, receiver, name, arguments)
    return calls.lost(run, arguments)


def _rare(run: Run, receiver: Ref, name: str, arguments: Any) -> Any:
    from checkrail.readers.python import attributes

    if name == "__getitem__":
        return attributes.item(run, receiver, arguments.get(0, "", UNKNOWN))
    if name == "__setitem__":
        attributes.set_item(run, receiver, arguments.get(0, "", UNKNOWN), arguments.get(1, "", UNKNOWN))
    if name == "sort":
        calls.lost(run, arguments)
        run.update(receiver, shuffled)
    return UNKNOWN


def shuffled(content: Any) -> Any:
    """A list whose order is not known."""
    if isinstance(content, Seq) and len(content.items) > 1:
        mixed = choice(content.items)
        return Seq(tuple(mixed for _ in content.items), content.open)
    return content


def _append(run: Run, receiver: Ref, arguments: Any) -> Any:
    value = arguments.get(0, "", UNKNOWN)
    run.update(receiver, lambda content: _added(content, (value,), False))
    return None


def _extend(run: Run, receiver: Ref, arguments: Any) -> Any:
    items, more = items_of(run, arguments.get(0, "", UNKNOWN))
    run.update(receiver, lambda content: _added(content, items, more))
    return None


def _added(content: Any, items: tuple[Any, ...], more: bool) -> Any:
    if not isinstance(content, Seq):
        return content
    if content.open:
        return Seq((*content.items[:60], choice((*content.items[-1:], *items, UNKNOWN))), open=True)
    return Seq((*content.items, *items)[:1000], open=more)


def _insert(run: Run, receiver: Ref, arguments: Any) -> Any:
    at, value = arguments.get(0, "", UNKNOWN), arguments.get(1, "", UNKNOWN)

    def change(content: Any) -> Any:
        if not isinstance(content, Seq) or not isinstance(at, int) or content.open:
            return _added(content, (value,), True)
        items = list(content.items)
        items.insert(at, value)
        return Seq(tuple(items))

    run.update(receiver, change)
    return None


def _pop(run: Run, receiver: Ref, arguments: Any) -> Any:
    at = arguments.get(0, "", -1)
    found: list[Any] = []

    def change(content: Any) -> Any:
        if (
            isinstance(content, Seq)
            and isinstance(at, int)
            and not content.open
            and -len(content.items) <= at < len(content.items)
        ):
            items = list(content.items)
            found.append(items.pop(at))
            return Seq(tuple(items))
        if isinstance(content, Table):
            found.extend(value for key, value in content.items if key == at)
            found.extend(each(arguments.get(1, "", UNKNOWN)))
            return content
        found.extend(content.items if isinstance(content, Seq) else (UNKNOWN,))
        return Seq((*content.items, UNKNOWN), open=True) if isinstance(content, Seq) else content

    run.update(receiver, change)
    return choice(found)


def _get(run: Run, receiver: Ref, arguments: Any) -> Any:
    from checkrail.readers.python import attributes

    found = attributes.item(run, receiver, arguments.get(0, "", UNKNOWN))
    return choice((found, arguments.get(1, "", None)))


def _setdefault(run: Run, receiver: Ref, arguments: Any) -> Any:
    from checkrail.readers.python import attributes

    value = arguments.get(1, "", None)
    attributes.set_item(run, receiver, arguments.get(0, "", UNKNOWN), value)
    return value


def _update(run: Run, receiver: Ref, arguments: Any) -> Any:
    given = arguments.get(0, "", MISSING)
    extra = list(arguments.keywords)
    closed = True
    for option in each(run.content(given)) if given is not MISSING else ():
        if isinstance(option, Table):
            extra.extend(option.items)
        else:
            closed = False

    def change(content: Any) -> Any:
        if isinstance(content, Table):
            names = {key for key, _ in extra if isinstance(key, (str, int))}
            kept = tuple(pair for pair in content.items if not isinstance(pair[0], (str, int)) or pair[0] not in names)
            return Table((*kept, *extra)[-500:], open=content.open or not closed)
        return _added(content, (UNKNOWN,), True)

    run.update(receiver, change)
    return None


def _values(run: Run, receiver: Ref, _arguments: Any) -> Any:
    pairs = _pairs(run, receiver)
    return run.cell(Seq(tuple(value for _, value in pairs[0]), open=pairs[1]))


def _keys(run: Run, receiver: Ref, _arguments: Any) -> Any:
    pairs = _pairs(run, receiver)
    return run.cell(Seq(tuple(key for key, _ in pairs[0]), open=pairs[1]))


def _items(run: Run, receiver: Ref, _arguments: Any) -> Any:
    pairs = _pairs(run, receiver)
    return run.cell(Seq(tuple(run.cell(Seq(pair)) for pair in pairs[0]), open=pairs[1]))


def _pairs(run: Run, receiver: Ref) -> tuple[tuple[tuple[Any, Any], ...], bool]:
    options = each(run.content(receiver))
    pairs = tuple(pair for option in options if isinstance(option, Table) for pair in option.items)
    return pairs, len(options) > 1 or any(not isinstance(option, Table) or option.open for option in options)


def _copy(run: Run, receiver: Ref, _arguments: Any) -> Any:
    made = Ref(receiver.kind, run.number())
    run.store[made] = run.content(receiver)
    return made


def _reverse(run: Run, receiver: Ref, _arguments: Any) -> Any:
    run.update(
        receiver, lambda content: Seq(content.items[::-1], content.open) if isinstance(content, Seq) else content
    )
    return None


def _clear(run: Run, receiver: Ref, _arguments: Any) -> Any:
    run.update(receiver, lambda content: Seq() if isinstance(content, Seq) else Table())
    return None


METHODS: dict[str, Callable[..., Any]] = {
    "append": _append,
    "add": _append,
    "appendleft": lambda run, receiver, arguments: _insert(run, receiver, arguments.after(0)),
    "extend": _extend,
    "insert": _insert,
    "pop": _pop,
    "popleft": lambda run, receiver, arguments: _pop(run, receiver, arguments.after(0)),
    "get": _get,
    "setdefault": _setdefault,
    "update": _update,
    "values": _values,
    "keys": _keys,
    "items": _items,
    "copy": _copy,
    "reverse": _reverse,
    "clear": _clear,
}


def path_method(run: Run, path: PathValue, name: str, arguments: Any) -> Any:
    """A method of a path that only computes or lists; MISSING for any other."""
    text = path.text
    if name in ("expanduser",):
        return PathValue(run.around.home + text[1:] if text == "~" or text.startswith("~/") else text)
    if name in ("resolve", "absolute"):
        return choice(
            [
                PathValue(locate(text, cwd if isinstance(cwd, str) and cwd != HOLE else None))
                for cwd in each(run.store["cwd"])
            ]
        )
    if name in ("as_posix", "__str__", "__fspath__"):
        return text
    if name == "joinpath":
        return choice([PathValue(whole) for whole in _joined(text, arguments)])
    if name in ("with_name", "with_suffix", "with_stem"):
        return choice([PathValue(_renamed(text, name, part)) for part in texts(arguments.get(0, "name", UNKNOWN))])
    if name in ("relative_to",):
        return PathValue(SOME)
    if name in ("glob", "rglob", "iterdir"):
        return _listed(run, text, name, arguments)
    if name in HARMLESS:
        return UNKNOWN
    return MISSING


HARMLESS = frozenset(
    [
        "exists",
        "is_file",
        "is_dir",
        "is_symlink",
        "is_absolute",
        "stat",
        "lstat",
        "match",
        "samefile",
        "owner",
        "group",
        "as_uri",
        "is_mount",
        "is_fifo",
        "is_socket",
        "is_relative_to",
        "with_segments",
        "readlink",
        "__enter__",
        "__exit__",
        "__eq__",
        "__hash__",
    ]
)


def _joined(text: str, arguments: Any) -> list[str]:
    ways = [text]
    for value in arguments.values:
        ways = [join_paths(way, part) for way in ways for part in texts(value)][:16]
    return ways if not arguments.open else [join_paths(way, HOLE) for way in ways]


def _renamed(text: str, name: str, part: str) -> str:
    folder, slash, last = text.rpartition("/")
    stem, dot, suffix = last.rpartition(".")
    if name == "with_name":
        return folder + slash + part
    if name == "with_suffix":
        return folder + slash + (stem if dot and stem else last) + part
    return folder + slash + part + dot + suffix


def _listed(run: Run, text: str, name: str, arguments: Any) -> Any:
    pattern = texts(arguments.get(0, "pattern", "*"))[0]
    found = join_paths(text, some(pattern, deep=name == "rglob"))
    return run.cell(Seq((PathValue(found),), open=True))
