"""What can be wrong with an installation, each with its mend. Reads, and runs only our own hook."""

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from checkrail import places
from checkrail.admission import configured, pins
from checkrail.agents import PRESENCES
from checkrail.agents.reasons import visible
from checkrail.audit import failures, verify
from checkrail.audit import files as log_files
from checkrail.audit.names import entries as entries_of
from checkrail.daemon import code, lifecycle
from checkrail.daemon.shim import ShimError
from checkrail.install import canary, claude, entries, files, forms, guard, hook, killers, native, pulse, record
from checkrail.install.json_text import SettingsError, parse
from checkrail.install.record import Record, Settings
from checkrail.places import Places, PlacesError
from checkrail.policy.cache import PolicyCache, usual_layers

INSTALL = "run: checkrail install"


class Check(msgspec.Struct, frozen=True):
    """One thing looked at: ``ok``, what was seen, and what to do where it is not."""

    ok: bool
    text: str
    mend: str = ""


def _directories(where: Places, _known: Record) -> Iterator[Check]:
    for path in (where.config, where.data, where.state, where.socket.parent):
        if not path.exists():
            yield Check(True, f"{path} is not there yet")
            continue
        try:
            places.secure_directory(path)
            yield Check(True, f"{path} is yours alone")
        except PlacesError as error:
            yield Check(False, str(error), "as said; then run: checkrail doctor")


def _hook(where: Places, known: Record) -> Iterator[Check]:
    path = hook.path(where)
    if not known.settings:
        yield Check(False, "no agent's settings hold the hook", INSTALL)
        return
    if not path.is_file():
        yield Check(False, f"the hook is missing at {path}", INSTALL)
        return
    if not os.access(known.python, os.X_OK):
        yield Check(False, f"the interpreter {known.python} is gone, so every call is blocked or unseen", INSTALL)
        return
    try:
        current = path.read_text() == hook.text(where, os.environ, known.python)
        yield Check(current, f"the hook at {path} is {'up to date' if current else 'of another installation'}", INSTALL)
    except (OSError, ShimError) as error:
        yield Check(False, f"the hook cannot be compared: {error}", INSTALL)
    yield from _native(where, known)
    if path.stat().st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        yield Check(False, f"{path} can be written by others", f"run: chmod go-w {path}")


def _native(where: Places, known: Record) -> Iterator[Check]:
    try:
        problem = native.problem(where, hook.native_text(where, os.environ, known.python))
        if problem or native.made(where).program:
            yield Check(not problem, problem or f"the compiled hook at {native.path(where)} is up to date", INSTALL)
    except (OSError, ShimError) as error:
        yield Check(False, f"the compiled hook cannot be compared: {error}", INSTALL)


def _daemon(where: Places, _known: Record) -> Iterator[Check]:
    status = lifecycle.status(where.socket)
    if not status.running:
        yield Check(False, f"no daemon answers at {where.socket}", "run: checkrail daemon start")
        return
    yield Check(True, f"the daemon answers (process {status.supervisor}, {status.calls} calls, {status.late} late)")
    if status.code != code.version():
        yield Check(False, "the daemon runs older code than lies on the disk", "run: checkrail daemon restart")


def _policy(where: Places, _known: Record) -> Iterator[Check]:
    loaded = PolicyCache(usual_layers(where.config, where.state if where.state.is_dir() else None)).current()
    for fault in loaded.faults:
        yield Check(False, f"policy: {fault}", "mend the file; it takes effect with the next call")
    if not loaded.faults:
        yield Check(True, f"the policy is whole (profile {loaded.policy.profile}, digest {loaded.digest})")


def _audit(where: Places, _known: Record) -> Iterator[Check]:
    directory = where.state / "audit"
    if not directory.is_dir():
        yield Check(True, "there is no log yet")
        return
    lost = failures(str(directory))
    if lost:
        yield Check(False, f"{lost} verdicts could not be logged", f"free space, then remove {directory}/failures")
    if not os.access(directory, os.W_OK):
        yield Check(False, f"{directory} cannot be written", f"run: chmod 700 {directory}")
    try:
        report = verify(str(directory))
        problem = report.problems[0] if report.problems else ""
        yield Check(
            not problem, f"the log of {report.lines} lines is {problem or 'whole'}", "run: checkrail audit verify"
        )
    except OSError as error:
        yield Check(False, f"the log cannot be verified: {error}", "see docs/cli.md, audit verify")


