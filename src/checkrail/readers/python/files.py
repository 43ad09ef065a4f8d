"""Library functions that open, name and list files, and the environment."""

from collections.abc import Callable
from typing import Any

from checkrail.model import HOLE, SOME, Action, TargetKind
from checkrail.readers.code_words import some
from checkrail.readers.locate import WILD, known
from checkrail.readers.python import calls, effects, environment
from checkrail.readers.python.arguments import Arguments
from checkrail.readers.python.results import constant, first
from checkrail.readers.python.state import Run
from checkrail.readers.python.values import (
    UNKNOWN,
    Made,
    Name,
    PathValue,
    Ref,
    Seq,
    Table,
    Unknown,
    choice,
    each,
    fact,
    join_paths,
    owner,
    text_of,
    texts,
)


def _print(run: Run, arguments: Any, _scope: int) -> Any:
    for value in arguments.all():
        for part in run.flat(value):
            show(run, part)
        calls.escape(run, value) if isinstance(value, Ref) else None
    return None


def show(run: Run, value: Any) -> None:
    """Record that data is shown which may hold secrets."""
    for option in map(owner, each(value)):
        if (isinstance(option, Name) and option.dotted == "os.environ") or (
            isinstance(option, Unknown) and option.origin == "environment"
        ):
            _secret(run, "environment")
        elif isinstance(option, Unknown) and option.origin == "secret":
            _secret(run, f"environment:{option.source}" if option.source else "environment")


def _secret(run: Run, value: str) -> None:
    run.effect(
        Action.READ, TargetKind.SECRET, value, "python.environment",
        reason="shows the environment, which may hold secrets", safer="print the one variable that is needed",
    )  # fmt: skip


def _open_file(run: Run, arguments: Any, scope: int) -> Any:
    entry = run.knowledge.calls["io.open"]
    target = arguments.get(0, "file", UNKNOWN)
    effects.apply(run, "io.open", entry, arguments, scope)
    mode = arguments.get(1, "mode", "r")
    made = []
    for option in each(target):
        path = option.fact("path", UNKNOWN) if isinstance(option, Made) else option
        source = run.places(path)[:1] if not isinstance(path, int) else []
        element = Unknown("file", source[0] if source and known(source[0]) else "")
        made.append(Made("io.File", (("path", path), ("mode", mode), ("name", path), ("element", element))))
    return choice(made)


def _file_read(_run: Run, arguments: Any, _scope: int) -> Any:
    return fact(arguments.get(0), "element", Unknown("file"))


def _file_write(run: Run, arguments: Any, _scope: int) -> Any:
    file, content = arguments.get(0), arguments.get(1, "", UNKNOWN)
    show(run, content) if file.kind == "sys.stdout" else None
    path = fact(file, "path")
    if isinstance(content, str) and known(content) and path is not None and not isinstance(path, int):
        for mode in each(fact(file, "mode", "w")):
            action = effects.mode_action(mode)
            if action is not Action.READ:
                for place in run.places(path):
                    run.effect(action, TargetKind.PATH, place, "python.open", content=content)
    return UNKNOWN


def _path(_run: Run, arguments: Any, _scope: int) -> Any:
    if not arguments.values:
        return PathValue(HOLE if arguments.open else ".")
    ways = [""]
    for value in arguments.values:
        ways = [join_paths(way, part) for way in ways for part in texts(value)][:24]
    return choice([PathValue(way) for way in ways])


def _path_read(run: Run, arguments: Any, scope: int) -> Any:
    entry = run.knowledge.calls["io.open"]
    effects.apply(run, "io.open", entry, Arguments(arguments.values[:1], open=arguments.open), scope)
    places = run.places(arguments.get(0, "", UNKNOWN))
    return Unknown("file", places[0] if len(places) == 1 and known(places[0]) else "")


def _path_open(run: Run, arguments: Any, scope: int) -> Any:
    return _open_file(run, arguments, scope)


def _expand_user(run: Run, arguments: Any, _scope: int) -> Any:
    home = run.around.home
    given = texts(arguments.get(0, "path", UNKNOWN))
    return choice([home + text[1:] if text == "~" or text.startswith("~/") else text for text in given])


def _absolute(run: Run, arguments: Any, _scope: int) -> Any:
    return choice(run.places(arguments.get(0, "path", UNKNOWN)))


def _getcwd(run: Run, _arguments: Any, _scope: int) -> Any:
    return run.store["cwd"]


def _chdir(run: Run, arguments: Any, _scope: int) -> Any:
    run.store["cwd"] = choice(run.places(arguments.get(0, "path", UNKNOWN)))
    return None


def _getenv(run: Run, arguments: Any, _scope: int) -> Any:
    shift = 1 if isinstance(arguments.get(0), Name) else 0
    found = [environment.environment(run, key) for key in each(arguments.get(shift, "key", UNKNOWN))]
    found.append(arguments.get(shift + 1, "default", UNKNOWN))
    values = dict(run.payload.variables)
    certain = [
        text for text in texts(arguments.get(shift, "key", UNKNOWN)) if text in values or text in ("HOME", "PWD")
    ]
    return found[0] if certain and len(found) == 2 else choice(found)


