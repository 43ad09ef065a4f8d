"""Exit codes: 0 all is well, 1 something is not.

Runs the installed hook exactly as the agent would with made-up events (a dangerous one must be stopped, a harmless one
must pass), and looks at settings, interpreter, daemon, directories, policy and log. Each problem comes with its mend.
"""

import argparse
import sys

from checkrail import places
from checkrail.cli import terminal
from checkrail.install import doctor
from checkrail.places import PlacesError


def configure(parser: argparse.ArgumentParser) -> None:
    """See the module's help."""
    parser.add_argument("-q", "--quiet", action="store_true", help="show problems only")


def run(args: argparse.Namespace) -> int:
    """Looks at everything."""
    try:
        where = places.find()
    except PlacesError as error:
        print(f"checkrail doctor: {error}", file=sys.stderr)
        return 1
    wrong = 0
    for check in doctor.checks(where):
        if check.ok and not args.quiet:
            print(f"{terminal.paint('ok', 'green')}       {check.text}")
        if not check.ok:
            wrong += 1
            print(f"{terminal.paint('problem', 'red')}  {check.text}")
            print(f"         mend: {check.mend}" if check.mend else "", end="\n" if check.mend else "")
    print("all is well" if not wrong else f"{wrong} problems")
    return 1 if wrong else 0
