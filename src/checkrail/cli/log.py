"""Shows the last verdicts: time, decision, agent, what was to be done, and the rules behind it."""

import argparse
import contextlib
import json
import time
from collections.abc import Iterator
from typing import Any

from checkrail import places
from checkrail.agents.reasons import visible
from checkrail.audit import files
from checkrail.cli import terminal

MAX_RULES = 4


def configure(parser: argparse.ArgumentParser) -> None:
    """See the module's help."""
    parser.add_argument("-n", type=int, default=20, metavar="LINES", help="how many (default 20, 0: all)")
    parser.add_argument("-f", "--follow", action="store_true", help="go on as new ones come")
    parser.add_argument("--decision", action="append", choices=("allow", "note", "ask", "deny"), help="only these")
    parser.add_argument("--session", help="only one session")
    parser.add_argument("--json", action="store_true", help="the lines as they stand")


def _entries(path: str, start: int = 0) -> Iterator[tuple[dict[str, Any], str, int]]:
    """Entry, line and the offset after it, from an offset on; stops before a line that is not finished."""
    with open(path, "rb") as handle:
        handle.seek(start)
        for line in handle:
            if not line.endswith(b"\n"):
                return
            start += len(line)
            with contextlib.suppress(ValueError):
                entry = json.loads(line)
                if isinstance(entry, dict):
                    yield entry, line.decode(errors="replace").rstrip(), start


def _wanted(entry: dict[str, Any], args: argparse.Namespace) -> bool:
    return (
        entry.get("kind") in ("verdict", "check")
        and (not args.decision or entry.get("decision") in args.decision)
        and (not args.session or entry.get("session") == args.session)
    )


def shown(entry: dict[str, Any]) -> str:
    """One entry in one line."""
    when = str(entry.get("time"))[:19].replace("T", " ")
    word = terminal.decision(str(entry.get("decision")))
    what = visible(str(entry.get("summary") or entry.get("tool")))[:120]
    ids = list(map(str, entry.get("rules") or ()))
    more = [f"{len(ids) - MAX_RULES} more"] if len(ids) > MAX_RULES else []
    rules = f"  [{', '.join((*ids[:MAX_RULES], *more))}]" if ids else ""
    return f"{when}  {word.ljust(5)}  {entry.get('agent')}  {what}{rules}"


def _print(entry: dict[str, Any], line: str, args: argparse.Namespace) -> None:
    print(line if args.json else shown(entry), flush=True)


def _follow(directory: str, args: argparse.Namespace, at: dict[str, int]) -> None:
    while True:
        for path in files(directory)[-2:]:
            for entry, line, after in _entries(path, at.get(path, 0)):
                at[path] = after
                if _wanted(entry, args):
                    _print(entry, line, args)
        time.sleep(0.3)


def run(args: argparse.Namespace) -> int:
    """Prints, and follows where asked."""
    directory = str(places.find().state / "audit")
    found, at = [], {}
    for path in files(directory):
        for entry, line, after in _entries(path):
            at[path] = after
            if _wanted(entry, args):
                found.append((entry, line))
    for entry, line in found[-args.n :] if args.n else found:
        _print(entry, line, args)
    if args.follow:
        _follow(directory, args, at)
    return 0
