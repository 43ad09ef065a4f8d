"""Commands that run a command: ``env``, ``sudo``, ``chroot``, ``flock`` … What they run is judged as if it stood alone."""

import re
import shlex
from typing import TYPE_CHECKING

import msgspec

from checkrail.model import HOLE
from checkrail.readers.shell import effects, environment, flow
from checkrail.readers.shell.options import parse
from checkrail.readers.shell.special import serving
from checkrail.readers.shell.state import SECRET, UNKNOWN, Field, Value

if TYPE_CHECKING:
    from checkrail.knowledge.schema import Entry
    from checkrail.readers.shell.call import Call

SPLIT_CAP = 8
"""``env -S`` within ``env -S`` that is followed."""

LEADING = {
    "chrt": re.compile(r"\d+"),
    "taskset": re.compile(r"[0-9a-fA-Fx,:-]+"),
    "setarch": re.compile(r"(?:x86_64|i\d86|linux\d+|aarch64|arm\w*|ppc\w*|s390\w*|mips\w*|sparc\w*|riscv\w*|uname26)"),
    "faketime": re.compile(r".*", re.DOTALL),
    "logsave": re.compile(r".*", re.DOTALL),
    "setlock": re.compile(r".*", re.DOTALL),
    "envdir": re.compile(r".*", re.DOTALL),
    "envuidgid": re.compile(r".*", re.DOTALL),
    "s6-setuidgid": re.compile(r".*", re.DOTALL),
    "s6-applyuidgid": re.compile(r".*", re.DOTALL),
    "chpst": re.compile(r"(?!)"),
    "chroot": re.compile(r".*", re.DOTALL),
    "arch-chroot": re.compile(r".*", re.DOTALL),
    "switch_root": re.compile(r".*", re.DOTALL),
    "pivot_root": re.compile(r".*", re.DOTALL),
}
"""The operand that stands before the command."""

PRIVILEGED = frozenset(
    ("chroot", "arch-chroot", "switch_root", "pivot_root", "nsenter", "systemd-nspawn", "capsh", "setpriv", "chpst")
)
"""Wrappers that need or give rights of their own."""

SECRET_NAME = re.compile(
    r"TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|API_?KEY|PRIVATE_?KEY|ACCESS_?KEY|_KEY$|_PAT$", re.IGNORECASE
)


def assignments(fields: tuple[Field, ...], call: "Call") -> tuple[Field, ...]:
    """Take leading ``NAME=value`` into the environment; the rest."""
    count = 0
    while count < len(fields) and "=" in fields[count].text[1:] and not fields[count].text.startswith(("/", "./")):
        call.assign(fields[count])
        count += 1
    return fields[count:]


def env(entry: "Entry", call: "Call", path: str) -> None:  # noqa: ARG001
    """``env``: options, assignments, a command; alone it prints the whole environment."""
    arguments = _split(call.arguments, call)
    parsed = parse(entry, arguments)
    effects.folder(parsed, call)
    rest = parsed.operands
    while rest and rest[0].text == "-":
        rest = rest[1:]
    rest = assignments(rest, call)
    if rest:
        call.invoke(rest)
    elif not parsed.has(("-i", "--ignore-environment", "-")):
        call.output = Value(HOLE, frozenset((SECRET, "environment")))


def _split(arguments: tuple[Field, ...], call: "Call") -> tuple[Field, ...]:
    """Undo ``-S``: its string is split and put in its place, before options are read."""
    for _ in range(SPLIT_CAP):
        found = _find_split(arguments)
        if found is None:
            return arguments
        start, count, field = found
        text = field.text.replace("\\_", " ").replace("\\c", "#")
        if "${" in text:
            text = re.sub(r"\$\{\w*\}", HOLE, text)
        try:
            words = shlex.split(text, comments=True)
        except ValueError:
            call.run.unread("the string of env -S", field.span)
            return arguments
        made = tuple(msgspec.structs.replace(field, text=word) for word in words)
        arguments = (*arguments[:start], *made, *arguments[start + count :])
    return arguments


def _find_split(arguments: tuple[Field, ...]) -> tuple[int, int, Field] | None:
    """(position, arguments that it takes, the string) of the first ``-S``."""
    position = 0
    while position < len(arguments):
        text = arguments[position].text
        following = arguments[position + 1] if position + 1 < len(arguments) else None
        name, equals, _ = text.partition("=")
        if len(name) > 3 and "--split-string".startswith(name):
            if equals:
                return position, 1, arguments[position].tail(len(name) + 1)
            return None if following is None else (position, 2, following)
        if not text.startswith("-") or text.startswith("--") or text == "-":
            if text.startswith("--") and text != "--":
                position += 1 + ("=" not in text and text in ("--unset", "--chdir", "--argv0"))
                continue
            return None
        letters = text[1:]
        stop = next((index for index, letter in enumerate(letters) if letter in "uCaPS"), None)
        if stop is not None and letters[stop] == "S":
            if stop + 1 < len(letters):
                return position, 1, arguments[position].tail(stop + 2)
            return None if following is None else (position, 2, following)
        position += 1 + (stop is not None and stop + 1 == len(letters))
    return None


