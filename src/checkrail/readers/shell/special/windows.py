"""The shells of Windows: PowerShell, cmd and the way into Linux."""

import base64
import binascii
from typing import TYPE_CHECKING

from checkrail.model import HOLE
from checkrail.readers.shell import effects, flow
from checkrail.readers.shell.state import DECODED, Field, Value

if TYPE_CHECKING:
    from checkrail.knowledge.schema import Entry
    from checkrail.readers.shell.call import Call

_SWITCHES = ("noprofile", "noninteractive", "nologo", "noexit", "mta", "sta", "interactive", "login", "version", "help")
_WITH_VALUE = (
    "executionpolicy",
    "ep",
    "exec",
    "windowstyle",
    "inputformat",
    "outputformat",
    "configurationname",
    "configurationfile",
    "workingdirectory",
    "wd",
    "psconsolefile",
    "settingsfile",
    "custompipename",
)


def powershell(entry: "Entry", call: "Call", path: str) -> None:  # noqa: ARG001
    """PowerShell: options are abbreviated and may start with ``-``, ``--`` or ``/``; the rest is the command."""
    arguments, position = call.arguments, 0
    while position < len(arguments):
        text = arguments[position].text
        name = text.lstrip("-/").lower()
        if text[:1] not in ("-", "/") or not name or text.count("/") > 1:
            break
        position += 1
        rest = arguments[position:]
        if name in ("e", "ec") or (name and "encodedcommand".startswith(name)):
            _encoded(rest, call)
            return
        if "command".startswith(name) or name == "commandwithargs" or name == "cwa":
            _said(rest, call)
            return
        if "file".startswith(name):
            _file(rest, call)
            return
        position += any(long.startswith(name) for long in _WITH_VALUE) and not any(
            long.startswith(name) for long in _SWITCHES
        )
        if name in ("version", "help", "?", "h", "v"):
            return
    if position < len(arguments) and arguments[position].text != "-":
        (_file if call.name.startswith("pwsh") and arguments[position].text.endswith(".ps1") else _said)(
            arguments[position:], call
        )
    else:
        _said((), call)


def _said(rest: tuple[Field, ...], call: "Call") -> None:
    if not rest or rest[0].text == "-":
        flow.run_code("powershell", call.run.stdin, call, f"standard input of {call.name}")
        return
    text = " ".join(field.text for field in rest)
    tags = frozenset[str]().union(*(field.tags for field in rest))
    if tags:
        flow.run_code("powershell", Value(text, tags), call, f"{call.name} -Command", span=rest[0].span)
    else:
        call.run.hand_on("powershell", text, rest[0].span, f"{call.name} -Command")


def _file(rest: tuple[Field, ...], call: "Call") -> None:
    if rest:
        call.script("powershell", rest[0])


def _encoded(rest: tuple[Field, ...], call: "Call") -> None:
    if not rest:
        return
    try:
        text = base64.b64decode(rest[0].text, validate=True).decode("utf-16-le")
    except (binascii.Error, UnicodeDecodeError, ValueError):
        flow.run_code("powershell", Value(HOLE, frozenset((DECODED,))), call, f"{call.name} -EncodedCommand")
        return
    call.run.hand_on("powershell", text, rest[0].span, f"{call.name} -EncodedCommand")


def cmd(entry: "Entry", call: "Call", path: str) -> None:  # noqa: ARG001
    """``cmd /c command``: everything after ``/c`` or ``/k`` is the command."""
    for index, field in enumerate(call.arguments):
        lowered = field.text.lower()
        at = max(lowered.find("/c"), lowered.find("/k"))
        if lowered.startswith(("/", "-")) and (at >= 0 or lowered in ("-c", "-k")):
            head = field.text[at + 2 :] if at >= 0 else ""
            rest = call.arguments[index + 1 :]
            text = " ".join((*((head,) if head else ()), *(word.text for word in rest)))
            call.run.hand_on("cmd", text, rest[0].span if rest else field.span, f"{call.name} /c")
            return
        if not lowered.startswith("/"):
            break
    flow.run_code("cmd", call.run.stdin, call, f"standard input of {call.name}")


def wsl(entry: "Entry", call: "Call", path: str) -> None:
    """``wsl [options] [--] command``."""
    arguments, position = call.arguments, 0
    while position < len(arguments) and arguments[position].text.startswith("-"):
        text = arguments[position].text
        position += 1
        if text in (
            "--unregister",
            "--shutdown",
            "--terminate",
            "-t",
            "--import",
            "--set-default",
            "--install",
            "--update",
        ):
            effects.named("host", call, rule=f"{path}.machine", reason="changes or deletes a Linux machine of Windows")
            return
        if text in ("--list", "-l", "--status", "--version", "--help"):
            return
        if text in ("--", "-e", "--exec"):
            break
        position += text in entry.values
    if position < len(arguments):
        call.invoke(arguments[position:])
    else:
        flow.run_code("shell", call.run.stdin, call, f"standard input of {call.name}")
