"""What a package's directory would bring in, besides what the standard loads: each entry judged, nothing run."""

import shlex
from collections.abc import Iterable, Iterator

import msgspec

from checkrail.model import Decision, Event, EventKind, Ordered, Verdict
from checkrail.pipeline import decide
from checkrail.plugins import clients, containment, front_matter, prose, started
from checkrail.plugins.host import ROOT, PackageHost
from checkrail.plugins.inventory import Entry
from checkrail.plugins.records import Package, Server
from checkrail.plugins.started import Started
from checkrail.policy import BUILT_IN
from checkrail.redaction import redact

LIMIT = 4 * 1024 * 1024
"""Bytes of a file that is read for commands."""
MOST_SCRIPTS = 300
"""Commands and scripts that are judged; the rest is named as not judged."""


class Level(Ordered):
    """What somebody should do about it."""

    NOTE = "note"
    REVIEW = "review"
    REFUSE = "refuse"


class Concern(msgspec.Struct, frozen=True):
    """One thing that a package brings in. ``rules`` are those of the gates, where a command was judged."""

    rule: str
    path: str
    level: Level
    reason: str
    rules: tuple[str, ...] = ()


_LISTED = {
    "manifest": (Level.REVIEW, "another manifest"),
    "hooks": (Level.REVIEW, "hooks, which run by themselves"),
    "mcp": (Level.REVIEW, "another list of MCP servers"),
    "settings": (Level.REVIEW, "a client's settings"),
    "instructions": (Level.REVIEW, "instructions that agents read without being asked to"),
    "agent": (Level.NOTE, "an agent"),
    "command": (Level.NOTE, "a command"),
    "rule": (Level.NOTE, "a rule"),
    "skill": (Level.NOTE, "a skill that the standard does not load"),
    "program": (Level.NOTE, "a program that is not read"),
    "dependency": (Level.NOTE, "a folder of other people's code that is not read"),
    "escape": (Level.REVIEW, "a link that leads out of the package"),
    "special": (Level.REVIEW, "no regular file"),
    "cut": (Level.REVIEW, "more entries than are looked at"),
}


def of_entries(package: Package, entries: Iterable[Entry]) -> Iterator[Concern]:
    """The concerns about everything that lies in the directory, and about what the servers would start."""
    judge = Judge(package.root)
    entries = list(entries)
    for server in package.servers:
        yield from _server(server, judge)
    hooked = any(entry.kind in ("hooks", "settings", "manifest") for entry in entries)
    for entry in entries:
        yield from _listed(entry)
        yield from _hidden(package, entry)
        if entry.kind in ("hooks", "mcp", "manifest", "settings"):
            yield from _document(package, entry, judge)
        elif entry.kind == "core" and entry.path.endswith(".json"):
            yield from _beyond_the_standard(package, entry, judge)
        elif entry.kind in ("skill", "command", "agent") or entry.path.endswith("SKILL.md"):
            yield from _loaded_text(entry, _text(package, entry.path) or "", judge)
        elif entry.path.rpartition("/")[2] == "package.json":
            yield from _lifecycle(package, entry, judge)
        elif entry.kind == "script":
            yield from _script(package, entry, judge, hooked)


def _listed(entry: Entry) -> Iterator[Concern]:
    level, said = _LISTED.get(entry.kind, (Level.NOTE, ""))
    if entry.kind == "program" and entry.path.startswith(_RUN_BY_MODELS):
        level = Level.REVIEW
    if said:
        whom = f" for {entry.client}" if entry.client else ""
        yield Concern(f"package.{entry.kind}", entry.path, level, f"{said}{whom}")
    if entry.other_case:
        reason = "its name counts only where case does not: readers disagree about what the package is"
        yield Concern("package.other-case", entry.path, Level.REVIEW, reason)
    if entry.odd_name:
        yield Concern("package.hidden-name", entry.path, Level.REFUSE, "letters of its name are not seen")


