"""Exit codes of check: 0 nothing to look at, 10 something to review, 20 refused; 2 usage, 1 an error. Others: 0 done, 1 not.

checkrail plugin check DIRECTORY reads a package as the standard says, looks at everything else in the directory, judges commands,
scripts and prose, and runs nothing. add, update, remove, enable and disable need a terminal with a person at it.

A source is a directory, ADDRESS#COMMIT (git), or npm:NAME@VERSION.
"""

import argparse
import os
import sys
from pathlib import Path

import msgspec

from checkrail import places
from checkrail.cli import terminal
from checkrail.cli.plugin_shown import assess, lines
from checkrail.plugins import assessment, settings, store, versions
from checkrail.plugins.concerns import Level
from checkrail.plugins.unpack import Refused

CODES = {Level.NOTE: 0, Level.REVIEW: 10, Level.REFUSE: 20}


def configure(parser: argparse.ArgumentParser) -> None:
    """What to do with which package."""
    what = parser.add_subparsers(dest="what", required=True, metavar="ACTION")
    for name, text in (("check", "judge a package, for people and CI"), ("show", "what a package holds and declares")):
        one = what.add_parser(name, help=text, description=text)
        one.add_argument("package", help="a directory, or the name of an installed plugin")
        one.add_argument("--format", choices=("text", "json", "sarif", "lock"), default="text")
        one.add_argument("--json", dest="format", action="store_const", const="json", help="the same as --format json")
        one.add_argument("--no-drafts", action="store_true", help="refuse working drafts of the standard")
        one.add_argument("--all", action="store_true", help="name also what needs no attention")
    listed = what.add_parser("list", help="installed plugins, where they came from, whether they changed")
    listed.add_argument("--json", action="store_true")
    added = what.add_parser("add", help="fetch a package as data, show it, and keep it if you say yes")
    added.add_argument("source", help="a directory, ADDRESS#COMMIT, or npm:NAME@VERSION")
    added.add_argument("--integrity", default="", help="the sha512-… that an npm tarball must have")
    updated = what.add_parser(
        "update", help="show what another state of a source would change, and take it if you say yes"
    )
    updated.add_argument("name")
    updated.add_argument("--to", default="", metavar="PIN", help="a commit or an exact version (default: the same)")
    updated.add_argument("--check", action="store_true", help="only show: 0 the same, 10 changes, 20 breaking ones")
    what.add_parser("remove", help="forget a plugin and delete its files").add_argument("name")
    for name, text in (("enable", "let exactly this command of these files start"), ("disable", "take that back")):
        one = what.add_parser(name, help=text)
        one.add_argument("name")
        one.add_argument("server")
    made = what.add_parser("export", help="write a conforming package from a description in TOML")
    made.add_argument("description")
    made.add_argument("directory", help="must not be there yet")
    told = what.add_parser("conformance", help="build the packages of the requirements' table, read them, and compare")
    told.add_argument("--json", action="store_true")


def run(args: argparse.Namespace) -> int:
    """Does it; faults stand on stderr."""
    try:
        if args.what in ("add", "update", "remove", "enable", "disable"):
            from checkrail.cli import plugin_changes

            return plugin_changes.run(args)
        return {"check": _check, "show": _check, "list": _list, "export": _export, "conformance": _conformance}[
            args.what
        ](args)
    except BrokenPipeError:
        raise
    except (places.PlacesError, settings.SettingsError, store.StoreError, Refused, OSError) as error:
        print(f"checkrail plugin: {error}", file=sys.stderr)
        return 1


def _check(args: argparse.Namespace) -> int:
    where = places.find()
    rules = settings.load(where.config)
    kept = None
    path = args.package
    if not os.path.lexists(path):
        kept = store.Store(where.data).get(path)
        path = kept.tree
    if args.format == "lock":
        if kept is None:
            print("checkrail plugin: only an installed plugin has been signed off", file=sys.stderr)
            return 2
        _out(msgspec.json.encode({kept.name: kept}, order="sorted"))
        return 0 if store.state(kept) == "intact" else 20
    drafts = rules.drafts and not args.no_drafts
    found = assess(path, drafts, rules)
    if args.format == "sarif":
        _out(msgspec.json.encode(assessment.sarif(found)))
    elif args.format == "json":
        state = {"installed": store.as_data(kept)} if kept else {}
        _out(msgspec.json.encode({**assessment.as_data(found), **state}))
    else:
        print("\n".join(lines(found, everything=args.all)))
    changed = kept is not None and store.state(kept) != "intact"
    if changed:
        print(f"checkrail plugin: {args.package} is not what was signed off any more", file=sys.stderr)
    return 0 if args.what == "show" else max(CODES[found.level], 20 if changed else 0)


def _out(raw: bytes) -> None:
    sys.stdout.write(msgspec.json.format(raw, indent=1).decode() + "\n")


def _list(args: argparse.Namespace) -> int:
    book = store.Store(places.find().data).load()
    data = [store.as_data(entry) for _, entry in sorted(book.plugins.items())]
    if args.json:
        _out(msgspec.json.encode(data))
        return 0
    for entry in data:
        source = entry["source"]
        pin = f"@{source['pin']}" if source["pin"] else ""
        told = f"{entry['name']} {entry['version']}  {entry['state']}  {source['kind']} {source['location']}{pin}"
        print(
            f"{terminal.plain(told)}  enabled: {', '.join(map(terminal.plain, sorted(entry['enabled']))) or 'nothing'}"
        )
    if not data:
        print("no plugin is installed")
    return 0 if all(entry["state"] == "intact" for entry in data) else 10


def _export(args: argparse.Namespace) -> int:
    from checkrail.plugins import export, unpack

    if os.path.lexists(args.directory):
        print(f"checkrail plugin: {args.directory} is there already", file=sys.stderr)
        return 2
    try:
        tree = export.files(export.parse(Path(args.description).read_bytes()))
    except export.Unfit as error:
        print(f"checkrail plugin: {error}", file=sys.stderr)
        return 1
    unpack.write(tree, Path(args.directory))
    print(f"{len(tree)} files in {args.directory}")
    return 0


def _conformance(args: argparse.Namespace) -> int:
    from checkrail.plugins import conformance

    told = list(conformance.report())
    wrong = [line for line in told if line.wrong]
    if args.json:
        rows = [
            {
                "number": line.requirement.number, "section": line.requirement.section, "level": line.requirement.level,
                "fails": line.requirement.fails, "text": line.requirement.text, "binds": line.requirement.binds,
                "passing": line.passing, "failing": line.failing, "wrong": line.wrong,
            }
            for line in told
        ]  # fmt: skip
        _out(msgspec.json.encode({"releases": versions.ADVERTISED, "requirements": rows}))
        return 1 if wrong else 0
    for line in told:
        known = line.requirement
        mark = terminal.paint("fail", "red") if line.wrong else terminal.paint("ok  ", "green")
        told_of = f"{line.passing} keep, {line.failing} break" + (f"; binds {known.binds}" if known.binds else "")
        print(
            f"{mark} {known.number:>2} §{known.section:<6} {known.level:<15} {known.fails:<6} {known.text} ({told_of})"
        )
        for text in line.wrong:
            print(f"        {terminal.plain(text)}")
    print(f"Agent Plugins {', '.join(versions.ADVERTISED)}: {len(told) - len(wrong)} of {len(told)} requirements hold")
    return 1 if wrong else 0
