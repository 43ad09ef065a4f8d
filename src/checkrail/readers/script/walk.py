"""Walks the tokens of a script: assignments and imports first, then every call, quoted command and piece of code in a text."""

from collections.abc import Sequence

from checkrail.knowledge.code import Call
from checkrail.model import HOLE, Action, Decision, TargetKind
from checkrail.readers.script import effects, handed
from checkrail.readers.script.collect import collect, expression_end, foreign
from checkrail.readers.script.lexer import Token, lex
from checkrail.readers.script.state import State
from checkrail.readers.script.texts import Unclosed
from checkrail.readers.script.tokens import CLOSE, OPEN, canonical, chain, split
from checkrail.readers.script.values import REMOTE, filled, texts, variable

DEFINES = frozenset({"function", "def", "sub", "class", "interface", "module", "package", "fn", "trait"})
ENDS = frozenset({"if", "unless", "while", "until", "or", "and", "do", "then", "for", "foreach", "rescue"})


def walk(state: State, source: str) -> None:
    """Record what a script does. Raises :class:`Unclosed` where it cannot be cut into tokens."""
    state.depth += 1
    tokens = lex(source, state.language)
    state.tick(len(tokens))
    collect(state, tokens)
    said = {token.text for token in tokens if token.kind == "name"}
    state.streams = state.streams or ("createReadStream" in said and bool(said & {"pipe", "pipeline"}))
    matches = _brackets(tokens)
    for index, token in enumerate(tokens):
        if token.parts and token.kind != "words":
            _text(state, token)
        elif token.kind == "regex" and state.language == "perl" and "(?{" in token.text:
            state.unread["code inside a pattern"] = None
        elif token.kind in ("name", "variable"):
            _name(state, tokens, index, matches)
    state.depth -= 1


MEMBERS = {
    "node": frozenset({".", "?."}),
    "ruby": frozenset({".", "::", "&."}),
    "perl": frozenset({"->", "::"}),
    "php": frozenset({"->", "::", "?->"}),
}
"""Signs before the name of something's own; in Perl and PHP a point joins texts."""


def _brackets(tokens: Sequence[Token]) -> dict[int, int]:
    matches: dict[int, int] = {}
    stack: list[int] = []
    for index, token in enumerate(tokens):
        if token.kind != "sign":
            continue
        if token.text in OPEN:
            stack.append(index)
        elif token.text in CLOSE and stack:
            matches[stack.pop()] = index
    return matches


def _text(state: State, token: Token) -> None:
    if token.kind == "command":
        for text in filled(state, token):
            state.nested("shell", text, "backticks")
    if token.kind == "replace" and token.text == "ee":
        state.unread["code that is put together while the script runs"] = None
    for code, text in token.parts:
        if code and state.depth < 20:
            try:
                walk(state, text)
            except Unclosed:
                state.unread["code inside a text that does not parse"] = None


def _name(state: State, tokens: Sequence[Token], index: int, matches: dict[int, int]) -> None:
    before = tokens[index - 1] if index else None
    member = before is not None and before.kind == "sign" and before.text in MEMBERS[state.language]
    if member and index > 1 and tokens[index - 2].kind in ("name", "variable"):
        return  # inside a chain that was seen from its start
    if before is not None and before.text in DEFINES:
        return
    dotted, length = chain(tokens[index : index + 24])
    at = index + length
    if state.language == "perl" and dotted == "new" and at < len(tokens) and tokens[at].kind == "name":
        dotted, at = f"{tokens[at].text}.new", at + 1  # new Class(…) is Class->new(…)
    _environment(state, tokens, index, at, dotted)
    _forks(state, tokens, index, at, dotted)
    _module(state, tokens, index)
    if at < len(tokens) and tokens[at].text == "[" and tokens[at].kind == "sign":
        _chosen(state, tokens, at, dotted, matches)
        return
    arguments, called = _arguments(state, tokens, at, matches, tokens[index])
    key = index > 1 and tokens[index - 1].text == "{" and tokens[index - 2].kind == "variable"
    ends = ("=>", "as", "}", "=") if state.language != "perl" or key else ("=>", "=")
    if not called and at < len(tokens) and tokens[at].text in ends:
        return
    handed.on(state, tokens, index, at, dotted)
    if not called and _handed_on(tokens, index, at):
        arguments, called = _called_after(tokens, at, matches), True
    if called and state.language == "node" and dotted.endswith((".call", ".apply")):
        dotted, arguments = dotted.rpartition(".")[0], _bound(dotted, arguments)
    if called and tokens[index].kind == "variable" and length == 1:
        _by_name(state, tokens[index].text, arguments)
    for name, entry in _entries(state, dotted, member, arguments):
        given = arguments or _receiver(tokens, index, entry)
        if (
            called
            or (given and not arguments)
            or state.language == "perl"
            or entry.unread
            or entry.when == "no-arguments"
            or (entry.action and state.language == "ruby")
        ):
            effects.apply(state, name, entry, given, walk)
    if (
        state.language == "node"
        and at < len(tokens)
        and tokens[at].kind == "string"
        and dotted in ("$", "execa", "Bun.$")
    ):
        for text in filled(state, tokens[at]):
            state.nested("shell", text, "a shell template")


