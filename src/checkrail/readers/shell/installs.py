"""Packages that a line takes from an address instead of a registry: handed to the fetch gate as what will run here."""

import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from checkrail.knowledge.installs import Installer, by_name
from checkrail.readers.shell import addresses, flow, redirects
from checkrail.readers.shell.state import REMOTE, Field, Value

if TYPE_CHECKING:
    from checkrail.readers.shell.call import Call

ARGUMENT_CAP = 60
"""Arguments of one line that are looked at."""

MARK = (("install", "yes"),)
"""The option of a URL payload whose content will run."""

_FORGES = {
    "github": "github.com",
    "gitlab": "gitlab.com",
    "bitbucket": "bitbucket.org",
    "gist": "gist.github.com",
    "sourcehut": "git.sr.ht",
}
_PREFIXED = re.compile(r"(github|gitlab|bitbucket|gist|sourcehut):([\w.-]+(?:/[\w.-]+)?)(?:[#?/].*)?")
_NAMED = re.compile(r"^(?:@[\w.-]+/)?(?!git@)[\w.-]+@(?=\S+[/:])")
_BARE = re.compile(r"(?![.@~])[\w-][\w.-]*/[\w.-]+(?:#\S+)?")
_PLAIN_OPTION = re.compile(r"--?[\w-]*(?:proxy|cert|cache|log|prefix|workspace|filter|dir|cwd)[\w-]*|-[wCF]")
_FOLDERS = ("packages", "apps", "libs", "modules", "plugins", "tools", "src", "lib", "vendor", "services")
"""Folders of a project in which packages of its own lie."""


def note(call: "Call") -> None:
    """Hand on every address that an installer takes code from."""
    for installer in by_name().get(call.name, ()):
        for field in _sources(installer, call.arguments[:ARGUMENT_CAP]):
            _fetched(field, call)
            url = _address(field.text, "" if _lies_here(field, call) else installer.shorthand)
            if url and not any(fnmatchcase(field.text, glob) for glob in installer.free):
                call.run.hand_on("url", url, field.span, f"{call.name} installs", options=MARK)


def _fetched(field: Field, call: "Call") -> None:
    """A package or a list of packages that this line fetched."""
    held = call.run.state.files.get(call.path(field)) if field.text else None
    if redirects.is_standard_input(field.text, call.run):
        held = call.run.stdin
    for value in (field, held):
        if value is not None and REMOTE in value.tags:
            flow.provenance(
                Value(value.text, value.tags), call, f"{call.name} installs what was fetched", span=field.span
            )


def _lies_here(field: Field, call: "Call") -> bool:
    """Whether ``a/b`` is a folder of the project."""
    here = field.text.partition("/")[0] in _FOLDERS
    return here or (not call.run.state.host and call.run.around.host.lstat(call.path(field)) is not None)


def _sources(installer: Installer, arguments: Sequence[Field]) -> Iterator[Field]:
    """Packages and indexes that the arguments name; none where they ask for something else than an installation."""
    found: list[Field] = []
    words: list[str] = []
    asked = not installer.subs
    taken = 0
    pending = list(arguments)
    while pending:
        field = pending.pop(0)
        name, equals, _ = field.text.partition("=")
        if name[:1] == "-" != name[1:2] and name[:2] in installer.source and len(name) > 2:
            found.append(field.tail(2))  # -iURL
            continue
        if name.startswith("-"):
            asked = asked or name in installer.subs
            if name in installer.source or name.startswith("-from-"):
                if equals:
                    found.append(field.tail(len(name) + 1))
                elif pending:
                    found.append(pending.pop(0))
            elif _PLAIN_OPTION.fullmatch(name) and not equals and pending:
                pending.pop(0)
            continue
        words.append(field.text)
        if not asked and len(words) < 3:
            asked = _asks(installer, words)
            continue
        if not (installer.first and taken):
            found.append(field)
        taken += not (len(words) < 3 and " ".join(words) in installer.subs)
        if installer.first and taken and installer.shorthand != "prefix":
            break
    yield from found if asked else ()


def _asks(installer: Installer, words: list[str]) -> bool:
    said = (words[-1], " ".join(words))
    return any(fnmatchcase(one, sub) for sub in installer.subs for one in said)


def _address(text: str, shorthand: str) -> str:
    """The address that a package's name is, or stands for; empty for the name of a package or a local path."""
    text = _NAMED.sub("", text, count=1) if shorthand else text
    bare = re.sub(r"^(?:git|hg|tar|tarball)(?:\+|::)", "", text)
    found = addresses.of(bare, scp=True) or addresses.of(text, scp=True)
    if found or not shorthand or len(text) > addresses.LONGEST:
        return found
    prefixed = _PREFIXED.fullmatch(text)
    if prefixed is not None:
        return f"https://{_FORGES[prefixed[1]]}/{prefixed[2]}"
    return f"https://github.com/{text}" if shorthand == "bare" and _BARE.fullmatch(text) else ""
