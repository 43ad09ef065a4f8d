"""Shows what is remembered of agents' sessions, or forgets it. Forgetting is for a person at a terminal.

A session is named by the first letters of its digest, as shown, or by the agent's own name for it. Exit codes: 0 done, 1 it cannot be
read, 2 wrong usage, no such session or no terminal.
"""

import argparse
import sys
import time
from pathlib import Path
from typing import Any

import msgspec

from checkrail import places
from checkrail.agents import AGENTS
from checkrail.cli import USAGE, person, terminal
from checkrail.places import PlacesError
from checkrail.session import facts, identity
from checkrail.session.facts import State
from checkrail.session.memory import Store

SHOWN = 12
Row = tuple[str, int, State, int]


def configure(parser: argparse.ArgumentParser) -> None:
    """See the module's help."""
    parser.add_argument("what", choices=("show", "forget"))
    parser.add_argument("session", nargs="?", default="", help="which one (default for show: all)")
    parser.add_argument("--all", action="store_true", help="forget every session, also what cannot be read")
    parser.add_argument("--json", action="store_true", help="one line of JSON for each session")


def _store() -> Store:
    return Store(Path(places.find().state) / "session")


def _chosen(rows: list[Row], name: str) -> list[Row]:
    own = {identity.digest(agent, name) for agent in AGENTS}
    return [row for row in rows if not name or row[0] in own or (len(name) >= 4 and row[0].startswith(name))]


def as_data(row: Row) -> dict[str, Any]:
    """A session as plain data."""
    who, at, state, size = row
    found = [
        {
            "capability": fact.capability,
            "class": fact.cls,
            "labels": list(fact.labels),
            "first": msgspec.to_builtins(fact.first),
            "last": msgspec.to_builtins(fact.last),
        }
        for fact in facts.facts(state)
    ]
    chain = facts.chain(state)
    return {
        "session": who,
        "last": at,
        "tells_ends": state.telling,
        "chain": [facts.told(seen) for seen in chain] if chain else [],
        "facts": found,
        "secrets": len(state.secrets),
        "print_bytes": size,
        "part_of": state.root,
    }


def _print(row: Row) -> None:
    who, at, state, size = row
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(at))
    print(f"{who[:SHOWN]}  {when}  {len(state.secrets)} secrets seen, {size} bytes of prints")
    if state.root:
        print(f"  part of {state.root[:SHOWN]}")
    for fact in facts.facts(state):
        labels = ", ".join(fact.labels)
        first, last = facts.told(fact.first), facts.told(fact.last)
        when = first if fact.first == fact.last else f"{first}; last {last}"
        print(terminal.plain(f"  {fact.capability} [{labels}]  {when}"))
    if chain := facts.chain(state):
        print(terminal.plain(f"  chain: {facts.told(chain[0])}; then {facts.told(chain[1])}; what goes out asks"))


def _forget(args: argparse.Namespace, store: Store) -> int:
    if not args.session and not args.all:
        print("checkrail session: say which one, or --all", file=sys.stderr)
        return USAGE
    who, known = person.present(), person.desk()
    if not person.passed(known, who):
        return 1
    if args.all:
        store.forget_all()
    else:
        chosen = [row[0] for row in _chosen(store.sessions(), args.session)]
        if not chosen:
            print(f"checkrail session: nothing is remembered of {args.session!r}", file=sys.stderr)
            return USAGE
        store.forget(chosen)
    person.logged(known, who, "session-forgotten")
    person.say("forgotten")
    return 0


def run(args: argparse.Namespace) -> int:
    """Shows or forgets."""
    try:
        store = _store()
        if args.what == "forget":
            return _forget(args, store)
        rows = _chosen(store.sessions(), args.session)
    except person.NoPerson as error:
        print(f"checkrail session: {error}", file=sys.stderr)
        return USAGE
    except (OSError, PlacesError) as error:
        print(f"checkrail session: {error}", file=sys.stderr)
        return 1
    for row in rows:
        if args.json:
            print(msgspec.json.encode(as_data(row)).decode())
        else:
            _print(row)
    if not rows and not args.json:
        print("nothing is remembered")
    return USAGE if args.session and not rows else 0
