"""Follows a text of cmd: commands joined by ``&``, ``&&``, ``||`` and ``|``, escapes, variables, ``for`` and ``if`` roughly."""

import re

from checkrail.knowledge.code import Cmdlet
from checkrail.model import HOLE, Action
from checkrail.readers.powershell.cmdlets import Given, Word, entry_for, judge
from checkrail.readers.powershell.state import Exhausted, State

_KEPT = frozenset(
    [
        "userprofile",
        "homepath",
        "homedrive",
        "systemdrive",
        "systemroot",
        "windir",
        "programfiles",
        "programdata",
        "appdata",
        "localappdata",
    ]
)
_IF = re.compile(
    r"if\s+(?:/i\s+)?(?:not\s+)?(?:exist\s+(?:\"[^\"]*\"|\S+)|defined\s+\S+|errorlevel\s+\d+|\S+?\s*(?:==|equ|neq|lss|leq|gtr|geq)\s*(?:\"[^\"]*\"|\S+))\s+",
    re.IGNORECASE,
)
_FOR = re.compile(r"for\s+(?:/[a-z]\s+)?(?:\"[^\"]*\"\s+)?%{1,2}~?\w+\s+in\s+\(([^)]*)\)\s+do\s+", re.IGNORECASE)


def statements(state: State, source: str) -> None:
    """Follow every command of a text."""
    for line in _split(source):
        _statement(state, line)


def _split(source: str) -> list[str]:
    parts, now, quoted, at = [], [], False, 0
    while at < len(source):
        character = source[at]
        if character == '"':
            quoted = not quoted
        if character == "^" and not quoted:
            now.append("" if source[at + 1 : at + 2] == "\n" else source[at + 1 : at + 2])
            at += 2
            continue
        if character in "&|\n" and not quoted and not _is_handle(source, at):
            parts.append("".join(now))
            now = []
        else:
            now.append(character)
        at += 1
    return [part for part in (*parts, "".join(now)) if part.strip()]


def _is_handle(source: str, at: int) -> bool:
    return source[at] == "&" and source[at - 1 : at] == ">"


def _statement(state: State, line: str) -> None:
    state.tick()
    line = line.strip().lstrip("@( \t").rstrip(") \t") if not line.strip().startswith('"') else line.strip()
    for pattern in (_IF, _FOR):
        found = pattern.match(line)
        if found is not None:
            if pattern is _FOR and found[1].strip()[:1] in "'`":
                _statement(state, found[1].strip()[1:-1])
            state.depth += 1
            _statement(state, line[found.end() :])
            state.depth -= 1
            return
    if re.match(r"(?:if|for)\b", line, re.IGNORECASE):
        state.unread["a cmd condition or loop of an unknown form"] = None
        return
    line = _redirected(state, re.sub(r"^(?:call|else|do)\s+", "", line, flags=re.IGNORECASE))
    words = [_expand(state, word) for word in _words(line)]
    if words:
        _command(state, words, line)


def _redirected(state: State, line: str) -> str:
    for found in re.finditer(r"\d?(>>?)\s*(&\d|\"[^\"]*\"|[^\s>]+)", line):
        target = found[2].strip('"')
        if not target.startswith("&") and target.lower() != "nul":
            state.path(Action.WRITE if found[1] == ">" else Action.APPEND, _expand(state, target), _REDIRECTION)
    return re.sub(r"\d?>>?\s*(&\d|\"[^\"]*\"|[^\s>]+)", " ", line)


_REDIRECTION = Cmdlet(names=(">",), language="cmd", rule="cmd.redirect")


def _words(line: str) -> list[str]:
    return [word.replace('"', "") for word in re.findall(r'(?:"[^"]*"?|[^\s,;="])+', line)]


def _expand(state: State, word: str) -> str:
    def value(found: re.Match[str]) -> str:
        name = found[1].lower()
        return state.variables.get(name, found[0] if name in _KEPT else HOLE)

    word = re.sub(r"%(\w+)%", value, word)
    return re.sub(r"%{1,2}~?[a-z]\b|!\w+!", HOLE, word, flags=re.IGNORECASE)


def _command(state: State, words: list[str], line: str) -> None:
    name, glued = _switch_glued(words[0].lower())
    name = re.sub(r"\.(exe|com|cmd|bat)$", "", re.split(r"[\\/]", name)[-1])
    rest = [*glued, *words[1:]]
    if name == "set" and rest:
        found = re.match(r"set\s+\"?(\w+)=([^\"]*)", line, re.IGNORECASE)
        if found is not None:
            state.variables[found[1].lower()] = _expand(state, found[2].strip())
        return
    if name in ("cmd", "cmd.exe"):
        _inner(state, line)
        return
    if name in ("cd", "chdir", "pushd"):
        _change_folder(state, rest)
        return
    entry = entry_for("cmd", name, [Word(word) for word in rest])
    if entry is None:
        state.shell([words[0], *rest], "program")
        return
    judge(state, entry, _bind(entry, rest), None)


def _switch_glued(name: str) -> tuple[str, list[str]]:
    found = re.match(r"(rd|rmdir|del|erase)((?:/\w)+)$", name)
    return (found[1], re.findall(r"/\w", found[2])) if found else (name, [])


def _inner(state: State, line: str) -> None:
    found = re.search(r"/[ck]\s*(.*)$", line, re.IGNORECASE | re.DOTALL)
    if found is None:
        return
    if state.depth > 8:
        raise Exhausted
    state.depth += 1
    statements(state, found[1].strip().removeprefix('"').removesuffix('"'))
    state.depth -= 1


def _change_folder(state: State, words: list[str]) -> None:
    from checkrail.readers.powershell import paths

    plain = [word for word in words if not word.startswith("/")]
    if plain:
        state.cwd = paths.place(plain[0], state.cwd, state.around.home)


def _bind(entry: Cmdlet, words: list[str]) -> Given:
    given = Given({}, [])
    plain: list[Word] = []
    for word in words:
        switches = re.findall(r"/([\w?]+)", word) if re.fullmatch(r"(?:/[\w?:+-]+)+", word) else []
        for switch in switches:
            given.named.setdefault(switch.lower(), [])
        if not switches:
            plain.append(Word(word))
    for index, value in enumerate(plain):
        if entry.positional:
            name = entry.positional[min(index, len(entry.positional) - 1)]
            given.named.setdefault(name, []).append(value)
    return given
