"""Turns a described call of a script into effects and further texts to read."""

import shlex
from collections.abc import Callable, Sequence

from checkrail.knowledge.code import Call, Place, Touch
from checkrail.model import HOLE, Action, Axes, Reversibility, Scope, TargetKind, Trust
from checkrail.readers.code_words import looks_like_sql, opening
from checkrail.readers.locate import locate
from checkrail.readers.script.functions import text_of
from checkrail.readers.script.lexer import Token
from checkrail.readers.script.state import State, known
from checkrail.readers.script.texts import Unclosed
from checkrail.readers.script.values import REMOTE, alternatives, texts

FIRST = Place(at=0)
LOOPBACK = ("localhost", "127.", "::1", "0.0.0.0")
REMOTE_AXES = Axes(Reversibility.IRREVERSIBLE, Scope.EXTERNAL, Trust.UNTRUSTED)
Arguments = list[Sequence[Token]]
Walk = Callable[[State, str], None]


def apply(state: State, name: str, entry: Call, arguments: Arguments, walk: Walk) -> None:
    """Record what a described call does with its arguments."""
    state.tick()
    if not _applies(entry, arguments):
        return
    if entry.action is not None:
        near = entry.kind is TargetKind.HOST and any(
            text.startswith(LOOPBACK) for argument in arguments for token in argument for text in _said(token)
        )
        made = Call(names=entry.names, rule=entry.rule, reason=entry.reason) if near else entry
        state.effect(entry.action, entry.kind, entry.target, made)
    if name in ("open", "File.open", "IO.popen", "Kernel.open", "URI.open") and state.language in ("perl", "ruby"):
        _open(state, name, entry, arguments)
    for touch in entry.touch:
        _touch(state, entry, touch, arguments)
    _programs(state, name, entry, arguments)
    if entry.code is not None and entry.code.at < len(arguments):
        _code(state, arguments[-1 if entry.code.name == "last" else entry.code.at], walk)
    if entry.url is not None:
        _url(state, name, entry, arguments)
    if entry.sql is not None and entry.sql.at < len(arguments):
        for text in texts(state, arguments[entry.sql.at]):
            if not name.startswith("?.") or looks_like_sql(text):
                state.nested("sql", text, name)
    if entry.calls is not None:
        _callbacks(state, arguments, walk)
    if entry.unread:
        state.unread[entry.unread] = None
    if entry.opaque:
        state.opaque[entry.opaque] = None


def _said(token: Token) -> tuple[str, ...]:
    """The constant parts of a text."""
    return tuple(text for code, text in token.parts if not code)


def _applies(entry: Call, arguments: Arguments) -> bool:
    if entry.when == "arguments":
        return bool(arguments)
    if entry.when == "no-arguments":
        return not arguments
    return entry.when != "one-argument" or len(arguments) == 1


def is_url(state: State, arguments: Arguments) -> bool:
    """Whether a call's first argument is an address."""
    return bool(arguments) and any("://" in text for text in texts(state, arguments[0]))


def _touch(state: State, entry: Call, touch: Touch, arguments: Arguments) -> None:
    chosen = arguments[touch.at :] if touch.rest else arguments[touch.at : touch.at + 1] if touch.at >= 0 else []
    if not chosen:
        missing = touch.default or (HOLE if touch.at >= 0 or touch.name == "receiver" else "")
        if missing:
            _record(state, entry, touch, _action(state, entry, touch, arguments), missing, None, arguments)
        return
    content = None
    if touch.content is not None and touch.content.at < len(arguments):
        found = texts(state, arguments[touch.content.at])
        content = found[0] if len(found) == 1 and known(found[0]) else None
    for argument in chosen:
        if touch.rest and argument[0].text == "{":
            continue
        for value in alternatives(state, argument):
            for text in value if isinstance(value, tuple) else (value,):
                _record(state, entry, touch, _action(state, entry, touch, arguments), text_of(text), content, arguments)


def _action(state: State, entry: Call, touch: Touch, arguments: Arguments) -> Action:
    if entry.mode is None:
        return touch.action
    if entry.mode.at >= len(arguments):
        return opening(entry.default_mode)
    return max(
        (opening(text) for text in texts(state, arguments[entry.mode.at])),
        key=lambda action: action is Action.WRITE,
    )


