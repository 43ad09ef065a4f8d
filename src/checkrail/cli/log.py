"""Shows what was decided: time (UTC), decision, agent, what was to be done, and the rules behind it.

checkrail log --decision deny --since 7d
checkrail log -f --agent claude
checkrail log --limit 0 --format csv > log.csv
"""

import argparse
import collections
import csv
import sys
import time
from collections.abc import Callable, Iterator

from checkrail import places
from checkrail.agents.reasons import visible
from checkrail.audit import choose
from checkrail.audit.choose import Choice
from checkrail.audit.records import Record, record
from checkrail.audit.tail import Position, after
from checkrail.cli import terminal

MAX_RULES = 4
PAUSE = 0.3

Row = tuple[Record, bytes]
Show = Callable[[Record, bytes], None]


def _since(text: str) -> str:
    try:
        return choose.since(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no time such as 30m, 12h, 7d or 2026-11-30T08:00") from None


def configure(parser: argparse.ArgumentParser) -> None:
    """See the module's help."""
    parser.add_argument("-n", "--limit", type=int, default=20, metavar="N", help="the last N (default 20, 0: all)")
    parser.add_argument("-f", "--follow", action="store_true", help="go on as new ones come")
    parser.add_argument("--decision", action="append", choices=("allow", "note", "ask", "deny"), help="only these")
    parser.add_argument("--rule", default="", metavar="GLOB", help="only where such a rule had something to say")
    parser.add_argument("--agent", default="", metavar="GLOB", help="only one agent or sub-agent")
    parser.add_argument("--session", default="", help="only one session")
    parser.add_argument(
        "--since", default=None, type=_since, metavar="WHEN", help="30m, 12h, 7d, or a date or time (UTC)"
    )
    parser.add_argument("--grep", default="", metavar="TEXT", help="only where this text occurs, as it stands")
    parser.add_argument("--outcomes", action="store_true", help="the lines of finished calls too")
    parser.add_argument(
        "--format", choices=("text", "json", "csv"), default="text", help="json: the lines as they stand"
    )
    parser.add_argument("--json", dest="format", action="store_const", const="json", help="the same as --format json")


def shown(entry: Record) -> str:
    """One entry in one line."""
    when = entry.time[:19].replace("T", " ")
    what = visible(entry.summary or entry.tool)[:120]
    ids = list(map(visible, entry.rules))
    more = [f"{len(ids) - MAX_RULES} more"] if len(ids) > MAX_RULES else []
    rules = f"  [{', '.join((*ids[:MAX_RULES], *more))}]" if ids else ""
    word = entry.decision or visible(entry.outcome or entry.kind)
    padding = " " * max(0, 5 - len(word))
    return f"{visible(when)}  {terminal.decision(word)}{padding}  {visible(entry.agent)}  {what}{rules}"


def _as_text(entry: Record, _line: bytes) -> None:
    print(shown(entry), flush=True)


def _as_json(_entry: Record, line: bytes) -> None:
    print(line.decode(errors="replace").rstrip(), flush=True)


COLUMNS = (
    "number", "time", "kind", "decision", "judged", "band", "authority", "agent", "subagent", "session", "id", "tool",
    "action", "summary", "cwd", "project", "rules", "gates", "errors", "latency_ms", "policy", "signature", "outcome",
)  # fmt: skip


def cell(value: object) -> str:
    """A field of a table; a spreadsheet must not take it for a formula, since agents wrote it."""
    text = visible(" ".join(map(str, value)) if isinstance(value, tuple) else "" if value is None else str(value))
    return f"'{text}" if text[:1] in ("=", "+", "-", "@") else text


def _csv() -> Show:
    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerow(COLUMNS)

    def show(entry: Record, _line: bytes) -> None:
        table.writerow([cell(getattr(entry, name)) for name in COLUMNS])
        sys.stdout.flush()

    return show


def _choice(args: argparse.Namespace) -> Choice:
    return Choice(
        decisions=tuple(args.decision or ()),
        rule=args.rule,
        agent=args.agent,
        session=args.session,
        since=args.since or "",
        literal=args.grep,
        outcomes=args.outcomes,
    )


class _Reader:
    """What is wanted of the log, from where it was left."""

    def __init__(self, directory: str, choice: Choice) -> None:
        self._directory, self._choice, self._at = directory, choice, Position()

    def new(self) -> Iterator[Row]:
        """What came since the last time."""
        for line, position in after(self._directory, self._at):
            self._at = position
            entry = record(line)
            if entry and self._choice.takes(entry, line):
                yield entry, line


def run(args: argparse.Namespace) -> int:
    """Prints, and follows where asked."""
    reader = _Reader(str(places.find().state / "audit"), _choice(args))
    show = {"text": lambda: _as_text, "json": lambda: _as_json, "csv": _csv}[args.format]()
    for row in collections.deque(reader.new(), maxlen=args.limit if args.limit > 0 else None):
        show(*row)
    while args.follow:
        time.sleep(PAUSE)
        for row in reader.new():
            show(*row)
    return 0
