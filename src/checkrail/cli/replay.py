"""Exit codes: 0 everything is as expected, 3 something differs, 2 wrong usage or an unusable file.

``checkrail replay regression_cases`` runs a corpus; ``checkrail replay --log FILE`` judges the calls of a past log
again, by today's policy (or by --policy FILE), and shows what would be decided otherwise.
"""

import argparse
import json
import sys
from typing import Any

from checkrail import replay
from checkrail.agents.reasons import reason, visible
from checkrail.cli import terminal
from checkrail.corpus import CorpusError, load
from checkrail.model import Event, Verdict

DIFFERS, USAGE = 3, 2


def configure(parser: argparse.ArgumentParser) -> None:
    """See the module's help."""
    parser.add_argument("paths", nargs="*", default=[], help="corpus files or directories (default: regression_cases)")
    parser.add_argument("--update", action="store_true", help="rewrite the expectations that do not hold, for review")
    parser.add_argument("--log", metavar="FILE", action="append", default=[], help="an audit log file")
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


def _log_lines(paths: list[str]) -> list[dict[str, Any]]:
    found = []
    for path in paths:
        with open(path, encoding="utf-8") as handle:
            found += [json.loads(line) for line in handle if line.strip()]
    return [line for line in found if isinstance(line, dict)]


def _past(args: argparse.Namespace) -> int:
    from checkrail.cli.judging import environment, make_server

    server, around = make_server(args.policy), environment(None)

    def decide(event: Event) -> Verdict:
        return server.verdict(event, around)

    differences, judged = replay.compare(_log_lines(args.log), decide)
    for found in differences:
        change = f"{terminal.decision(found.before)} -> {terminal.decision(found.after)}"
        print(f"{found.time}  {change}  {visible(found.summary)[:160]}  [{', '.join(found.reason_rules)}]")
    print(f"{judged} calls judged again, {len(differences)} would be decided otherwise")
    return DIFFERS if differences else 0


def run(args: argparse.Namespace) -> int:
    """Runs a corpus or a log; an unusable file is a message."""
    try:
        return _past(args) if args.log else _corpus(args)
    except (CorpusError, OSError, ValueError) as error:
        print(f"checkrail replay: {error}", file=sys.stderr)
        return USAGE
