"""Turns a call that knowledge describes into effects and further texts to read."""

from typing import Any

from checkrail.knowledge.code import Call, Place, Touch
from checkrail.model import HOLE, SOME, Action, Axes, Reversibility, Scope, TargetKind, Trust
from checkrail.readers.code_words import looks_like_sql, opening
from checkrail.readers.python import calls, code
from checkrail.readers.python.arguments import Arguments, items_of
from checkrail.readers.python.state import MISSING, Run, quoted
from checkrail.readers.python.values import (
    UNKNOWN,
    WAYS,
    Made,
    Name,
    PathValue,
    Seq,
    Table,
    Unknown,
    choice,
    each,
    origin,
    owner,
    text_of,
    texts,
    unknown,
)

REMOTE_AXES = Axes(Reversibility.IRREVERSIBLE, Scope.EXTERNAL, Trust.UNTRUSTED)
LOOPBACK = ("localhost", "127.", "::1", "0.0.0.0")
VITAL = Axes(Reversibility.HARD, Scope.LOCAL)
ORIGINS = frozenset({"remote", "environment", "file", "decoded", "secret", "cloud", "processes"})


def apply(run: Run, name: str, entry: Call, arguments: Any, scope: int) -> Any:
    """Record what a described call does; its result."""
    run.tick()
    actions = _mode_actions(entry, arguments)
    for touch in entry.touch:
        for action in actions or (touch.action,):
            _touch(run, entry, touch, action, arguments)
    if entry.action is not None:
        _fixed(run, entry)
    if entry.shell is not None:
        _shell(run, name, entry.shell, arguments)
    if entry.argv is not None:
        _argv(run, name, entry.argv, arguments)
    if entry.words is not None:
        _words(run, name, entry.words, arguments)
    _texts(run, name, entry, arguments, scope)
    if entry.unread:
        run.note(entry.unread)
    if entry.opaque:
        run.opaque[entry.opaque] = None
    _callables(run, entry, arguments, scope)
    return _result(run, name, entry, arguments)


def _fixed(run: Run, entry: Call) -> None:
    assert entry.action is not None
    if entry.kind is TargetKind.DATABASE and run.in_tests:
        return  # a test's own database
    run.effect(
        entry.action, entry.kind, entry.target, entry.rule,
        axes=entry.axes, decision=entry.decision, reason=entry.reason, safer=entry.safer, recursive=entry.recursive,
    )  # fmt: skip


def _mode_actions(entry: Call, arguments: Any) -> tuple[Action, ...]:
    if entry.mode is None:
        return ()
    value = arguments.get(entry.mode.at, entry.mode.name, entry.default_mode)
    found: dict[Action, None] = {}
    for option in each(value):
        found[mode_action(option)] = None
    return tuple(found)


def mode_action(mode: Any) -> Action:
    """What opening with a mode does; anything but plain reading writes."""
    if isinstance(mode, Name):
        return Action.READ if mode.dotted.endswith(_READING_FLAGS) else Action.WRITE
    return opening(mode)


_READING_FLAGS = ("O_RDONLY", "O_CLOEXEC", "O_DIRECTORY", "O_NOFOLLOW", "O_NONBLOCK")


def _touch(run: Run, entry: Call, touch: Touch, action: Action, arguments: Any) -> None:
    values = arguments.values[touch.at :] if touch.rest else (arguments.get(touch.at, touch.name, MISSING),)
    if touch.rest and arguments.open:
        values = (*values, UNKNOWN)
    for value in values:
        if value is MISSING or value is None:
            if not touch.default:
                continue
            value = touch.default
        if touch.kind is TargetKind.PATH:
            _touch_paths(run, entry, touch, action, value, arguments)
        elif touch.kind is TargetKind.HOST:
            _touch_hosts(run, entry, action, value)
        else:
            for text in texts(value):
                _record(run, entry, action, touch.kind, text)


