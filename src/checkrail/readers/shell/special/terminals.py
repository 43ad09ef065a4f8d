"""Terminals that nobody watches: what is started in them is judged, what is typed into them is a question."""

import re
import shlex
from typing import TYPE_CHECKING

from checkrail.readers.shell import effects, flow
from checkrail.readers.shell.state import Field

if TYPE_CHECKING:
    from checkrail.knowledge.schema import Entry
    from checkrail.readers.shell.call import Call

UNWATCHED = "types into a terminal where no check sees what runs"
SAFER = "run the command itself, so that it can be seen"

STARTS = frozenset(
    (
        *("new-session", "new", "new-window", "neww", "split-window", "splitw", "respawn-pane", "respawnp"),
        *("respawn-window", "respawnw", "display-popup", "popup"),
    )
)
SHELLS = frozenset(("run-shell", "run", "if-shell", "if", "pipe-pane", "pipep"))
TYPES = frozenset(("send-keys", "send", "paste-buffer", "pasteb", "send-prefix"))
VALUED = frozenset("sntcxyFel")
POPUP_VALUED = frozenset("bcdehsStTwxy")
"""Letters of tmux subcommands that take a value."""

KEYS = re.compile(r"(?:C-.|M-.|Enter|Escape|Space|Tab|BSpace|Up|Down|Left|Right|[A-Z][a-z]+|F\d+|\^.)")


def terminal(entry: "Entry", call: "Call", path: str) -> None:  # noqa: ARG001
    """``tmux command [; command …]``."""
    command = call.parsed.value("-c")
    if command is not None:
        call.run.shell(command.text, command.span, "tmux -c")
    if not call.parsed.operands and command is None and not call.parsed.has(("-V", "-h")):
        flow.run_code("shell", call.run.stdin, call, "the shell in tmux")
    words: list[Field] = []
    for field in call.parsed.operands:
        if field.text == ";":
            _tmux(words, call, path)
            words = []
        elif (
            field.text.endswith(";")
            and len(field.text) > 1
            and not field.text.endswith("\\;")
            and words[:1]
            and words[0].text not in STARTS | SHELLS
        ):
            _tmux([*words, Field(field.text[:-1], field.span, field.tags)], call, path)
            words = []
        else:
            words.append(field)
    _tmux(words, call, path)


def _tmux(words: list[Field], call: "Call", path: str) -> None:
    if not words:
        return
    name, rest = words[0].text, words[1:]
    if name in TYPES:
        _types(rest, call, path)
    elif name in STARTS:
        _starts(_without_options(rest, POPUP_VALUED if "popup" in name else VALUED), call)
    elif name in SHELLS:
        operands = _without_options(rest, frozenset("tdcSs"))
        for field in operands[: 1 if name in ("if-shell", "if") else len(operands)]:
            call.run.shell(field.text, field.span, f"tmux {name}")
        for field in operands[1:] if name in ("if-shell", "if") else ():
            _tmux([Field(word, field.span) for word in _split(field.text)], call, path)
    elif name == "kill-server":
        effects.named(
            "loses",
            call,
            rule=f"{path}.kill-server",
            reason="ends every terminal session with all that runs in it",
            safer="tmux kill-session -t NAME",
        )
    elif name in ("source-file", "source"):
        call.run.opaque("reads a tmux configuration")
    elif name in ("set-hook", "bind-key", "bind", "set-option", "set", "set-buffer") and any(
        mark in field.text for field in rest for mark in ("run-shell", "if-shell", "default-command", "send-keys", "#(")
    ):
        effects.named("runs", call, rule=f"{path}.hooks", reason="lets tmux run a command later", safer=SAFER)


