"""Exit codes: 0 taken out, 1 something could not be.

Settings that nobody else changed since get back the very bytes they had; from others only our entries are taken.
State, log and policy stay; --purge removes the installed hook, the state and the log too.
"""

import argparse
import shutil
import sys

from checkrail import places
from checkrail.cli.install import show_difference
from checkrail.daemon import lifecycle
from checkrail.daemon.lifecycle import DaemonError
from checkrail.install import change, hook, record
from checkrail.install.json_text import SettingsError
from checkrail.install.targets import AGENTS
from checkrail.places import Places, PlacesError


def configure(parser: argparse.ArgumentParser) -> None:
    """See the module's help."""
    parser.add_argument("agents", nargs="*", metavar="agent", help=f"of {', '.join(AGENTS)} (default: all)")
    parser.add_argument("--dry-run", action="store_true", help="show what would change")
    parser.add_argument("--purge", action="store_true", help="remove hook copy, state, log and backups too")


def _take_out(where: Places, entry: record.Settings, *, dry_run: bool) -> None:
    planned = change.planned_removal(entry)
    if dry_run:
        show_difference(planned)
        return
    change.take_out(planned, where, record.load(where))
    print(f"{entry.agent}: {entry.path} {'changed back' if planned.needed else 'held nothing of ours'}")


def _purge(where: Places) -> None:
    for directory in (hook.path(where).parent, where.data / "backups", where.state):
        shutil.rmtree(directory, ignore_errors=True)


def run(args: argparse.Namespace) -> int:
    """Takes the hooks out, and stops the daemon when none is left."""
    failed = 0
    try:
        where = places.find()
        for entry in reversed(record.load(where).settings):
            if args.agents and entry.agent not in args.agents:
                continue
            try:
                _take_out(where, entry, dry_run=args.dry_run)
            except (SettingsError, OSError) as error:
                print(f"checkrail uninstall: {error}", file=sys.stderr)
                failed = 1
        if not args.dry_run and not record.load(where).settings:
            lifecycle.stop(where.socket)
            if args.purge:
                _purge(where)
    except (PlacesError, DaemonError, OSError) as error:
        print(f"checkrail uninstall: {error}", file=sys.stderr)
        failed = 1
    return failed
