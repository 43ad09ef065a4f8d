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
    for path, text in texts(package, entries):
        if text is not None:
            yield Definition(server, {"name": path, "description": text})


def texts(package: Package, entries: Iterable[Entry]) -> Iterator[tuple[str, str | None]]:
    """Every text with its path; None for one that is too large, or beyond the number that is read."""
    listed = [entry for entry in entries if _is_text(entry)]
    for count, entry in enumerate(listed):
        try:
            raw = containment.read(package.root, f"{package.root}/{entry.path}", LIMIT) if count < MOST else None
        except (OSError, containment.Escapes, containment.WrongKind):
            raw = None
        yield entry.path, raw.decode("utf-8", "replace") if raw is not None else None


def _is_text(entry: Entry) -> bool:
    name = entry.path.rpartition("/")[2].lower()
    return entry.kind in _KINDS and name.endswith(_SUFFIXES) and not name.startswith(_LEGAL)


_SUFFIXES = (".md", ".mdc", ".markdown", ".mdx", ".txt", ".rst", "rules", ".toml")


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
