"""Processes, timed jobs, units, the clock: judged by what is named."""

import fnmatch
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from checkrail.knowledge import processes
from checkrail.knowledge.processes import PATTERN_CAP
from checkrail.model import HOLE, SOME, Action, Axes, Reversibility, Scope, TargetKind
from checkrail.readers.shell import effects
from checkrail.readers.shell.state import EVERY_PROCESS, FILE, SECRET, TESTED, VITAL_PROCESS, Field, Value

if TYPE_CHECKING:
    from checkrail.knowledge.schema import Entry
    from checkrail.readers.shell.call import Call

OWN = ("checkrail", "checkrail-hook", "checkrail daemon", "python -m checkrail")
"""What processes of Checkrail are called."""

OWN_PROCESS = "own-process"
"""Tag of text that tells which processes are Checkrail's."""


def kill(entry: "Entry", call: "Call", path: str) -> None:  # noqa: ARG001
    """``kill``, ``pkill``, ``killall``: ordinary processes are free; process 1, all of them, and vital ones are not."""
    texts = [field.text for field in call.arguments]
    if texts and (texts[0] in ("-l", "-L", "--list", "--table", "-V", "--version", "--help") or "-0" in texts[:1]):
        return
    if call.name in ("skill", "snice") and any(text.startswith("-u") or text == "-t" for text in texts):
        _all(call, path)
    elif call.name in ("kill", "tkill", "xkill", "skill", "snice"):
        _kill(call, path)
    elif call.name == "killall5":
        _all(call, path)
    else:
        _by_name(call, path)


def _kill(call: "Call", path: str) -> None:
    fields = list(call.arguments)
    if fields and fields[0].text in ("-s", "-n", "--signal", "-q"):
        fields = fields[2:]
    elif fields and re.fullmatch(r"-(?:[A-Za-z]\S*|\d+)|--signal=.*", fields[0].text) and len(fields) > 1:
        if fields[0].text == "-s0":
            return
        fields = fields[1:]
    for field in fields:
        text = field.text.strip()
        if text == "--":
            continue
        if text == "-1":
            _all(call, path)
        elif text == "1":
            _vital(call, path, "process 1, which the whole machine hangs on")
        else:
            _stops(call, path, field)


_PKILL_VALUES = frozenset(
    ("-s", "--signal", "-g", "-G", "-P", "-t", "-r", "--ns", "-c", "--parent", "--terminal", "--pgroup")
)
_KILLALL_VALUES = frozenset(
    ("-s", "--signal", "-o", "-y", "-Z", "-n", "--older-than", "--younger-than", "-t", "-d", "-c")
)
_USERS = ("-u", "-U", "--user", "--euid", "--uid")


def _by_name(call: "Call", path: str) -> None:
    """``pkill`` and ``killall``: names or patterns; only a user is everything that the user runs."""
    valued = _KILLALL_VALUES if call.name == "killall" else _PKILL_VALUES
    names: list[Field] = []
    users = False
    pending = list(call.arguments)
    while pending:
        field = pending.pop(0)
        name = field.text.partition("=")[0]
        if name in ("-F", "--pidfile") or (name.startswith("-F") and len(name) > 2):
            source = field.tail(2) if len(name) > 2 and name[1] != "-" else pending.pop(0) if pending else field
            effects.path("read", source, call, path)
            _stops(call, path, Field(HOLE, source.span, frozenset((FILE + call.path(source),))))
        elif name in _USERS or name[:2] in ("-u", "-U"):
            users = True
            if name in _USERS and "=" not in field.text and pending:
                pending.pop(0)
        elif field.text in valued and pending:
            pending.pop(0)
        elif not field.text.startswith("-") or len(field.text) < 2:
            names.append(field)
    for field in names:
        _name(field, call, path)
    if users and not names:
        _all(call, path)