def _hidden(package: Package, entry: Entry) -> Iterator[Concern]:
    """Letters in code that make it read otherwise than it runs; admission looks for them in prose."""
    if entry.kind in ("script", "hooks", "mcp", "manifest", "settings") or entry.path in ("plugin.json", "mcp.json"):
        text = _text(package, entry.path) or ""
        if any(letter in _TURNING for letter in text):
            yield Concern("package.hidden-text", entry.path, Level.REFUSE, "letters that turn the direction of a line")


_TURNING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def _server(server: Server, judge: "Judge") -> Iterator[Concern]:
    path = f"mcp.json#{server.name}"
    if server.transport != "stdio":
        yield Concern("package.remote-server", path, Level.NOTE, f"reaches {server.url[:200]}")
        return
    shown = redact(shlex.join([server.command, *server.args]))[:300]
    yield Concern("package.stdio-server", path, Level.NOTE, f"present but disabled: {shown}")
    found = judge.concern(started.of_server(server), path)
    if found.level is not Level.NOTE:
        yield found


def _document(package: Package, entry: Entry, judge: "Judge") -> Iterator[Concern]:
    text = _text(package, entry.path)
    try:
        document = msgspec.json.decode(text) if text is not None else None
    except (msgspec.DecodeError, RecursionError):
        document = None
    if document is None:
        yield Concern("package.unread", entry.path, Level.REVIEW, "it cannot be read as JSON, though a client may")
        text = text or ""
    yield from _started(entry, document, judge)
    if entry.kind == "settings" and text:
        yield from _settings(entry, document)
    if entry.kind == "manifest":
        for path in started.references(document):
            named = Entry(path, "hooks", entry.client)
            if _text(package, path) is not None and _kind_by_path(path) not in ("hooks", "mcp"):
                yield from _document(package, named, judge)


def _kind_by_path(path: str) -> str:
    """The kind that the table of clients gives a path; empty for none."""
    known = clients.of(path)
    return known[0].kind if known else ""


def _beyond_the_standard(package: Package, entry: Entry, judge: "Judge") -> Iterator[Concern]:
    """What plugin.json and mcp.json hold that the standard does not load, but a client that is less strict would."""
    try:
        document = msgspec.json.decode(_text(package, entry.path) or "null")
    except (msgspec.DecodeError, RecursionError):
        return  # the reader has said so
    loaded = {f"mcpServers/{server.name}" for server in package.servers} if entry.path == "mcp.json" else set()
    for one in started.in_json(document):
        if one.name not in loaded:
            yield from _judged(one, entry.path, judge)


def _started(entry: Entry, document: object, judge: "Judge") -> Iterator[Concern]:
    for one in started.in_json(document):
        yield from _judged(one, entry.path, judge)


def _judged(one: Started, path: str, judge: "Judge") -> Iterator[Concern]:
    yield judge.concern(one, path)
    if started.approves(one.line):
        reason = "lets calls through in the person's place"
        yield Concern("package.auto-approve", path, Level.REFUSE, f"{one.name}: {reason}")


def _loaded_text(entry: Entry, text: str, judge: "Judge") -> Iterator[Concern]:
    """Shell, hooks and wishes of a text that clients load."""
    yield from (judge.concern(one, entry.path) for one in started.in_text(text))
    try:
        head = front_matter.fields(front_matter.split(text)[0])
    except front_matter.Unreadable:
        return  # the reader of skills says so
    if "hooks" in head:
        yield Concern("package.hooks", entry.path, Level.REVIEW, "hooks in its front matter, which some clients run")
    yield from _started(entry, {"hooks": head.get("hooks"), "mcpServers": head.get("mcpServers")}, judge)
    wished = head.get("allowed-tools", head.get("tools", ""))
    words = " ".join(map(str, wished)) if isinstance(wished, list) else str(wished)
    broad = sorted(_BROAD & set(words.replace(",", " ").split()))
    if broad:
        reason = f"asks that {', '.join(broad)} be approved beforehand; a wish, and nothing is granted by it"
        yield Concern("package.broad-tools", entry.path, Level.NOTE, reason)


_BROAD = frozenset({"Bash", "Bash(*)", "Bash(*:*)", "*", "mcp__*", "Write", "Edit", "WebFetch"})


