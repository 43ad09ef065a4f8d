"""Exit codes: 0 installed (or already so), 1 not, 2 wrong usage.

Edits the settings of the agents found (or named), keeps a copy of each file that it changes, and proves with canary
events that the hook holds. Nothing is changed with --dry-run.
"""

import argparse
import difflib
import os
import shlex
import sys

import msgspec

from checkrail import places
from checkrail.cli import terminal
from checkrail.daemon import lifecycle
from checkrail.daemon.lifecycle import DaemonError
from checkrail.daemon.shim import ShimError
from checkrail.install import canary, change, claude, hook, killers, record, targets
from checkrail.install.change import Change
from checkrail.install.json_text import SettingsError
from checkrail.install.targets import AGENTS, Target
from checkrail.places import Places, PlacesError

SHIMS = ("auto", "python")
SCOPES = ("user", "project", "managed")


def configure(parser: argparse.ArgumentParser) -> None:
    """See the module's help."""
    parser.add_argument("agents", nargs="*", metavar="agent", help=f"of {', '.join(AGENTS)} (default: those found)")
    parser.add_argument("--dry-run", action="store_true", help="show what would change")
    parser.add_argument("--scope", choices=SCOPES, default="user", help="whose settings (default: user)")
    parser.add_argument(
        "--shim", choices=SHIMS, default="auto", help="the hook in C where it can be compiled, or Python"
    )
    parser.add_argument("--no-daemon", action="store_true", help="neither start the daemon nor try the hook")


def wanted_agents(named: list[str]) -> list[str]:
    """The agents to install for: those named, else those found. Raises :class:`SettingsError` for an unknown one."""
    unknown = [name for name in named if name not in AGENTS]
    if unknown:
        raise SettingsError(f"there is no agent {unknown[0]!r}; known are {', '.join(AGENTS)}")
    return list(dict.fromkeys(named or [name for name in AGENTS if targets.found(name, os.environ)]))


def show_difference(planned: Change) -> None:
    """What would change, as a unified diff."""
    before, after = ((text or b"").decode(errors="replace").splitlines() for text in (planned.before, planned.after))
    for line in difflib.unified_diff(before, after, str(planned.path), str(planned.path), lineterm=""):
        print(terminal.paint(line, {"+": "green", "-": "red"}.get(line[:1], "dim")))


def _planned(where: Places, target: Target, scope: str) -> Change:
    managed = scope == "managed"
    words, wait = hook.words(where, managed=managed), 0 if managed else hook.patience(where)
    if target.agent != "claude":
        return change.planned_for(target, words, wait=wait)
    known = claude.version(os.environ)
    return change.planned(target.path, hook.path(where), sys.executable, known, wait=wait, words=words)


def _settings(where: Places, args: argparse.Namespace) -> tuple[list[Change], int]:
    """What would change, and how many agents cannot be installed for. An agent that was not named may lack the scope."""
    plans, failed = [], 0
    for agent in wanted_agents(args.agents):
        managed = targets.managed_file(agent) if args.scope != "managed" else None
        if managed:
            print(f"{agent}: {managed} holds the hook for all users")
            continue
        try:
            plans += [
                _planned(where, one, args.scope) for one in targets.targets(agent, args.scope, os.environ, os.getcwd())
            ]
        except (SettingsError, OSError) as error:
            print(f"checkrail install: {agent}: {error}", file=sys.stderr)
            failed += bool(args.agents) or "has no" not in str(error)
    return plans, failed


def announce(planned: Change) -> None:
    """What will change, in one line; ``--dry-run`` shows it whole."""
    before, after = ((text or b"").decode(errors="replace").splitlines() for text in (planned.before, planned.after))
    lines = list(difflib.unified_diff(before, after, n=0, lineterm=""))[2:]
    more, less = (sum(line.startswith(sign) for line in lines) for sign in "+-")
    what = "a new file" if planned.before is None else f"+{more} -{less} lines"
    print(terminal.paint(f"{planned.agent}: {planned.path} will change: {what}", "dim"))


def _put_hook(where: Places, shim: str) -> None:
    """Before the plans, since the command lines in the settings depend on which hook there is."""
    for directory in (where.data, where.state, where.config):
        places.secure_directory(directory)
    hook.put(where, os.environ)
    reason = hook.put_native(where, os.environ, wanted=shim == "auto")
    print(f"hook: {f'Python ({reason})' if reason else 'compiled'}")


def _write(where: Places, plans: list[Change]) -> int:
    """Writes what was planned; returns how many files could not be written, which stops none of the others."""
    failed = 0
    for planned in plans:
        if planned.needed:
            announce(planned)
    known = msgspec.structs.replace(record.load(where), python=sys.executable, hook=str(hook.path(where)))
    for planned in plans:
        try:
            known = change.apply(planned, where, known)
        except OSError as error:
            print(f"checkrail install: {planned.agent}: {error}", file=sys.stderr)
            failed += 1
            continue
        what = "written" if planned.needed else "already as it should be"
        print(f"{planned.agent}: {planned.path} {what}")
    record.save(where, known)
    if not plans:
        print(f"no agent was found, so no settings were changed; later run: checkrail install {' '.join(AGENTS)}")
    return failed


def _left_to_do(where: Places) -> None:
    """What keeps the hooks from running still, by the doctor's eyes, and only the person can change: trust, consent, switches."""
    told: dict[str, str] = {}
    for problem, mend in killers.found(record.load(where), os.environ, os.getcwd()):
        told.setdefault(mend, problem)
    for mend, problem in told.items():
        print(f"{terminal.paint('to do', 'yellow')}  {terminal.plain(problem)}; {terminal.plain(mend)}")


def _prove(where: Places) -> int:
    """Starts the daemon afresh and sends a canary of each kind through the very commands that the agents run."""
    lifecycle.stop(where.socket)
    status = lifecycle.start(where.socket)
    print(f"daemon: process {status.supervisor} serves {where.socket}")
    settings = record.load(where).settings
    results = [
        msgspec.structs.replace(result, text=f"{entry.agent}: {result.text}")
        for entry in settings
        for result in canary.prove(entry)
    ]
    if not settings:
        results = canary.prove_command(shlex.join(hook.words(where)("claude", "PreToolUse", 0)))
    for result in results:
        print(f"{terminal.paint('ok', 'green') if result.ok else terminal.paint('FAILED', 'red')}  {result.text}")
    return 0 if all(result.ok for result in results) else 1


def run(args: argparse.Namespace) -> int:
    """Plans, shows or writes, and proves."""
    try:
        where = places.find()
        if not args.dry_run:
            wanted_agents(args.agents)
            _put_hook(where, args.shim)
        plans, failed = _settings(where, args)
        if args.dry_run:
            for planned in plans:
                show_difference(planned)
                print(f"{planned.agent}: {planned.path} {'would change' if planned.needed else 'would stay'}")
            return 1 if failed else 0
        failed += _write(where, plans)
        managed = args.scope == "managed"
        proved = 0 if managed or args.no_daemon else _prove(where)
        if not managed:
            _left_to_do(where)
        return max(failed and 1, proved)
    except (SettingsError, ShimError, PlacesError, DaemonError, OSError) as error:
        print(f"checkrail install: {error}", file=sys.stderr)
        return 1