def printenv(entry: "Entry", call: "Call", path: str) -> None:  # noqa: ARG001
    """``printenv`` alone prints everything; with names it prints those."""
    names = call.parsed.operands
    if not names:
        call.output = Value(HOLE, frozenset((SECRET, "environment")))
        return
    secret = next((field for field in names if SECRET_NAME.search(field.text)), None)
    if secret is not None:
        call.output = Value(HOLE, frozenset((SECRET,)))
        effects.named("secret", call, rule=f"{path}.variable", reason=f"prints the value of {secret.text[:60]}")


def prefix(entry: "Entry", call: "Call", path: str) -> None:
    """``nice``, ``nohup``, ``taskset`` …: perhaps one operand of their own, then the command."""
    _roles(entry, call, path)
    rest = _after_leading(call)
    if rest:
        call.invoke(rest)


def enclosure(entry: "Entry", call: "Call", path: str) -> None:
    """``chroot``, ``unshare``, ``bwrap`` …: the command runs in another root or namespace. Its paths are judged as if here."""
    if call.name in PRIVILEGED:
        effects.named(
            "privilege", call, rule=path, reason=f"{call.name} runs a command with other rights or another root"
        )
    _roles(entry, call, path)
    rest = _bwrap(call.arguments) if call.name == "bwrap" else _after_leading(call)
    if call.name == "capsh":
        rest = _capsh(call)
    if rest:
        call.invoke(rest)


def _after_leading(call: "Call") -> tuple[Field, ...]:
    rest = call.parsed.operands
    shape = LEADING.get(call.name)
    if shape is not None and rest and shape.fullmatch(rest[0].text):
        rest = rest[1:]
    return rest[1:] if rest and rest[0].text == "--" else rest


def _roles(entry: "Entry", call: "Call", path: str) -> None:
    effects.folder(call.parsed, call)
    for given in call.parsed.options:
        if given.value is not None and given.role not in ("text", "dir"):
            effects.role(given.role, given.value, call, path)
    for rule in entry.rule:
        if rule.effect is not None and effects.holds(rule, call.parsed):
            effects.named(rule.effect, call, rule=f"{path}.{rule.id}", reason=rule.reason, safer=rule.safer)


_BWRAP = {
    **dict.fromkeys(
        ("--bind", "--ro-bind", "--dev-bind", "--bind-try", "--ro-bind-try", "--dev-bind-try", "--symlink"), 2
    ),
    **dict.fromkeys(("--setenv", "--file", "--bind-data", "--ro-bind-data", "--chmod", "--overlay", "--bind-fd"), 2),
    **dict.fromkeys(("--proc", "--dev", "--tmpfs", "--mqueue", "--dir", "--chdir", "--unsetenv", "--uid", "--gid"), 1),
    **dict.fromkeys(("--hostname", "--lock-file", "--remount-ro", "--seccomp", "--exec-label", "--file-label"), 1),
    **dict.fromkeys(("--sync-fd", "--block-fd", "--info-fd", "--userns", "--pidns", "--args", "--perms", "--size"), 1),
    **dict.fromkeys(("--cap-add", "--cap-drop", "--argv0", "--add-seccomp-fd", "--overlay-src", "--tmp-overlay"), 1),
}


def _bwrap(arguments: tuple[Field, ...]) -> tuple[Field, ...]:
    position = 0
    while position < len(arguments) and arguments[position].text.startswith("--"):
        if arguments[position].text == "--":
            return arguments[position + 1 :]
        position += 1 + _BWRAP.get(arguments[position].text, 0)
    return arguments[position:]


def _capsh(call: "Call") -> tuple[Field, ...]:
    texts = [field.text for field in call.arguments]
    for marker in ("--", "=="):
        if marker in texts:
            return (Field("bash", call.span), *call.arguments[texts.index(marker) + 1 :])
    return ()


def flock(entry: "Entry", call: "Call", path: str) -> None:  # noqa: ARG001
    """``flock FILE command`` or ``flock FILE -c 'line'``; a number alone is a descriptor."""
    operands = call.parsed.operands
    if not operands or (operands[0].text.isdigit() and len(operands) == 1):
        return
    rest = operands[1:]
    if rest and rest[0].text == "--":
        rest = rest[1:]
    if rest and rest[0].text in ("-c", "--command"):
        if len(rest) > 1:
            call.run.shell(rest[1].text, rest[1].span, call.name)
    elif rest:
        effects.path("create", operands[0], call, path)
        call.invoke(rest)


