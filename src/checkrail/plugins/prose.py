"""Every text of a package that some client may put before a model, as definitions that admission judges together."""

from collections.abc import Iterable, Iterator

from checkrail.admission.outcomes import judge
from checkrail.admission.records import Definition, Judged, Outcome
from checkrail.plugins import containment
from checkrail.plugins.inventory import Entry
from checkrail.plugins.records import Package

LIMIT = 1024 * 1024
MOST = 500
_KINDS = frozenset({"core", "skill", "agent", "command", "rule", "instructions", "prose"})
_LEGAL = ("license", "licence", "copying", "notice", "changelog", "code_of_conduct", "third-party", "third_party")


def definitions(package: Package, entries: Iterable[Entry]) -> Iterator[Definition]:
    """The texts, each named by where it stands; licences and change logs, which nothing loads, are left out."""
    server = f"plugin:{package.manifest.name}" if package.manifest else "plugin"
    if package.manifest is not None:
        about = {"name": "plugin.json", "description": package.manifest.description}
        yield Definition(server, {**about, "keywords": list(package.manifest.keywords)})
    count = 0
    for entry in entries:
        name = entry.path.rpartition("/")[2].lower()
        if entry.kind not in _KINDS or not name.endswith((".md", ".mdc", ".markdown", ".mdx", ".txt", ".rst", "rules")):
            continue
        if name.startswith(_LEGAL):
            continue
        count += 1
        if count > MOST:
            return
        try:
            raw = containment.read(package.root, f"{package.root}/{entry.path}", LIMIT)
        except (OSError, containment.Escapes, containment.WrongKind):
            continue
        yield Definition(server, {"name": entry.path, "description": raw.decode("utf-8", "replace")})


def judged(package: Package, entries: Iterable[Entry]) -> tuple[Judged, ...]:
    """What admission says of each text."""
    entries = list(entries)
    people = {entry.path for entry in entries if entry.kind == "prose" and not entry.path.startswith(_LOADED)}
    return tuple(_for_people(one) if one.tool in people else one for one in judge(list(definitions(package, entries))))


def _for_people(one: Judged) -> Judged:
    """No client loads a README, so its orders ("add this to …") are for people; what it hides counts all the same."""
    if one.outcome is not Outcome.QUARANTINE:
        return one
    return Judged(one.server, one.tool, Outcome.DEMOTE, one.findings)


_LOADED = ("skills/", "agents/", "commands/", "rules/", "hooks/")
