"""Exit codes: 0 the hooks are in and the daemon answers, 1 not."""

import argparse
import sys
import time

from checkrail import __version__, places
from checkrail.admission import pins
from checkrail.approvals.desk import failures as lost
from checkrail.approvals.store import Store
from checkrail.audit import failures
from checkrail.cli import terminal
from checkrail.cli.daemon import described
from checkrail.daemon import lifecycle
from checkrail.install import canary, record
from checkrail.places import PlacesError
from checkrail.policy.cache import PolicyCache, usual_layers
from checkrail.session.memory import Store as SessionStore


def configure(parser: argparse.ArgumentParser) -> None:
    """Takes no arguments."""


def _policy(where: places.Places) -> None:
    loaded = PolicyCache(usual_layers(where.config, where.state if where.state.is_dir() else None)).current()
    print(f"policy   profile {loaded.policy.profile}, {len(loaded.policy.rule)} rows, digest {loaded.digest}")
    for fault in loaded.faults:
        print(f"         {terminal.paint(fault, 'red')}")


def _approvals(where: places.Places) -> None:
    store, waiting = Store(str(where.state / "approvals")), "none"
    try:
        if store.exists():
            waiting = f"{len(store.waiting(now=time.time()))}"
    except OSError as error:
        waiting = terminal.paint(str(error), "red")
    print(f"requests {waiting} waiting for a person (checkrail approvals), {lost(store.directory)} could not be stored")


def _sessions(where: places.Places) -> None:
    try:
        told = f"{len(SessionStore(where.state / 'session').sessions())} remembered (checkrail session show)"
    except OSError as error:
        told = terminal.paint(str(error), "red")
    print(f"sessions {told}")


def _admission(where: places.Places) -> None:
    try:
        lock = pins.load(where.config / pins.NAME)
    except pins.LockError as error:
        print(f"admission {terminal.paint(str(error), 'red')}")
        return
    if not lock.servers and not lock.quarantined:
        print("admission no lock; run: checkrail scan")
        return
    held = f", quarantined: {', '.join(map(terminal.plain, sorted(lock.quarantined)))}" if lock.quarantined else ""
    print(f"admission {sum(map(len, lock.servers.values()))} definitions of {len(lock.servers)} servers pinned{held}")


def run(args: argparse.Namespace) -> int:  # noqa: ARG001
    """Shows the state of everything at a glance."""
    try:
        where = places.find()
    except PlacesError as error:
        print(f"checkrail status: {error}", file=sys.stderr)
        return 1
    status, known = lifecycle.status(where.socket), record.load(where)
    print(f"version  {__version__}")
    print(f"daemon   {described(status)}")
    _policy(where)
    missing = 0
    width = max([8, *(len(entry.agent) for entry in known.settings)])
    for entry in known.settings:
        there = bool(canary.hook_command(entry))
        missing += not there
        print(
            f"{entry.agent.ljust(width)} {entry.path} {'holds the hook' if there else terminal.paint('holds no hook', 'red')}"
        )
    if not known.settings:
        print("agents   no hook is installed; run: checkrail install")
    _approvals(where)
    _sessions(where)
    _admission(where)
    print(f"log      {where.state / 'audit'}, {failures(str(where.state / 'audit'))} lines could not be written")
    return 0 if status.running and known.settings and not missing else 1
