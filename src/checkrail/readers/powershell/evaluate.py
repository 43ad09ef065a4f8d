"""Follows PowerShell: statements, pipelines, variables, script blocks and method calls."""

import base64
import re
from collections.abc import Sequence

from checkrail.knowledge.code import Cmdlet, cmdlets
from checkrail.model import HOLE, Action, TargetKind
from checkrail.readers.powershell.cmdlets import Given, Word, arguments, entry_for, judge, unknown
from checkrail.readers.powershell.lexer import Token, tokens
from checkrail.readers.powershell.state import REMOTE, State

KEYWORDS = frozenset(
    [
        "if",
        "elseif",
        "else",
        "foreach",
        "for",
        "while",
        "do",
        "until",
        "switch",
        "try",
        "catch",
        "finally",
        "function",
        "filter",
        "param",
        "return",
        "throw",
        "begin",
        "process",
        "end",
        "trap",
        "in",
        "exit",
    ]
)
NOTHING = Word("", bare=False)
UNKNOWN = Word(HOLE, bare=False)
_REMOTE_CODE = Cmdlet(
    names=("iex",), language="powershell", rule="powershell.remote-execute", reason="runs what it fetched from elsewhere",
    safer="save it, read it, then run it",
)  # fmt: skip


def statements(state: State, source: str) -> Word:
    """Follow a text; what its last statement gives."""
    state.tick()
    state.depth += 1
    result = NOTHING
    for part in _split(tokens(source), "separator"):
        result = _statement(state, part)
    state.depth -= 1
    return result


def _split(found: Sequence[Token], kind: str) -> list[list[Token]]:
    parts: list[list[Token]] = [[]]
    for token in found:
        if token.kind == kind:
            parts.append([])
        else:
            parts[-1].append(token)
    return [part for part in parts if part]


def _statement(state: State, part: list[Token]) -> Word:
    state.tick()
    while part and part[0].kind == "word" and part[0].text.lower() in KEYWORDS:
        if part[0].text.lower() in ("function", "filter") and len(part) > 1:
            part = part[1:]
        part = part[1:]
    at = next((index for index, token in enumerate(part) if token.kind == "assign"), 0)
    if at and part[at - 1].kind == "variable":
        value = _pipeline(state, part[at + 1 :])
        _assign(state, part[at - 1].text[1:].lower(), value)
        return NOTHING
    return _pipeline(state, part)


def _assign(state: State, name: str, value: Word) -> None:
    state.variables[name] = value.text
    state.remote.discard(name)
    if value.remote:
        state.remote.add(name)


def _pipeline(state: State, part: list[Token]) -> Word:
    piped: Word | None = None
    result = NOTHING
    for stage in _split(part, "pipe"):
        result = _stage(state, stage, piped)
        piped = result
    return result


def _stage(state: State, stage: list[Token], piped: Word | None) -> Word:
    state.tick()
    stage = _redirected(state, stage)
    called = False
    while stage and stage[0].kind == "word" and stage[0].text in ("&", "."):
        called, stage = True, stage[1:]
    atoms = _atoms(stage)
    if not atoms:
        return NOTHING
    first = atoms[0][0]
    words = _words(state, atoms)
    if first.kind == "word" and _is_name(first.text) and len(atoms[0]) == 1:
        return _command(state, words[0].text, words[1:], piped)
    if called:
        return _called(state, first, words, piped)
    if any(word.remote for word in words):
        return Word(HOLE, remote=True, bare=False)
    return words[0] if len(words) == 1 else _operated(words)


def _operated(words: list[Word]) -> Word:
    if all(word.text == "+" for word in words[1::2]):
        return Word("".join(word.text for word in words[::2]), bare=False)
    if len(words) >= 3 and words[1].text.lower() == "-join":
        return Word(words[2].text.join((words[0].text, *words[0].also)), bare=False)
    if len(words) >= 3 and words[1].text.lower() == "-f":
        values = (words[2].text, *words[2].also)
        return Word(
            re.sub(r"\{(\d)\}", lambda m: values[int(m[1])] if int(m[1]) < len(values) else HOLE, words[0].text),
            bare=False,
        )
    return UNKNOWN


