"""Exit codes: 0 done, 1 not; for status: 0 running, 3 not running."""

import argparse
import sys

import msgspec

from checkrail import places
from checkrail.daemon import lifecycle
from checkrail.daemon.activation import ActivationError
from checkrail.daemon.lifecycle import DaemonError
from checkrail.daemon.server import Status
from checkrail.places import PlacesError

NOT_RUNNING = 3


def configure(parser: argparse.ArgumentParser) -> None:
    """See the module's help."""
    parser.add_argument("what", choices=("start", "stop", "restart", "status", "run"))
    parser.add_argument("--json", action="store_true", help="with status: one line of JSON")
    parser.add_argument("--systemd", action="store_true", help="with run: insist on the socket that systemd passes")


def described(status: Status) -> str:
    """The daemon in one line."""
    if not status.running:
        return f"no daemon answers at {status.socket}"
    return (
        f"running: process {status.supervisor}, {len(status.workers)} workers, up {status.up_s:.0f} s, {status.calls} calls"
        f" ({status.late} late, {status.replaced} workers replaced), policy {status.policy}, {status.socket}"
    )


def _status(args: argparse.Namespace) -> int:
    status = lifecycle.status()
    print(msgspec.json.encode(status).decode() if args.json else described(status))
    return 0 if status.running else NOT_RUNNING


def _act(what: str) -> int:
    if what in ("stop", "restart"):
        print("stopped" if lifecycle.stop() else "none was running")
    if what in ("start", "restart"):
        print(described(lifecycle.start()))
    return 0


def run(args: argparse.Namespace) -> int:
    """Does as told."""
    try:
        if args.what == "status":
            return _status(args)
        places.secure_directory(places.find().state)
        return lifecycle.run(systemd=args.systemd) if args.what == "run" else _act(args.what)
    except (PlacesError, DaemonError, ActivationError, OSError) as error:
        print(f"checkrail daemon: {error}", file=sys.stderr)
        return 1
