"""Exit codes: 0 nothing is refused, 10 something is quarantined, 20 something is refused with an alert, 2 usage, 1 an error.

Without --list: the servers that the clients on this machine start, each with what the lock says of it, and the skills and
packages that they load, judged. With --list FILE (or -): captured definitions, one JSON object a line, {"server", "tool": {...}, "instructions"?}.
Nothing is started and nothing is asked over a network, except with --connect, which needs a terminal: each server's command is
shown, and those you say yes to are started and asked for their lists. That runs their code. They get PATH and HOME for an
environment, and the variables that the settings name only with --with-variables. It takes the MCP SDK: pip install 'checkrail[mcp]'.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from checkrail import places
from checkrail.admission import captured, claims, configured, documents, parallel, pins, sarif
from checkrail.admission.outcomes import judge
from checkrail.admission.records import Authority, Definition, Judged, Outcome
from checkrail.cli import USAGE, connect, person, terminal

CODES = {Outcome.ACCEPT: 0, Outcome.DEMOTE: 0, Outcome.QUARANTINE: 10, Outcome.ALERT: 20}
_COLOURS = {Outcome.ACCEPT: "green", Outcome.DEMOTE: "blue", Outcome.QUARANTINE: "yellow", Outcome.ALERT: "red"}
_QUIET = frozenset({"admission.directive", "admission.sequence"})


def configure(parser: argparse.ArgumentParser) -> None:
    """What to judge and how to say it."""
    parser.add_argument("--list", metavar="FILE", help="captured definitions, one JSON object a line; - is stdin")
    parser.add_argument("--format", choices=("table", "json", "sarif"), help="default: json with --list, else table")
    parser.add_argument(
        "--authority",
        choices=("system", "user"),
        default="system",
        help="with whose voice the client shows descriptions",
    )
    parser.add_argument(
        "--record", action="store_true", help="note refused servers in the lock, so that their calls are denied"
    )
    parser.add_argument(
        "--project", default=".", metavar="DIR", help="the project whose configurations count (default: here)"
    )
    parser.add_argument("--connect", action="store_true", help="start each server that you say yes to, and ask it")
    parser.add_argument("--save", metavar="FILE", help="with --connect: write down what they say, for --list and pin")
    parser.add_argument("--with-variables", action="store_true", help="with --connect: give servers their variables")
    parser.add_argument("--timeout", type=float, default=30.0, metavar="S", help="with --connect: for each server")


def run(args: argparse.Namespace) -> int:
    """Scans; the answer stands on stdout, faults on stderr."""
    try:
        where = places.find()
        own = pins.load(where.config / pins.NAME)
        project = pins.load(Path(args.project) / pins.NAME)
        if args.connect:
            return _connected(args, where, own, project)
        if args.list:
            return _listed(args, where, own, project)
        return _machine(args, own, project)
    except (places.PlacesError, pins.LockError, OSError) as error:
        print(f"checkrail scan: {error}", file=sys.stderr)
        return 1


def _listed(args: argparse.Namespace, where: places.Places, own: pins.Lock, project: pins.Lock) -> int:
    if args.list == "-":
        read = list(captured.read(captured.lines(sys.stdin.buffer)))
    else:
        with open(args.list, "rb") as file:
            read = list(captured.read(captured.lines(file)))
    definitions = [entry for entry in read if isinstance(entry, Definition)]
    answers = iter(parallel.judge(definitions, Authority(args.authority), lock=own, project=project))
    judged = [next(answers) if isinstance(entry, Definition) else captured.refused(entry) for entry in read]
    _print(judged, args.format or "json", args.list)
    if args.record:
        _record(where, own, judged, definitions)
    return max((CODES[entry.outcome] for entry in judged), default=0)


def _connected(args: argparse.Namespace, where: places.Places, own: pins.Lock, project: pins.Lock) -> int:
    try:
        person.present()
    except person.NoPerson as error:
        print(f"checkrail scan: {error}", file=sys.stderr)
        return USAGE
    found = connect.definitions(Path(args.project).resolve(), seconds=args.timeout, variables=args.with_variables)
    if args.save:
        connect.save(args.save, found)
    judged = judge(found, Authority(args.authority), lock=own, project=project)
    _print(judged, args.format or "table", "connect")
    if args.record:
        _record(where, own, judged, found)
    return max((CODES[entry.outcome] for entry in judged), default=0)


def _record(where: places.Places, own: pins.Lock, judged: Sequence[Judged], definitions: Sequence[Definition]) -> None:
    refused = {
        entry.server: f"{entry.label}: {entry.outcome.value}"
        for entry in judged
        if entry.server and entry.outcome in pins.REFUSED
    }
    if refused:
        pins.save(where.config / pins.NAME, pins.with_quarantined(own, refused))
    claims.record(where.state, definitions)


def _print(judged: Sequence[Judged], form: str, source: str) -> None:
    if form == "sarif":
        _out(msgspec.json.format(msgspec.json.encode(sarif.document(judged, source)), indent=1))
    elif form == "json":
        _out(b"\n".join(msgspec.json.encode(captured.as_json(entry)) for entry in judged))
    else:
        for entry in judged:
            _row(entry)


def _out(raw: bytes) -> None:
    if raw:
        sys.stdout.write(raw.decode() + "\n")


def _row(entry: Judged) -> None:
    outcome = terminal.paint(entry.outcome.value.ljust(16), _COLOURS[entry.outcome])
    print(f"{outcome} {terminal.plain(entry.server)} {terminal.plain(entry.label)}")
    for finding in entry.findings:
        if finding.rule not in _QUIET:
            print(f"    {finding.rule} at {terminal.plain(finding.field)}: {finding.reason}")
            print(f"      {terminal.plain(finding.text)}")
            print(f"      mend: {finding.fix}")


def _machine(args: argparse.Namespace, own: pins.Lock, project: pins.Lock) -> int:
    around = Path(args.project).resolve()
    found = list(configured.servers(os.environ, around))
    launches = [*configured.launches(os.environ, around)]
    read = [*documents.skills(os.environ, around), *documents.readmes(os.environ, around, launches)]
    definitions = [entry for entry in read if isinstance(entry, Definition)]
    judged = judge(definitions, Authority(args.authority), lock=own, project=project)
    for fault in (entry for entry in (*found, *read) if isinstance(entry, configured.Fault)):
        print(f"checkrail scan: {fault.path}: {fault.reason}", file=sys.stderr)
    servers = [entry for entry in found if isinstance(entry, configured.Server)]
    if args.format in ("json", "sarif"):
        _print(judged, args.format, str(around)) if args.format == "sarif" else _out(
            b"\n".join(
                msgspec.json.encode({**msgspec.to_builtins(entry), "admission": _standing(entry.name, own)})
                for entry in servers
            )
        )
        if args.format == "json":
            _print(judged, "json", str(around))
    else:
        for entry in servers:
            whom = entry.command or entry.host
            print(
                f"{_standing(entry.name, own).ljust(16)} {entry.client} {terminal.plain(entry.name)} ({entry.transport} {terminal.plain(whom)}) {entry.path}"
            )
        _print([entry for entry in judged if entry.outcome is not Outcome.ACCEPT], "table", str(around))
        if not servers and not judged:
            print("no MCP server and no skill is configured for any client that Checkrail knows")
    return max((CODES[entry.outcome] for entry in judged), default=0)


def _standing(server: str, own: pins.Lock) -> str:
    """What the lock says of a server."""
    if server in own.quarantined:
        return "quarantined"
    return "pinned" if own.servers.get(server) else "not reviewed"
