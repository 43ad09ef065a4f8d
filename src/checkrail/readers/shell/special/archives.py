"""``tar``: what is packed (read), what is unpacked (written, by place), and options that run programs."""

import posixpath
from typing import TYPE_CHECKING

import msgspec

from checkrail.facts.paths import Place, describe
from checkrail.model import SOME
from checkrail.readers.shell import effects
from checkrail.readers.shell.state import REMOTE, Field

if TYPE_CHECKING:
    from checkrail.knowledge.schema import Entry
    from checkrail.readers.shell.call import Call

SHORT_VALUES = frozenset("fCTXbIFgLKNVH")
"""Letters of tar that take a value."""

LONG_VALUES = frozenset(
    (
        *("file", "directory", "files-from", "exclude-from", "blocking-factor", "use-compress-program", "info-script"),
        *(
            "new-volume-script",
            "listed-incremental",
            "tape-length",
            "starting-file",
            "newer",
            "after-date",
            "label",
            "format",
        ),
        *(
            "to-command",
            "checkpoint-action",
            "rsh-command",
            "rmt-command",
            "index-file",
            "transform",
            "xform",
            "exclude",
        ),
        *(
            "strip-components",
            "owner",
            "group",
            "mode",
            "mtime",
            "sort",
            "add-file",
            "level",
            "volno-file",
            "record-size",
        ),
        *(
            "exclude-tag",
            "exclude-ignore",
            "owner-map",
            "group-map",
            "pax-option",
            "suffix",
            "quoting-style",
            "warning",
        ),
        *("newer-mtime", "occurrence-of", "hole-detection", "xattrs-include", "xattrs-exclude"),
    )
)
RUNS = frozenset(
    ("to-command", "use-compress-program", "info-script", "new-volume-script", "rsh-command", "rmt-command")
)
LONG_FLAGS = frozenset(
    (
        *(
            "create",
            "extract",
            "get",
            "list",
            "append",
            "update",
            "delete",
            "diff",
            "compare",
            "catenate",
            "concatenate",
        ),
        *(
            "remove-files",
            "to-stdout",
            "absolute-names",
            "verbose",
            "gzip",
            "gunzip",
            "bzip2",
            "xz",
            "zstd",
            "lzma",
            "lzip",
        ),
        *("keep-old-files", "overwrite", "unlink-first", "recursive-unlink", "overwrite-dir", "same-owner", "null"),
        *(
            "preserve-permissions",
            "no-same-owner",
            "no-recursion",
            "checkpoint",
            "auto-compress",
            "dereference",
            "totals",
        ),
        *(
            "exclude-vcs",
            "exclude-caches",
            "one-file-system",
            "one-top-level",
            "test-label",
            "numeric-owner",
            "wildcards",
        ),
    )
)
_WIDE = frozenset((Place.HOME, Place.OTHER_HOME, Place.ROOT, Place.SYSTEM))
"""Folders in which a file of any name may be one that matters."""

LONGS = tuple(sorted(LONG_VALUES | LONG_FLAGS))
MODES = {"c": "create", "x": "extract", "t": "list", "r": "append", "u": "append", "A": "append", "d": "list"}
LONG_MODES = {
    "create": "create",
    "extract": "extract",
    "get": "extract",
    "list": "list",
    "append": "append",
    "update": "append",
    "concatenate": "append",
    "catenate": "append",
    "delete": "append",
    "diff": "list",
    "compare": "list",
}


class _Tar(msgspec.Struct):
    """A tar command line, taken apart."""

    mode: str = ""
    flags: set[str] = set()
    values: list[tuple[str, Field]] = []
    operands: list[Field] = []

    def value(self, *names: str) -> Field | None:
        return next((field for name, field in reversed(self.values) if name in names), None)


def _parse(arguments: tuple[Field, ...]) -> _Tar:
    """Options as tar reads them: a first word without a dash, bundles, long options and their prefixes."""
    found = _Tar()
    pending: list[Field] = list(arguments)
    if pending and pending[0].text and not pending[0].text.startswith("-"):
        letters = pending.pop(0)
        for letter in letters.text:
            if letter in SHORT_VALUES and pending:
                found.values.append((letter, pending.pop(0)))
            _letter(letter, found)
    while pending:
        field = pending.pop(0)
        text = field.text
        if text == "--":
            found.operands.extend(pending)
            break
        if text.startswith("--"):
            _long(field, pending, found)
        elif text.startswith("-") and len(text) > 1:
            _bundle(field, pending, found)
        else:
            found.operands.append(field)
    return found


def _letter(letter: str, found: _Tar) -> None:
    found.flags.add(letter)
    if letter in MODES:
        found.mode = MODES[letter]


def _bundle(field: Field, pending: list[Field], found: _Tar) -> None:
    text = field.text
    for index in range(1, len(text)):
        letter = text[index]
        _letter(letter, found)
        if letter in SHORT_VALUES:
            if index + 1 < len(text):
                found.values.append((letter, field.tail(index + 1)))
            elif pending:
                found.values.append((letter, pending.pop(0)))
            return