def _parsed(path: Path) -> dict[str, Any] | str:
    try:
        return parse(path.read_text(encoding="utf-8-sig"), str(path))
    except FileNotFoundError:
        return {}
    except (OSError, SettingsError, UnicodeDecodeError) as error:
        return f"{path}: {error}"


def _entry(where: Places, known: Record, entry: Settings) -> Iterator[Check]:
    if entry.agent in PRESENCES:
        yield from foreign(where, known, entry)
        return
    settings = _parsed(Path(entry.path))
    if isinstance(settings, str):
        yield Check(
            False, f"{settings}, so the agent may load no hook at all", "mend the file, then run: checkrail install"
        )
        return
    problem = guard.unhooks(settings, ours=True)
    yield Check(not problem, f"{entry.path}: {problem or 'holds the hook'}", INSTALL)
    version, wait = claude.version(os.environ), hook.patience(where)
    words = hook.words(where, python=known.python)
    wanted = claude.entries(hook.path(where), known.python, version, wait=wait, words=words)
    for event, group in wanted.items():
        ours = claude.handlers(settings, event)
        if len(ours) > 1:
            yield Check(False, f"{entry.path}: {event} holds {len(ours)} hooks of Checkrail", INSTALL)
        elif ours != group["hooks"]:
            what = "differs from the one of this installation" if ours else "is missing"
            yield Check(False, f"{entry.path}: the {event} hook {what}", INSTALL)


MANAGED = (
    Path("/etc/claude-code/managed-settings.json"),
    Path("/Library/Application Support/ClaudeCode/managed-settings.json"),
)


def _settings(where: Places, known: Record) -> Iterator[Check]:
    for entry in known.settings:
        yield from _entry(where, known, entry)
    for path in MANAGED:
        managed = _parsed(path)
        if isinstance(managed, dict) and managed.get("allowManagedHooksOnly"):
            yield Check(
                False, f"{path}: allowManagedHooksOnly keeps your own hooks from running", "ask your administrator"
            )
        if isinstance(managed, dict) and managed.get("disableAllHooks"):
            yield Check(False, f"{path}: disableAllHooks keeps all hooks from running", "ask your administrator")
    for path in (Path(".claude") / name for name in ("settings.json", "settings.local.json")):
        problem = guard.problem_in(path, ours=False)
        if problem:
            yield Check(False, f"{path}: {problem}", f"take it out of {path}")


BLOCKS_ON_FAILURE = (2, 1, 295)


def _agents(_where: Places, known: Record) -> Iterator[Check]:
    version = claude.version(os.environ)
    if version is None or version >= BLOCKS_ON_FAILURE or not any(entry.agent == "claude" for entry in known.settings):
        return
    told, needed = (".".join(map(str, one)) for one in (version, BLOCKS_ON_FAILURE))
    yield Check(False, f"Claude Code {told} lets a call pass if a hook crashes", f"update it to {needed} or newer")


def _gaps(where: Places, _known: Record) -> Iterator[Check]:
    """Calls that finished without a verdict: the agent ran them without asking the hook."""
    asked: set[str] = set()
    unasked: list[str] = []
    for path in log_files(str(where.state / "audit"))[-2:]:
        for entry in entries_of(path):
            if entry.get("kind") == "verdict":
                asked.add(str(entry.get("id")))
            elif entry.get("kind") == "outcome" and entry.get("id") and entry["id"] not in asked:
                unasked.append(f"{entry.get('time')} {entry.get('tool')}")
    if unasked:
        what = f"{len(unasked)} calls finished without a verdict, the last at {unasked[-1]}"
        yield Check(False, what, "see whether the agent runs with hooks turned off (--bare, --safe-mode)")


