"""Exit codes: 0 the log is whole, 3 it is not, 1 it cannot be read.

Follows the chain through all files. Who has the key (the same user) can forge a log from the start on; what shows is
an edit, a gap or a cut end made without it.
"""

import argparse
import sys

from checkrail import places
from checkrail.audit import failures, verify

BROKEN = 3


def configure(parser: argparse.ArgumentParser) -> None:
    """See the module's help."""
    parser.add_argument("what", choices=("verify",))
    parser.add_argument("--directory", help="a log elsewhere (default: the user's)")


def run(args: argparse.Namespace) -> int:
    """Verifies."""
    directory = args.directory or str(places.find().state / "audit")
    try:
        report = verify(directory)
    except OSError as error:
        print(f"checkrail audit: {error}", file=sys.stderr)
        return 1
    for problem in report.problems:
        print(problem)
    lost = failures(directory)
    print(f"{report.lines} lines, {len(report.problems)} problems, {lost} could not be written")
    return BROKEN if report.problems else 0