def _long(field: Field, pending: list[Field], found: _Tar) -> None:
    given, equals, _ = field.text[2:].partition("=")
    name = given if given in LONGS else next((long for long in LONGS if long.startswith(given)), given)
    if equals:
        found.values.append((name, field.tail(len(given) + 3)))
    elif name in LONG_VALUES and pending:
        found.values.append((name, pending.pop(0)))
    found.flags.add(name)
    found.mode = LONG_MODES.get(name, found.mode)


def tar(entry: "Entry", call: "Call", path: str) -> None:  # noqa: ARG001
    """``tar``: see the module. Unpacking writes below the folder given with ``-C``, else here."""
    found = _parse(call.arguments)
    _tar_runs(found, call, path)
    for name, field in found.values:
        if name == "index-file":
            effects.path("write", field, call, path)
        elif name in ("T", "X", "files-from", "exclude-from"):
            effects.path("read", field, call, path)
    archive = found.value("f", "file")
    remote = archive is not None and ":" in archive.text.split("/", 1)[0] and "force-local" not in found.flags
    if remote and archive is not None:
        effects.role("host", msgspec.structs.replace(archive, text=archive.text.split(":")[0]), call, path)
    elif archive is not None:
        writes = found.mode in ("create", "append")
        effects.path("write" if found.mode == "create" else "edit" if writes else "read", archive, call, path)
    folder = found.value("one-top-level") or found.value("C", "directory")
    if folder is not None:
        call.enter(call.path(folder))
    if found.mode in ("create", "append"):
        for field in found.operands:
            effects.path("read", field, call, path, recursive=True)
            if "remove-files" in found.flags:
                effects.path("delete", field, call, path, recursive=True)
    elif found.mode == "extract" and not found.flags & {"O", "to-stdout"}:
        unpacks(call, path, folder, fetched=_fetched(archive, call))
        if found.flags & {"P", "absolute-names"}:
            effects.named(
                "loses",
                call,
                rule=f"{path}.absolute",
                reason="unpacks to wherever the archive says, outside this folder, too",
            )


def _tar_runs(found: _Tar, call: "Call", path: str) -> None:
    for name, field in found.values:
        if name in ("I", *RUNS) or (name == "F" and call.name != "bsdtar"):
            call.run.shell(field.text, field.span, f"tar {name}")
            if name not in ("I", "use-compress-program"):
                _runs(call, path, field.text)
        elif name == "checkpoint-action" and field.text.startswith("exec"):
            line = field.tail(field.text.find("=") + 1)
            call.run.shell(line.text, line.span, "tar --checkpoint-action")
            _runs(call, path, line.text)
        elif name in ("transform", "xform") and field.text.rstrip("0123456789gixrsSRhH").endswith("e"):
            call.run.opaque("a tar --transform with a flag that is not known")
    program = found.value("I", "use-compress-program")
    if program is not None and "/" in program.text.split(" ")[0] and not program.text.startswith(("/usr/", "/bin/")):
        _runs(call, path, program.text)


def _runs(call: "Call", path: str, what: str) -> None:
    effects.named(
        "runs", call, rule=f"{path}.runs", reason=f"tar starts another program: {what[:60]}", safer="run tar without it"
    )


def _fetched(archive: Field | None, call: "Call") -> bool:
    """Whether an archive came over the network in this line: from the pipe, or as a file."""
    if archive is None or archive.text == "-":
        return REMOTE in call.run.stdin.tags
    return any(REMOTE in value.tags for value in call.reads)


def patch(entry: "Entry", call: "Call", path: str) -> None:
    """``patch``: without a file's name, the patch itself says which files below the folder change."""
    effects.apply(entry, call.parsed, call, path)
    if not call.parsed.operands and not effects.is_dry(entry, call.parsed):
        value = call.taken_in()
        unpacks(call, path, call.parsed.value("-d", "--directory"), fetched=REMOTE in value.tags, runs=False)


def unpacks(call: "Call", path: str, folder: Field | None, *, fetched: bool = False, runs: bool = True) -> None:
    """Unknown names below a folder. Unpacking inside the workspace or a scratch directory is everyday work.

    ``fetched``: what is unpacked came over the network; ``runs``: programs may be among it.
    """
    here = call.run.state.cwd[0]
    at = folder or Field(here, call.span)
    where = posixpath.normpath(here)
    around = call.run.around
    if fetched and runs:
        call.run.state.unpacked |= {where}
    if fetched and describe(where, around).place in _WIDE and not call.run.state.host:
        effects.named(
            "loses",
            call,
            rule=f"{path}.fetched",
            reason=f"lets what comes over the network choose which files change in {where}",
            safer="unpack into a new folder and look at it",
        )
    inside = where == around.workspace or where.startswith(around.workspace + "/")
    if inside and not call.run.state.host:
        effects.named("local", call, rule=f"{path}.unpacks", reason="")
        return
    effects.path("write", Field(f"{where.rstrip('/')}/{SOME}", at.span, at.tags), call, f"{path}.unpacks")
