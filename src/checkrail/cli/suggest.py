"""Exit codes: 0 done, 1 there is no log to learn from, 2 wrong usage.

Proposes rows for your policy file, as TOML to look through: a path, a host, a branch or a table, for questions to which people
said yes each time. Nothing is changed. To see what rows would change when the past calls are judged again:

  checkrail suggest > rows.toml
  cat ~/.config/checkrail/policy.toml rows.toml > new.toml
  checkrail replay --log --policy new.toml
"""

import argparse
import os
import sys
from collections.abc import Sequence

from checkrail import places
from checkrail.audit import files
from checkrail.audit.choose import since
from checkrail.audit.records import records
from checkrail.policy import Policy
from checkrail.policy.cache import PolicyCache, usual_layers
from checkrail.report import rows
from checkrail.report.questions import Question, Questions
from checkrail.report.suggest import LEAST, effect, suggest


def configure(parser: argparse.ArgumentParser) -> None:
    """See the module's help."""
    parser.add_argument(
        "--least", type=int, default=LEAST, metavar="N", help=f"how often people said yes (default {LEAST})"
    )
    parser.add_argument("--since", default="", metavar="WHEN", help="30m, 12h, 7d, or a date or time (UTC)")
    parser.add_argument("--log", nargs="*", default=None, metavar="FILE", help="files of a log (default: the user's)")


def questions_of(paths: list[str], start: str = "") -> list[Question]:
    """The questions of some files."""
    found = Questions()
    for record in records(paths):
        if record.time >= start:
            found.add(record)
    return list(found)


def printed(questions: Sequence[Question], *, least: int, policy: Policy) -> str:
    """The suggestions on some questions."""
    found = suggest(questions, least=least, policy=policy, home=os.path.expanduser("~"))
    if not found:
        return f"# nothing to suggest from {rows.counted(len(questions), 'question')}"
    together = rows.together(effect(questions, [one.row for one in found], policy))
    return "\n\n".join((*map(rows.suggestion, found), together))


def run(args: argparse.Namespace) -> int:
    """Prints suggestions."""
    where = places.find()
    paths = args.log or files(str(where.state / "audit"))
    if args.least < 2:
        print("checkrail suggest: one yes is no habit; give --least 2 or more", file=sys.stderr)
        return 2
    try:
        questions = questions_of(paths, since(args.since) if args.since else "")
    except ValueError:
        print(f"checkrail suggest: {args.since!r} is no time such as 30m, 12h, 7d or 2026-11-30T08:00", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"checkrail suggest: {error}", file=sys.stderr)
        return 2
    if not paths:
        print("checkrail suggest: there is no log yet", file=sys.stderr)
        return 1
    print(printed(questions, least=args.least, policy=PolicyCache(usual_layers(where.config, None)).current().policy))
    return 0