def _receiver(tokens: Sequence[Token], index: int, entry: Call) -> list[Sequence[Token]]:
    """What a method is called on, where the call acts on it: ``Pathname.new(x).rmtree``."""
    if entry.when or not entry.touch or entry.touch[0].name != "receiver" or index < 3 or tokens[index - 2].text != ")":
        return []
    depth = 0
    for position in range(index - 2, max(-1, index - 60), -1):
        depth += (tokens[position].text == ")") - (tokens[position].text == "(")
        if depth == 0:
            return [tokens[position + 1 : index - 2]]
    return []


def _handed_on(tokens: Sequence[Token], index: int, at: int) -> bool:
    before = tokens[index - 1].text if index else ""
    bare = at - index == 1 and tokens[index].text not in ("eval", "execSync", "exec", "unlink", "system")
    return not bare and before in ("(", ",") and at < len(tokens) and tokens[at].text in (")", ",")


def _called_after(tokens: Sequence[Token], at: int, matches: dict[int, int]) -> list[Sequence[Token]]:
    """The arguments of ``(0, f)(x)`` and ``wrapped(f)(x)``; anything where the function is only handed on."""
    if at + 1 < len(tokens) and tokens[at].text == ")" and tokens[at + 1].text == "(":
        return split(tokens[at + 2 : matches.get(at + 1, len(tokens))][:420])
    return effects.UNKNOWN


def _bound(dotted: str, arguments: list[Sequence[Token]]) -> list[Sequence[Token]]:
    """The arguments of ``f.call(this, x)`` and ``f.apply(this, [x])``."""
    rest = arguments[1:]
    if dotted.endswith(".apply") and rest and rest[0][0].text == "[":
        return split(rest[0][1:-1])
    return rest


def _by_name(state: State, name: str, arguments: list[Sequence[Token]]) -> None:
    """``$f("x")``: a variable that holds a function's name."""
    for text in variable(state, name):
        entry = state.knowledge.calls.get(text) if isinstance(text, str) else None
        if entry is not None:
            effects.apply(state, str(text), entry, arguments, walk)


HOLDERS = frozenset(
    {
        "fs",
        "child_process",
        "process",
        "global",
        "globalThis",
        "window",
        "this",
        "module",
        "require",
        "fs.promises",
        "vm",
        "Kernel",
        "Object",
    }
)


def _chosen(state: State, tokens: Sequence[Token], at: int, dotted: str, matches: dict[int, int]) -> None:
    """``module[name](…)``: a function chosen by a text."""
    owner = canonical(state, dotted)
    end = matches.get(at, len(tokens))
    if owner not in HOLDERS or end + 1 >= len(tokens) or tokens[end + 1].text not in ("(", "."):
        return
    arguments = split(tokens[end + 2 : matches.get(end + 1, len(tokens))][:420])
    for text in texts(state, tokens[at + 1 : end]):
        if HOLE in text:
            state.unread["a function chosen by a name that is not known"] = None
        for name in (f"{owner}.{text}", text):
            entry = state.knowledge.calls.get(name)
            if entry is not None:
                effects.apply(state, name, entry, arguments, walk)
                break


def _entries(state: State, dotted: str, member: bool, arguments: list[Sequence[Token]]) -> list[tuple[str, Call]]:
    name = canonical(state, dotted)
    calls = state.knowledge.calls
    last = name.rpartition(".")[2]
    if not member and name in calls:
        return [(name, calls[name])]
    head = name.partition(".")[0]
    if member or ("." in name and head not in state.assigned and head not in state.imported):
        reached = [f"{module}.{last}" for module in state.modules if f"{module}.{last}" in calls]
        if reached:
            return [(reached[0], calls[reached[0]])]
    if (member or "." in name) and f"?.{last}" in calls:
        return [(f"?.{last}", calls[f"?.{last}"])]
    if (
        (member or "." in name)
        and last in ("get", "post", "request", "mirror", "put")
        and effects.is_url(state, arguments)
    ):
        return [
            (
                f"a request by {last}",
                Call(
                    names=(last,),
                    rule=f"{state.language}.request",
                    url=effects.FIRST,
                    method="GET" if last != "post" else "POST",
                ),
            )
        ]
    return []


def _arguments(
    state: State, tokens: Sequence[Token], at: int, matches: dict[int, int], first: Token
) -> tuple[list[Sequence[Token]], bool]:
    """The arguments of a call at a position, and whether it is one."""
    if at < len(tokens) and tokens[at].text == "(" and tokens[at].kind == "sign":
        end = matches.get(at, len(tokens))
        return split(tokens[at + 1 : end][:420]), True
    if state.language == "node" or at >= len(tokens) or first.kind == "variable":
        return [], False
    if tokens[at].text == "{" and first.text in ("exec", "system"):
        at = min(matches.get(at, at) + 1, len(tokens) - 1)  # exec { program } list
    following = tokens[at]
    starts = following.kind in ("string", "words", "command", "variable", "number") or (
        following.kind == "name" and following.text not in ENDS
    )
    if not starts and not (following.text in ("[", ":", "\\") and following.spaced):
        return [], False
    end = at
    depth = 0
    while end < len(tokens) and end - at < 420:
        token = tokens[end]
        if token.kind == "sign":
            depth += (token.text in OPEN) - (token.text in CLOSE)
        if depth < 0 or (depth == 0 and (token.kind == "end" or (token.kind == "name" and token.text in ENDS))):
            break
        end += 1
    return split(tokens[at:end]), True