def _is_name(text: str) -> bool:
    return (re.match(r"[A-Za-z_?%.\\/~][^\[\]]*$", text) is not None and not text.startswith((".(", ".."))) or text in (
        "%",
        "?",
    )


def _redirected(state: State, stage: list[Token]) -> list[Token]:
    kept: list[Token] = []
    target = False
    for token in stage:
        if token.kind == "redirect":
            target = True
        elif target:
            target = False
            text = _atom(state, [token]).text
            if text.lower() not in ("$null", "nul", ""):
                entry = cmdlets("powershell")["out-file"][0]
                state.path(Action.WRITE, text, entry)
        else:
            kept.append(token)
    return kept


def _atoms(stage: Sequence[Token]) -> list[list[Token]]:
    atoms: list[list[Token]] = []
    expression = bool(stage) and stage[0].kind in ("text", "group", "variable")
    for token in stage:
        plus = expression and token.kind == "word" and token.text == "+"
        after = expression and bool(atoms) and atoms[-1][0].kind == "word" and atoms[-1][0].text == "+"
        if token.kind == "comma" or plus or after:
            atoms.append([token])
        elif atoms and token.glued and atoms[-1][0].kind != "comma":
            atoms[-1].append(token)
        else:
            atoms.append([token])
    return atoms


def _words(state: State, atoms: list[list[Token]]) -> list[Word]:
    words: list[Word] = []
    joined = False
    for atom in atoms:
        if atom[0].kind == "comma":
            joined = bool(words)
            continue
        word = _atom(state, atom)
        if joined:
            last = words[-1]
            words[-1] = Word(last.text, last.remote or word.remote, last.bare, (*last.also, word.text, *word.also))
            joined = False
        else:
            words.append(word)
    return words


def _atom(state: State, atom: Sequence[Token]) -> Word:
    """The value of tokens that stand together: a word, a text, an expression with method calls."""
    text, remote, bare = "", False, True
    also: tuple[str, ...] = ()
    for index, token in enumerate(atom):
        following = atom[index + 1] if index + 1 < len(atom) else None
        if token.kind == "group" and index and _method_name(atom[index - 1]):
            continue
        method = _method_name(token)
        if method and following is not None and following.kind == "group":
            value = _method(state, method, Word(text, remote), following.text)
            text, remote, bare = value.text, value.remote or remote, False
            continue
        value = _token(state, token)
        bare = bare and value.bare
        remote = remote or value.remote
        text += value.text
        also = value.also
    return Word(text, remote, bare, also)


def _method_name(token: Token) -> str:
    if token.kind not in ("word", "variable"):
        return ""
    found = re.search(r"(?:\[(?:system\.)?([\w.]+)\]::|\.)(\w+)$", token.text, re.IGNORECASE)
    if found is None:
        return ""
    return f"{found[1].lower()}::{found[2].lower()}" if found[1] else f".{found[2].lower()}"


def _token(state: State, token: Token) -> Word:
    if token.kind == "group":
        return Word(*_group(state, token.text), bare=False)
    if token.kind == "block":
        statements(state, token.text)
        return Word(HOLE, bare=False)
    if token.kind == "text":
        remote = False
        for inner in token.inner:
            remote = statements(state, inner).remote or remote
        text, more = _expand(state, token.text)
        return Word(text.replace("\x01", "$"), remote or more, bare=False)
    text, remote = _expand(state, token.text)
    return Word(text, remote, bare=token.kind == "word")


def _group(state: State, source: str) -> tuple[str, bool]:
    value = statements(state, source)
    return (value.text or HOLE, value.remote)


_KEPT = frozenset({"home", "env:userprofile", "env:home", "env:systemdrive", "env:windir", "env:systemroot", "env:homedrive", "env:homepath",
                   "env:programfiles", "env:appdata", "env:localappdata", "null", "true", "false"})  # fmt: skip


def _expand(state: State, text: str) -> tuple[str, bool]:
    if "$" not in text:
        return text, False
    remote = False

    def value(found: re.Match[str]) -> str:
        nonlocal remote
        name = (found[1] or found[2]).lower()
        remote = remote or name in state.remote
        if name in state.variables:
            return state.variables[name]
        return found[0] if name in _KEPT else (state.cwd or HOLE) if name == "pwd" else HOLE

    return re.sub(r"\$(?:\{([^}]*)\}|((?:env:)?\w+|[_?$^]))", value, text), remote