def _split(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:
        return text.split()


def _types(rest: list[Field], call: "Call", path: str) -> None:
    effects.named("runs", call, rule=f"{path}.types", reason=UNWATCHED, safer=SAFER)
    typed = [field for field in _without_options(rest, frozenset("tNF")) if not KEYS.fullmatch(field.text)]
    if typed:
        call.run.shell(" ".join(field.text for field in typed), typed[0].span, "tmux send-keys")


def _without_options(rest: list[Field], valued: frozenset[str]) -> list[Field]:
    position = 0
    while position < len(rest) and rest[position].text.startswith("-") and len(rest[position].text) > 1:
        text = rest[position].text
        position += 1
        if text == "--":
            break
        stop = next((index for index, letter in enumerate(text[1:]) if letter in valued), None)
        if stop is not None and stop + 2 == len(text):
            position += 1
    return rest[position:]


def _starts(words: list[Field], call: "Call") -> None:
    """A command that a terminal starts: one word is a shell line, several are a command."""
    if len(words) == 1:
        call.run.shell(words[0].text, words[0].span, call.name)
    elif words:
        call.invoke(tuple(words))


CALM = frozenset(
    (
        "title",
        "quit",
        "kill",
        "detach",
        "select",
        "next",
        "prev",
        "other",
        "number",
        "windows",
        "info",
        "version",
        "redisplay",
    )
)
"""Commands to a session that type nothing and start nothing."""


def screen(entry: "Entry", call: "Call", path: str) -> None:  # noqa: ARG001
    """``screen``: ``-X`` sends a command to a session, operands start in a new one."""
    texts = [field.text for field in call.arguments]
    if "-X" in texts:
        rest = call.arguments[texts.index("-X") + 1 :]
        if not rest or rest[0].text not in CALM:
            effects.named("runs", call, rule=f"{path}.types", reason=UNWATCHED, safer=SAFER)
        if len(rest) > 1 and rest[0].text in ("stuff", "exec", "screen"):
            text = " ".join(field.text for field in rest[1:])
            call.run.shell(text.replace("\\n", "\n").replace("^M", "\n"), rest[1].span, "screen -X")
        elif rest and rest[0].text in ("quit", "kill"):
            call.run.opaque("ends a terminal session")
        return
    if "-Logfile" in texts[:-1]:
        effects.path("write", call.arguments[texts.index("-Logfile") + 1], call, path)
    if not texts:
        flow.run_code("shell", call.run.stdin, call, "the shell in screen")
    source = call.parsed.value("-c")
    if source is not None:
        effects.named("runs", call, rule=f"{path}.rc", reason=f"runs the commands in {source.text[:60]}")
    operands = call.parsed.operands
    if (
        call.parsed.has(("-S",)) is False
        and operands
        and any(text.startswith("-") and "S" in text[1:] for text in texts[:3])
    ):
        operands = operands[1:]  # -dmS name
    if operands and not any(text in ("-ls", "-list", "-r", "-x", "-wipe", "-R") for text in texts):
        call.invoke(operands)


SHARES = frozenset(("tmate", "ttyd", "gotty", "wetty"))
"""Terminals that others can reach."""

RUNS_AFTER = frozenset(("-e", "-x", "--", "--command", "--execute", "start"))


WRITES = frozenset(("send-text", "send-key", "write-chars", "write"))
"""Verbs by which a terminal is told to type into one of its windows."""


def window(entry: "Entry", call: "Call", path: str) -> None:  # noqa: ARG001
    """``xterm -e command`` and other terminals."""
    texts = [field.text for field in call.arguments]
    if call.name in SHARES and not {"-V", "--version", "--help", "-h"} & set(texts):
        effects.named("external", call, rule=f"{path}.shares", reason="lets others into a terminal of this machine")
    if WRITES & set(texts[:4]):
        effects.named(
            "runs", call, rule=f"{path}.types", reason="types into a terminal, where no check sees what it does"
        )
    index = next((position for position, text in enumerate(texts) if text in RUNS_AFTER), None)
    for field in call.arguments:
        if field.text.startswith(("--command=", "-e=")):
            call.run.shell(field.tail(field.text.index("=") + 1).text, field.span, call.name)
    if index is not None:
        rest = list(call.arguments[index + 1 :])
        _starts(rest[1:] if rest and rest[0].text == "--" else rest, call)
    elif call.name in ("dtach", "abduco"):
        _starts(list(call.parsed.operands[1:]), call)
    elif call.name in ("kitty", "foot", "st", "ttyd", "gotty", "dvtm", "alacritty"):
        _starts(list(call.parsed.operands), call)


_EXPECT = re.compile(
    r"(?:^|[;{\n\[])\s*(spawn|exec|system|send|send_user|interact)\b[ \t]*((?:[^;\n\\]|\\.)*)", re.DOTALL
)
EXPECT_CAP = 50
"""Statements of an expect script that are judged."""


def expect(entry: "Entry", call: "Call", path: str) -> None:  # noqa: ARG001
    """``expect``: its script starts programs and types into them."""
    scripts = [option.value for option in call.parsed.options if option.name == "-c" and option.value is not None]
    files = [field for field in call.parsed.operands if field.text != "-"]
    given = call.parsed.value("-f")
    if given is not None:
        files.insert(0, given)
    for field in scripts:
        _expect(field, call, path)
    if files and not scripts:
        where = call.path(files[0])
        held = call.run.state.files.get(where)
        effects.path("read", files[0], call, path)
        if held is not None and held.known:
            _expect(Field(held.text, files[0].span), call, path)
        else:
            call.run.opaque(f"runs local code {files[0].text[:60]}")
    elif not scripts:
        if call.run.stdin.known:
            _expect(Field(call.run.stdin.text, call.span), call, path)
        else:
            flow.run_code("expect", call.run.stdin, call, "standard input of expect")


def _expect(field: Field, call: "Call", path: str) -> None:
    for number, match in enumerate(_EXPECT.finditer(field.text[:50_000])):
        verb, rest = match.group(1), match.group(2).strip()
        if number >= EXPECT_CAP:
            call.run.unread("an expect script with more statements than are read", field.span)
            return
        if verb in ("spawn", "exec", "system"):
            words = re.sub(r"^(?:-noecho\s+|-ignore\s+\w+\s+)*", "", rest)
            call.run.shell(words, field.span, f"expect {verb}")
        elif verb in ("send", "interact"):
            effects.named(
                "runs", call, rule=f"{path}.types", reason="types into a program that no check watches", safer=SAFER
            )