def _name(field: Field, call: "Call", path: str) -> None:
    pattern = field.text[:PATTERN_CAP]
    if pattern.strip(".*^$()?+ ") == "":
        _all(call, path)
    elif names_own(pattern):
        call.effect(
            Action.STOP,
            TargetKind.PROCESS,
            "checkrail",
            rule=path,
            axes=Axes(Reversibility.HARD, Scope.LOCAL),
            reason="ends Checkrail itself",
        )
    elif name := processes.vital(pattern):
        _vital(call, path, f"{name}, which the machine or others need")
    else:
        _stops(call, path, field)


def ps(entry: "Entry", call: "Call", path: str) -> None:
    """``ps``: the BSD letter ``e`` adds the environment of each process, secrets included."""
    effects.apply(entry, call.parsed, call, path)
    letters = call.arguments[0].text if call.arguments else ""
    tags = {SECRET, "environment"} if letters.isalpha() and "e" in letters else set[str]()
    if _lists_all(call):
        tags.add(EVERY_PROCESS)
    call.output = Value(HOLE, frozenset(tags)) if tags else None


def _lists_all(call: "Call") -> bool:
    """Whether ``ps`` is asked for every process, of this user or of all (``-e``, ``-A``, ``aux``, ``ax``)."""
    first = call.arguments[0].text if call.arguments else ""
    chosen = any(given.value is not None and given.name in _CHOOSING for given in call.parsed.options)
    return not chosen and (call.parsed.has(("-e", "-A")) or (first[:1] != "-" and first.isalpha() and "x" in first))


_CHOOSING = frozenset(("-p", "-q", "-C", "--pid", "--ppid", "-t", "-g"))


def named(pattern: str, *, searched: bool = True) -> frozenset[str]:
    """Tags of what a search for a pattern finds in a list of processes, or among their names alone."""
    tags = {OWN_PROCESS} if names_own(pattern) else set[str]()
    if processes.vital(pattern, searched=searched):
        tags.add(VITAL_PROCESS)
    return frozenset(tags)


def names_own(pattern: str) -> bool:
    """Whether a pattern finds a process of Checkrail."""
    pattern = pattern[:PATTERN_CAP]
    return pattern in OWN or any(_meets(core, name) for core in _cores(pattern) for name in OWN)


def pgrep(entry: "Entry", call: "Call", path: str) -> None:
    """``pgrep``, ``pidof``: numbers of processes; whose they are goes on with them."""
    effects.apply(entry, call.parsed, call, path)
    tags = frozenset[str]().union(*(named(field.text, searched=False) for field in call.parsed.operands))
    if call.parsed.operands and all(not field.text.strip(".*^$") for field in call.parsed.operands):
        tags |= {VITAL_PROCESS}  # every process there is
    call.output = Value(SOME + "\n", tags)


def _cores(pattern: str) -> Iterator[str]:
    """What a simple regular expression looks for, as globs, which cannot run away."""
    plain = pattern.replace(".*", "*").replace(".+", "?*")
    plain = re.sub(r"\\(.)", r"\1", plain)
    plain = plain.replace(".", "?") if "." in plain else plain
    for option in plain.strip("()^$").split("|")[:20]:
        core = option.strip("()^$")
        if core.strip("*?") and len(core.replace("*", "")) > 2:
            yield core


def _meets(core: str, name: str) -> bool:
    """Whether a glob matches part of a name; a plain word, as most are, needs no pattern made of it."""
    if _WILD.isdisjoint(core):
        return core in name
    return fnmatch.fnmatchcase(name, f"*{core}*")


_WILD = frozenset("*?[")


def _stops(call: "Call", path: str, field: Field) -> None:
    if VITAL_PROCESS in field.tags or _numbered(field) or (not field.text.lstrip("-%").isdigit() and _compared(call)):
        _vital(call, path, "processes which the machine or others need")
        return
    if EVERY_PROCESS in field.tags and not any(name.startswith(TESTED) for name in call.run.state.options):
        _all(call, path)
        return
    if OWN_PROCESS in field.tags or any(tag.startswith(FILE) and "/checkrail" in tag for tag in field.tags):
        field = Field("checkrail", field.span)
    name = field.text if HOLE not in field.text and SOME not in field.text else "a process"
    call.effect(Action.STOP, TargetKind.PROCESS, name, rule=path, axes=Axes(), span=field.span)