def _record(
    state: State, entry: Call, touch: Touch, action: Action, text: str, content: str | None, arguments: Arguments
) -> None:  # fmt: skip
    if text == REMOTE:
        text = HOLE
    if touch.kind is TargetKind.PATH:
        if "://" in text[:12]:
            carried = any(_carries(state, argument) for argument in arguments)
            state.nested("url", text, entry.names[0], (("method", "GET"), *((("data", "file"),) if carried else ())))
            return
        recursive = any(token.text == "recursive" for argument in arguments for token in argument)
        state.path(
            action, text, entry, suffix=".source" if touch.source else "", content=content
        ) if not recursive else _recursive(state, action, text, entry)
        return
    local = touch.kind is TargetKind.HOST and text.rpartition("://")[2].startswith(LOOPBACK)
    made = Call(names=entry.names, rule=entry.rule, reason=entry.reason) if local else entry
    state.effect(action, touch.kind, text, made)


def _recursive(state: State, action: Action, text: str, entry: Call) -> None:
    state.effect(action, TargetKind.PATH, locate(text, state.payload.cwd), entry, recursive=action is Action.DELETE)


def _programs(state: State, name: str, entry: Call, arguments: Arguments) -> None:
    if entry.shell is None and entry.words is None and entry.argv is None:
        return
    place = entry.shell or entry.words or entry.argv
    assert place is not None
    given = arguments[place.at :]
    plain = [argument for argument in given if argument[0].text != "{"]
    options = [token.text for argument in given if argument[0].text == "{" for token in argument]
    if not plain:
        return
    if (entry.words is None and entry.argv is None) or (
        entry.words is not None and entry.shell is not None and len(plain) == 1
    ):
        for value in alternatives(state, plain[0]):
            if isinstance(value, tuple) and state.language == "php":
                for item in value:  # array_map("system", lines)
                    state.nested("shell", text_of(item), name)
            elif isinstance(value, tuple):
                state.nested("shell", _quoted([text_of(item) for item in value]), name)
            else:
                remote(state, value)
                state.nested("shell", value.replace(REMOTE, HOLE), name)
        return
    for words in _ways(state, plain):
        through_shell = "shell" in options and "false" not in options
        state.nested("shell", " ".join(words) if through_shell else _quoted(words), name)


def _ways(state: State, arguments: Arguments) -> list[list[str]]:
    ways: list[list[str]] = [[]]
    for argument in arguments:
        if any(token.text == "=>" and token.kind == "sign" for token in argument):
            continue  # a callback
        found = alternatives(state, argument)
        ways = [
            [*way, *(map(text_of, value) if isinstance(value, tuple) else [value])] for way in ways for value in found
        ][:8]
    return [[word.replace(REMOTE, HOLE) for word in way] for way in ways]


def _quoted(words: list[str]) -> str:
    return " ".join(word if word == HOLE else shlex.quote(word) for word in words)


def remote(state: State, value: str) -> None:
    """Note that a text out of the network runs."""
    if REMOTE in value:
        entry = Call(
            names=("run",),
            rule=f"{state.language}.remote-execute",
            reason="runs what it fetched from elsewhere",
            safer="save it, read it, then run it",
        )
        state.effect(Action.EXECUTE, TargetKind.CODE, "remote", entry, axes=REMOTE_AXES)


def _code(state: State, argument: Sequence[Token], walk: Walk) -> None:
    if argument[0].text in ("{", "function", "sub", "(") or any(token.text == "=>" for token in argument[:6]):
        return  # a block or a function: walked where it stands
    for value in alternatives(state, argument):
        text = text_of(value)
        remote(state, text)
        if not known(text) or REMOTE in text:
            state.unread["code that is put together while the script runs"] = None
            continue
        if state.depth > 12:
            state.unread["code nested too deep"] = None
            continue
        try:
            walk(state, text)
        except Unclosed:
            state.unread["code inside a text that does not parse"] = None


def _url(state: State, name: str, entry: Call, arguments: Arguments) -> None:
    assert entry.url is not None
    if entry.url.at >= len(arguments):
        return
    flat = [token for argument in arguments for token in argument]
    method = _named(state, flat, "method") or entry.method
    carried = _carries(state, arguments[entry.url.at])
    data = _data(state, entry, arguments, flat) or ("file" if state.streams and entry.rule == "node.send" else "")
    data = "file" if carried else data
    rest = [token for argument in arguments[entry.url.at + 1 :] for token in argument]
    headers, body = _split(state, rest)
    said = (("data", data), ("body", body), ("headers", headers))
    options = (("method", method.upper()), *((key, text) for key, text in said if text))
    for text in texts(state, arguments[entry.url.at]):
        state.nested("url", text.replace(REMOTE, HOLE), name, options)


def _carries(state: State, tokens: Sequence[Token]) -> bool:
    """Whether an address is put together with what a file holds."""
    if len(tokens) < 2:  # one text carries nothing
        return False
    reads = (
        name for name, call in state.knowledge.calls.items() if any(one.action is Action.READ for one in call.touch)
    )
    known_names = {name.rpartition(".")[2] for name in reads}
    return any(token.kind == "name" and token.text in known_names for token in tokens)


