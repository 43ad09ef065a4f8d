"""Library functions that reach processes, other machines, databases and native code."""

import re
from collections.abc import Callable
from typing import Any

from checkrail.facts.paths import is_guarded
from checkrail.model import HOLE, Action, TargetKind
from checkrail.readers.locate import known
from checkrail.readers.python import effects
from checkrail.readers.python.arguments import Arguments
from checkrail.readers.python.results import constant
from checkrail.readers.python.state import MISSING, Run, quoted
from checkrail.readers.python.values import (
    UNKNOWN,
    Made,
    Name,
    Seq,
    choice,
    each,
    fact,
    origin,
    text_of,
    texts,
)


def _kill(run: Run, arguments: Any, scope: int) -> Any:
    process, signal = arguments.get(0, "", UNKNOWN), arguments.get(1, "", UNKNOWN)
    own = {"own.pid", "os.getpid", "os.getpgid"}
    if signal != 0 and (process in (0, -1) or (isinstance(process, Name) and process.dotted == "os.getppid")):
        run.effect(
            Action.STOP, TargetKind.PROCESS, text_of(process), "python.kill.vital",
            axes=effects.VITAL, reason="ends the program that started this one, or every process it may", safer="name the one process",
        )  # fmt: skip
        return None
    if signal == 0 or (isinstance(process, Name) and process.dotted in own):
        return None
    return effects.apply(run, "signal.kill", run.knowledge.calls["signal.kill"], arguments, scope)


def _own_process(_run: Run, arguments: Any, _scope: int) -> Any:
    given = arguments.get(0, "", MISSING)
    return Name("own.pid") if given is MISSING or isinstance(given, Name) or given == 0 else UNKNOWN


def _popen_input(run: Run, arguments: Any, _scope: int) -> Any:
    process, given = arguments.get(0), arguments.get(1, "input", None)
    command = process.fact("command")
    if given is not None and command is not None:
        for text in texts(command):
            effects.run_shell(run, "subprocess.Popen", text, Arguments(keywords=(("input", given),)))
    return run.cell(Seq((UNKNOWN, UNKNOWN)))


def _popen(run: Run, arguments: Any, scope: int) -> Any:
    entry = run.knowledge.calls["subprocess.run"]
    before = set(run.payloads)
    effects.apply(run, "subprocess.Popen", entry, arguments, scope)
    ways = [made.text for made in run.payloads if made not in before]
    if not ways:
        words = effects.words_of(run.content(arguments.get(0, "args", UNKNOWN)))
        ways = [quoted(words[0])]
    command = choice(ways)
    stdin = Made("subprocess.Stdin", (("command", command),))
    return Made("subprocess.Popen", (("command", command), ("pid", Name("own.pid")), ("stdin", stdin)))


def _request(_run: Run, arguments: Any, _scope: int) -> Any:
    facts = [("url", arguments.get(0, "url", UNKNOWN)), ("data", arguments.get(1, "data", None))]
    facts.append(("headers", arguments.get(2, "headers", None)))
    method = arguments.get(5, "method", None)
    return Made("urllib.request.Request", (*facts, *((("method", method),) if isinstance(method, str) else ())))


def _http_connection(_run: Run, arguments: Any, _scope: int) -> Any:
    return Made("http.client.HTTPSConnection", (("host", arguments.get(0, "host", UNKNOWN)),))


def _http_request(run: Run, arguments: Any, _scope: int) -> Any:
    host = text_of(fact(arguments.get(0), "host", UNKNOWN))
    path = text_of(arguments.get(2, "url", "/"))
    data = effects.sent_kind(run, arguments.get(3, "body", None))
    options = (("method", text_of(arguments.get(1, "method", "GET"))), *((("data", data),) if data else ()))
    run.nested("url", f"https://{host}{path}", "http.client", options=options)
    return None


def _socket(_run: Run, arguments: Any, _scope: int) -> Any:
    kind = arguments.get(1, "type", None)
    datagram = isinstance(kind, Name) and kind.dotted.endswith("SOCK_DGRAM")
    family = arguments.get(0, "family", None)
    local = isinstance(family, Name) and family.dotted.endswith("AF_UNIX")
    return Made("socket.datagram" if datagram else "socket.local" if local else "socket.socket")