def _numbered(field: Field) -> bool:
    """Whether the number comes out of the file in which a vital process keeps it (``/run/sshd.pid``)."""
    files = (tag[len(FILE) :] for tag in field.tags if tag.startswith(FILE))
    return any(processes.vital(path.rpartition("/")[2].removesuffix(".pid")) for path in files if path.endswith(".pid"))


def _compared(call: "Call") -> bool:
    """Whether the line looks for a vital process by comparing names (``[[ $line == *sshd* ]]``)."""
    tested = (name[len(TESTED) :] for name in call.run.state.options if name.startswith(TESTED))
    return any(VITAL_PROCESS in named(text.strip("*.")) for text in tested)


def _vital(call: "Call", path: str, what: str) -> None:
    effects.named("host", call, rule=f"{path}.vital", reason=f"ends {what}")


def _all(call: "Call", path: str) -> None:
    effects.named(
        "host",
        call,
        rule=f"{path}.all",
        reason="ends every process of the user or the machine",
        safer="name the one process",
    )


_SCHEDULE = re.compile(r"\s*(?:@\w+|(?:[\d*/,A-Za-z-]+\s+){4}[\d*/,A-Za-z-]+)\s+(.*)")


def crontab(entry: "Entry", call: "Call", path: str) -> None:  # noqa: ARG001
    """``crontab``: ``-l`` shows; anything else leaves jobs that run when nobody watches, or removes them."""
    texts = [field.text for field in call.arguments]
    if "-l" in texts or "--help" in texts or "-V" in texts:
        return
    if any(text.startswith("-") and "r" in text for text in texts):
        effects.named(
            "destroys",
            call,
            rule=f"{path}.removes",
            reason="removes all timed jobs",
            safer="crontab -l > jobs.txt first",
        )
        return
    effects.named(
        "runs", call, rule=f"{path}.installs", reason="replaces the timed jobs, which run when nobody watches"
    )
    for field in call.parsed.operands:
        if field.text != "-":
            effects.path("read", field, call, path)
    held = call.taken_in() if call.parsed.operands and call.parsed.operands[0].text != "-" else call.run.stdin
    for line in held.text[:20_000].splitlines()[:200]:
        match = _SCHEDULE.fullmatch(line)
        if match is not None and not line.lstrip().startswith("#"):
            call.run.shell(match.group(1), call.span, "crontab")


def at(entry: "Entry", call: "Call", path: str) -> None:  # noqa: ARG001
    """``at``, ``batch``: leave a job; what it would do is judged, too."""
    parsed = call.parsed
    if parsed.has(("-l", "-c", "-V")):
        return
    if parsed.has(("-r", "-d")):
        effects.named("host", call, rule=f"{path}.removes", reason="removes a queued job")
        return
    effects.named("runs", call, rule=path, reason="leaves a job that runs later, when nobody watches")
    source = parsed.value("-f")
    if source is not None:
        call.script("shell", source)
    elif call.run.stdin.known:
        call.run.shell(call.run.stdin.text, call.span, call.name)


def date(entry: "Entry", call: "Call", path: str) -> None:
    """``date``: ``-s``, or an operand that is no format, sets the clock."""
    parsed = call.parsed
    effects.apply(entry, parsed, call, path)
    if parsed.has(("-s", "--set")):
        _clock(call, path)
    elif not parsed.has(("-j", "-d", "--date", "-v", "-r", "--reference", "-f", "--file")):
        digits = [
            field for field in parsed.operands if re.fullmatch(r"\d{8,12}(?:\.\d\d)?", field.text) or field.text == HOLE
        ]
        if any(field.text != HOLE for field in digits):
            _clock(call, path)
    call.output = Value(SOME + "\n")


def _clock(call: "Call", path: str) -> None:
    effects.named("host", call, rule=f"{path}.sets", reason="sets the clock of the machine")
