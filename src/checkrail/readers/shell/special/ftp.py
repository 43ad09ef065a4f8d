"""The commands of ``sftp`` and ``ftp``, where the line shows them: a here-document, a pipe, a batch file."""

import shlex
from typing import TYPE_CHECKING

from checkrail.readers.shell import effects, flow
from checkrail.readers.shell.special import transfer
from checkrail.readers.shell.state import Field

if TYPE_CHECKING:
    from checkrail.knowledge.schema import Entry
    from checkrail.readers.shell.call import Call

LINES_CAP = 200

PUTS = frozenset(("put", "mput", "send", "append", "reput"))
REMOVES = frozenset(("rm", "rmdir", "delete", "mdelete", "rmd"))
GETS = frozenset(("get", "recv", "reget"))


def ftp(entry: "Entry", call: "Call", path: str) -> None:
    """``sftp host``: what leaves, what arrives and where, and what ``!`` runs here."""
    effects.apply(entry, call.parsed, call, path)
    batch = call.parsed.value("-b")
    text = call.run.stdin.text if batch is None or batch.text == "-" else _file(batch, call)
    host = call.parsed.operands[0].text.partition(":")[0].rpartition("@")[2] if call.parsed.operands else ""
    for line in text.splitlines()[:LINES_CAP]:
        _command(line.strip().lstrip("-@"), host, call, path)


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
    names = [Field(word, call.span) for word in words[1:] if not word.startswith("-")]
    if not names:
        return
    if words[0] in REMOVES:
        reason = f"deletes {names[0].text[:60]} on the other machine"
        effects.named("destroys-shared", call, rule=f"{path}.delete", reason=reason, safer="rename it there")
    elif words[0] in PUTS:
        for source in names if words[0] == "mput" else names[:1]:
            effects.path("send", source, call, path, recursive="-r" in words or "-R" in words)
            transfer.leaves(source, host, call, path)
    elif words[0] in GETS:
        target = names[1] if len(names) > 1 else Field(names[0].text.rpartition("/")[2], call.span)
        effects.into(target, tuple(names[:1]), call, path, recursive=False)
