"""Tracers and debuggers: the program that they start, and commands that run others."""

import re
from typing import TYPE_CHECKING

from checkrail.model import HOLE
from checkrail.readers.shell import effects
from checkrail.readers.shell.options import Parsed, parse
from checkrail.readers.shell.state import Field

if TYPE_CHECKING:
    from checkrail.knowledge.schema import Entry
    from checkrail.readers.shell.call import Call

VERBS = frozenset(("perf", "austin", "samply", "rr", "nsys", "trace-cmd", "uftrace", "xctrace"))
"""Tracers whose first operand says what to do."""

STARTS = frozenset(
    (
        "stat",
        "record",
        "trace",
        "top",
        "run",
        "profile",
        "launch",
        "live",
        "kmem",
        "lock",
        "sched",
        "mem",
        "c2c",
        "start",
    )
)
KERNEL = frozenset(("bpftrace", "dtrace", "sysdig", "dtruss", "trace-cmd"))


def tracer(entry: "Entry", call: "Call", path: str) -> None:
    """``strace command``, ``perf record -- command``."""
    parsed = call.parsed
    if call.name in KERNEL and not parsed.has(("-l", "-V", "--version", "--help", "-h")):
        _kernel(call, path)
        return
    _options(parsed, call, path)
    rest = parsed.operands
    if call.name in VERBS and rest:
        if rest[0].text not in STARTS:
            return
        inner = parse(entry, rest[1:])
        _options(inner, call, path)
        rest = inner.operands
        if call.name in ("austin",) and rest:
            call.run.opaque(f"runs local code {rest[0].text[:60]}")
            return
    attached = parsed.value("-p", "--pid")
    if attached is not None and attached.text == "1":
        effects.named("secret", call, rule=f"{path}.attaches", reason="looks into process 1")
    if rest:
        call.invoke(rest)


def _options(parsed: Parsed, call: "Call", path: str) -> None:
    for given in parsed.options:
        if given.value is None:
            continue
        if given.name in ("-o", "--output") and given.value.text[:1] in ("|", "!"):
            call.run.shell(given.value.text[1:], given.value.span, call.name)
        elif given.role != "text":
            effects.role(given.role, given.value, call, path)
        elif given.name == "-E" and "=" in given.value.text:
            call.assign(given.value)


def _kernel(call: "Call", path: str) -> None:
    effects.named("privilege", call, rule=path, reason=f"{call.name} looks into every process of the machine")
    for field in call.arguments:
        for match in re.finditer(r"system\s*\(\s*\"((?:[^\"\\]|\\.)*)\"", field.text[:20_000]):
            call.run.shell(match.group(1).replace('\\"', '"'), field.span, call.name)


LINES_CAP = 200
"""Lines of a debugger's script that are read."""

_SHELL = re.compile(r"\s*(?:shell|!|platform\s+shell|make)\s*(.*)", re.DOTALL)
_CODE = re.compile(r"\s*(?:python|python-interactive|py|script|guile|gu|pi)\b\s*(.*)", re.DOTALL)
_WRITES = re.compile(
    r"\s*(?:dump|append|restore|save|set\s+logging\s+file|generate-core-file|gcore|tee)\b(?:\s+(?:binary|ihex|srec|tekhex|verilog|value|memory|breakpoints))*\s+(\S+).*",
    re.DOTALL,
)
_CALLS = re.compile(r"\b(?:system|popen|exec[lv]\w*|dlopen|unlink|remove)\s*\(\s*(?:\"((?:[^\"\\]|\\.)*)\")?")


def debugger(entry: "Entry", call: "Call", path: str) -> None:
    """``gdb -ex command --args program``: commands are judged, the program as if it were started."""
    texts = [field.text for field in call.arguments]
    position = 0
    while position < len(texts):
        text = texts[position]
        name, equals, _ = text.lstrip("-").partition("=")
        if call.name in ("r2", "radare2", "rizin") and not text.startswith("--") and text[-1:] in ("c", "q"):
            name = "c" if text.endswith("c") else name
        if (
            text.startswith("-")
            and name
            in ("ex", "eval-command", "iex", "init-eval-command", "o", "O", "one-line", "one-line-before-file", "c")
            and (name != "c" or call.name in ("r2", "radare2", "rizin"))
        ):
            field = (
                call.arguments[position].tail(text.index("=") + 1)
                if equals
                else (call.arguments[position + 1 : position + 2] or (None,))[0]
            )
            if field is not None:
                _command(field, call, path)
            position += 1 + (not equals)
            continue
        if text in ("--args", "-args", "--"):
            if len(texts) > position + 1:
                call.invoke(call.arguments[position + 1 :])
            break
        position += 1
    parsed = call.parsed
    script = parsed.value("-x", "--command", "-ix", "-S", "--source", "-i")
    if script is not None:
        effects.path("read", script, call, path)
        held = call.run.state.files.get(call.path(script))
        for line in held.text.splitlines()[:LINES_CAP] if held is not None else ():
            _command(Field(line, script.span), call, path)
        call.run.opaque(f"runs the debugger script {script.text[:60]}")
    if parsed.has(("-p", "--pid", "--attach-pid")) or (parsed.operands and parsed.operands[0].text == "attach"):
        effects.named("secret", call, rule=f"{path}.attaches", reason="looks into a running program, secrets included")
    call.run.opaque(f"debugs {call.line[:60]}")
    del entry


def _command(field: Field, call: "Call", path: str) -> None:
    text = field.text
    shell = _SHELL.fullmatch(text)
    code = _CODE.fullmatch(text)
    if shell is not None and not text.lstrip().startswith("make"):
        call.run.shell(shell.group(1), field.span, f"{call.name} shell")
    elif code is not None:
        call.run.hand_on("python", code.group(1), field.span, call.name)
    elif text.lstrip().startswith(("pipe ", "| ")):
        call.run.shell(text.rpartition("|")[2], field.span, f"{call.name} pipe")
    elif re.match(r"\s*(?:source|command\s+source)\b", text):
        call.run.opaque(f"runs the debugger script {text[:60]}")
    written = _WRITES.fullmatch(text)
    if written is not None:
        effects.path("write", Field(written.group(1), field.span), call, path)
    for match in _CALLS.finditer(text[:5000]):
        if match.group(1):
            call.run.shell(match.group(1).replace('\\"', '"'), field.span, call.name)
        elif HOLE not in text:
            effects.named(
                "runs", call, rule=f"{path}.calls", reason=f"the debugger calls into the program: {text[:80]}"
            )