def _touch_paths(run: Run, entry: Call, touch: Touch, action: Action, value: Any, arguments: Any) -> None:
    content = None
    if touch.content is not None:
        given = arguments.get(touch.content.at, touch.content.name, None)
        content = given if isinstance(given, str) and HOLE not in given else None
    for option in each(value):
        if isinstance(option, Made):
            option = option.fact("path", None if option.kind.startswith("io.") else UNKNOWN)
        if option is None or isinstance(option, Name):
            continue
        if isinstance(option, str) and "://" in option[:12] and option.partition("://")[0].isalnum():
            run.nested("url", option, entry.rule, options=(("method", "GET"),))
            continue
        for place in (place + touch.suffix for place in run.places(option)):
            _record(run, entry, action, TargetKind.PATH, place, content, ".source" if touch.source else "")


def _touch_hosts(run: Run, entry: Call, action: Action, value: Any) -> None:
    for option in each(run.content(value)):
        host: Any = option
        if isinstance(option, Seq):
            host = option.items[0] if option.items else UNKNOWN
        for text in texts(host):
            if text.startswith("/"):
                continue
            local = text.startswith(LOOPBACK)
            run.effect(
                action, TargetKind.HOST, text, entry.rule, axes=None if local else entry.axes, reason=entry.reason
            )


def _record(
    run: Run, entry: Call, action: Action, kind: TargetKind, value: str, content: str | None = None, suffix: str = ""
) -> None:
    run.effect(
        action, kind, value, entry.rule + suffix,
        recursive=entry.recursive, axes=entry.axes, decision=entry.decision, reason=entry.reason, safer=entry.safer, content=content,
    )  # fmt: skip


def _shell(run: Run, name: str, place: Place, arguments: Any) -> None:
    value = arguments.get(place.at, place.name, UNKNOWN)
    for option in each(run.content(value)):
        _flag_remote(run, option)
        run_shell(run, name, text_of(option), arguments)


def _argv(run: Run, name: str, place: Place, arguments: Any) -> None:
    value = arguments.get(place.at, place.name, UNKNOWN)
    through_shell = arguments.get(8, "shell", False)
    for option in each(run.content(value)):
        _flag_remote(run, option)
        if isinstance(option, Made) and option.kind == "process":
            continue
        for words in words_of(option):
            for shell in each(through_shell):
                if shell is False or (isinstance(shell, int) and not shell):
                    run_shell(run, name, quoted(_executable(words, arguments)), arguments)
                else:
                    run_shell(run, name, words[0], arguments)


def _executable(words: list[str], arguments: Any) -> list[str]:
    other = arguments.get(-1, "executable", None)
    return words if other in (None, UNKNOWN) or not words else [text_of(other), *words[1:]]


def _words(run: Run, name: str, place: Place, arguments: Any) -> None:
    values = list(arguments.values[place.at :])
    if len(values) == 2 and isinstance(run.content(values[1]), Seq):
        values = [values[0], *items_of(run, values[1])[0][1:]]
    elif len(values) > 1 and name.startswith(("os.exec", "os.spawn", "os.posix_spawn")):
        inner = run.content(values[1])
        rest = items_of(run, inner)[0][1:] if isinstance(inner, Seq) else values[2:]
        values = [values[0], *rest]
    if arguments.open or not values:
        values.append(UNKNOWN)
    ways = words_of(Seq(tuple(value for value in values if not isinstance(run.content(value), Table))))
    for words in ways:
        run_shell(run, name, quoted(words), arguments)


def words_of(value: Any) -> list[list[str]]:
    """Every list of words that a value may be as a command."""
    if not isinstance(value, Seq):
        return [[text_of(value)]]
    ways: list[list[str]] = [[]]
    for item in value.items:
        options = texts(item)
        if len(ways) * len(options) > WAYS:
            options = [HOLE]
        ways = [[*way, option] for way in ways for option in options]
    if value.open or not value.items:
        ways = [[*way, HOLE] for way in ways]
    return ways


