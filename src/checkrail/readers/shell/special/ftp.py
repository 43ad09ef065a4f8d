"""The commands of ``sftp`` and ``ftp``, where the line shows them: a here-document, a pipe, a batch file."""

import re
import shlex
from typing import TYPE_CHECKING

from checkrail.facts.hosts import is_local
from checkrail.readers.shell import effects, flow
from checkrail.readers.shell.special import transfer
from checkrail.readers.shell.state import Field

if TYPE_CHECKING:
    from checkrail.knowledge.schema import Entry
    from checkrail.readers.shell.call import Call

LINES_CAP = 200
_OPEN = re.compile(r"(?:^|[;\n])\s*open\s+(?:-\S+\s+)*(?:\w+://)?([\w.-]+)")

PUTS = frozenset(("put", "mput", "send", "append", "reput"))
REMOVES = frozenset(("rm", "rmdir", "delete", "mdelete", "rmd"))
GETS = frozenset(("get", "recv", "reget"))


def ftp(entry: "Entry", call: "Call", path: str) -> None:
    """``sftp host``: what leaves, what arrives and where, and what ``!`` runs here."""
    effects.apply(entry, call.parsed, call, path)
    batch = call.parsed.value("-b")
    lines = _told(call)
    if batch is None and not lines and (call.parsed.operands or call.parsed.has(("-a",))):
        flow.unwatched(call)
    text = lines or call.run.stdin.text if batch is None or batch.text == "-" else _file(batch, call)
    host = call.parsed.operands[0].text.partition(":")[0].rpartition("@")[2] if call.parsed.operands else ""
    host = host or next((found[1] for found in _OPEN.finditer(text)), "")
    for line in re.split(r"[;\n]" if lines else r"\n", text)[:LINES_CAP]:
        _command(line.strip().lstrip("-@"), host, call, path)


def _told(call: "Call") -> str:
    """Commands among the arguments: ``lftp -e 'put x; bye' host``, ``tftp host -c put x``."""
    if call.name == "tftp":
        texts = [field.text for field in call.arguments]
        return shlex.join(texts[texts.index("-c") + 1 :]) if "-c" in texts else ""
    given = call.parsed.value("-e", "-c") if call.name == "lftp" else None
    return given.text if given is not None else ""


def _file(field: Field, call: "Call") -> str:
    where = call.path(field)
    held = call.run.state.files.get(where)
    if held is not None:
        return held.text
    found = None if call.run.state.host else call.run.around.host.read(where, flow.SCRIPT_CAP)
    return "" if found is None else found.decode("utf-8", "replace")


def _command(line: str, host: str, call: "Call", path: str) -> None:
    if line.startswith("!"):
        call.run.shell(line[1:], call.span, call.name)
        return
    try:
        words = shlex.split(line)
    except ValueError:
        words = line.split()
    home = call.run.around.home
    names = [
        Field(home + word[1:] if word == "~" or word.startswith("~/") else word, call.span)
        for word in words[1:]
        if not word.startswith("-")
    ]
    if words[:1] == ["mirror"] and {"-R", "--reverse"} & set(words):
        words[0] = "mput"
    if not names:
        return
    if words[0] in REMOVES:
        reason = f"deletes {names[0].text[:60]} on the other machine"
        effects.named("destroys-shared", call, rule=f"{path}.delete", reason=reason, safer="rename it there")
    elif words[0] in PUTS:
        for source in names if words[0] == "mput" else names[:1]:
            effects.path("send", source, call, path, recursive="-r" in words or "-R" in words)
            transfer.leaves(source, host, call, path)
            if call.name == "tftp" and not is_local(host):
                reason = f"sends {source.text[:60]} to {host or 'another machine'}, which asks nobody who they are"
                effects.named("external", call, rule=f"{path}.file", reason=reason, safer="scp to a host that is known")
    elif words[0] in GETS:
        target = names[1] if len(names) > 1 else Field(names[0].text.rpartition("/")[2], call.span)
        effects.into(target, tuple(names[:1]), call, path, recursive=False)
