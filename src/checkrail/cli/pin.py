"""Exit codes: 0 pinned, 1 not, 2 usage or no terminal.

checkrail pin --review FILE shows every text of the captured definitions (one JSON object a line) that is new or has changed, with
what was found in it, and pins those you say yes to. It needs a terminal with a person at it. Pins stand in your own checkrail.lock;
with --project they are written into the project's, where they can only hold back what differs.
"""

import argparse
import difflib
import sys
from pathlib import Path

from checkrail import places
from checkrail.admission import captured, fields, pins
from checkrail.admission.outcomes import judge
from checkrail.admission.records import Definition, Judged
from checkrail.cli import person, terminal


def configure(parser: argparse.ArgumentParser) -> None:
    """What to review and where the pins go."""
    parser.add_argument("--review", metavar="FILE", required=True, help="captured definitions, one JSON object a line")
    parser.add_argument("--project", metavar="DIR", help="pin in the lock of a project instead of your own")


def run(args: argparse.Namespace) -> int:
    """Shows and asks, one definition after the other."""
    try:
        person.present()
    except person.NoPerson as error:
        print(f"checkrail pin: {error}", file=sys.stderr)
        return 2
    try:
        path = (Path(args.project) if args.project else places.find().config) / pins.NAME
        lock = pins.load(path)
        with open(args.review, "rb") as file:
            read = list(captured.read(captured.lines(file)))
        broken = [entry for entry in read if isinstance(entry, captured.Broken)]
        if broken:
            print(f"checkrail pin: {args.review}: {broken[0].reason}", file=sys.stderr)
            return 1
        chosen = _chosen([entry for entry in read if isinstance(entry, Definition)], lock)
        if chosen:
            pins.save(path, pins.with_pins(pins.load(path), chosen))
    except (places.PlacesError, pins.LockError, OSError, EOFError, fields.Unread) as error:
        print(f"checkrail pin: {error}", file=sys.stderr)
        return 1
    print(f"{len(chosen)} pinned in {path}")
    return 0


def _chosen(definitions: list[Definition], lock: pins.Lock) -> list[Definition]:
    chosen = []
    for entry, answer in zip(definitions, judge(definitions), strict=True):
        if pins.changes(entry, lock) == ():
            continue
        show(entry, answer, lock)
        if input("pin this definition? [y/N] ").strip().lower() in ("y", "yes"):
            chosen.append(entry)
    return chosen


def show(entry: Definition, answer: Judged, lock: pins.Lock) -> None:
    """Prints every text of a definition, or what differs from the one that was reviewed, and what was found in it."""
    print(f"\n{terminal.plain(entry.server)} / {terminal.plain(entry.key)}: {answer.outcome.value}")
    for finding in answer.findings:
        print(f"  {finding.rule} at {terminal.plain(finding.field)}: {finding.reason}")
    old = lock.servers.get(entry.server, {}).get(entry.key)
    before = old.texts if old else {}
    after = {text.path: text.text for text in fields.texts(entry)}
    for place in sorted({*before, *after}):
        if before.get(place) == after.get(place):
            continue
        print(f"  {terminal.plain(place)}")
        was, now = before.get(place, "").splitlines(), after.get(place, "").splitlines()
        for line in difflib.ndiff(was, now):
            if not line.startswith("?"):
                print(f"    {terminal.plain(line)}")
