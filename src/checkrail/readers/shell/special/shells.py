"""Shells: code after ``-c``, a script file, or the standard input.

``-c`` is a flag to most shells: the code is the first operand. Options are walked here, because ``+x`` and ``-eo pipefail``
follow rules of their own.
"""

from typing import TYPE_CHECKING

import msgspec

from checkrail.readers.shell import flow, merging, nested
from checkrail.readers.shell.state import DECODED, REMOTE, Field, Value

if TYPE_CHECKING:
    from checkrail.knowledge.schema import Entry
    from checkrail.readers.shell.call import Call

_VALUES = frozenset(
    ("--rcfile", "--init-file", "--features", "--debug-output", "--profile", "--config", "--env-config", "--rc")
)
_TAKES_CODE = frozenset(("fish", "nu", "elvish", "xonsh"))
"""Shells in which ``-c`` takes its code as a value, and may be given several times."""


class Given(msgspec.Struct):
    """A shell's arguments taken apart."""

    letters: str = ""
    code: list[Field] = []
    startup: list[Field] = []
    rest: tuple[Field, ...] = ()
    words: list[str] = []


def shell(entry: "Entry", call: "Call", path: str) -> None:  # noqa: ARG001
    """``sh``, ``bash`` and their like."""
    given = _taken(call)
    for field in given.startup:
        call.script("shell", field)
    if any(word in ("--version", "--help") for word in given.words):
        return
    rest = given.rest
    if "c" in given.letters and call.name not in _TAKES_CODE and rest:
        given.code.append(rest[0])
        rest = rest[1:]
    checks = ("n" in given.letters and "i" not in given.letters) or "--no-execute" in given.words
    if checks and not given.code:
        return
    call.output = _run(given, rest, call)


def _run(given: Given, rest: tuple[Field, ...], call: "Call") -> Value:
    if given.code:
        return merging.together([_code(field, rest, call) for field in given.code])
    if rest and "s" not in given.letters and rest[0].text != "-":
        return call.script("shell", rest[0])
    return flow.run_code("shell", call.run.stdin, call, f"standard input of {call.name}")


def _code(field: Field, words: tuple[Field, ...], call: "Call") -> Value:
    """``words`` are what follows the code: the first is ``$0``."""
    how = f"{call.name} -c"
    # Unknown parts stay holes that the reader follows; only what is wholly unknown or comes from elsewhere asks by itself.
    if field.text.strip("\ufffc\ufffb \n") and not field.tags & {REMOTE, DECODED}:
        return nested.child(field.text, call.run, field.span, how, arguments=words[1:], zero=words[:1])
    return flow.run_code("shell", Value(field.text, field.tags), call, how, span=field.span)


def _taken(call: "Call") -> Given:
    given = Given()
    arguments, position = call.arguments, 0
    while position < len(arguments):
        text = arguments[position].text
        if text == "--" or text == "-":
            position += text == "--"
            break
        if text[:1] not in ("-", "+") or len(text) < 2:
            break
        position += 1
        if text.startswith("--"):
            position = _long(text, arguments, position, given)
            continue
        letters = text[1:]
        if text[0] == "-":
            if call.name in _TAKES_CODE and (letters[0] in "cC" or letters[-1] in "cC"):
                attached = letters[0] in "cC" and len(letters) > 1
                if attached:
                    given.code.append(arguments[position - 1].tail(2))
                elif position < len(arguments):
                    given.code.append(arguments[position])
                    position += 1
                continue
            given.letters += letters
        position += sum(letter in "oO" for letter in letters)
    given.rest = arguments[position:]
    return given


def _long(text: str, arguments: tuple[Field, ...], position: int, given: Given) -> int:
    name, equals, _ = text.partition("=")
    here = arguments[position - 1].tail(len(name) + 1) if equals else None
    given.words.append(name)
    if name in ("--command", "--commands", "--init-command") or (name in _VALUES and name != "--features"):
        value = here or (arguments[position] if position < len(arguments) else None)
        if value is not None:
            (given.startup if name in _VALUES else given.code).append(value)
        return position if equals else position + 1
    return position + 1 if name == "--features" and not equals else position