def foreign(where: Places, known: Record, entry: Settings) -> Iterator[Check]:
    """Whether the settings of an agent other than Claude Code hold what they should."""
    home, title = forms.home_of(entry), f"{entry.agent}: {entry.path}"
    try:
        text = Path(entry.path).read_text(encoding="utf-8-sig")
        present = forms.handlers(text, entry.path, home)
    except (OSError, SettingsError, UnicodeDecodeError) as error:
        yield Check(False, f"{title} cannot be read ({error}), so the agent may load no hook at all", INSTALL)
        return
    managed = bool(home.managed) and entry.path == home.managed
    words = hook.words(where, managed=managed, python=known.python)
    if home.form == "files":
        changed = files.digest(text.encode()) != entry.written or (
            home.executable and not os.access(entry.path, os.X_OK)
        )
        yield Check(
            not changed, f"{title} {'differs from the one of this installation' if changed else 'is in place'}", INSTALL
        )
        return
    name = next((str(one["name"]) for many in present.values() for one in many if "name" in one), "")
    wanted = entries.wanted(home, entry.agent, words, name=name, wait=0 if managed else hook.patience(where))
    wrong = [
        f"the {event} hook {'differs from the one of this installation' if present.get(event) else 'is missing'}"
        for event, entry_wanted in wanted.items()
        if present.get(event) != (entry_wanted["hooks"] if home.form == "grouped" else [entry_wanted])
    ]
    yield Check(not wrong, f"{title} {'; '.join(wrong) or 'holds the hook'}", INSTALL)


def _killers(_where: Places, known: Record) -> Iterator[Check]:
    """What keeps hooks from running in silence, by agent."""
    for problem, mend in killers.found(known, os.environ, os.getcwd()):
        yield Check(False, problem, mend)


def _heartbeat(where: Places, known: Record) -> Iterator[Check]:
    """Agents that worked and were not heard."""
    for agent in dict.fromkeys(entry.agent for entry in known.settings):
        problem = pulse.silence(agent, str(where.state / "heard"), where, os.environ)
        if problem:
            yield Check(
                False, problem, "see docs/agents.md, then restart the agent; its own log tells which hooks it loads"
            )


def _admission(where: Places, known: Record) -> Iterator[Check]:
    """Whether the servers that clients load were reviewed; a hint, since nobody has to."""
    try:
        lock = pins.load(where.config / pins.NAME)
    except pins.LockError as error:
        yield Check(False, f"{error}, so calls of MCP tools ask", "mend it or move it away, then: checkrail scan")
        return
    found = [entry for entry in configured.servers(os.environ, Path.cwd()) if isinstance(entry, configured.Server)]
    names = sorted({entry.name for entry in found if entry.enabled} - lock.servers.keys() - lock.quarantined.keys())
    if names and known.settings:
        asks = ", and each is asked about once in a session" if lock.servers or lock.quarantined else ""
        shown = ", ".join(visible(name)[:60] for name in names[:8])
        yield Check(True, f"hint: MCP servers that nobody has reviewed{asks}: {shown}; run: checkrail scan --connect")


def _canaries(_where: Places, known: Record) -> Iterator[Check]:
    for entry in known.settings:
        for result in canary.prove(entry):
            yield Check(result.ok, f"{entry.agent}: {result.text}", INSTALL)


CHECKS: tuple[Callable[[Places, Record], Iterator[Check]], ...] = (
    _directories,
    _hook,
    _settings,
    _agents,
    _killers,
    _canaries,
    _heartbeat,
    _daemon,
    _policy,
    _audit,
    _gaps,
    _admission,
)


def checks(where: Places) -> Iterator[Check]:
    """Everything that is looked at, in order; a look that fails itself is a check that fails."""
    known = record.load(where)
    for check in CHECKS:
        try:
            yield from check(where, known)
        except Exception as error:
            yield Check(False, f"{check.__name__.strip('_')} could not be looked at: {type(error).__name__}: {error}")