_SYSTEM_LIBRARY = re.compile(r"(^|/)(libc|libsystem|msvcrt|kernel32)\b", re.IGNORECASE)


def _cdll(run: Run, arguments: Any, _scope: int) -> Any:
    for option in each(arguments.get(0, "name", None)):
        text = text_of(option)
        own = text.endswith((".so", ".dylib", ".dll")) and not _SYSTEM_LIBRARY.search(text) and HOLE not in text
        if own and option is not None and run.places(text)[0].startswith(run.around.workspace + "/"):
            run.opaque[f"the native library {text}"] = None
        else:
            run.note("calls of a native library that is not the project's own, through ctypes")
    return UNKNOWN


def _unpickle(run: Run, arguments: Any, _scope: int) -> Any:
    given = arguments.get(0, "", UNKNOWN)
    if origin(given) == "remote" or (isinstance(given, Made) and given.kind == "remote"):
        effects.remote_execute(run)
    run.opaque["data that may run code when it is unpickled"] = None
    return UNKNOWN


def _load(name: str) -> Callable[..., Any]:
    """A loader of data that may hold code: judged as the table says, and as unpickling."""

    def load(run: Run, arguments: Any, scope: int) -> Any:
        result = _unpickle(run, arguments, scope)
        entry = run.knowledge.calls.get(name)
        return effects.apply(run, name, entry, arguments, scope) if entry is not None else result

    return load


def _yaml(run: Run, arguments: Any, scope: int) -> Any:
    loader = arguments.get(1, "Loader", None)
    unsafe = isinstance(loader, Name) and loader.dotted.rpartition(".")[2] in ("Loader", "UnsafeLoader", "CLoader")
    return _unpickle(run, arguments, scope) if unsafe else UNKNOWN


def _connect(run: Run, arguments: Any, _scope: int) -> Any:
    target = arguments.get(0, "database", UNKNOWN)
    for option in each(target):
        text = text_of(option)
        if text in (":memory:", ""):
            continue
        path = re.sub(r"^file:(//(?=/))?|\?.*$", "", text) if text.startswith("file:") else text
        for place in run.places(path):
            # Checkrail's own store: whoever opens it can write it, whatever the statements say.
            opened = Action.WRITE if known(place) and is_guarded(place, run.around) else Action.READ
            run.effect(opened, TargetKind.PATH, place, "python.sqlite")
            if "mode=ro" not in text and known(place) and run.around.host.lstat(place) is None:
                run.effect(Action.CREATE, TargetKind.PATH, place, "python.sqlite")
    return Made("sqlite3.Connection", (("database", target),))


_LOADERS = (
    *("yaml.unsafe_load", "yaml.full_load", "jsonpickle.decode", "dill.loads", "dill.load", "cloudpickle.loads"),
    *("cloudpickle.load", "torch.load", "joblib.load", "pandas.read_pickle"),
)

SERVICES: dict[str, Callable[..., Any]] = {
    "os.kill": _kill,
    "os.killpg": _kill,
    "os.getpid": _own_process,
    "os.getpgid": _own_process,
    "os.getppid": constant(Name("os.getppid")),
    "subprocess.Popen": _popen,
    "subprocess.Popen.communicate": _popen_input,
    "subprocess.Stdin.write": _popen_input,
    "urllib.request.Request": _request,
    "http.client.HTTPSConnection": _http_connection,
    "http.client.HTTPConnection": _http_connection,
    "http.client.HTTPSConnection.request": _http_request,
    "socket.socket": _socket,
    "ctypes.CDLL": _cdll,
    "ctypes.PyDLL": _cdll,
    "ctypes.WinDLL": _cdll,
    "ctypes.cdll.LoadLibrary": _cdll,
    "pickle.loads": _unpickle,
    "pickle.load": _unpickle,
    **{name: _load(name) for name in _LOADERS},
    "yaml.load": _yaml,
    "sqlite3.connect": _connect,
}
