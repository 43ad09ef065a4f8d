"""``python -m checkrail.daemon``: what shims, services and ``checkrail daemon start`` run."""

import argparse
import sys
from pathlib import Path

from checkrail.daemon import lifecycle
from checkrail.daemon.activation import ActivationError
from checkrail.places import PlacesError


def main(arguments: list[str] | None = None) -> int:
    """Runs the daemon; exit code 0 after a clean end, 1 where it cannot serve."""
    parser = argparse.ArgumentParser(prog="checkrail.daemon", description=__doc__)
    parser.add_argument("--socket", type=Path, help="serve this path instead of the user's own")
    parser.add_argument("--log", type=Path, help="write the log there instead of the state directory")
    parser.add_argument("--foreground", action="store_true", help="write the log to stderr")
    parser.add_argument("--systemd", action="store_true", help="insist on the socket that systemd passes")
    given = parser.parse_args(arguments)
    foreground = given.foreground or given.systemd  # systemd keeps what goes to stderr
    try:
        return lifecycle.run(foreground=foreground, socket=given.socket, log=given.log, systemd=given.systemd)
    except (PlacesError, ActivationError) as error:
        print(f"checkrail: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
