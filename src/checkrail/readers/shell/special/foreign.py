"""Code in languages that no reader here knows: what its words and its string literals show.

Not a reading: the code stays opaque. It can only make an answer stricter.
"""

import re
from typing import TYPE_CHECKING

from checkrail.readers.shell import effects, flow, redirects, unlisted
from checkrail.readers.shell.state import Field

if TYPE_CHECKING:
    from checkrail.readers.shell.call import Call

LITERAL_CAP = 100
"""String literals of one text that are looked at."""

_HARMFUL = re.compile(
    r"os\.execute|io\.popen|os\.remove|\bunlink\s*\(|file\.remove|\bsystem2?\s*\(|\bshell\s*\(|\brm\s*\(|\brm_rf|rmtree|delete"
    r"|\bexec\b|\bspawn|\.execute\s*\(|\brun\s*\(|deltree|removeDirectory|System\.cmd|\(\s*(?:system|shell|run-shell|delete-file)"
    r"|\bload(?:string)?\s*\([^)]{0,400}\.\.|os:cmd|\bSys\.command|\bshell/sh\b|\(\s*sh\s+\"|execute_process\s*\(|\bfile\s*\(\s*REMOVE|removeItem|\bExecute\s*\("
    r"|\binstall_(?:github|git|url)\b|\bPkg\.add\s*\(\s*url|\bsource(?:_url)?\s*\(\s*[\"']https?:|\binclude\s*\(\s*download|\brmdir\s*\("
    r"|\brepos\s*=\s*[\"']http:|\b(?:run|shell|qx|qqx)\s*[\"'<{]|callCommand|ProcessBuilder|createProcess|\bProcess\s*\(|run-shell-command|run-program"
)
"""Calls that remove or start something."""

_CONNECTS = re.compile(
    r"require\s*\(?\s*[\"']socket|\bsocket\s+[\w.-]+\s+\d|/inet/|\bsocketConnection\s*\(|\bmake\.socket|gen_tcp|\bSockets\b|\bconnect\s*\(|ServerSocket|\bSocket\s*\("
)
_NEAR = re.compile(r"localhost|127\.|::1")
"""Calls that talk to another machine, and the names of this one."""

_WRITES = re.compile(
    r"""["'][wa]b?\+?["']|\bwrite|writer\b|Writer\b|\bspit\b|\bsave|\bdump|open-output|with-output|\bdownload|\bcopy|\bcp\s*\(|\bmv\s*\(|rename|>\s*/"""
)
"""Calls and modes that write a file."""

_LITERAL = re.compile(r""""((?:[^"\\\n]|\\.){1,400})"|'((?:[^'\\\n]|\\.){1,400})'""")


def code(field: Field, call: "Call", path: str) -> None:
    """Judge code on the line or on the standard input."""
    text = field.text[: flow.SCRIPT_CAP]
    found = _HARMFUL.search(text)
    if found is not None:
        effects.named(
            "runs",
            call,
            rule=f"{path}.code",
            reason=f"{call.name} code that removes or starts something: {found.group()}",
        )
    connects = _CONNECTS.search(text)
    if connects is not None and not _NEAR.search(text):
        reason = f"{call.name} code that talks to another machine: {connects.group()}"
        effects.named("external", call, rule=f"{path}.connects", reason=reason)
    writes = _WRITES.search(text) is not None
    for index, literal in enumerate(_LITERAL.finditer(text)):
        name = literal.group(1) or literal.group(2)
        if index == LITERAL_CAP:
            break
        if name.startswith("/") and " " not in name:
            at = Field(name, field.span, field.tags)
            unlisted.secret(at, call)
            if writes:
                effects.path("write", at, call, f"{path}.code")
        elif name.partition(" ")[0] in unlisted.STARTERS:
            call.run.hand_on("shell", name, field.span, f"{call.name} code", options=unlisted.GUESS)


def held(field: Field, call: "Call", path: str) -> None:
    """Judge a program file that this line wrote or feeds; one that lies there is the project's own."""
    value = (
        call.run.stdin
        if redirects.is_standard_input(field.text, call.run)
        else call.run.state.files.get(call.path(field))
    )
    if value is not None and not flow.provenance(value, call, f"program {field.text}", span=field.span):
        code(Field(value.text, field.span, value.tags), call, path)