def _method(state: State, name: str, receiver: Word, source: str) -> Word:
    found = [_atom_list(state, part) for part in _split(tokens(source), "comma")]
    words = [word for word in found if word.text]
    entry = entry_for("powershell-method", name, words)
    if entry is None:
        return Word(HOLE, receiver.remote or any(word.remote for word in words), bare=False)
    given = Given({}, words)
    for index, parameter in enumerate(entry.positional):
        if index < len(words):
            given.named[parameter] = [words[index]]
    if entry.recursive and len(words) > 1:
        given.named[entry.recursive[0]] = []
    judge(state, entry, given, receiver if not words else None)
    if entry.code:
        _code(state, words[0] if words else receiver)
    if name == "convert::frombase64string" and words:
        return Word(_decoded(words[0].text), words[0].remote, bare=False)
    if entry.returns == "like":
        return words[-1] if words else receiver
    return Word(HOLE, entry.returns == "remote", bare=False)


def _atom_list(state: State, part: list[Token]) -> Word:
    words = _words(state, _atoms(part))
    return words[0] if len(words) == 1 else _operated(words) if words else NOTHING


def _decoded(text: str) -> str:
    try:
        data = base64.b64decode(text)
    except ValueError:
        return HOLE
    return data.decode("utf-16-le" if data[1:2] == b"\0" else "utf-8", "replace")


def _called(state: State, first: Token, words: list[Word], piped: Word | None) -> Word:
    if first.kind == "block" or not words:
        return UNKNOWN
    if words[0].remote:
        _code(state, words[0])
        return UNKNOWN
    if first.kind == "text" or HOLE not in words[0].text:
        return _command(state, words[0].text, words[1:], piped)
    state.shell([word.text for word in words], "call")
    return UNKNOWN


def _command(state: State, name: str, words: list[Word], piped: Word | None) -> Word:
    lowered = name.lower()
    short = re.sub(r"\.(exe|cmd|bat|ps1)$", "", re.split(r"[\\/]", lowered)[-1])
    entry = entry_for("powershell", short, words) if lowered != "." else None
    if entry is None and re.fullmatch(r"[a-z]+-[a-z]\w*", short) and "/" not in lowered:
        unknown(state, short)
        return Word(HOLE, any(word.remote for word in words) or (piped is not None and piped.remote), bare=False)
    if entry is None:
        state.shell([name, *(text.text for word in words for text in word.each())], "program")
        return UNKNOWN
    given = arguments(entry, words)
    judge(state, entry, given, piped)
    return _result(state, entry, given, piped)


def _result(state: State, entry: Cmdlet, given: Given, piped: Word | None) -> Word:
    if entry.code:
        said = given.named.get(entry.code) or ([piped] if piped is not None else [])
        for word in said:
            _code(state, word)
    if "set-location" in entry.names:
        _change_folder(state, given)
    if entry.returns == "remote":
        return Word(HOLE, remote=True, bare=False)
    if entry.returns == "items":
        listed = [word.text for name in ("path", "literalpath") for word in given.named.get(name, [])]
        return Word(listed[0] if listed else ".", bare=False)
    if entry.returns == "like":
        said = [word for name in entry.positional for word in given.named.get(name, [])]
        return said[0] if said else piped or NOTHING
    remote = piped is not None and piped.remote
    return Word(HOLE, remote, bare=False)


def _change_folder(state: State, given: Given) -> None:
    from checkrail.readers.powershell import paths

    said = given.named.get("path") or given.named.get("literalpath") or [Word("~")]
    state.cwd = paths.place(said[0].text, state.cwd, state.around.home)


def _code(state: State, word: Word) -> None:
    """Source that is run: followed in place where it is known."""
    if word.remote:
        state.effect(Action.EXECUTE, TargetKind.CODE, "remote", _REMOTE_CODE, axes=REMOTE)
    elif HOLE in word.text:
        state.unread["PowerShell that is put together while it runs"] = None
    elif word.text:
        statements(state, word.text)