def script(entry: "Entry", call: "Call", path: str) -> None:
    """``script``: records a shell. Without a command it stays open for input that nobody sees."""
    _roles(entry, call, path)
    operands = call.parsed.operands
    for field in operands[:1]:
        effects.path("append" if call.parsed.has(("-a", "--append")) else "write", field, call, path)
    if len(operands) > 1:
        call.invoke(call.arguments[call.arguments.index(operands[1]) :])
    elif not call.parsed.has(("-c", "--command", "--version", "--help")):
        flow.run_code("shell", call.run.stdin, call, "the shell that script records")


def watch(entry: "Entry", call: "Call", path: str) -> None:  # noqa: ARG001
    """``watch``: the operands, joined, are a shell line; with ``-x`` they are a command."""
    operands = call.parsed.operands
    if not operands:
        return
    if call.parsed.has(("-x", "--exec")):
        call.invoke(operands)
    else:
        call.run.shell(" ".join(field.text for field in operands), operands[0].span, call.name)


def entr(entry: "Entry", call: "Call", path: str) -> None:  # noqa: ARG001
    """``entr``: a command, or with ``-s`` a shell line."""
    operands = call.parsed.operands
    if operands and call.parsed.has(("-s",)):
        call.run.shell(operands[0].text, operands[0].span, call.name)
    elif operands:
        call.invoke(operands)


def applet(entry: "Entry", call: "Call", path: str) -> None:  # noqa: ARG001
    """``busybox APPLET …``."""
    operands = call.parsed.operands
    if operands and operands[0].text == "httpd":
        _httpd(operands[1:], call, path)
    elif operands:
        call.invoke(operands)


def _httpd(arguments: tuple[Field, ...], call: "Call", path: str) -> None:
    """``busybox httpd``, which is not the server of the same name: ``-h`` names the folder."""
    texts = [field.text for field in arguments]
    at = next((index for index, text in enumerate(texts) if text.startswith("-h")), -1)
    named = None if at < 0 else arguments[at].tail(2) if texts[at] != "-h" else next(iter(arguments[at + 1 :]), None)
    port = texts[texts.index("-p") + 1] if "-p" in texts[:-1] else ""
    serving.folder(named, call, path, address=port)


def agent(entry: "Entry", call: "Call", path: str) -> None:  # noqa: ARG001
    """``ssh-agent [command]``: alone it prints assignments that shells evaluate."""
    if call.parsed.operands and call.name == "ssh-agent":
        call.invoke(call.parsed.operands)
    else:
        call.output = Value("SSH_AGENT_PID=1; export SSH_AGENT_PID;\n")


def initializer(entry: "Entry", call: "Call", path: str) -> None:
    """Programs whose output is meant for ``eval``: ``direnv hook bash``, ``dircolors -b``."""
    effects.apply(entry, call.parsed, call, path)
    call.output = Value(":\n")


def systemd_run(entry: "Entry", call: "Call", path: str) -> None:
    """``systemd-run``: a command as a unit; later, elsewhere, or with root's rights it is a question."""
    parsed = call.parsed
    later = [
        given.name for given in parsed.options if given.name.startswith(("--on-", "--timer-", "--path-", "--socket-"))
    ]
    if later:
        effects.named("runs", call, rule=f"{path}.later", reason="leaves a job that runs later, when nobody watches")
    elif not parsed.has(("--user",)):
        effects.named("privilege", call, rule=f"{path}.system", reason="runs a command as a unit of the system")
    _roles(entry, call, path)
    if parsed.operands:
        environment.note({}, call.run, call.span, call.name)
        call.invoke(parsed.operands)
    call.output = UNKNOWN


def direnv_exec(entry: "Entry", call: "Call", path: str) -> None:  # noqa: ARG001
    """``direnv exec DIR command``, ``mise exec [tool@version] -- command``."""
    texts = [field.text for field in call.arguments]
    if "--" in texts:
        rest = call.arguments[texts.index("--") + 1 :]
    else:
        rest = call.parsed.operands[1:] if call.name == "direnv" else call.parsed.operands
    if rest:
        call.invoke(rest)


def after_command(entry: "Entry", call: "Call", path: str) -> None:
    """``nix develop -c program argument ...``: everything after the option is the command."""
    texts = [field.text for field in call.arguments]
    index = next((at for at, text in enumerate(texts) if text in ("-c", "--command")), len(texts))
    effects.apply(entry, parse(entry, call.arguments[:index]), call, path)
    if call.arguments[index + 1 :]:
        call.invoke(call.arguments[index + 1 :])