MODULE_WORDS = frozenset(
    ["require", "use", "include", "include_once", "require_once", "require_relative", "load", "import"]
)


def _module(state: State, tokens: Sequence[Token], index: int) -> None:
    word, at = tokens[index].text, index + 1
    if word not in MODULE_WORDS or at >= len(tokens):
        return
    if tokens[at].text == "(" and tokens[at].kind == "sign":
        at += 1
    first = tokens[at] if at < len(tokens) else None
    if first is None or (word in ("load", "include", "import") and state.language in ("ruby", "perl")):
        return
    if first.kind == "name" and word == "use" and state.language == "perl":
        foreign(state, first.text)
    elif state.language == "php" and first.kind == "string" and any("://" in text for text in texts(state, [first])):
        effects.remote(state, REMOTE)
    elif first.kind == "string" and (at + 1 >= len(tokens) or tokens[at + 1].text not in ("+", ".")):
        foreign(state, "".join(text for code, text in first.parts if not code).removeprefix("node:"))
    elif state.language == "node" and tokens[at - 1].text == "(":
        _computed_module(state, tokens, at)


def _computed_module(state: State, tokens: Sequence[Token], at: int) -> None:
    end = expression_end(tokens, at)
    if all("/" in text for text in texts(state, tokens[at:end])):
        state.opaque["a module that is not known"] = None
    else:
        state.unread["a module chosen by a name that is not known"] = None


def _environment(state: State, tokens: Sequence[Token], index: int, at: int, dotted: str) -> None:
    whole = {"node": "process.env", "ruby": "ENV", "perl": "ENV", "php": "_ENV"}[state.language]
    following = tokens[at].text if at < len(tokens) else ""
    shown = {
        "node": (dotted == "Deno.env.toObject" and _printed(tokens, index))
        or (
            dotted == whole
            and following not in (".", "[", "?.", "=")
            and (_printed(tokens, index) or (not following and dict(state.payload.options).get("prints") == "yes"))
            and not _names_only(tokens, index)
        ),
        "ruby": dotted in ("ENV.to_h", "ENV.inspect", "ENV.to_a", "ENV.each")
        or (dotted == whole and following != "[" and _printed(tokens, index)),
        "perl": dotted == whole and following not in ("{", "->"),
        "php": (dotted in (whole, "_SERVER") and following != "[")
        or dotted == "phpinfo"
        or (dotted == "getenv" and [token.text for token in tokens[at : at + 2]] == ["(", ")"]),
    }[state.language]
    if shown:
        entry = Call(
            names=(whole,), rule=f"{state.language}.environment", reason="shows the environment, which may hold secrets"
        )
        state.effect(Action.READ, TargetKind.SECRET, "environment", entry)


def _names_only(tokens: Sequence[Token], index: int) -> bool:
    """``Object.keys(process.env)``: which variables there are says nothing of what they hold."""
    return [token.text for token in tokens[max(0, index - 4) : index]] == ["Object", ".", "keys", "("]


FORKS = frozenset({"fork", "Process.fork", "Kernel.fork", "pcntl_fork"})


def _forks(state: State, tokens: Sequence[Token], index: int, at: int, dotted: str) -> None:
    """``fork while 1``, ``loop { fork }``, ``while (1) { fork }``: processes without end."""
    if dotted not in FORKS:
        return
    ahead = "".join(token.text for token in tokens[at : at + 8]).replace("()", "")
    before = "".join(token.text for token in tokens[max(0, index - 8) : index])
    if ahead.startswith(("while1", "whiletrue", "whilefork", "until0", "while(1")) or before.endswith(ENDLESS):
        entry = Call(
            names=("fork",),
            rule="shell.fork-bomb",
            reason="starts itself without end (a fork bomb)",
            decision=Decision.DENY,
        )
        state.effect(Action.STOP, TargetKind.SYSTEM, "processes", entry)


ENDLESS = (
    "loop{",
    "loopdo",
    "loopdo\n",
    "while(1){",
    "while(1)",
    "while(true){",
    "while(true)",
    "for(;;){",
    "for(;;)",
    "whiletrue\n",
    "while1\n",
    "whilepcntl_fork",
    "while(",
)
"""What stands before the start of a process in a loop that never ends."""


def _printed(tokens: Sequence[Token], index: int) -> bool:
    near = [token.text for token in tokens[max(0, index - 6) : index]]
    return any(
        word in near
        for word in ("log", "stringify", "info", "error", "dir", "write", "inspect", "puts", "p", "pp", "print")
    )
