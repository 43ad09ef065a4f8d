"""What changes the installed plugins: each of it shown whole to a person at a terminal, who says yes or no."""

import argparse
import sys

import msgspec
from filelock import Timeout

from checkrail import places
from checkrail.approvals.rows import Who
from checkrail.cli import person, terminal
from checkrail.cli.plugin_shown import assess, lines
from checkrail.plugins import settings, sources, store
from checkrail.plugins.records import Package, Server
from checkrail.plugins.store import Change, Installed, Store


def run(args: argparse.Namespace) -> int:
    """One of the changing actions."""
    where = places.find()
    rules, kept = settings.load(where.config), Store(where.data)
    if args.what == "update" and args.check:
        return _update(args, rules, kept, None)
    try:
        who = person.present()
    except person.NoPerson as error:
        print(f"checkrail plugin: {error}", file=sys.stderr)
        return 2
    if not person.passed(person.desk(), who):
        return 1
    action = {"add": _add, "update": _update, "remove": _remove, "enable": _enable, "disable": _disable}[args.what]
    try:
        with kept.locked():
            return action(args, rules, kept, who)
    except Timeout:
        return _no("another checkrail plugin is at work on the store")


def _signed(who: Who) -> store.Signed:
    return store.signed(who.uid, who.user, who.tty)


def _add(args: argparse.Namespace, rules: settings.Settings, kept: Store, who: Who | None) -> int:
    assert who is not None
    source = sources.parse(args.source, integrity=args.integrity)
    if not sources.allowed(source, rules.sources):
        return _no(f"plugins.toml lets no package come from {source.location}")
    staged, exact, found = _staged(source, rules, kept)
    if found is None:
        return 1
    entry = store.described(found, exact, staged, _signed(who))
    if entry.name in kept.load().plugins:
        kept.discard(staged[0])
        return _no(f"{entry.name} is installed; update or remove it")
    print(f"  source {terminal.plain(source.location)} {source.pin} {exact.integrity}\n  digest {entry.digest}")
    if not person.agrees(f"Keep {entry.name}? Nothing of it is enabled by that."):
        kept.discard(staged[0])
        return _no("not added")
    kept.put(entry)
    person.logged(person.desk(), who, f"plugin-added {entry.name} {entry.digest}")
    return 0


def _staged(
    source: sources.Source, rules: settings.Settings, kept: Store
) -> tuple[tuple[str, str, dict[str, str]], sources.Source, Package | None]:
    """What a source holds, laid down and shown; None where it is no plugin."""
    acquired = sources.acquire(source)
    staged = kept.stage(acquired)
    found = assess(staged[0], rules.drafts, rules)
    print("\n".join(lines(found)))
    if not found.package.loads:
        kept.discard(staged[0])
        _no("it is no plugin")
        return staged, acquired.source, None
    return staged, acquired.source, found.package


def _update(args: argparse.Namespace, rules: settings.Settings, kept: Store, who: Who | None) -> int:
    before = kept.get(args.name)
    source = before.source
    if args.to:
        if source.kind == "directory":
            return _no("a directory has no other state than its own")
        spelled = f"npm:{source.location}@{args.to}" if source.kind == "npm" else f"{source.location}#{args.to}"
        source = sources.parse(spelled)
    staged, exact, found = _staged(source, rules, kept)
    if found is None:
        return 20
    after = store.described(found, exact, staged, _signed(who) if who else before.signed)
    change = store.changes(before, after)
    print("\n".join(_told(change)))
    if who is None:
        kept.discard(staged[0])
        return 20 if change.lowered or after.name != before.name else 10 if change.any else 0
    if after.name != before.name:
        kept.discard(staged[0])
        return _no(f"it is another plugin now: {after.name}")
    if not change.any and before.digest == after.digest:
        return 0
    question = "This lowers what its author declared, a breaking change. Take it?" if change.lowered else "Take it?"
    if not person.agrees(question):
        kept.discard(staged[0])
        return _no("not updated")
    kept.put(after)  # nothing stays enabled: each enabled command was one of the old files
    kept.discard(before.tree)
    person.logged(person.desk(), who, f"plugin-updated {after.name} {after.digest}")
    return 0


def _told(change: Change) -> list[str]:
    told = [f"  version {terminal.plain(change.version[0])} -> {terminal.plain(change.version[1])}"]
    for what, names in (
        ("added", change.added), ("removed", change.removed), ("changed", change.changed), ("server differs", change.servers)
    ):  # fmt: skip
        told += [f"  {what} {terminal.plain(name)}" for name in names]
    return told + [
        f"  {terminal.paint('breaking', 'red')} declared band lowered: {terminal.plain(one)}" for one in change.lowered
    ]


def _remove(args: argparse.Namespace, rules: settings.Settings, kept: Store, who: Who | None) -> int:  # noqa: ARG001
    assert who is not None
    entry = kept.get(args.name)
    if not person.agrees(f"Remove {entry.name}?"):
        return _no("not removed")
    kept.remove(entry.name)
    person.logged(person.desk(), who, f"plugin-removed {entry.name} {entry.digest}")
    return 0


def _enable(args: argparse.Namespace, rules: settings.Settings, kept: Store, who: Who | None) -> int:
    assert who is not None
    entry = kept.get(args.name)
    if store.state(entry) != "intact":
        return _no("its files are not what was signed off; update it first")
    server = _server(entry, args.server, rules)
    if server is None:
        return _no(f"{entry.name} has no stdio server {args.server!r} as it was signed off")
    digest = store.launch_digest(entry, server.name)
    person.say(f"  command {terminal.plain(server.command)}")
    for number, arg in enumerate(server.args):
        person.say(f"  argument {number + 1} {terminal.plain(arg)}")
    for name, value in sorted(server.env.items()):
        person.say(f"  variable {terminal.plain(name)} {terminal.plain(value)}")
    person.say(f"  directory {terminal.plain(server.cwd or './')} of {terminal.plain(entry.tree)}\n  digest {digest}")
    if not person.agrees("Let exactly this start?"):
        return _no("not enabled")
    kept.put(_with_enabled(entry, {**entry.enabled, server.name: digest}))
    person.logged(person.desk(), who, f"plugin-enabled {entry.name}/{server.name} {digest}")
    return 0


def _server(entry: Installed, name: str, rules: settings.Settings) -> Server | None:
    found = store.read(entry, drafts=rules.drafts)
    server = next((one for one in found.servers if one.name == name and one.transport == "stdio"), None)
    return server if server is not None and store.server_digest(server) == entry.servers.get(name) else None


def _disable(args: argparse.Namespace, rules: settings.Settings, kept: Store, who: Who | None) -> int:  # noqa: ARG001
    assert who is not None
    entry = kept.get(args.name)
    if args.server not in entry.enabled:
        return _no(f"{args.server!r} of {entry.name} is not enabled")
    kept.put(_with_enabled(entry, {name: digest for name, digest in entry.enabled.items() if name != args.server}))
    person.logged(person.desk(), who, f"plugin-disabled {entry.name}/{args.server}")
    return 0


def _with_enabled(entry: Installed, enabled: dict[str, str]) -> Installed:
    return msgspec.structs.replace(entry, enabled=enabled)


def _no(text: str) -> int:
    print(f"checkrail plugin: {text}", file=sys.stderr)
    return 1