SPELLED_CAP = 10_000


def _split(state: State, tokens: Sequence[Token]) -> tuple[str, str]:
    """The texts of a request's headers and those of all else that is handed over, for the secrets among them."""
    headers: list[Token] = []
    body: list[Token] = []
    at = 0
    while at < len(tokens):
        named = tokens[at].text == "headers" and at + 1 < len(tokens) and tokens[at + 1].text in (":", "=>")
        end = _value_end(tokens, at + 2) if named else at + 1
        (headers if named else body).extend(tokens[at:end])
        at = end
    return _spelled(state, headers), _spelled(state, body)


def _value_end(tokens: Sequence[Token], start: int) -> int:
    """Where the value of a key ends: at the comma or bracket that closes what is around it."""
    depth = 0
    for at in range(start, len(tokens)):
        text = tokens[at].text if tokens[at].kind == "sign" else ""
        depth += (text in ("{", "[", "(")) - (text in ("}", "]", ")"))
        if depth < 0 or (depth == 0 and text == ","):
            return at
    return len(tokens)


def _spelled(state: State, tokens: Sequence[Token]) -> str:
    said = [text for token in tokens if token.kind != "sign" for text in texts(state, [token]) if known(text)]
    return "\n".join(said)[:SPELLED_CAP]


def _named(state: State, tokens: Sequence[Token], name: str) -> str:
    for index, token in enumerate(tokens[:-2]):
        if token.text == name and tokens[index + 1].text in (":", "=>"):
            return texts(state, [tokens[index + 2]])[0]
    return ""


def _data(state: State, entry: Call, arguments: Arguments, flat: Sequence[Token]) -> str:
    if any(
        token.text in ("readFileSync", "readFile", "createReadStream", "file_get_contents", "read") for token in flat
    ):
        return "file"
    sent = [arguments[place.at] for place in entry.data if place.at < len(arguments)]
    if not sent and not any(token.text in ("body", "data") for token in flat):
        return ""
    return "literal" if sent and all(known(text) for argument in sent for text in texts(state, argument)) else "unknown"


UNKNOWN: Arguments = [[Token("name", HOLE)]]


def _callbacks(state: State, arguments: Arguments, walk: Walk) -> None:
    """A function handed on by its name is called with anything."""
    for index, argument in enumerate(arguments):
        for text in texts(state, argument):
            entry = state.knowledge.calls.get(text)
            if entry is not None and entry.calls is None and len(arguments) == 1 and (entry.shell or entry.code):
                state.unread["a program that is started through its name"] = None
            elif entry is not None and entry.calls is None:
                apply(state, text, entry, arguments[index + 1 :] or arguments[:index] or UNKNOWN, walk)
            elif argument[0].kind == "variable" and len(argument) == 1 and argument is arguments[0] and HOLE in text:
                state.opaque["a function that is not known"] = None


def _open(state: State, name: str, entry: Call, arguments: Arguments) -> None:
    """``open`` of Perl and Ruby: a file in some mode, or a program."""
    if state.language == "ruby":
        _ruby_open(state, name, entry, arguments)
    elif len(arguments) >= 2:
        _perl_open(state, entry, arguments)


def _ruby_open(state: State, name: str, entry: Call, arguments: Arguments) -> None:
    for text in texts(state, arguments[0]) if arguments else []:
        mode = texts(state, arguments[1])[0] if len(arguments) > 1 and arguments[1][0].kind == "string" else "r"
        if text.startswith("|") or name == "IO.popen":
            state.nested("shell", text.removeprefix("|"), "open")
        elif "://" in text:
            state.nested("url", text, "open", (("method", "GET"),))
        else:
            state.path(opening(mode), text, entry)


def _perl_open(state: State, entry: Call, arguments: Arguments) -> None:
    rest = [texts(state, argument)[0] for argument in arguments[1:]]
    mode, target = rest[0].strip(), rest[1] if len(rest) > 1 else ""
    if mode in ("-|", "|-"):
        state.nested("shell", target if len(rest) == 2 else _quoted(rest[1:]), "open")
    elif len(rest) == 1 and (mode.startswith("|") or mode.endswith("|")):
        state.nested("shell", mode.strip("|").strip(), "open")
    else:
        sign = mode.lstrip("+")[:2] if len(rest) == 1 else mode
        path = mode.lstrip("+<>& ") if len(rest) == 1 else target
        action = (
            Action.APPEND
            if sign.startswith(">>")
            else Action.WRITE
            if sign.startswith(">") or "+" in mode or HOLE in sign
            else Action.READ
        )
        if not path.startswith("&") and "&" not in sign:
            state.path(action, path, entry)