def _lifecycle(package: Package, entry: Entry, judge: "Judge") -> Iterator[Concern]:
    """Scripts that npm would run by itself if somebody installed the directory; Checkrail never does."""
    try:
        document = msgspec.json.decode(_text(package, entry.path) or "{}")
    except (msgspec.DecodeError, RecursionError):
        return
    scripts = document.get("scripts") if isinstance(document, dict) else None
    for name, line in scripts.items() if isinstance(scripts, dict) else ():
        if name in _INSTALLING and isinstance(line, str) and line.strip():
            found = judge.concern(Started("install", name, line), entry.path)
            own = name == "prepare" and found.level is Level.REVIEW  # for who develops the package, not who takes it
            yield msgspec.structs.replace(found, level=Level.NOTE) if own else found


_INSTALLING = ("preinstall", "install", "postinstall", "prepare")


def unread_texts(package: Package, entries: Iterable[Entry]) -> Iterator[Concern]:
    """Texts that admission did not judge."""
    for path, text in prose.texts(package, entries):
        if text is None:
            yield Concern(
                "package.unread", path, Level.REVIEW, "a text that is too large to be judged, or one too many"
            )


def _settings(entry: Entry, document: object) -> Iterator[Concern]:
    if not isinstance(document, dict):
        return
    for key in ("permissions", "enableAllProjectMcpServers", "enabledPlugins", "trustedFolders"):
        if document.get(key):
            yield Concern("package.permissions", entry.path, Level.REVIEW, f"{key} would widen what an agent may do")


def _script(package: Package, entry: Entry, judge: "Judge", hooked: bool) -> Iterator[Concern]:
    line = shlex.join([entry.runs, *(["-File"] if entry.runs == "pwsh" else []), f"{ROOT}/{entry.path}"])
    found = judge.concern(Started("script", entry.path, line), entry.path)
    if found.rules == (_UNREAD,) and not entry.path.startswith(_RUN_BY_MODELS):
        yield msgspec.structs.replace(
            found, level=Level.NOTE
        )  # a server's own code; nothing starts it before it is enabled
    elif found.level is not Level.NOTE:
        yield found
    if hooked and started.approves(_text(package, entry.path) or ""):
        reason = "holds the answer by which a hook lets calls through in the person's place"
        yield Concern("package.auto-approve", entry.path, Level.REVIEW, reason)


_UNREAD = "reading.unread"
_RUN_BY_MODELS = ("skills/", "hooks/", "scripts/", "commands/", "agents/")


def _text(package: Package, path: str) -> str | None:
    try:
        return containment.read(package.root, f"{package.root}/{path}", LIMIT).decode("utf-8", "replace")
    except (OSError, ValueError, containment.Escapes, containment.WrongKind):
        return None


class Judge:
    """Judges command lines of one package by the gates, each line once."""

    def __init__(self, root: str) -> None:
        self._host = PackageHost(root)
        self._known: dict[tuple[str, str], Verdict] = {}

    def concern(self, one: Started, path: str) -> Concern:
        """The verdict on a command line, as a concern."""
        what = f"{one.by} {one.name}: " if one.by != "script" else ""
        verdict = self._verdict(one)
        if verdict is None:
            return Concern("package.not-judged", path, Level.REVIEW, f"{what}more commands than are judged")
        levels = {Decision.ALLOW: Level.NOTE, Decision.ASK: Level.REVIEW, Decision.DENY: Level.REFUSE}
        reasons = [finding.reason for finding in verdict.findings[:3]] or ["nothing was found in it"]
        rules = tuple(dict.fromkeys(finding.rule for finding in verdict.findings))
        level = levels[verdict.decision]
        return Concern(f"package.{one.by}-command", path, level, f"{what}{'; '.join(reasons)}"[:600], rules)

    def _verdict(self, one: Started) -> Verdict | None:
        key = (one.line, one.cwd)
        if key not in self._known:
            if len(self._known) >= MOST_SCRIPTS:
                return None
            event = Event(
                agent="generic", kind=EventKind.PRE, tool="Bash", input={"command": one.line}, cwd=one.cwd, project=ROOT
            )
            self._known[key] = decide(event, host=self._host, policy=BUILT_IN)
        return self._known[key]
