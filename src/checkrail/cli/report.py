"""What agents almost did, how often they asked and what people said, by rule, session and time.

checkrail report --since 7d
checkrail report --html report.html
"""

import argparse
import os
import sys

from checkrail import places
from checkrail.audit import files
from checkrail.audit.choose import since
from checkrail.audit.records import records
from checkrail.report.gather import Report, gather


def configure(parser: argparse.ArgumentParser) -> None:
    """See the module's help."""
    parser.add_argument("--html", metavar="FILE", default=None, help="write one page that needs nothing else")
    parser.add_argument("--since", default="", metavar="WHEN", help="30m, 12h, 7d, or a date or time (UTC)")
    parser.add_argument("--log", nargs="*", default=None, metavar="FILE", help="files of a log (default: the user's)")


def run(args: argparse.Namespace) -> int:
    """Prints or writes the report."""
    paths = args.log or files(str(places.find().state / "audit"))
    try:
        start = since(args.since) if args.since else ""
    except ValueError:
        print(f"checkrail report: {args.since!r} is no time such as 30m, 12h, 7d or 2026-11-30T08:00", file=sys.stderr)
        return 2
    try:
        found = gather(one for one in records(paths) if one.time >= start)
        if args.html:
            _write(args.html, found)
        else:
            _show(found)
    except OSError as error:
        print(f"checkrail report: {error}", file=sys.stderr)
        return 1
    return 0


def _write(path: str, found: Report) -> None:
    from checkrail.report.html import page

    # What agents did is nobody else's business.
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as handle:
        handle.write(page(found))
    print(f"written: {path}")


def _show(found: Report) -> None:
    from checkrail.report.terminal import show

    if not found.lines:
        print("the log is empty")
        return
    show(found)