def run_shell(run: Run, name: str, text: str, arguments: Any) -> None:
    """Record a shell text that a call runs, with the folder, environment and input it is given."""
    text = _environment(run, arguments) + text
    given = arguments.get(-1, "input", None)
    for option in each(given):
        if isinstance(option, (str, bytes)):
            text += f" <<'CHECKRAIL_INPUT'\n{text_of(option)}\nCHECKRAIL_INPUT"
        elif option is not None and not arguments.open:
            text = f"printf %s {HOLE} | {text}"
    stdin = arguments.get(-1, "stdin", None)
    if isinstance(stdin, Made) and stdin.fact("path") is not None:
        text += f" < {quoted([text_of(stdin.fact('path'))])}"
    folder = arguments.get(-1, "cwd", None)
    run.nested("shell", text, name, cwd=None if folder is None or (folder is UNKNOWN and arguments.open) else folder)


def _environment(run: Run, arguments: Any) -> str:
    pairs = {key[1]: value for key, value in run.store.items() if type(key) is tuple and key[0] == "environ"}
    given = run.content(arguments.get(-1, "env", None))
    if isinstance(given, Table):
        pairs.update((key, value) for key, value in given.items if isinstance(key, str))
    return "".join(f"{key}={quoted([texts(value)[0]])} " for key, value in pairs.items() if str(key).isidentifier())


def _flag_remote(run: Run, value: Any) -> None:
    values = value.items if isinstance(value, Seq) else (value,)
    if origin(*values) == "remote":
        remote_execute(run)


def remote_execute(run: Run) -> None:
    """Record that something fetched from elsewhere is run."""
    run.effect(
        Action.EXECUTE, TargetKind.CODE, "remote", "python.remote-execute",
        axes=REMOTE_AXES, reason="runs what it fetched from elsewhere", safer="save it, read it, then run it",
    )  # fmt: skip


def _texts(run: Run, name: str, entry: Call, arguments: Any, scope: int) -> None:
    if entry.code is not None:
        value = arguments.get(entry.code.at, entry.code.name, MISSING)
        if value is not MISSING and value is not None:
            code.run_code(run, value, scope, name)
    if entry.url is not None:
        _url(run, name, entry, arguments)
    if entry.sql is not None:
        _sql(run, name, entry, arguments)


CARRIED = ("file", "secret", "environment")
"""Origins of data that an address must not carry to others."""


def _url(run: Run, name: str, entry: Call, arguments: Any) -> None:
    assert entry.url is not None
    address = arguments.get(entry.url.at, entry.url.name, UNKNOWN)
    verbs = texts(arguments.get(entry.verb.at, entry.verb.name, entry.method)) if entry.verb else [entry.method]
    sent = [arguments.get(place.at, place.name, None) for place in entry.data]
    headers = [arguments.get(-1, "headers", None)]
    carried = any(type(option) is Unknown and option.origin in CARRIED for option in each(address))
    for option in each(address):
        if carried and type(option) is Unknown and len(each(address)) > 1:
            continue
        if isinstance(option, Made):
            sent.append(option.fact("data"))
            headers.append(option.fact("headers"))
            verbs = texts(option.fact("method", verbs[0]))
            option = option.fact("url", UNKNOWN)
        data = "file" if carried else next((kind for kind in (sent_kind(run, value) for value in sent) if kind), "")
        for verb in verbs:
            method = "POST" if data and verb == "GET" and entry.method == "GET" and entry.verb is None else verb.upper()
            said = (("data", data), ("body", _spelled(run, sent)), ("headers", _spelled(run, headers)))
            options = (("method", method), *((key, text) for key, text in said if text))
            run.nested("url", text_of(option), name, options=options)


SPELLED_CAP = 10_000


def _spelled(run: Run, values: list[Any]) -> str:
    """The texts inside what is sent, one a line, for the secrets among them."""
    waiting, lines = list(values), list[str]()
    while waiting and len(lines) < SPELLED_CAP:
        value = waiting.pop(0)
        for option in map(owner, each(run.content(value))) if value is not None and value is not MISSING else ():
            if isinstance(option, (Seq, Table)):
                waiting += option.items if isinstance(option, Seq) else [item for _, item in option.items]
            elif isinstance(option, str | bytes):
                lines.append(text_of(option).encode("utf-8", "replace").decode())
    return "\n".join(lines)[:SPELLED_CAP]


