"""Exit codes: 0 everything is as expected, 3 something differs, 2 wrong usage or an unusable file.

``checkrail replay regression_cases`` runs a corpus; ``checkrail replay --log [FILE…]`` judges the calls of a past log (default:
the user's) again, by today's policy or by --policy FILE alone, and shows what would be decided otherwise. It looks at the
machine as it is now. Calls of which something was cut or redacted cannot be judged again; they are counted.
"""

import argparse
import sys
from collections.abc import Iterator
from typing import Any

from checkrail import places, replay
from checkrail.agents.reasons import reason, visible
from checkrail.audit import files
from checkrail.audit.records import whole
from checkrail.cli import terminal
from checkrail.corpus import CorpusError, load
from checkrail.model import Event, Verdict

DIFFERS, USAGE = 3, 2


def configure(parser: argparse.ArgumentParser) -> None:
    """See the module's help."""
    parser.add_argument("paths", nargs="*", default=[], help="corpus files or directories (default: regression_cases)")
    parser.add_argument("--update", action="store_true", help="rewrite the expectations that do not hold, for review")
    parser.add_argument("--log", metavar="FILE", nargs="*", default=None, help="files of an audit log")
    parser.add_argument("--policy", metavar="FILE", default=None, help="with --log: the policy to judge by")


def _show(result: replay.Result) -> None:
    located = result.located
    print(f"{terminal.paint('differs', 'red')}  {located.path}: {located.case.name}")
    print(f"  {result.problem}")
    print(f"  {reason(result.verdict)}")
    if located.case.why:
        print(f"  expected because: {located.case.why}")


def _corpus(args: argparse.Namespace) -> int:
    results = replay.run(load(args.paths or ["regression_cases"]))
    wrong = [result for result in results if result.problem]
    for result in wrong:
        _show(result)
    print(f"{len(results)} cases, {len(results) - len(wrong)} as expected, {len(wrong)} not")
    if args.update and wrong:
        print("rewritten, please review: " + ", ".join(replay.update(results)))
    return DIFFERS if wrong else 0


def _log_lines(paths: list[str]) -> Iterator[dict[str, Any]]:
    for path in paths:
        with open(path, "rb") as handle:
            for number, text in enumerate(handle, 1):
                line = whole(text)
                if line is None:
                    raise ValueError(f"{path}:{number}: not a line of a log; run: checkrail audit verify")
                yield line


def _past(args: argparse.Namespace) -> int:
    from checkrail.cli.judging import environment, make_server

    server, around = make_server(args.policy), environment(None)

    def decide(event: Event) -> Verdict:
        return server.verdict(event, around)

    paths = args.log or files(str(places.find().state / "audit"))
    compared = replay.compare(_log_lines(paths), decide)
    for found in compared.differences:
        change = f"{terminal.decision(found.before)} -> {terminal.decision(found.after)}"
        print(f"{visible(found.time)}  {change}  {visible(found.summary)[:160]}  [{', '.join(found.reason_rules)}]")
    lost = compared.cut + compared.redacted + compared.unreadable
    if lost:
        told = f"{compared.cut} cut, {compared.redacted} redacted, {compared.unreadable} unreadable"
        print(f"{lost} calls could not be judged again: {told}")
    loosened = sum(found.after.rank < found.before.rank for found in compared.differences)
    print(
        f"{compared.judged} calls judged again, {len(compared.differences)} would be decided otherwise, {loosened} of them looser"
    )
    return DIFFERS if compared.differences else 0


def run(args: argparse.Namespace) -> int:
    """Runs a corpus or a log; an unusable file is a message."""
    try:
        return _past(args) if args.log is not None else _corpus(args)
    except (CorpusError, OSError, ValueError) as error:
        print(f"checkrail replay: {error}", file=sys.stderr)
        return USAGE