def _environ_view(run: Run, _arguments: Any, _scope: int) -> Any:
    pair = run.cell(Seq((UNKNOWN, Unknown("environment"))))
    return run.cell(Seq((pair,), open=True))


def _environ_update(run: Run, arguments: Any, _scope: int) -> Any:
    for option in each(run.content(arguments.get(0, "", UNKNOWN))):
        if isinstance(option, Table):
            for key, value in option.items:
                environment.set_environment(run, key, value)
    for key, value in arguments.keywords:
        environment.set_environment(run, key, value)
    return None


def _environ_set(run: Run, arguments: Any, _scope: int) -> Any:
    environment.set_environment(run, arguments.get(0, "", UNKNOWN), arguments.get(1, "", UNKNOWN))
    return arguments.get(1, "", UNKNOWN)


def _glob(run: Run, arguments: Any, _scope: int) -> Any:
    folder = arguments.get(-1, "root_dir", None)
    found = [some(text) for text in texts(arguments.get(0, "pathname", UNKNOWN))]
    if folder is not None:
        found = [join_paths(text_of(folder), text) for text in found]
    return run.cell(Seq(tuple(found), open=True))


def _listdir(run: Run, _arguments: Any, _scope: int) -> Any:
    return run.cell(Seq((WILD,), open=True))


def _scandir(run: Run, arguments: Any, _scope: int) -> Any:
    found = []
    for text in texts(arguments.get(0, "path", ".")):
        below = join_paths(text, WILD)
        found.append(Made("os.DirEntry", (("path", below), ("name", WILD))))
    return run.cell(Seq(tuple(found), open=True))


def _walk(run: Run, arguments: Any, _scope: int) -> Any:
    names = run.cell(Seq((WILD,), open=True))
    folders = texts(arguments.get(0, "top", UNKNOWN))
    roots = [join_paths(text, part) for text in folders for part in ("", WILD * 2) if part or text]
    row = run.cell(Seq((choice([root.rstrip("/") or root for root in roots]), names, names)))
    return run.cell(Seq((row,), open=True))


def _temporary(_run: Run, arguments: Any, _scope: int) -> Any:
    folder = arguments.get(2, "dir", None)
    base = "/tmp" if folder is None or folder is UNKNOWN else text_of(folder)
    return join_paths(base, SOME)


def _temporary_pair(run: Run, arguments: Any, scope: int) -> Any:
    return run.cell(Seq((3, _temporary(run, arguments, scope))))


def _temporary_object(run: Run, arguments: Any, scope: int) -> Any:
    path = _temporary(run, arguments, scope)
    return Made("io.File", (("path", path), ("name", path), ("mode", "w"), ("element", Unknown("file"))))


def _temporary_folder(run: Run, arguments: Any, scope: int) -> Any:
    path = _temporary(run, arguments, scope)
    return Made("tempfile.TemporaryDirectory", (("name", path), ("enter", path)))


FILES: dict[str, Callable[..., Any]] = {
    "builtins.print": _print,
    "pprint.pprint": _print,
    "pprint.pp": _print,
    "sys.stdout.write": _print,
    "sys.stderr.write": _print,
    "logging.info": _print,
    "builtins.open": _open_file,
    "io.open": _open_file,
    "pathlib.Path.open": _path_open,
    "pathlib.Path.read_text": _path_read,
    "pathlib.Path.read_bytes": _path_read,
    "io.File.read": _file_read,
    "io.File.readlines": _file_read,
    "io.File.readline": _file_read,
    "io.File.write": _file_write,
    "io.File.__enter__": first,
    "pathlib.Path": _path,
    "pathlib.PurePath": _path,
    "pathlib.Path.home": lambda run, _arguments, _scope: PathValue(run.around.home),
    "pathlib.Path.cwd": lambda run, _arguments, _scope: choice(
        [PathValue(text_of(cwd)) for cwd in each(run.store["cwd"])]
    ),
    "os.path.expanduser": _expand_user,
    "os.path.abspath": _absolute,
    "os.path.realpath": _absolute,
    "os.getcwd": _getcwd,
    "os.chdir": _chdir,
    "contextlib.chdir": _chdir,
    "os.getenv": _getenv,
    "os.environ.get": _getenv,
    "os.environ.items": _environ_view,
    "os.environ.values": constant(Unknown("environment")),
    "os.environ.copy": constant(Unknown("environment")),
    "os.environ.update": _environ_update,
    "os.environ.setdefault": _environ_set,
    "os.environ.__setitem__": _environ_set,
    "os.putenv": _environ_set,
    "os.environ.pop": _getenv,
    "glob.glob": _glob,
    "glob.iglob": _glob,
    "os.listdir": _listdir,
    "os.scandir": _scandir,
    "os.walk": _walk,
    "tempfile.mkdtemp": _temporary,
    "tempfile.mktemp": _temporary,
    "tempfile.gettempdir": constant("/tmp"),
    "tempfile.mkstemp": _temporary_pair,
    "tempfile.NamedTemporaryFile": _temporary_object,
    "tempfile.TemporaryFile": _temporary_object,
    "tempfile.SpooledTemporaryFile": _temporary_object,
    "tempfile.TemporaryDirectory": _temporary_folder,
}