def sent_kind(run: Run, value: Any) -> str:
    """What kind of data is sent: nothing, ``literal``, ``file`` or ``unknown``."""
    if value is None or value is MISSING:
        return ""
    kinds: set[str] = set()
    for option in map(owner, each(run.content(value))):
        if isinstance(option, (Seq, Table)):
            items = option.items if isinstance(option, Seq) else tuple(item for _, item in option.items)
            kinds.update(sent_kind(run, item) or "literal" for item in items)
            kinds.update({"unknown"} if option.open else {"literal"})
        elif isinstance(option, Made) and option.kind.startswith("io."):
            kinds.add("file")
        elif isinstance(option, Unknown):
            kinds.add("file" if option.origin in ("file", "secret", "environment") else "unknown")
        elif isinstance(option, Name):
            kinds.add("file" if option.dotted == "os.environ" else "unknown")
        else:
            kinds.add("unknown" if HOLE in text_of(option) else "literal")
    return next((kind for kind in ("file", "unknown", "literal") if kind in kinds), "")


def _sql(run: Run, name: str, entry: Call, arguments: Any) -> None:
    assert entry.sql is not None
    value = arguments.get(entry.sql.at, entry.sql.name, MISSING)
    if value is MISSING:
        return
    receiver = arguments.get(0)
    for text in texts(value):
        if name.startswith("?.") and not looks_like_sql(text):
            continue
        options = [("dialect", entry.dialect)] if entry.dialect else []
        database = receiver.fact("database") if isinstance(receiver, Made) else None
        if isinstance(database, (str, PathValue)):
            options.append(("database", text_of(database)))
        run.nested("sql", text, name, options=tuple(options))


def _callables(run: Run, entry: Call, arguments: Any, scope: int) -> None:
    called = MISSING
    if entry.calls is not None:
        called = arguments.get(entry.calls.at, entry.calls.name, MISSING)
        if called is not MISSING:
            _pass(run, entry, called, arguments, scope)
    for value in arguments.all():
        if value is not called:
            calls.escape(run, value)


def _pass(run: Run, entry: Call, called: Any, arguments: Any, scope: int) -> None:
    if entry.passes is None:
        given = arguments.values[(entry.calls.at if entry.calls else 0) + 1 :]
        calls.call(run, called, Arguments(given, open=arguments.open), scope)
        return
    packed = arguments.get(entry.passes.at, entry.passes.name, MISSING)
    items, more = items_of(run, packed) if packed is not MISSING else ((), False)
    named = run.content(arguments.get(-1, "kwargs", None))
    keywords = named.items if isinstance(named, Table) else ()
    calls.call(run, called, Arguments(tuple(items), tuple(keywords), more or arguments.open), scope)


def _result(run: Run, name: str, entry: Call, arguments: Any) -> Any:
    kind = entry.returns
    if not kind:
        return unknown(*run.flat(*arguments.all()))
    if kind == "like":
        return arguments.get(0, "", UNKNOWN)
    if kind == "some":
        return SOME
    if kind in ORIGINS:
        return Unknown(kind)
    if kind == "path":
        return choice([PathValue(text) for text in texts(arguments.get(1, "", UNKNOWN))])
    facts = [*arguments.keywords]
    if entry.touch:
        touched = arguments.get(entry.touch[0].at, entry.touch[0].name, None)
        facts += [("path", touched), ("database", touched)] if touched is not None else []
    if entry.mode is not None:
        facts.append(("mode", arguments.get(entry.mode.at, entry.mode.name, entry.default_mode)))
    if entry.url is not None:
        facts.append(("url", arguments.get(entry.url.at, entry.url.name, UNKNOWN)))
    receiver = arguments.get(0)
    if name.count(".") > 1 and isinstance(receiver, Made):
        facts += [pair for pair in receiver.facts if pair[0] == "database"]
    return Made(kind, tuple(facts))
