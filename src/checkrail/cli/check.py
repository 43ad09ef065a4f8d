"""Exit codes: 0 allow, 10 ask, 20 deny, 2 wrong usage, 1 an error of Checkrail itself.

With --batch, one event a line comes in on stdin and one JSON verdict a line goes out, in order; a line that is no
event gets a verdict too. An event about a finished call has no decision (null); what it tells is remembered for the lines after
it, in a session store of the batch's own. Calls of a session of which no call is told to be finished stand for themselves. The exit code is then 0 unless something broke.
"""

import argparse
import sys
import tempfile
from functools import partial

import msgspec

from checkrail.answering import Server, late_verdict
from checkrail.cli import USAGE, terminal
from checkrail.cli.judging import EXIT_CODES, environment, judge, make_server, nothing_given, raw_event
from checkrail.cli.judging import configure as configure_judging
from checkrail.daemon.deadline import Alarm, DeadlineExceeded
from checkrail.model import EventKind
from checkrail.verdicts import as_data, outcome

LINE_S = 5.0
"""Seconds for one line of a batch; then it asks, as a late call does in the daemon."""


def configure(parser: argparse.ArgumentParser) -> None:
    """See the module's help."""
    configure_judging(parser)
    parser.add_argument("--json", action="store_true", help="print the verdict as one line of JSON")
    parser.add_argument("--batch", action="store_true", help="judge one event a line")


def _batch(args: argparse.Namespace, server: Server) -> int:
    from checkrail.warming import warmed

    warmed()  # outside of the time for the first line
    out, around, alarm = sys.stdout.buffer, environment(args.home), Alarm(lambda: None)
    for line in sys.stdin.buffer:
        if not line.strip():
            continue
        work = partial(judge, args, line, server, around)
        try:
            event, verdict = alarm.limited(LINE_S, work)
            decided = event.kind is not EventKind.POST
        except DeadlineExceeded:
            verdict, decided = late_verdict(), True
        data = as_data(verdict)
        out.write(msgspec.json.encode(data if decided else {**data, "decision": None}) + b"\n")
        out.flush()
    return 0


def run(args: argparse.Namespace) -> int:
    """Judges and prints; see the module's help for the exit code."""
    if nothing_given(args, "check"):
        return USAGE
    if args.batch:
        with tempfile.TemporaryDirectory(prefix="checkrail-batch-") as folder:
            return _batch(args, make_server(args.policy, log=args.log, stories=folder))
    server = make_server(args.policy, log=args.log)
    _, verdict = judge(args, raw_event(args), server)
    data = as_data(verdict)
    if args.json:
        sys.stdout.buffer.write(msgspec.json.encode(data) + b"\n")
    else:
        said = data["reason"] if verdict.findings or verdict.errors else ""
        print(f"{terminal.decision(outcome(verdict))} {said}".rstrip())
    return EXIT_CODES[verdict.decision]
